# Classes, probabilities, scores and numbers of rows.

predict.tacit_model <- function(object, newdata, type = c("class", "prob", "score"), threshold = "majority",
                                calibrated = FALSE, ...) {
  type <- match.arg(type)
  if (!isTRUE(calibrated) && !isFALSE(calibrated)) {
    refuse("Expected TRUE or FALSE for calibrated, got another. Leave it out.")
  }
  if (is.null(object$target)) threshold <- checked_threshold(threshold, length(object$classes))
  rows <- read_rows(object, newdata)
  scores <- scores_of(object, rows)
  if (!is.null(object$target)) {
    if (type == "prob" || calibrated) refuse("Expected a model of classes for probabilities, got one of a number.")
    own <- predicted_place(object)
    if (type == "score") return(as.matrix(scores)[, own])
    return(numbers_of(object, as.matrix(scores))[, own])
  }
  switch(type,
    class = object$classes[decided(object, rows, scores, threshold, calibrated)],
    prob = likely_of(object, rows, scores, calibrated),
    score = if (ncol(scores) == 1L) scores[, 1L] else named(scores, object)
  )
}

# Numbers within the bounds; of several quantiles one column each, ascending.
numbers_of <- function(model, scores) {
  if (identical(model$scale$link, "log")) {
    return(within_bounds(model$scale$start * exp(model$scale$unit * scores), model$target))
  }
  starts <- vapply(model$quantiles, function(each) each[[2L]], 0)
  if (length(starts) == 0L) starts <- model$scale$start
  found <- sweep(model$scale$unit * scores, 2L, starts, `+`)
  found[] <- pmin(pmax(found, model$target$lower), model$target$upper)
  if (length(starts) > 1L) t(apply(found, 1L, sort)) else found
}

# Which of several quantiles is predicted: the one that is nearest to one half.
predicted_place <- function(model) {
  shares <- vapply(model$quantiles, function(each) each[[1L]], 0)
  if (length(shares) == 0L) 1L else which.min(abs(shares - 0.5))
}

decided <- function(model, rows, scores, threshold, calibrated) {
  if (identical(threshold, "majority")) {
    return(favored(scores))
  }
  winners(model, likely_of(model, rows, scores, calibrated), threshold, calibrated)
}

likely_of <- function(model, rows, scores, calibrated) {
  found <- probabilities_of(model, rows, scores)
  if (calibrated) calibrated_by(model$held_out, found) else found
}

named <- function(values, model) {
  colnames(values) <- as.character(model$classes)
  if (is.logical(model$classes)) colnames(values) <- tolower(colnames(values))
  values
}

# One score, above zero for the second of two classes, or one a class in units in which they are compared.
scores_of <- function(model, rows) {
  if (!is.null(model$parts)) {
    return(merged_scores(model, rows))
  }
  if (length(model$scorers) == 1L) {
    return(scores_of_kind(model$scorers[[1L]], rows, model))
  }
  found <- lapply(model$scorers, function(scorer) scores_of_kind(scorer, rows, model) / unit_of(scorer))
  do.call(cbind, found)
}

# The position of each row's class; of equal ones the first.
favored <- function(scores) {
  if (ncol(scores) == 1L) {
    return(1L + (scores[, 1L] > 0))
  }
  best <- rep(1L, nrow(scores))
  for (at in seq_len(ncol(scores))[-1L]) {
    best <- ifelse(scores[, at] > scores[cbind(seq_len(nrow(scores)), best)], at, best)
  }
  best
}

# The largest score that there can be, where scores are votes.
reach_of <- function(scorer) {
  switch(scorer$kind,
    vote = sum(abs(vapply(scorer$votes, function(vote) as.numeric(vote$coefficient), 0))),
    "literal-votes" = length(scorer$votes) + if (is.null(scorer$start)) 0 else scorer$start$reach / 4,
    "literal-tree" = 1,
    "rado-form" = scorer$scale * sum(abs(c(unlist(scorer$weights), scorer$intercept))),
    0
  )
}

unit_of <- function(scorer) {
  if (!is.null(scorer$link)) {
    return(1 / scorer$link$slope)
  }
  reach <- reach_of(scorer)
  if (reach == 0) 1 else reach
}

has_public_link <- function(scorer) scorer$kind %in% names(LOG_ODDS_OF_ONE) && is.null(scorer$link)

logistic <- function(odds) cbind(stats::plogis(-odds), stats::plogis(odds))

softmax <- function(scores) {
  weights <- exp(scores - scores[cbind(seq_len(nrow(scores)), favored(scores))])
  weights / rowSums(weights)
}

# Of one scorer and its own scores.
likely_by <- function(scorer, scores, rows, model) {
  if (scorer$kind == "literal-tree") {
    return(tree_shares(scorer, rows, model))
  }
  if (ncol(scores) > 1L) {
    return(softmax(scores))
  }
  if (!scorer$kind %in% names(LOG_ODDS_OF_ONE)) {
    return(logistic(scores[, 1L]))
  }
  if (!is.null(scorer$link)) {
    return(logistic(scores[, 1L] / unit_of(scorer)))
  }
  logistic(MAX_LOG_ODDS * tanh(LOG_ODDS_OF_ONE[[scorer$kind]] / MAX_LOG_ODDS * scores[, 1L]))
}

probabilities_of <- function(model, rows, scores = scores_of(model, rows)) {
  if (!is.null(model$parts)) {
    return(named(if (ncol(scores) == 1L) logistic(scores[, 1L]) else softmax(scores), model))
  }
  scorers <- model$scorers
  if (length(scorers) == 1L) {
    return(named(likely_by(scorers[[1L]], scores, rows, model), model))
  }
  if (all(vapply(scorers, has_public_link, NA))) {
    reach <- vapply(scorers, reach_of, 0)
    odds <- LOG_ODDS_OF_ONE[vapply(scorers, function(scorer) scorer$kind, "")]
    slope <- mean(odds * ifelse(reach == 0, 1, reach))
    return(named(softmax((if (any(reach > 0)) min(slope, MAX_LOG_ODDS) else slope) * scores), model))
  }
  likely <- vapply(seq_along(scorers), function(at) {
    own <- scores[, at, drop = FALSE] * unit_of(scorers[[at]])
    likely_by(scorers[[at]], own, rows, model)[, 2L]
  }, numeric(n_rows(rows)))
  # A little above zero, so that a row that every class denies has probabilities, too.
  positive <- matrix(likely, n_rows(rows)) + 1e-12
  named(positive / rowSums(positive), model)
}
