# Sets of classes that hold the true one: split conformal prediction for each class, from noisy counts of held-out rows.

# Levels of a score that is halved as often as any is: of files that do not say how often theirs was.
MAX_HALVED_LEVELS <- 33
# Steps of a score by which an edge counts as lower than it is, so that rounding leaves out no row.
SLACK <- 0.01
# The public grid of log-odds by which rows were counted: 2^36 steps up to 64, half of them within 2.
REACH <- 64
HALF_WITHIN <- 2
SCORE_STEPS <- 2^36
TOP <- REACH / (HALF_WITHIN + REACH)

predict_set <- function(object, newdata, coverage = 0.9, confidence = NULL) {
  if (!inherits(object, "tacit_model")) refuse("Expected a model that read_tacit() returned, got something else.")
  for (share in list(coverage, confidence)) {
    if (!is.null(share) && !isTRUE(is.numeric(share) && length(share) == 1L && share > 0 && share < 1)) {
      refuse("Expected a number between 0 and 1 for coverage and confidence, got another. Write 0.9.")
    }
  }
  held_out <- object$held_out
  if (is.null(held_out)) {
    refuse("Expected held-out rows to make prediction sets by, got none. Fit with holdout = 0.2.")
  }
  if (!is.null(object$guarantee$persons$identifier)) {
    # Rows of one person are not exchangeable one by one.
    refuse("Expected rows of one person each for prediction sets, got rows under an identifier.")
  }
  rows <- read_rows(object, newdata)
  scores <- scores_of(object, rows)
  best <- favored(scores)
  likely <- probabilities_of(object, rows, scores)
  steps <- if (ncol(likely) == 2L) steps_of_two(likely, best) else steps_of_many(likely)
  bounds <- set_bounds(held_out, length(object$classes), 1 - coverage, confidence)
  sets <- vapply(bounds, function(bound) !is_left_out(bound, steps), logical(nrow(likely)))
  sets <- matrix(sets, nrow(likely))
  sets[cbind(seq_along(best), best)] <- TRUE
  named(sets, object)
}

steps_of <- function(odds) (odds / (HALF_WITHIN + abs(odds)) / TOP + 1) * SCORE_STEPS / 2

cell_of <- function(odds) {
  odds[is.nan(odds)] <- 0
  pmin(pmax(ceiling(steps_of(pmin(pmax(odds, -REACH), REACH))) - 1, 0), SCORE_STEPS - 1)
}

# Rounding must not put a row on the other side of zero than its prediction.
steps_of_two <- function(likely, best) {
  cells <- cell_of(log(likely[, 2L]) - log(likely[, 1L]))
  middle <- SCORE_STEPS / 2
  matrix(ifelse(best == 2L, pmax(cells, middle), pmin(cells, middle - 1)), ncol = 1L)
}

steps_of_many <- function(likely) {
  likely <- pmin(likely, 1)
  matrix(cell_of(log(likely) - log1p(-likely)), nrow(likely))
}

is_left_out <- function(bound, steps) {
  own <- steps[, if (ncol(steps) > 1L) bound$place else 1L]
  if (is.null(bound$edge)) {
    return(rep(FALSE, length(own)))
  }
  if (bound$upward) own + 1 <= bound$edge - SLACK else own >= bound$edge + SLACK
}

# For each class the place of its score, whether large ones speak for it, and the edge beyond which it is left out.
set_bounds <- function(held_out, n_classes, misses, confidence) {
  edge <- function(counts, edges, of) {
    last_edge(as.numeric(unlist(counts)), steps_of(as.numeric(unlist(edges))), of, misses, confidence)
  }
  if (n_classes == 2L) {
    # Rows that were counted by groups: each count is the sum of several noisy ones.
    held_out$n_summed <- max(length(held_out$by_group$groups), 1L)
    low <- edge(rev(unlist(held_out$counts[[1L]])), rev(unlist(held_out$edges)), held_out)
    high <- edge(held_out$counts[[2L]], held_out$edges, held_out)
    return(list(list(place = 1L, upward = FALSE, edge = low), list(place = 1L, upward = TRUE, edge = high)))
  }
  by_class <- held_out$by_class
  lapply(seq_len(n_classes), function(at) {
    found <- if (!is.null(by_class)) edge(by_class$counts[[at]][[2L]], by_class$edges[[at]], by_class)
    list(place = at, upward = TRUE, edge = found)
  })
}

# The last edge with few enough rows before it; counts and edges begin where a class is least likely.
last_edge <- function(counts, edges, noise, misses, confidence) {
  places <- seq_len(length(counts) - 1L)
  few <- places[vapply(places, function(at) is_few(counts, at, noise, misses, confidence), NA)]
  if (length(few)) edges[max(few)]
}

is_few <- function(counts, at, noise, misses, confidence) {
  first <- seq_along(counts) <= at
  before <- sum(counts[first])
  after <- sum(counts[!first])
  edges <- length(counts) - 1
  is_noisy <- noise$scale > 0
  if (is.null(confidence)) {
    margin <- (1 + misses) * mean_of_largest(noise)
    surely <- before + after - noise_margin(rep(1, length(counts)), noise, misses)
    return((1 - misses) * (before + 1) - misses * after + margin <= 0 && misses * (surely + 1) >= margin)
  }
  error <- if (is_noisy) (1 - confidence) / 2 else 0
  before <- max(before + noise_margin(as.numeric(first), noise, error / edges / 2), 0)
  after <- max(after - noise_margin(as.numeric(!first), noise, error / edges / 2), 0)
  n <- before + after
  n > 0 && before + sqrt(n * -log(1 - confidence - error) / 2) <= misses * n
}

# What the largest sum of the first several of all noise is on average at most.
mean_of_largest <- function(noise) {
  if (noise$distribution == "exact") {
    return(0)
  }
  levels <- if (is.null(noise$max_levels)) MAX_HALVED_LEVELS else noise$max_levels
  noise$scale * sqrt(if (noise$distribution == "Laplace") 2 else 1) * sqrt(2 / pi * levels * summed(noise))
}

summed <- function(noise) if (is.null(noise$n_summed)) 1L else noise$n_summed

# What a weighted sum of independent noise exceeds with probability `error` at most (Chernoff).
noise_margin <- function(weights, noise, error) {
  if (noise$distribution == "exact") {
    return(0)
  }
  weights <- rep(weights, summed(noise))
  rest <- -log(error)
  if (noise$distribution == "Gaussian") {
    return(noise$scale * sqrt(2 * rest * sum(weights^2)))
  }
  largest <- max(abs(weights))
  if (largest == 0) {
    return(Inf)
  }
  at <- function(place) (rest - sum(log1p(-(place * weights / largest)^2))) * noise$scale * largest / place
  # Any place between the ends gives a bound.
  stats::optimize(at, c(1e-6, 1 - 1e-9), tol = 1e-9)$objective
}
