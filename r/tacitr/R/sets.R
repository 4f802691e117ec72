# Sets of classes that hold the true one: split conformal prediction for each class, from noisy counts of held-out rows.

# Levels of a score that is halved as often as any is: of files that do not say how often theirs was.
MAX_HALVED_LEVELS <- 33

# The same of a residual, of which a quarter lies beyond the private quantiles at each end.
MAX_RESIDUAL_LEVELS <- 128
# Steps of a score by which an edge counts as lower than it is, so that rounding leaves out no row.
SLACK <- 0.01
# The public grid of log-odds by which rows were counted: 2^36 steps up to 64, half of them within 2.
REACH <- 64
HALF_WITHIN <- 2
SCORE_STEPS <- 2^36
TOP <- REACH / (HALF_WITHIN + REACH)

predict_set <- function(object, newdata, coverage = 0.9, confidence = NULL, by_class = TRUE) {
  if (!inherits(object, "tacit_model")) refuse("Expected a model that read_tacit() returned, got something else.")
  check_shares(object, coverage, confidence)
  if (!isTRUE(by_class) && !isFALSE(by_class)) refuse("Expected TRUE or FALSE for by_class, got another. Leave it out.")
  held_out <- object$held_out
  if (is.null(held_out)) {
    refuse("Expected held-out rows to make prediction sets by, got none. Fit with holdout = 0.2.")
  }
  if (held_out$rows_of_person > 1) {
    # Rows of one person are not exchangeable one by one.
    refuse("Expected persons whose rows count one together for prediction sets, got several rows that count one each.")
  }
  rows <- read_rows(object, newdata)
  scores <- scores_of(object, rows)
  best <- favored(scores)
  likely <- probabilities_of(object, rows, scores)
  steps <- if (ncol(likely) == 2L) steps_of_two(likely, best) else steps_of_many(likely)
  bounds_of <- if (by_class) set_bounds else marginal_bounds
  bounds <- bounds_of(held_out, length(object$classes), 1 - coverage, confidence, counting_of(object))
  sets <- vapply(bounds, function(bound) !is_left_out(bound, steps), logical(nrow(likely)))
  sets <- matrix(sets, nrow(likely))
  sets[cbind(seq_along(best), best)] <- TRUE
  named(sets, object)
}

check_shares <- function(object, coverage, confidence) {
  for (share in list(coverage, confidence)) {
    if (!is.null(share) && !isTRUE(is.numeric(share) && length(share) == 1L && share > 0 && share < 1)) {
      refuse("Expected a number between 0 and 1 for coverage and confidence, got another. Write 0.9.")
    }
  }
  if (!is.null(confidence) && !is.null(object$schema$learned)) {
    # Held-out rows were among those that the schema was learned from.
    refuse("Expected no confidence with a schema that was learned from rows, got one. Leave it out.")
  }
}

# What a person counts: one row; one, divided among several; or at most one, as weights of rows say.
counting_of <- function(object) {
  if (isTRUE(object$held_out$weighed)) {
    return("weights")
  }
  if (is.null(object$guarantee$persons$identifier)) "rows" else "shares"
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
set_bounds <- function(held_out, n_classes, misses, confidence, counting) {
  edge <- function(counts, edges, of) {
    last_edge(as.numeric(unlist(counts)), steps_of(as.numeric(unlist(edges))), of, misses, confidence, counting)
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
    found <- if (!is.null(by_class)) edge(by_class$counts[[at]][[2L]], by_class$edges[[at]], noise_of_own(by_class))
    list(place = at, upward = TRUE, edge = found)
  })
}

# One threshold of all classes' own log-odds, below which so few of all rows are, of whichever class.
marginal_bounds <- function(held_out, n_classes, misses, confidence, counting) {
  own <- least_likely_first(held_out, n_classes)
  thresholds <- sort(unique(unlist(own$edges)), decreasing = TRUE)
  for (threshold in thresholds) {
    below <- Map(function(counts, edges) seq_along(counts) - 1 <= sum(edges < threshold), own$counts, own$edges)
    if (is_few_of_all(own, below, length(thresholds), held_out$n_rows, misses, confidence, counting)) {
      edge <- steps_of(threshold)
      if (n_classes == 2L) {
        away <- list(place = 1L, upward = FALSE, edge = steps_of(-threshold))
        return(list(away, list(place = 1L, upward = TRUE, edge = edge)))
      }
      return(lapply(seq_len(n_classes), function(at) list(place = at, upward = TRUE, edge = edge)))
    }
  }
  lapply(seq_len(n_classes), function(at) list(place = if (n_classes > 2L) at else 1L, upward = TRUE, edge = NULL))
}

