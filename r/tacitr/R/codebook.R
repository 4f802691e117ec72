# Codes of categories: of listed values, of the longest listed prefixes, or of buckets. They count from 0.

UNSEEN <- -1
# Of a cell of a type that no listed value has, such as a number among words.
UNLIKE <- -2

codebook <- function(column, missing) {
  book <- list(missing = UNSEEN, kind = if (is.null(column$buckets)) column$match else "bucket", ambiguous = FALSE,
               spells_nan = FALSE, buckets = column$buckets, salt = column$salt)
  if (book$kind == "bucket") {
    book$missing <- column$buckets
  } else {
    book <- with_listed(book, column)
    if (!is.null(missing)) {
      code <- if (is.character(missing)) codes_of_texts(missing, book) else codes_of_numbers(missing, book)
      book$missing <- if (code < 0) length(column$listed) else code
    }
  }
  with_replaced(book, column$replace)
}

with_listed <- function(book, column) {
  listed <- column$listed
  codes <- seq_along(listed) - 1
  if (column$is_text) {
    book$texts <- enc2utf8(listed)
    book$padded <- any(listed != trimmed(listed))
  }
  spelled <- if (column$is_text) number_of_text(listed) else as.numeric(listed)
  book$is_text <- column$is_text
  book$spells_nan <- book$kind == "value" && any(is.nan(spelled))
  book$numbers <- numeric()
  for (at in which(!is.na(spelled))) book <- with_number(book, spelled[at], codes[at])
  if (book$kind == "prefix") book$ambiguous <- FALSE
  book
}

# Two listed values that are one number: no cell that is a number only can be either.
with_number <- function(book, value, code) {
  at <- match(value, book$numbers)
  if (is.na(at)) {
    book$numbers <- c(book$numbers, value)
    book$number_codes <- c(book$number_codes, code)
  } else if (book$number_codes[at] != code) {
    book$ambiguous <- TRUE
    book$number_codes[at] <- UNSEEN
  }
  book
}

with_replaced <- function(book, pairs) {
  for (pair in pairs) {
    code <- if (nzchar(pair[[2L]])) codes_of_texts(pair[[2L]], book) else book$missing
    from <- if (book$kind == "bucket") hashed_text(pair[[1L]]) else pair[[1L]]
    book$from <- c(book$from, from)
    book$from_codes <- c(book$from_codes, code)
    spelled <- number_of_text(pair[[1L]])
    if (book$kind != "bucket" && !is.na(spelled)) book <- with_number(book, spelled, code)
  }
  book
}

# NA and codes of different texts.
codes_of_texts <- function(texts, book) {
  texts <- enc2utf8(texts)
  found <- switch(book$kind,
    bucket = bucket_codes(hashed_text(texts), book),
    prefix = prefix_codes(trimmed(texts), book),
    value = value_codes(texts, book)
  )
  found[is.na(texts)] <- book$missing
  found
}

codes_of_numbers <- function(values, book) {
  if (book$kind == "bucket") {
    return(ifelse(is.na(values), book$missing, bucket_codes(shortest(values), book)))
  }
  at <- match(as.numeric(values), book$numbers)
  unlisted <- if (length(book$numbers)) UNSEEN else UNLIKE
  found <- ifelse(is.na(at), unlisted, book$number_codes[at])
  ifelse(is.na(values), book$missing, found)
}

value_codes <- function(texts, book) {
  bare <- trimmed(texts)
  known <- match(texts, book$texts) - 1
  if (!isTRUE(book$padded)) known <- ifelse(is.na(known), match(bare, book$texts) - 1, known)
  if (length(book$from)) known <- ifelse(is.na(known), book$from_codes[match(bare, book$from)], known)
  spelled <- number_of_text(texts)
  by_number <- ifelse(is_unread(spelled), UNSEEN, book$missing)
  read <- !is.na(spelled)
  if (any(read)) by_number[read] <- pmax(codes_of_numbers(spelled[read], book), UNSEEN)
  empty <- if (isTRUE(book$padded)) texts == "" else bare == ""
  ifelse(!is.na(known), known, ifelse(empty, book$missing, by_number))
}

prefix_codes <- function(texts, book) {
  found <- rep(UNSEEN, length(texts))
  for (size in sort(unique(nchar(book$texts)))) {
    # Cut at a length beyond its own, a text is whole: it is its own longest prefix.
    at <- match(substr(texts, 1L, size), book$texts)
    found[!is.na(at)] <- at[!is.na(at)] - 1
  }
  found[texts %in% c("", "nan", "NaN")] <- book$missing
  if (length(book$from)) {
    at <- match(texts, book$from)
    found[!is.na(at)] <- book$from_codes[at[!is.na(at)]]
  }
  found
}

bucket_codes <- function(texts, book) {
  found <- rep(book$missing, length(texts))
  there <- !is.na(texts)
  found[there] <- bucket_of(texts[there], book$buckets, book$salt)
  at <- match(texts, book$from)
  replaced <- there & !is.na(at)
  found[replaced] <- book$from_codes[at[replaced]]
  found
}

# What is hashed of texts, NA for missing ones: one that spells a number is hashed as the number.
hashed_text <- function(texts) {
  spelled <- number_of_text(texts)
  bare <- trimmed(texts)
  bare[!is.na(texts) & bare == ""] <- NA
  ifelse(is.nan(spelled), NA, ifelse(is.na(spelled), bare, shortest(spelled)))
}

# The shortest text of each number, whole ones without a point, as Python writes them.
shortest <- function(values) {
  values <- as.numeric(values)
  found <- rep(NA_character_, length(values))
  # Fifteen digits distinguish all normal numbers of fewer; below them fewer may be enough.
  tiny <- any(values != 0 & abs(values) < .Machine$double.xmin, na.rm = TRUE)
  for (digits in if (tiny) 1:17 else 15:17) {
    left <- is.na(found) & is.finite(values)
    text <- sprintf("%.*e", digits - 1L, values[left])
    found[left] <- ifelse(as.numeric(text) == values[left], text, NA)
  }
  parts <- strsplit(ifelse(is.na(found), "0e0", found), "e", fixed = TRUE)
  mantissa <- sub("\\.?0+$", "", vapply(parts, `[`, "", 1L))
  exponent <- as.integer(vapply(parts, `[`, "", 2L))
  plain <- !is.na(found) & exponent >= -4L & exponent < 16L
  digits <- nchar(gsub("[-.]", "", mantissa))
  text <- paste0(mantissa, ifelse(exponent < 0L, "e-", "e+"), sprintf("%02d", abs(exponent)))
  text[plain] <- sprintf("%.*f", pmax(0L, digits[plain] - 1L - exponent[plain]), values[plain])
  whole <- plain & values == floor(values)
  exact <- whole & abs(values) < 2^53
  text[exact] <- sprintf("%.0f", values[exact] + 0)
  text[whole & !exact] <- sprintf("%.1f", values[whole & !exact])
  text[is.infinite(values)] <- ifelse(values[is.infinite(values)] > 0, "inf", "-inf")
  ifelse(is.na(values), NA, text)
}
