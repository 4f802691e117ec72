# Probabilities that held-out rows calibrate: Platt scaling from their noisy counts, as in the Python package.
# Classes are a list: each has `counts` (other classes' rows and its own, by level), `edges` and what follows of them.

# Standard deviations of the prior of lines: of all slopes together, of each beside these, and of intercepts.
WIDE_SLOPE <- 1
NARROW_SLOPE <- 0.3
NARROW_INTERCEPT <- 0.5
PRIOR_SCALES <- c(1 / 64, 1 / 16, 1 / 4, 1, 4)

MIN_SLOPE <- 0.05
MAX_SLOPE <- 5
# Of a level, in log-odds: beyond that nobody knows where in it its rows are.
WIDEST_LEVEL <- 3

MAX_STEPS <- 100
MAX_MOVE <- 1
MAX_LAST_MOVE <- 1e-4

calibrated_by <- function(held_out, likely) {
  if (is.null(held_out)) refuse("Expected held-out rows to calibrate by, got none. Fit with holdout = 0.1.")
  lines <- platt_lines(held_out)
  # Of a class that is nearly sure the rest is known better than one less its probability.
  odds <- log(likely) - log(other_sums(likely))
  moved <- stats::plogis(sweep(sweep(odds, 2L, lines$slope, `*`), 2L, lines$intercept, `+`))
  if (ncol(moved) == 2L) moved else moved / rowSums(moved)
}

other_sums <- function(likely) {
  below <- above <- 0 * likely
  for (at in seq_len(ncol(likely))[-1L]) below[, at] <- below[, at - 1L] + likely[, at - 1L]
  for (at in rev(seq_len(ncol(likely))[-1L])) above[, at - 1L] <- above[, at] + likely[, at]
  below + above
}

# Of each class what its log-odds against the rest are multiplied by, and what is added.
platt_lines <- function(held_out) {
  person <- as.numeric(held_out$rows_of_person)
  counted <- sum(unlist(held_out$counts)) / person
  total <- if (person == 1 && !isTRUE(held_out$weighed)) as.numeric(held_out$n_rows) else max(counted, 1)
  two <- length(held_out$counts) == 2L
  noise <- if (two) held_out else held_out$by_class
  if (is.null(noise)) {
    refuse("Expected enough held-out rows to calibrate more than two classes by, got too few for the noise.")
  }
  # Of counts of other classes' rows, and of a class's own.
  scales <- (if (two) rep(noise$scale, 2L) else c(noise$scale, noise$own_scale)) / person
  variances <- scales^2 * (if (noise$distribution == "Laplace") 2 else 1) * (if (two) summed(held_out) else 1)
  classes <- lapply(if (two) 1L else seq_along(noise$counts), function(at) {
    counts <- as_matrix(if (two) noise$counts else noise$counts[[at]]) / person
    class_of_counts(counts, as.numeric(unlist(if (two) noise$edges else noise$edges[[at]])), total, variances)
  })
  lines <- lines_of(classes, total, variances)
  slope <- 1 + lines$share * (lines$slope - 1)
  intercept <- lines$share * lines$intercept
  if (two) list(slope = rep(slope, 2L), intercept = c(-intercept, intercept)) else list(slope = slope, intercept = intercept)
}

class_of_counts <- function(counts, edges, total, variances) {
  places <- bin_means(counts, edges, variances)
  counts <- of_total(counts, total, variances)
  rows <- rows_of_bins(counts, places, total, variances)
  center <- sum(rows * places) / total
  list(counts = counts, edges = edges, places = places, weighing = rows, center = center, away = places - center)
}

# The likeliest slopes and intercepts, and of each class the share of the way to them that counts are sure of.
lines_of <- function(classes, total, variances) {
  n <- length(classes)
  centers <- vapply(classes, function(each) each$center, 0)
  prior <- c(rep(1, n), centers)
  found <- likeliest(classes, prior, prior_covariance(classes, prior, variances), variances)
  slope <- pmin(pmax(found[seq_len(n)], MIN_SLOPE), MAX_SLOPE)
  intercept <- found[n + seq_len(n)] - slope * centers
  share <- vapply(seq_len(n), function(at) {
    own <- classes[[at]]
    if (usual_width(own$weighing, own$edges, own$places) > WIDEST_LEVEL) {
      return(0)
    }
    calibration_step(own, slope[at], intercept[at], variances, several = n > 1L)
  }, 0)
  list(slope = slope, intercept = intercept, share = share)
}

