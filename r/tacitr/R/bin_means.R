# About the mean log-odds of the rows in each level of a score, and how many they are, from noisy counts.
# Each is of one class: `counts` has a row for other classes' rows and one for its own, and a column a level.

# How much of its noise a number is lowered by, to be sure.
SURE_DEVIATIONS <- 2

MIN_WIDTH <- 1e-6
# By how much the logarithm of the density of rows may change from edge to edge.
STEEPEST <- 6

means_in_bins <- function(edges, rows) {
  if (length(edges) == 1L) {
    return(edges + c(-0.5, 0.5))
  }
  widths <- diff(edges)
  n <- length(rows)
  last <- length(widths)
  dense <- log(rows / pmax(c(widths[1L], widths, widths[last]), MIN_WIDTH))
  steep <- pmin(pmax((dense[-(1:2)] - dense[seq_len(n - 2L)]) / 2, -STEEPEST), STEEPEST)
  gentle <- ifelse(abs(steep) < 1e-3, 1e-3, steep)
  inside <- edges[-length(edges)] + widths * (1 / -expm1(-gentle) - 1 / gentle)
  reach <- pmin(pmax(sqrt(rows[c(1L, n)] / rows[c(2L, n - 1L)]), 0.5), 2) * widths[c(1L, last)] / 2
  c(edges[1L] - reach[1L], inside, edges[length(edges)] + reach[2L])
}

# None farther out than halfway to the end of the grid.
bin_means <- function(counts, edges, variances) {
  # Of fewer rows than their noise is worth a level may have none.
  rows <- pmax(colSums(counts), max(2 * sqrt(sum(variances)), 1e-9))
  pmin(pmax(means_in_bins(edges, rows), (edges[1L] - REACH) / 2), (edges[length(edges)] + REACH) / 2)
}

# Counts moved so that they have the total, as far each as its noise goes; a row of other classes and of its own.
of_total <- function(counts, total, variances) counts + (total - sum(counts)) / ncol(counts) * parts(variances)

# Each variance's part of both, of other classes' rows and of a class's own; halves where there is no noise.
parts <- function(variances) if (sum(variances) > 0) variances / sum(variances) else c(0.5, 0.5)

# By the combination of both counts whose noise goes with that of no residual.
rows_of_bins <- function(counts, places, total, variances) {
  chance <- stats::plogis(places)
  part <- parts(variances)
  unit <- part[1L] * chance^2 + part[2L] * (1 - chance)^2
  rows <- (part[1L] * counts[2L, ] * chance + part[2L] * counts[1L, ] * (1 - chance)) / unit
  n <- length(rows)
  smooth <- if (any(variances > 0)) (rows[c(1L, seq_len(n - 1L))] + 2 * rows + rows[c(seq_len(n)[-1L], n)]) / 4 else rows
  # Squares of the three weights add up to 3 / 8.
  left <- pmax(smooth - SURE_DEVIATIONS * sqrt(sum(variances) * prod(part) / unit * 3 / 8), 0)
  if (sum(left) > 0) left * total / sum(left) else rep(total / n, n)
}

# How wide a row's level is, the median over rows; outer ones reach twice as far as their places.
usual_width <- function(rows, edges, places) {
  n <- length(places)
  widths <- c(2 * abs(places[1L] - edges[1L]), diff(edges), 2 * abs(places[n] - edges[n - 1L]))
  order <- order(widths)
  below <- cumsum(rows[order])
  widths[order[sum(below < 0.5 * below[n]) + 1L]]
}
