# Intervals about predicted numbers: split conformal prediction on either side, from noisy counts of held-out residuals.

predict_interval <- function(object, newdata, coverage = 0.9, confidence = NULL) {
  held_out <- held_out_residuals(object, "intervals")
  check_shares(object, coverage, confidence)
  if (held_out$rows_of_person > 1) {
    # Rows of one person are not exchangeable one by one.
    refuse("Expected persons whose rows count one together for intervals, got several rows that count one each.")
  }
  ends <- reach_of_residuals(held_out, 1 - coverage, confidence, counting_of(object))
  predicted <- stats::predict(object, newdata)
  # A sum that is rounded must not leave out a number at the end: it is moved outwards.
  low <- outwards(predicted + ends[1L], -1)
  high <- outwards(predicted + ends[2L], 1)
  cbind(low = within_bounds(low, object$target), high = within_bounds(high, object$target))
}

predict_quantiles <- function(object, newdata, quantiles = NULL) {
  if (is.null(quantiles) && length(object$quantiles)) {
    return(learned_quantiles(object, newdata))
  }
  held_out <- held_out_residuals(object, "quantiles")
  if (!isTRUE(is.numeric(quantiles) && length(quantiles) > 0L && all(quantiles > 0 & quantiles < 1))) {
    refuse("Expected numbers between 0 and 1 for quantiles, got another. Write c(0.05, 0.5, 0.95).")
  }
  found <- residual_quantiles(held_out, quantiles)
  predicted <- stats::predict(object, newdata)
  values <- vapply(found, function(each) within_bounds(predicted + each, object$target), numeric(length(predicted)))
  matrix(values, length(predicted), dimnames = list(NULL, as.character(quantiles)))
}

learned_quantiles <- function(object, newdata) {
  rows <- read_rows(object, newdata)
  found <- numbers_of(object, as.matrix(scores_of(object, rows)))
  colnames(found) <- vapply(object$quantiles, function(each) as.character(each[[1L]]), "")
  found
}

held_out_residuals <- function(object, what) {
  if (!inherits(object, "tacit_model") || is.null(object$target)) {
    refuse("Expected a model of a number that read_tacit() returned, got something else.")
  }
  if (is.null(object$held_out)) {
    refuse("Expected held-out rows to make ", what, " by, got none. Fit with holdout = 0.2.")
  }
  object$held_out
}

within_bounds <- function(values, target) pmin(pmax(values, target$lower), target$upper)

# The next double, or a little more: R has no function for it.
outwards <- function(values, way) {
  values + way * pmax(abs(values) * .Machine$double.eps, .Machine$double.xmin)
}

# Between which residuals numbers are, but for a share of misses, half of it on either side; infinite where noise hides it.
reach_of_residuals <- function(held_out, misses, confidence, counting) {
  counts <- as.numeric(unlist(held_out$counts))
  steps <- steps_of(as.numeric(unlist(held_out$edges)) / held_out$spread)
  outer <- unlist(held_out$outer)
  if (is.null(held_out$max_levels)) held_out$max_levels <- MAX_RESIDUAL_LEVELS
  if (is.null(held_out$max_outer)) held_out$max_outer <- MAX_RESIDUAL_LEVELS / 4
  # Edges may be chosen of which so few rows are expected beyond. How many these are follows from the rows, as the number
  # of edges does; margins are those of as many as there may be.
  likely <- floor(misses / 2 * (held_out$max_levels - 2 * held_out$max_outer))
  most <- max(held_out$max_outer + likely, 1)
  # Each side fails half as often.
  sure <- if (!is.null(confidence)) 1 - (1 - confidence) / 2
  low <- farthest(counts, max(outer[1L] + likely, 1), most, held_out, misses / 2, sure, counting)
  high <- farthest(rev(counts), max(outer[2L] + likely, 1), most, held_out, misses / 2, sure, counting)
  c(
    if (is.null(low)) -Inf else residual_at(floor(steps[low] - SLACK) - 1, held_out$spread, -Inf),
    if (is.null(high)) Inf else residual_at(ceiling(rev(steps)[high] + SLACK) + 1, held_out$spread, Inf)
  )
}

# How many of the outermost levels have few enough rows, the most of all candidates; these are at most `most`.
farthest <- function(counts, candidates, most, held_out, misses, confidence, counting) {
  places <- seq_len(min(candidates, length(counts) - 1L))
  if (counting == "weights") {
    # What all rows count together is not public.
    is_so <- function(at) is_few(counts, seq_along(counts) <= at, held_out, misses, confidence, counting, most)
    few <- places[vapply(places, is_so, NA)]
  } else {
    beyond <- vapply(places, function(at) most_rows(at, most, held_out, misses, confidence, counting), 0)
    few <- places[cumsum(counts)[places] <= beyond]
  }
  if (length(few)) max(few)
}

most_rows <- function(at, candidates, held_out, misses, confidence, counting) {
  n_rows <- held_out$n_rows
  if (is.null(confidence)) {
    held_out$max_levels <- candidates
    most <- misses * (n_rows + 1) - 1 - mean_of_largest(held_out)
    return(if (most >= 0) most else -Inf)
  }
  error <- if (held_out$scale > 0) (1 - confidence) / 2 else 0
  margin <- noise_margin(rep(1, at), held_out, error / candidates)
  misses * n_rows - distance(n_rows, 1 - confidence - error, counting) - margin
}

# Where a step of the grid begins; beyond it residuals may be any.
residual_at <- function(step, spread, beyond) {
  if (step <= 0 || step >= SCORE_STEPS) {
    return(beyond)
  }
  place <- TOP * (step / (SCORE_STEPS / 2) - 1)
  pmin(pmax(HALF_WITHIN * place / (1 - abs(place)), -REACH), REACH) * spread
}

# Residuals below which such shares of the rows are: counts are made to rise, and are even inside of levels.
residual_quantiles <- function(held_out, wanted) {
  counts <- as.numeric(unlist(held_out$counts))
  # How many rows there are is public, where each person has one: counts are moved alike, to add up to it.
  is_known <- isTRUE(held_out$rows_of_person == 1) && !isTRUE(held_out$weighed)
  if (is_known) counts <- counts + (held_out$n_rows - sum(counts)) / length(counts)
  total <- max(sum(counts), 1)
  below <- stats::isoreg(cumsum(counts)[-length(counts)] / total)$yf
  below <- pmin(pmax(below, 0), 1)
  edges <- as.numeric(unlist(held_out$edges))
  found <- vapply(wanted, function(share) between_edges(share, below, edges), 0)
  order <- order(wanted)
  found[order] <- cummax(found[order])
  found
}

between_edges <- function(share, below, edges) {
  last <- length(edges)
  if (share < below[1L]) {
    return(-Inf)
  }
  if (share > below[last]) {
    return(Inf)
  }
  at <- findInterval(share, below)
  if (at == last || below[at] == share) {
    return(edges[at])
  }
  edges[at] + (edges[at + 1L] - edges[at]) * (share - below[at]) / (below[at + 1L] - below[at])
}
