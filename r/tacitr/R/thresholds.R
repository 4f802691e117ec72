# From probabilities to classes: by a threshold, or as if all classes were equally frequent.

# Standard deviations on either side of a rate.
WIDTH_OF_INTERVAL <- 2.04

checked_threshold <- function(threshold, n_classes) {
  if (is.character(threshold) && length(threshold) == 1L && threshold %in% c("majority", "balanced")) {
    return(threshold)
  }
  if (!isTRUE(is.numeric(threshold) && length(threshold) == 1L && threshold > 0 && threshold < 1)) {
    refuse("Expected 'majority', 'balanced' or a number between 0 and 1 for threshold, got another. Write 0.3.")
  }
  if (n_classes > 2L) {
    refuse("Expected 'majority' or 'balanced' for more than two classes, got a number. Decide by type = \"prob\".")
  }
  threshold
}

winners <- function(model, likely, threshold, calibrated = FALSE) {
  if (is.numeric(threshold)) {
    return(1L + (likely[, 2L] >= threshold))
  }
  shares <- class_shares(model)
  if (is.null(shares)) {
    refuse(
      "Expected shares of the classes that are public or released for threshold 'balanced', got none. ",
      "Give a number."
    )
  }
  # Probabilities are of weighed rows, and so are the shares that they are compared with; held-out rows weigh the same.
  if (!is.null(model$class_weights) && !calibrated) shares <- shares * unlist(model$class_weights)
  favored(unname(likely) / rep(shares, each = nrow(likely)))
}

# Of the sorted classes, where they are public or were released; else nothing.
class_shares <- function(model) {
  if (!is.null(model$parts)) {
    return(merged_shares(model))
  }
  if (!is.null(model$prevalence)) {
    return(model$prevalence / sum(model$prevalence))
  }
  if (!is.null(model$released_shares)) {
    return(unlist(model$released_shares))
  }
  own <- lapply(model$scorers, shares_of_scorer)
  if (any(vapply(own, is.null, NA))) {
    return(if (!is.null(model$held_out)) held_out_shares(model$held_out))
  }
  counted <- if (length(own) == 1L) own[[1L]] else vapply(own, function(each) each[length(each)], 0)
  if (!is.null(model$class_weights)) counted <- counted / unlist(model$class_weights)
  if (length(own) == 1L && is.null(model$class_weights)) counted else counted / sum(counted)
}

merged_shares <- function(model) {
  shares <- lapply(model$parts, class_shares)
  if (any(vapply(shares, is.null, NA))) {
    return(NULL)
  }
  rows <- vapply(model$parts, function(part) as.numeric(part$guarantee$n_rows), 0)
  Reduce(`+`, Map(`*`, rows / sum(rows), shares))
}

shares_of_scorer <- function(scorer) {
  if (scorer$kind == "boosted-trees") {
    start <- unlist(scorer$start) / STEPS
    return(if (length(start) == 1L) as.numeric(logistic(start)) else as.numeric(softmax(matrix(start, 1L))))
  }
  found <- unlist(c(scorer[["class_shares"]], scorer$link$class_shares))
  if (length(found)) found
}

# As noisy counts tell them; one that noise has brought to zero is still of a class that may occur.
held_out_shares <- function(held_out) {
  counts <- lapply(held_out$counts, function(each) as.numeric(unlist(each)))
  n_cells <- length(unlist(counts))
  is_counted <- held_out$rows_of_person == 1
  if (is_counted) counts <- lapply(counts, `+`, (held_out$n_rows - sum(unlist(counts))) / n_cells)
  below <- sum(unlist(counts))
  found <- vapply(counts, function(each) share_of(sum(each), below, length(each), n_cells, held_out, is_counted), 0)
  found <- pmax(found, 1 / held_out$n_rows)
  found / sum(found)
}

# Within Fieller's limits, which are those of the Python package's intervals.
share_of <- function(above, below, inside, n_cells, held_out, is_counted) {
  laplace <- held_out$distribution == "Laplace"
  variance <- held_out$scale^2 * summed(held_out) * (if (laplace) 2 else 1)
  share <- min(max(if (below > 0) above / below else 0, 0), 1)
  noise <- function(rate, power) {
    shift <- if (is_counted) inside / n_cells - rate else 0
    inside * (1 - rate - shift)^power + (n_cells - inside) * (-rate - shift)^power
  }
  of_error <- function(rate) held_out$rows_of_person * max(below, 0) * rate * (1 - rate) + variance * noise(rate, 2)
  at <- vapply(c(0, 0.5, 1), of_error, 0)
  square <- 2 * (at[1L] + at[3L] - 2 * at[2L])
  linear <- 4 * at[2L] - 3 * at[1L] - at[3L]
  fourth <- if (laplace) 3 / summed(held_out) * variance^2 * noise(share, 4) else 0
  squared <- max(at[1L] + linear * share + square * share^2, 1e-12)
  reach <- (WIDTH_OF_INTERVAL + (WIDTH_OF_INTERVAL^3 - 3 * WIDTH_OF_INTERVAL) / 24 * fourth / squared^2)^2
  a <- below^2 - reach * square
  b <- -2 * above * below - reach * linear
  root <- sqrt(max(b^2 - 4 * a * (above^2 - reach * at[1L]), 0))
  ends <- if (a > 0 && below > 0) (-b + c(-root, root)) / (2 * a) else c(-Inf, Inf)
  ends <- pmin(pmax(ends, 0), 1)
  min(max(share, ends[1L]), ends[2L])
}
