# Cells written as the schema says: marks of decimals and thousands, signs, negatives, limits, formats of dates.

NOTATION_FIELDS <- c("thousands", "signs", "negatives", "below", "dates", "replace")
THOUSANDS <- c("." = ".", "," = ",", "'" = "'\u2019", " " = " \u00a0\u2007\u2009\u202f")
DASHES <- "-\u2212\u2013\u2014"
MONTHS <- month.name
DIRECTIVES <- c(Y = 4, y = 2, m = 2, d = 2, H = 2, I = 2, M = 2, S = 2, f = 6)

notation_of <- function(entry, column) {
  usual <- is.null(entry$decimal) || entry$decimal == "."
  if (usual && all(vapply(entry[NOTATION_FIELDS], is.null, NA))) {
    return(NULL)
  }
  pairs <- entry$replace
  middle <- NULL
  if (column$is_date || identical(entry$date_part, "year")) {
    years <- if (column$is_date) as.numeric(substr(c(entry$low, entry$high), 1L, 4L)) else c(entry$low, entry$high)
    middle <- round(sum(years) / 2)
  }
  notation <- list(
    decimal = if (is.null(entry$decimal)) "." else entry$decimal, dates = entry$dates, middle = middle,
    from = vapply(pairs, `[[`, "", 1L), to = vapply(pairs, `[[`, "", 2L),
    marks = if (is.null(entry$thousands)) "" else THOUSANDS[[entry$thousands]],
    codes = trimmed(unlist(Filter(is.character, entry$missing_codes)))
  )
  notation$shapes <- shapes_of(entry, notation, below = TRUE)
  notation$exact <- shapes_of(entry, notation, below = FALSE)
  notation
}

escaped <- function(texts) gsub("([\\\\.+*?()|\\[\\]{}^$])", "\\\\\\1", texts, perl = TRUE)

either <- function(texts, before, after) {
  if (length(texts) == 0L) {
    return("")
  }
  texts <- texts[order(-nchar(texts), texts, method = "radix")]
  paste0(before, "(?:", paste(escaped(texts), collapse = "|"), ")", after)
}

# The ways in which numbers are written, of which at most one fits a cell.
shapes_of <- function(entry, notation, below) {
  blank <- paste0("[", BLANKS, "]*")
  signs <- enc2utf8(as.character(unlist(entry$signs)))
  # One that ends in a digit would run together with the number, and one for no hundredths is behind it.
  fits <- !grepl("[0-9]$", signs) & !(nchar(signs) > 1L & grepl(paste0("^[.,][", DASHES, "]"), signs, perl = TRUE))
  ahead <- either(signs[fits], "(?:", paste0(blank, ")?"))
  behind <- either(signs, paste0("(?:", blank), ")?")
  number <- function(least) paste0("(", digits_of(notation, least), ")")
  minus <- "[-\u2212]"
  shape <- function(pattern, factor = 1, constant = NA) list(pattern = pattern, factor = factor, constant = constant)
  found <- list(
    shape(paste0("(?:\\+?", ahead, "|", ahead, "\\+)", number("*"), behind)),
    shape(paste0("(?:", minus, ahead, "|", ahead, minus, ")", number("*"), behind), -1)
  )
  if (identical(entry$negatives, "brackets")) {
    inside <- paste0("\\(", blank, ahead, number("*"), behind, blank, "\\)")
    outside <- paste0(ahead, "\\(", blank, number("*"), blank, "\\)", behind)
    found <- c(found, list(shape(inside, -1), shape(outside, -1)))
  }
  if (identical(entry$negatives, "behind")) {
    pattern <- paste0(ahead, number("+"), "(?:", minus, behind, "|", behind, minus, ")")
    found <- c(found, list(shape(pattern, -1)))
  }
  if (below && !is.null(entry$below)) found <- c(found, shapes_below(entry, shape, number("*"), ahead, behind, minus))
  found
}

shapes_below <- function(entry, shape, number, ahead, behind, minus) {
  mark <- paste0(escaped(entry$below), "[", BLANKS, "]*")
  counts <- entry$below_counts
  constant <- if (is.numeric(counts)) as.numeric(counts) else NA
  half <- identical(counts, "half")
  found <- list(shape(paste0(mark, ahead, number, behind), if (half) 0.5 else 1, constant))
  # Half of a limit below zero would be above it.
  if (half) found else c(found, list(shape(paste0(mark, minus, ahead, number, behind), -1, constant)))
}

digits_of <- function(notation, least) {
  whole <- "[0-9]+"
  point <- paste0("[", notation$decimal, "]")
  if (nzchar(notation$marks)) whole <- paste0("(?:[1-9][0-9]{0,2}(?:[", notation$marks, "][0-9]{3})+|[0-9]+)")
  paste0("(?:", whole, "(?:", point, "[0-9]", least, ")?|", point, "[0-9]+)(?:[eE][+-]?[0-9]+)?")
}

