# Scores of ranks and categories, of rows clipped to a public L2 norm, in steps of 2^-14.

FEATURE_STEPS <- 2^14
# Of the features' lengths: what models are scored with, so they are as fixed as the formats of files.
CONSTANT <- 0.5
CENTERED <- 0.5
QUADRATIC <- 0.6
SHORT <- 0.2
# Keeps a row's length within the radius whatever the rounding.
SHORTENED <- 1 - 2^-40

ranked_scores <- function(scorer, rows, model) {
  columns <- with_cuts(model, scorer$cuts)[unlist(scorer$columns)]
  weights <- do.call(rbind, lapply(scorer$weights, unlist))
  joined <- isTRUE(scorer$joined)
  plan <- lapply(columns, function(column) ranked_plan(column, unlist(scorer$short), joined, isTRUE(scorer$bends)))
  marks <- marks_of(columns, joined)
  numbers <- lapply(columns, function(column) if (column$numeric) ranks_in(rows, column, scorer, marks))
  squares <- squares_of(plan, rows, columns, numbers)
  factor <- pmin(1, scorer$radius / sqrt(squares)) * SHORTENED * FEATURE_STEPS
  total <- tcrossprod(trunc(CONSTANT * factor), weights[, 1L, drop = FALSE])
  start <- 1L
  for (at in seq_along(columns)) {
    own <- weights[, start + seq_len(plan[[at]]$width), drop = FALSE]
    total <- total + added_by(plan[[at]], numbers[[at]], rows[[columns[[at]]$name]], factor, own)
    start <- start + plan[[at]]$width
  }
  total <- total / FEATURE_STEPS
  for (output in seq_along(scorer$public)) {
    public <- scorer$public[[output]]
    public$cuts <- scorer$cuts
    total[, output] <- total[, output] + linear_form(public, rows, model)
  }
  total
}

# What a column's features are: how long, less by what, and how many.
ranked_plan <- function(column, short, joined, bends) {
  is_mark <- joined && !is.null(column$indicates)
  length <- if (column$name %in% short) SHORT else 1
  if (is_mark) length <- CONSTANT * length
  center <- if (column$numeric || is_mark) 0 else CENTERED / column$n_codes
  width <- if (column$numeric) 1L + bends else if (is_mark) 1L else column$n_codes
  square <- length^2
  if (!column$numeric) square <- square * (1 - 2 * center + column$n_codes * center^2)
  list(numeric = column$numeric, is_mark = is_mark, length = length, center = center, width = width, square = square)
}

# By number whose empty cells are a feature, the column that marks them.
marks_of <- function(columns, joined) {
  marks <- Filter(function(column) !is.null(column$indicates), columns)
  owners <- vapply(marks, function(column) column$indicates, "")
  found <- vapply(marks, function(column) column$name, "")[owners %in% names(columns)]
  names(found) <- owners[owners %in% names(columns)]
  if (joined) found else character()
}

ranks_in <- function(rows, column, scorer, marks) {
  rank <- rank_of(rows[[column$name]], column)
  curve <- Find(function(each) each[[1L]] == column$name, scorer$curved)
  first <- rank
  if (!is.null(curve)) {
    heights <- unlist(curve[[2L]])
    first <- stats::approx(seq(-1, 1, length.out = length(heights)), heights, rank, rule = 2)$y
  }
  own <- list(first)
  if (isTRUE(scorer$bends)) own <- list(first, QUADRATIC * (1.5 * rank^2 - 0.5))
  if (!column$name %in% names(marks)) {
    return(own)
  }
  there <- rows[[marks[[column$name]]]] == 0
  lapply(own, function(each) each * there)
}

# Of each row's length, column after column, as its last bit depends on the order.
squares_of <- function(plan, rows, columns, numbers) {
  squares <- rep(CONSTANT^2, n_rows(rows))
  for (at in seq_along(columns)) {
    own <- plan[[at]]
    if (own$numeric) {
      square <- Reduce(`+`, lapply(numbers[[at]], function(each) each^2))
      squares <- squares + if (own$length == 1) square else own$length^2 * square
    } else {
      codes <- rows[[columns[[at]]$name]] - own$is_mark
      squares <- squares + own$square * (codes >= 0)
    }
  }
  squares
}

# Features of a column, cut toward zero in steps, times weights of each output.
added_by <- function(plan, numbers, codes, factor, weights) {
  length <- plan$length
  if (plan$numeric) {
    steps <- vapply(numbers, function(each) trunc((if (length == 1) each else length * each) * factor),
                    numeric(length(factor)))
    return(tcrossprod(matrix(steps, length(factor)), weights))
  }
  if (plan$is_mark) {
    return(tcrossprod(trunc(length * (codes >= 1) * factor), weights))
  }
  others <- trunc((-plan$center * length) * factor)
  lead <- trunc((-plan$center * length + length) * factor) - others
  seen <- codes >= 0
  own <- cbind(0, weights)
  found <- vapply(seq_len(nrow(weights)), function(output) {
    lead * own[output, codes + 2L] + others * seen * sum(weights[output, ])
  }, numeric(length(factor)))
  matrix(found, length(factor))
}
