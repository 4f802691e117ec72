# Features of linear forms: numbers in [-1, 1] or as bins, categories ordinal or one-hot, ranks between cut points.

# Features are whole multiples of this step, so that products with coefficients add up exactly in any order.
GRID <- 2^-20

on_grid <- function(features) pmin(pmax(round(features / GRID) * GRID, -1), 1)

# On the column's scale, the public center at 0 and the farther bound at distance 1.
scaled <- function(values, column) {
  ends <- stretch(c(column$lower, column$middle, column$upper), column)
  reach <- max(ends[3L] - ends[2L], ends[2L] - ends[1L])
  if (reach == 0) 0 * values else (stretch(values, column) - ends[2L]) / reach
}

# Where a number's rank is known, and the ranks there.
knots <- function(column) {
  ends <- scaled(c(column$lower, column$upper), column)
  inner <- scaled(column$cuts, column)
  n <- length(inner)
  if (n > 1L) {
    # Bounds may be far beyond the rows: outer knots are no farther than twice the neighboring step.
    ends[1L] <- max(ends[1L], 3 * inner[1L] - 2 * inner[2L])
    ends[2L] <- min(ends[2L], 3 * inner[n] - 2 * inner[n - 1L])
  }
  places <- c(ends[1L], inner, ends[2L])
  size <- length(places)
  ranks <- c((seq_len(size - 1L) - 1) * (2 / (size - 1)) - 1, 1)
  kept <- c(TRUE, diff(places) > 0)
  list(places = places[kept], ranks = ranks[kept])
}

# In the order of operations that the models were scored with: another one would differ in the last bit.
interpolated <- function(values, at) {
  n <- length(at$places)
  if (n == 1L) {
    return(rep(at$ranks, length(values)))
  }
  j <- pmin(pmax(findInterval(values, at$places), 1L), n - 1L)
  slopes <- diff(at$ranks) / diff(at$places)
  found <- slopes[j] * (values - at$places[j]) + at$ranks[j]
  found[values <= at$places[1L]] <- at$ranks[1L]
  found[values >= at$places[n]] <- at$ranks[n]
  found
}

rank_of <- function(values, column) {
  found <- interpolated(scaled(values, column), knots(column))
  # One cut point gives no scale: half of the rank is the side of it on which a number is.
  if (length(column$cuts) == 1L) found <- (found + ifelse(values > column$cuts, 0.5, -0.5)) / 2
  found
}

ordinal <- function(codes, column) {
  reach <- max(column$n_codes - 1 - column$middle, column$middle)
  if (reach == 0) 0 * codes else ifelse(codes < 0, 0, (codes - column$middle) / reach)
}

# A named encoding as what each of its columns is: "number", "ordinal" or "one-hot", with the column.
# `clip`: numbers farther than this share of the reach from their center count as this far.
linear_features <- function(columns, encoding, n_bins = 8L, clip = 1) {
  lapply(columns, function(column) {
    if (encoding == "binned") {
      column <- long_tailed(column)
      width <- if (column$numeric) n_codes_of(column, n_bins) else column$n_codes
      code <- function(values) if (column$numeric) bin_codes(values, column, n_bins) else values
      return(list(name = column$name, width = width, code = code))
    }
    if (!column$numeric && encoding != "ordinal") {
      return(list(name = column$name, width = column$n_codes, code = identity))
    }
    ranked <- encoding == "ranked" && length(column$cuts) > 0L
    value <- function(values) {
      if (!column$numeric) {
        return(on_grid(ordinal(values, column)))
      }
      on_grid(if (ranked) rank_of(values, column) else scaled(values, column) / clip)
    }
    list(name = column$name, width = 1L, value = value)
  })
}

n_features <- function(features) sum(vapply(features, function(each) as.numeric(each$width), 0))

# What features times weights add up to.
linear_sum <- function(features, rows, weights) {
  total <- numeric(n_rows(rows))
  start <- 0L
  for (each in features) {
    own <- weights[start + seq_len(each$width)]
    values <- rows[[each$name]]
    # A category that is not listed has no feature.
    total <- total + if (is.null(each$code)) each$value(values) * own else c(0, own)[each$code(values) + 2L]
    start <- start + each$width
  }
  total
}

# One feature of the rows, by its position from 1.
feature_at <- function(features, rows, position) {
  for (each in features) {
    if (position <= each$width) {
      values <- rows[[each$name]]
      return(if (is.null(each$code)) each$value(values) else as.numeric(each$code(values) == position - 1L))
    }
    position <- position - each$width
  }
  refuse("Expected rules that fit the schema's features. The file is damaged.")
}