least_likely_first <- function(held_out, n_classes) {
  numbers <- function(listed) as.numeric(unlist(listed))
  if (n_classes == 2L) {
    edges <- numbers(held_out$edges)
    counts <- list(rev(numbers(held_out$counts[[1L]])), numbers(held_out$counts[[2L]]))
    return(list(counts = counts, edges = list(-rev(edges), edges), noise = held_out))
  }
  by_class <- held_out$by_class
  counts <- lapply(by_class$counts, function(each) numbers(each[[2L]]))
  list(counts = counts, edges = lapply(by_class$edges, numbers), noise = noise_of_own(by_class))
}

is_few_of_all <- function(own, below, n_thresholds, n_rows, misses, confidence, counting) {
  counts <- unlist(own$counts)
  first <- unlist(below)
  if (counting == "weights") {
    return(is_few(counts, first, own$noise, misses, confidence, counting, n_thresholds, length(own$counts)))
  }
  counted <- sum(counts[first])
  if (is.null(confidence)) {
    most <- misses * (n_rows + 1)
    margin <- mean_of_largest(own$noise, length(own$counts))
    return(counted + 1 + margin <= most && margin <= most)
  }
  error <- if (own$noise$scale > 0) (1 - confidence) / 2 else 0
  most <- max(counted + noise_margin(as.numeric(first), own$noise, error / n_thresholds), 0)
  most + distance(n_rows, 1 - confidence - error, counting) <= misses * n_rows
}

# How many rows more may be missed than those counted, at any edge: by sampling alone.
distance <- function(n, error, counting) sqrt(n * (max(-log(error), log(2)) + (counting != "rows")) / 2)

# The last edge with few enough rows before it; counts and edges begin where a class is least likely.
last_edge <- function(counts, edges, noise, misses, confidence, counting) {
  places <- seq_len(length(counts) - 1L)
  is_so <- function(at) is_few(counts, seq_along(counts) <= at, noise, misses, confidence, counting, length(places))
  few <- places[vapply(places, is_so, NA)]
  if (length(few)) edges[max(few)]
}

is_few <- function(counts, first, noise, misses, confidence, counting, n_edges, n_classes = 1) {
  before <- sum(counts[first])
  after <- sum(counts[!first])
  is_noisy <- noise$scale > 0
  if (is.null(confidence)) {
    # Of as many levels whatever the rows, noise in the class's size is zero on average.
    margin <- mean_of_largest(noise, n_classes) * (if (isTRUE(noise$always)) 1 else 1 + misses)
    surely <- before + after - noise_margin(rep(1, length(counts)), noise, misses) + (counting == "rows")
    return((1 - misses) * (before + 1) - misses * after + margin <= 0 && misses * surely >= margin)
  }
  error <- if (is_noisy) (1 - confidence) / 2 else 0
  before <- max(before + noise_margin(as.numeric(first), noise, error / n_edges / 2), 0)
  after <- max(after - noise_margin(as.numeric(!first), noise, error / n_edges / 2), 0)
  n <- before + after
  n > 0 && before + distance(n, 1 - confidence - error, counting) <= misses * n
}

# Of counts of each class's own rows, of which there are as many whatever the rows.
noise_of_own <- function(by_class) {
  list(
    distribution = by_class$distribution, scale = by_class$own_scale,
    max_levels = length(by_class$edges[[1L]]) + 1L, always = TRUE
  )
}

# What the largest sum of the first several counts' noise is on average at most (Spitzer 1956).
mean_of_largest <- function(noise, n_classes = 1) {
  if (noise$distribution == "exact") {
    return(0)
  }
  levels <- if (is.null(noise$max_levels)) MAX_HALVED_LEVELS else noise$max_levels
  deviation <- noise$scale * sqrt((if (noise$distribution == "Laplace") 2 else 1) * summed(noise))
  deviation / sqrt(2 * pi) * sum(1 / sqrt(seq_len(levels * n_classes)))
}

# Where rows were counted by group, a count is the sum of one for each.
summed <- function(noise) max(length(noise$by_group$groups), 1L)

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
