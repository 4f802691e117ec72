# Merged models: the mean of their parts' log-odds or numbers, each counted by its public rows and its noise.

WITH_LOG_ODDS <- c("logistic-model", "ranked", "boosted-trees", "naive-bayes")

prepared_parts <- function(body) {
  certificates <- body$guarantee$parts
  if (length(certificates) != length(body$parts)) {
    stop("Expected a certificate for each part, got another number of them. The file is damaged.", call. = FALSE)
  }
  parts <- Map(function(part, certificate) {
    part$guarantee <- certificate$certificate
    prepared(part)
  }, body$parts, certificates)
  model <- parts[[1L]]
  coerces <- vapply(parts, function(part) identical(part$on_invalid, "coerce"), NA)
  model$learner <- "merged"
  model$fitted_with <- body$fitted_with
  model$on_invalid <- if (all(coerces)) "coerce" else "raise"
  model$guarantee <- body$guarantee
  model$held_out <- NULL
  model$scorers <- NULL
  model$parts <- unname(parts)
  model$weights <- merged_weights(parts)
  if (!is.null(model$target)) model$scale <- merged_scale(model)
  model$class_weights <- merged_class_weights(model)
  model
}

merged_weights <- function(parts) {
  precision <- vapply(parts, function(part) {
    n_rows <- part$guarantee$n_rows
    max(n_rows / (1 + noise_to_sampling(part$guarantee, n_rows, length(part$columns))), .Machine$double.xmin)
  }, 0)
  unname(precision / sum(precision))
}

# The variance of noise in a column's mean, over that of sampling its rows.
noise_to_sampling <- function(certificate, n_rows, n_columns) {
  if (!is.null(certificate$rho) && certificate$rho > 0) {
    return(2 * n_columns / n_rows / certificate$rho)
  }
  learned <- if (is.null(certificate$learned)) 0 else certificate$learned$epsilon
  epsilon <- certificate$epsilon - learned
  if (epsilon > 0) 8 * (n_columns / epsilon)^2 / n_rows else 0
}

merged_scale <- function(model) {
  starts <- vapply(model$parts, function(part) part$scale$start, 0)
  start <- min(max(sum(model$weights * starts), model$target$lower), model$target$upper)
  list(start = start, unit = 1)
}

# The geometric mean, the most being 1.
merged_class_weights <- function(model) {
  if (all(vapply(model$parts, function(part) is.null(part$class_weights), NA))) {
    return(NULL)
  }
  logs <- lapply(model$parts, function(part) {
    if (is.null(part$class_weights)) 0 * seq_along(model$classes) else log(unlist(part$class_weights))
  })
  mean <- exp(Reduce(`+`, Map(`*`, model$weights, logs)))
  mean / max(mean)
}

merged_scores <- function(model, rows) {
  weighed <- Map(function(part, weight) {
    if (!is.null(part$target)) {
      return(weight * part$scale$unit * scores_of(part, rows))
    }
    weight * log_odds_of(part, rows)
  }, model$parts, model$weights)
  Reduce(`+`, weighed)
}

# Of the second of two classes, or of each class less their mean.
log_odds_of <- function(part, rows) {
  scores <- scores_of(part, rows)
  scorer <- part$scorers[[1L]]
  adds_up <- scorer$kind %in% WITH_LOG_ODDS
  if (length(part$scorers) == 1L && (adds_up || !is.null(scorer$link))) {
    odds <- if (adds_up) scores else scores / unit_of(scorer)
    return(if (ncol(odds) == 1L) odds else odds - rowMeans(odds))
  }
  # A leaf whose counts are noise may say 0 or 1: one row in all counts.
  odds <- log(pmax(unname(probabilities_of(part, rows, scores)), 1 / max(part$guarantee$n_rows, 2)))
  if (ncol(odds) == 2L) matrix(odds[, 2L] - odds[, 1L], ncol = 1L) else odds - rowMeans(odds)
}