# The number that each text spells, NA for none.
notation_number <- function(texts, notation, below = TRUE) {
  texts <- trimmed(texts, BLANKS)
  found <- rep(NA_real_, length(texts))
  for (shape in if (below) notation$shapes else notation$exact) {
    pattern <- paste0("^(?:", shape$pattern, ")$")
    at <- which(is.na(found) & grepl(pattern, texts, perl = TRUE))
    if (length(at) == 0L) next
    digits <- parts_of_match(texts[at], pattern)[, 1L]
    for (mark in strsplit(notation$marks, "")[[1L]]) digits <- gsub(mark, "", digits, fixed = TRUE)
    value <- as.numeric(sub(notation$decimal, ".", digits, fixed = TRUE))
    found[at] <- if (is.na(shape$constant)) shape$factor * value else shape$constant
  }
  found
}

# What each cell of text is: a number or days, NaN for a missing one, NA for neither.
read_written <- function(texts, notation) {
  texts <- trimmed(texts, BLANKS)
  at <- match(texts, notation$from)
  texts[!is.na(at)] <- notation$to[at[!is.na(at)]]
  found <- if (is.null(notation$dates)) notation_number(texts, notation) else written_day(texts, notation)
  found[texts %in% c(notation$codes, ABSENT)] <- NaN
  found
}

# The first of several formats that fits.
written_day <- function(texts, notation) {
  found <- rep(NA_real_, length(texts))
  for (format in strsplit(notation$dates, " or ", fixed = TRUE)[[1L]]) {
    left <- is.na(found)
    if (any(left)) found[left] <- day_by_format(texts[left], format, notation$middle)
  }
  found
}

day_by_format <- function(texts, format, middle) {
  parts <- regmatches(format, gregexpr("%.|[^%]+", format))[[1L]]
  is_directive <- startsWith(parts, "%") & parts != "%%"
  names <- substring(parts[is_directive], 2L)
  pattern <- paste0("^", paste(vapply(seq_along(parts), function(at) group_of(parts, at), ""), collapse = ""), "$")
  groups <- parts_of_match(texts, pattern)
  text <- function(name) groups[, match(name, names)]
  number <- function(name, without) if (name %in% names) as.numeric(text(name)) else rep(without, length(texts))
  month <- number("m", 1)
  if ("b" %in% names) month <- match(tolower(text("b")), tolower(substr(MONTHS, 1L, 3L)))
  if ("B" %in% names) month <- match(tolower(text("B")), tolower(MONTHS))
  hour <- number("H", 0)
  if ("I" %in% names) {
    hour <- ifelse(number("I", 0) %in% 1:12, number("I", 0) %% 12 + 12 * (tolower(text("p")) == "pm"), NA)
  }
  fraction <- if ("f" %in% names) as.numeric(substr(paste0(text("f"), "000000"), 1L, 6L)) else 0
  fits <- !is.na(hour) & hour < 24 & number("M", 0) < 60 & number("S", 0) < 60
  day <- day_number(year_of(names, number, middle, length(texts)), month, number("d", 1))
  ticks <- (hour * 3600 + number("M", 0) * 60 + number("S", 0)) * 1e6 + fraction
  ifelse(!is.na(fits) & fits & !is.na(groups[, 1L]), of_ticks(day, ticks), NA)
}

# Two digits are the year that is nearest to the middle of the bounds; a format without a year has a leap year.
year_of <- function(names, number, middle, n) {
  if (!"y" %in% names) {
    return(number("Y", 1972))
  }
  first <- if (is.null(middle)) 1969 else middle - 49
  first + (number("y", 0) - first) %% 100
}

group_of <- function(parts, at) {
  part <- parts[at]
  name <- if (startsWith(part, "%")) substring(part, 2L) else ""
  words <- list(b = substr(MONTHS, 1L, 3L), B = MONTHS, p = c("AM", "PM"))
  if (name %in% names(words)) {
    return(paste0("((?i:", paste(words[[name]], collapse = "|"), "))"))
  }
  if (!name %in% names(DIRECTIVES)) {
    return(escaped(if (part == "%%") "%" else part))
  }
  near <- parts[setdiff(c(at - 1L, at + 1L), c(0L, length(parts) + 1L))]
  most <- DIRECTIVES[[name]]
  joined <- any(substring(near[startsWith(near, "%")], 2L) %in% names(DIRECTIVES))
  paste0("([0-9]{", if (name %in% c("Y", "y") || (name != "f" && joined)) most else 1, ",", most, "})")
}

# Whether whole numbers may be the digits of dates, the year first, as by %Y%m%d.
is_of_digits <- function(notation) {
  formats <- strsplit(notation$dates, " or ", fixed = TRUE)[[1L]]
  any(grepl("^%Y(%[ymdHIMSf])*$", formats))
}
