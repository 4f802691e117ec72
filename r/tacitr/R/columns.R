# What the schema says of each column, as numbers: bounds and dates in days, codes, cut points.

# Parts of the notation that a text of a number or date may have.
prepared_column <- function(entry) {
  if (is.null(entry$low)) {
    return(prepared_categories(entry))
  }
  column <- list(
    name = entry$name, numeric = TRUE, private = isTRUE(entry$private), scale = entry$scale, whole = isTRUE(entry$whole),
    is_date = is.character(entry$low), lower = as_number(entry$low), upper = as_number(entry$high),
    declared_center = if (!is.null(entry$center)) as_number(entry$center),
    cuts = if (!is.null(entry$cuts)) vapply(entry$cuts, as_number, 0), date_part = entry$date_part,
    indicator = identical(entry$missing, "indicator")
  )
  column$has_dates <- column$is_date || !is.null(entry$date_part)
  column$middle <- middle_of(column)
  if (!is.null(entry$missing)) {
    column$missing_value <- if (column$indicator) column$middle else as_number(entry$missing)
  }
  column$notation <- notation_of(entry, column)
  c(column, codes_of_missing(entry, column))
}

# A text is a date: numbers of such columns are days since 1970-01-01.
as_number <- function(value) {
  if (is.character(value)) as.numeric(as.Date(value, format = "%Y-%m-%d")) else as.numeric(value)
}

middle_of <- function(column) {
  if (!is.null(column$declared_center)) {
    return(column$declared_center)
  }
  if (column$scale == "linear") {
    return(column$lower + (column$upper - column$lower) / 2)
  }
  halfway <- (symmetric_log(column$lower) + symmetric_log(column$upper)) / 2
  min(max(sign(halfway) * expm1(abs(halfway)), column$lower), column$upper)
}

symmetric_log <- function(values) sign(values) * log1p(abs(values))

stretch <- function(values, column) if (column$scale == "log") symmetric_log(values) else values

codes_of_missing <- function(entry, column) {
  codes <- entry$missing_codes
  texts <- unlist(Filter(is.character, codes))
  numbers <- unlist(Filter(is.numeric, codes))
  if (column$has_dates) {
    return(list(numeric_codes = numeric(), text_codes = c(texts, format(numbers, trim = TRUE, digits = 15))))
  }
  spelled <- if (is.null(column$notation)) number_of_text(texts) else notation_number(texts, column$notation, FALSE)
  list(numeric_codes = c(as.numeric(numbers), spelled[!is.na(spelled)]), text_codes = trimmed(texts))
}

prepared_categories <- function(entry) {
  listed <- entry$categories
  is_text <- length(listed) > 0L && is.character(listed[[1L]])
  column <- list(
    name = entry$name, numeric = FALSE, private = isTRUE(entry$private), listed = unlist(listed), is_text = is_text, other = isTRUE(entry$other),
    match = if (is.null(entry$match)) "value" else entry$match, buckets = entry$buckets,
    salt = if (is.null(entry$salt)) "" else entry$salt, replace = entry$replace, indicates = entry$indicates
  )
  column$n_codes <- if (is.null(column$buckets)) length(listed) + column$other else column$buckets + 1
  column$center <- if (!is.null(entry$center)) which(column$listed == entry$center)[1L] - 1
  column$middle <- if (is.null(column$center)) (column$n_codes - 1) / 2 else column$center
  column$book <- codebook(column, entry$missing)
  column
}

# A column with the cut points that were released for it.
cut_at <- function(column, points) {
  if (!is.null(points)) column$cuts <- as.numeric(unlist(points))
  column
}

# A number whose public center is one of its bounds has a long tail, which is read on a logarithmic scale.
long_tailed <- function(column) {
  center <- column$declared_center
  if (!column$numeric || column$is_date || is.null(center) || !is.null(column$cuts)) {
    return(column)
  }
  if (center == column$lower || center == column$upper) column$scale <- "log"
  column
}

# Columns by name, numbers with released cut points in place of declared ones.
with_cuts <- function(model, cuts) {
  columns <- model$columns
  for (pair in cuts) columns[[pair[[1L]]]] <- cut_at(columns[[pair[[1L]]]], pair[[2L]])
  columns
}