# The sum of weighed residuals times derivatives by all slopes and then all offsets, and its covariance.
equations <- function(classes, line, variances) {
  n <- length(classes)
  score <- numeric(2L * n)
  information <- matrix(0, 2L * n, 2L * n)
  for (at in seq_len(n)) {
    own <- classes[[at]]
    chance <- stats::plogis(own$away * line[at] + line[n + at])
    steep <- own$weighing * chance * (1 - chance)
    weight <- steep / pmax(steep + variances[1L] * chance^2 + variances[2L] * (1 - chance)^2, 1e-9)
    residuals <- weight * (own$counts[2L, ] - colSums(own$counts) * chance)
    design <- cbind(own$away, 1)
    both <- c(at, n + at)
    score[both] <- residuals %*% design
    information[both, both] <- crossprod(design, weight * steep * design)
  }
  list(score = score, information = information)
}

# The prior's covariance whose scale makes the equations at the prior likeliest.
prior_covariance <- function(classes, prior, variances) {
  n <- length(classes)
  slopes <- seq_len(n)
  covariance <- diag(rep(c(NARROW_SLOPE^2, NARROW_INTERCEPT^2), each = n))
  covariance[slopes, slopes] <- covariance[slopes, slopes] + WIDE_SLOPE^2
  at <- equations(classes, prior, variances)
  factor <- t(chol(covariance))
  found <- eigen(crossprod(factor, at$information %*% factor), symmetric = TRUE)
  strengths <- pmax(found$values, 0)
  said <- as.numeric(at$score %*% factor %*% found$vectors)^2
  surprise <- vapply(PRIOR_SCALES, function(scale) {
    sum(log1p(scale * strengths) - scale * said / (1 + scale * strengths))
  }, 0)
  covariance * PRIOR_SCALES[which.min(surprise)]
}

# Where equations and prior agree, by Fisher's scoring; steps that go back and forth become shorter.
likeliest <- function(classes, prior, covariance, variances) {
  precision <- solve(covariance, tol = 0)
  found <- prior
  last <- 0 * prior
  pace <- 1
  for (step in seq_len(MAX_STEPS)) {
    at <- equations(classes, found, variances)
    pull <- at$score - as.numeric(precision %*% (found - prior))
    move <- solve(at$information + precision, pull, tol = 0)
    largest <- max(abs(move))
    if (sum(move * last) < 0) pace <- pace / 2
    last <- move * min(pace, MAX_MOVE / max(largest, 1e-12))
    found <- found + last
    if (largest < MAX_LAST_MOVE) break
  }
  found
}

# The largest share of the way to a line that lowers the log-loss by more than one standard error.
calibration_step <- function(own, slope, intercept, variances, several) {
  at <- places_inside(own, sqrt(sum(variances)))
  unsure <- pmax(own$counts, 0) + variances
  is_sure <- function(share) {
    moved <- at + share * ((slope - 1) * at + intercept)
    gain <- stats::plogis(moved, log.p = TRUE) - stats::plogis(at, log.p = TRUE)
    loss <- stats::plogis(-moved, log.p = TRUE) - stats::plogis(-at, log.p = TRUE)
    if (several) {
      more <- stats::plogis(moved) - stats::plogis(at)
      gain <- gain - more
      loss <- -more
    }
    saved <- own$counts[2L, ] * gain + own$counts[1L, ] * loss
    unknown <- saved[, 1L] - apply(saved, 1L, min)
    squares <- unsure[2L, ] * gain[, 1L]^2 + unsure[1L, ] * loss[, 1L]^2 + unknown^2
    sum(saved[, 1L]) > sqrt(sum(squares))
  }
  shares <- (0:8) / 8
  max(0, shares[vapply(shares, is_sure, NA)])
}

# Where in each level scores may be, a row a level: first its place, then from end to end.
places_inside <- function(own, deviation) {
  edges <- own$edges
  last <- length(edges)
  inner <- if (last > 1L) diff(edges) else 0
  rows <- colSums(own$counts)
  beside <- pmax(rows[c(2L, length(rows) - 1L)] - deviation, 1)
  reach <- pmax(sum(inner), inner[c(1L, length(inner))] * rows[c(1L, length(rows))] / beside)
  reach <- pmax(reach, 2 * abs(own$places[c(1L, length(rows))] - edges[c(1L, last)]))
  ends <- pmin(pmax(c(edges[1L] - reach[1L], edges, edges[last] + reach[2L]), -REACH), REACH)
  cbind(own$places, ends[-length(ends)] + outer(diff(ends), (0:8) / 8))
}
