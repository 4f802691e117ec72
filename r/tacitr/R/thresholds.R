# From probabilities to classes: by a threshold, or as if all classes were equally frequent.

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

winners <- function(model, likely, threshold) {
  if (is.numeric(threshold)) {
    return(1L + (likely[, 2L] >= threshold))
  }
  shares <- class_shares(model)
  if (is.null(shares)) {
    refuse(
      "Expected shares of the classes that are public or released for threshold 'balanced', got none. ",
      "Give a number; of held-out counts, Python has them."
    )
  }
  # Probabilities are of weighed rows, and so are the shares that they are compared with.
  if (!is.null(model$class_weights)) shares <- shares * unlist(model$class_weights)
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
    return(NULL)
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
