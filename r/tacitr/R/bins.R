# Bins of numbers: bin i holds the numbers above cut i - 1 and at most cut i.

# The least normal double: a cut this far below zero separates the negative numbers from zero.
MIN_AMOUNT <- .Machine$double.xmin

# Codes from 0 of a column of rows; a category that is not listed has the one after all others.
bin_codes <- function(values, column, n_bins) {
  if (!column$numeric) {
    return(ifelse(values < 0, column$n_codes, values))
  }
  findInterval(values, even_cuts(column, n_bins), left.open = TRUE)
}

n_codes_of <- function(column, n_bins) {
  1L + if (column$numeric) length(even_cuts(column, n_bins)) else column$n_codes
}

# Declared or released cut points, or those of equal parts on the column's scale.
even_cuts <- function(column, parts) {
  if (!is.null(column$cuts)) {
    return(column$cuts)
  }
  found <- equal_parts(column, parts)
  if (column$whole) settled(found, column) else found
}

equal_parts <- function(column, parts) {
  low <- stretch(column$lower, column)
  high <- stretch(column$upper, column)
  is_log <- column$scale == "log"
  if (is_log && low <= 0 && high >= 0) {
    return(symmetric_cuts(low, high, parts))
  }
  inner <- seq_len(parts - 1L) * ((high - low) / parts) + low
  if (is_log) sign(inner) * expm1(abs(inner)) else inner
}

# At equal steps of the logarithm from zero both ways, and next to zero itself.
symmetric_cuts <- function(low, high, parts) {
  step <- (high - low) / (parts - 1)
  near_end <- step / 1024
  n_below <- max(0, trunc((-low - near_end) / step))
  n_above <- max(0, trunc((high - near_end) / step))
  below <- -rev(expm1(step * seq_len(n_below)))
  above <- expm1(step * seq_len(n_above))
  c(below, if (low < 0) -MIN_AMOUNT, if (high > 0) 0, above)
}

# Those of a whole column lie at halves, and none ends a cell without a number that the column can have.
settled <- function(cuts, column) {
  halves <- vapply(cuts[cuts >= column$lower & cuts < column$upper], half_of, 0)
  kept <- numeric()
  for (cut in sort(unique(halves))) {
    inside <- column$lower < cut && cut < column$upper
    if (inside && (length(kept) == 0L || has_number(column, kept[length(kept)], cut))) kept <- c(kept, cut)
  }
  kept
}

half_of <- function(cut) {
  below <- floor(cut)
  half <- below + 0.5
  if (below < half && half < below + 1) half else below
}

has_number <- function(column, low, high) {
  missing <- column$missing_value
  if (!is.null(missing) && low < missing && missing <= high) {
    return(TRUE)
  }
  codes <- unique(column$numeric_codes)
  codes <- codes[codes == floor(codes) & low < codes & codes <= high]
  floor(high) - floor(low) > length(codes)
}
