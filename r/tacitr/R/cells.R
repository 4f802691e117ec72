# Rows as the schema reads them: numbers within bounds, codes of categories, each cell by itself.

refuse <- function(...) stop(..., call. = FALSE)

# Columns by name: numbers, or codes from 0 (-1 for a category that is not listed).
read_rows <- function(model, newdata) {
  if (!is.data.frame(newdata)) refuse("Expected a data frame, got something else. Pass one with named columns.")
  missing <- setdiff(table_names(model), names(newdata))
  if (length(missing)) {
    refuse("Expected a column named '", missing[1L], "', got a table without one. Add the column.")
  }
  rows <- list()
  for (column in model$columns) {
    if (!is.null(column$indicates)) next
    cells <- newdata[[column$name]]
    if (column$numeric) {
      read <- read_numbers(cells, column, model$on_invalid)
      rows[[column$name]] <- read$values
      if (column$indicator) rows[[paste(column$name, "is missing")]] <- as.numeric(read$absent)
    } else {
      rows[[column$name]] <- read_categories(cells, column, model$on_invalid)
    }
  }
  structure(rows, n = nrow(newdata))
}

n_rows <- function(rows) attr(rows, "n")

# A column of NA alone is logical in R, whatever it is a column of.
is_empty <- function(cells) is.logical(cells) && all(is.na(cells))

is_text <- function(cells) is.character(cells) || is.factor(cells)

is_moment <- function(cells) inherits(cells, c("Date", "POSIXct", "POSIXlt"))

is_number <- function(cells) (is.numeric(cells) || is.logical(cells)) && !is.object(cells)

read_numbers <- function(cells, column, on_invalid) {
  if (is_empty(cells)) cells <- rep(NA_real_, length(cells)) else check_type(cells, column)
  found <- if (column$has_dates) days_in(cells, column) else numbers_in(cells, column)
  all_read <- attr(found, "all_read")
  if (!all_read && on_invalid == "raise") {
    what <- if (column$has_dates) "dates" else "numbers"
    refuse("Expected ", what, " in every cell of column '", column$name, "', got another text. Convert the column.")
  }
  found <- as.numeric(found)
  if (!is.null(column$date_part)) found <- part_of(found, column$date_part)
  found[found %in% column$numeric_codes] <- NA
  absent <- !is.finite(found)
  if (any(absent)) {
    if (is.null(column$missing_value) && on_invalid == "raise") {
      refuse("Expected a finite number in every row of column '", column$name, "', got NA. Leave such rows out.")
    }
    found[absent] <- if (is.null(column$missing_value)) column$middle else column$missing_value
  }
  list(values = pmin(pmax(found, column$lower), column$upper), absent = absent)
}

check_type <- function(cells, column) {
  expected <- if (column$has_dates) "dates" else "numbers"
  by_digits <- !is.null(column$notation$dates) && is_of_digits(column$notation)
  fits <- is_text(cells) || if (column$has_dates) is_moment(cells) || (by_digits && is_number(cells)) else is_number(cells)
  if (!fits) {
    refuse("Expected ", expected, " in column '", column$name, "', got another type. Convert the column.")
  }
}

# Each text is read once.
of_texts <- function(cells, read) {
  texts <- if (is.factor(cells)) levels(cells) else unique(as.character(cells))
  texts <- enc2utf8(texts[!is.na(texts)])
  read(texts)[match(enc2utf8(as.character(cells)), texts)]
}

numbers_in <- function(cells, column) {
  if (!is_text(cells)) {
    return(structure(as.numeric(cells), all_read = TRUE))
  }
  is_written <- !is.null(column$notation)
  found <- of_texts(cells, function(texts) {
    if (is_written) {
      return(read_written(texts, column$notation))
    }
    numbers <- number_of_text(texts)
    numbers[trimmed(texts) %in% column$text_codes] <- NaN
    numbers
  })
  # Texts of digits were perhaps numbers once, but a column of text is none, unless a code of text made it one.
  counts <- is_written || length(column$text_codes) > 0L
  structure(found, all_read = counts && !any(is_unread(found) & !is.na(cells)))
}

days_in <- function(cells, column) {
  if (inherits(cells, "Date")) {
    return(structure(floor(as.numeric(cells)), all_read = TRUE))
  }
  if (is_moment(cells)) {
    return(structure(of_ticks(0, round(as.numeric(as.POSIXct(cells)) * 1e6)), all_read = TRUE))
  }
  texts <- if (is_text(cells)) cells else ifelse(is.na(cells), NA, sprintf("%.0f", cells))
  found <- of_texts(texts, function(each) {
    if (!is.null(column$notation)) {
      return(read_written(each, column$notation))
    }
    days <- day_of_text(each)
    days[trimmed(each) %in% column$text_codes] <- NaN
    days
  })
  structure(found, all_read = !any(is_unread(found) & !is.na(texts)))
}

part_of <- function(days, part) {
  whole <- floor(days)
  there <- is.finite(days)
  date <- as.POSIXlt(as.Date(ifelse(there, whole, 0), origin = "1970-01-01"))
  value <- switch(part,
    year = date$year + 1900, month = date$mon + 1, day = date$mday,
    weekday = (ifelse(there, whole, 0) + 3) %% 7 + 1,
    hour = floor(round((days - whole) * 86400e6) / 3600e6) %% 24
  )
  ifelse(there, value, NA)
}

read_categories <- function(cells, column, on_invalid) {
  book <- column$book
  if (is_empty(cells)) cells <- rep(NA_character_, length(cells))
  if (!is_text(cells) && !is_number(cells)) {
    refuse("Expected text, numbers or truth values in column '", column$name, "', got another type. Convert it.")
  }
  if (is_number(cells)) check_numbers(cells, column, book)
  values <- if (is.factor(cells)) levels(cells) else unique(cells)
  codes <- if (is_text(cells)) codes_of_texts(as.character(values), book) else codes_of_numbers(values, book)
  codes <- if (is.factor(cells)) codes[as.integer(cells)] else codes[match(cells, values)]
  codes[is.na(cells)] <- book$missing
  unseen <- codes < 0
  if (any(unseen)) {
    takes_any <- column$other || !is.null(column$buckets)
    if (on_invalid == "raise" && (!takes_any || any(codes == UNLIKE))) {
      refuse("Expected every value of column '", column$name, "' to be among the model's categories, and none to be ",
             "missing, got another. Correct the column.")
    }
    codes[unseen] <- if (column$other) length(column$listed) else UNSEEN
  }
  codes
}

check_numbers <- function(cells, column, book) {
  lost <- book$kind == "prefix" || (book$ambiguous && (isTRUE(book$is_text) || is.double(cells))) ||
    (book$spells_nan && is.double(cells))
  if (lost) {
    refuse("Expected text in column '", column$name, "', got numbers, which are not what its categories were. Read ",
           "the column as text.")
  }
}
