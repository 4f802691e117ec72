# Sums of oblivious trees: one test for all nodes of a level, so that a leaf is a number of one bit a level.

STEPS <- 2^20
# Of a form of ranks, where whole steps are counted on from there.
MAX_RANKED_SCORE <- 2^19

boosted_scores <- function(scorer, rows, model) {
  columns <- with_cuts(model, scorer$cuts)
  n_bins <- n_bins_of(scorer)
  codes <- codes_by_column(rows, columns, n_bins)
  sizes <- vapply(columns, function(column) as.integer(n_codes_of(column, n_bins)), 0L)
  totals <- starts_of(scorer, rows, model)
  for (tree in scorer$trees) {
    patterns <- patterns_of(tree$tests, sizes)
    leaves <- rep(1L, n_rows(rows))
    for (name in names(patterns)) leaves <- leaves + patterns[[name]][codes(name) + 1L]
    for (score in seq_len(ncol(totals))) {
      totals[, score] <- totals[, score] + as.numeric(unlist(tree$values[[score]]))[leaves]
    }
  }
  totals / STEPS
}

starts_of <- function(scorer, rows, model) {
  if (!is.null(scorer$first)) {
    scores <- ranked_scores(scorer$first, rows, model)
    return(round(pmin(pmax(scores, -MAX_RANKED_SCORE), MAX_RANKED_SCORE) * STEPS))
  }
  matrix(as.numeric(unlist(scorer$start)), n_rows(rows), length(scorer$start), byrow = TRUE)
}

# For each tested column what each of its codes adds to a leaf's number.
patterns_of <- function(tests, sizes) {
  depth <- length(tests)
  patterns <- list()
  for (level in seq_len(depth)) {
    test <- tests[[level]]
    held <- if (is.null(test$codes)) seq.int(test$first, test$last) else as.integer(unlist(test$codes))
    pattern <- patterns[[test$column]]
    if (is.null(pattern)) pattern <- integer(sizes[[test$column]])
    pattern[held + 1L] <- bitwOr(pattern[held + 1L], bitwShiftL(1L, depth - level))
    patterns[[test$column]] <- pattern
  }
  patterns
}
