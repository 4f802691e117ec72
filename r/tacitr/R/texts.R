# What texts say: numbers, dates, and cells written as the schema says.

# What is around a cell for a reader of tables, and between a number and its sign.
BLANKS <- " \t\n\r\f\v\u00a0\u2007\u2009\u202f"
# What programs count as blank around a text.
SPACES <- "\t\n\v\f\r\u001c-\u001f \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
ABSENT <- c("", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "?")
WORDS <- c(true = 1, True = 1, TRUE. = 1, false = 0, False = 0, FALSE. = 0)
names(WORDS) <- sub(".", "", names(WORDS), fixed = TRUE)
ENDLESS <- c("inf", "Inf", "Infinity", "infinity", "-inf", "-Inf", "-Infinity", "-infinity")

trimmed <- function(texts, blanks = SPACES) {
  pattern <- paste0("^[", blanks, "]+|[", blanks, "]+$")
  gsub(pattern, "", enc2utf8(as.character(texts)), perl = TRUE)
}

# The number that each text spells, NA for none; NaN is one that spells a missing one.
number_of_text <- function(texts) {
  texts <- trimmed(texts)
  found <- rep(NA_real_, length(texts))
  is_number <- grepl("^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?$", texts, perl = TRUE)
  found[is_number] <- as.numeric(texts[is_number])
  word <- match(texts, names(WORDS))
  found[!is.na(word)] <- WORDS[word[!is.na(word)]]
  found[texts %in% c("nan", "NaN")] <- NaN
  endless <- texts %in% ENDLESS
  found[endless] <- ifelse(startsWith(texts[endless], "-"), -Inf, Inf)
  found
}

is_unread <- function(found) is.na(found) & !is.nan(found)

# Days since 1970-01-01 of texts in ISO form, NaN for missing ones, NA for others.
day_of_text <- function(texts) {
  texts <- trimmed(texts)
  pattern <- paste0(
    "^([0-9]{4})-([0-9]{2})-([0-9]{2})",
    "(?:[T ]([0-9]{2})(?::?([0-9]{2})(?::?([0-9]{2})(?:[.,]([0-9]{1,6})[0-9]*)?)?)?(Z|[+-][0-9:]+)?)?$"
  )
  parts <- parts_of_match(texts, pattern)
  number <- function(at) ifelse(parts[, at] == "", 0, suppressWarnings(as.numeric(parts[, at])))
  day <- day_number(number(1L), number(2L), number(3L))
  fraction <- ifelse(parts[, 7L] == "", 0, as.numeric(substr(paste0(parts[, 7L], "000000"), 1L, 6L)))
  offset <- offset_seconds(parts[, 8L])
  ticks <- (number(4L) * 3600 + number(5L) * 60 + number(6L) - offset) * 1e6 + fraction
  fits <- number(4L) < 24 & number(5L) < 60 & number(6L) < 60
  day <- ifelse(fits, of_ticks(day, ticks), NA)
  day[texts %in% c("nan", "NaN", "NaT")] <- NaN
  day
}

# Whole days and the rest are divided apart, so that one moment has one value in every unit.
of_ticks <- function(day, ticks) {
  per_day <- 86400e6
  carried <- floor(ticks / per_day)
  day + carried + (ticks - carried * per_day) / per_day
}

offset_seconds <- function(zones) {
  digits <- gsub("[^0-9]", "", zones)
  hours <- suppressWarnings(as.numeric(substr(digits, 1L, 2L)))
  minutes <- suppressWarnings(as.numeric(substr(paste0(digits, "00"), 3L, 4L)))
  sign <- ifelse(startsWith(zones, "-"), -1, 1)
  ifelse(zones == "" | zones == "Z", 0, sign * (hours * 3600 + minutes * 60))
}

# Groups of a pattern, a row a text, NA where it does not fit.
parts_of_match <- function(texts, pattern) {
  found <- regmatches(texts, regexec(pattern, texts, perl = TRUE))
  width <- max(0L, lengths(found)) - 1L
  groups <- matrix(NA_character_, length(texts), max(width, 12L))
  fits <- lengths(found) > 0L
  if (any(fits)) groups[fits, seq_len(width)] <- do.call(rbind, lapply(found[fits], `[`, -1L))
  groups
}

# Days since 1970-01-01 of a year, month and day; NA where there is no such day.
day_number <- function(year, month, day) {
  texts <- ifelse(is.na(year + month + day), NA, sprintf("%04.0f-%02.0f-%02.0f", year, month, day))
  valid <- !is.na(texts) & year >= 1 & month >= 1 & month <= 12 & day >= 1 & day <= 31
  found <- rep(NA_real_, length(texts))
  found[valid] <- as.numeric(as.Date(texts[valid], format = "%Y-%m-%d"))
  found
}
