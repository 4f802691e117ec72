# Scores of rows, of each kind of scorer: a matrix with a column a score.

# Log-odds that a public link never passes, and those of a score of one.
MAX_LOG_ODDS <- 3
LOG_ODDS_OF_ONE <- c(vote = 0.8, "literal-votes" = 0.4, "linear-model" = 1.6, "rado-form" = 0.3)

scores_of_kind <- function(scorer, rows, model) {
  found <- switch(scorer$kind,
    "logistic-model" = linear_form(scorer, rows, model),
    "linear-model" = linear_form(scorer, rows, model) + offset_of(scorer),
    "ranked" = ranked_scores(scorer, rows, model),
    "naive-bayes" = naive_bayes_scores(scorer, rows, model),
    "literal-tree" = tree_scores(scorer, rows, model),
    "boosted-trees" = boosted_scores(scorer, rows, model),
    "vote" = vote_scores(scorer, rows, model),
    "literal-votes" = literal_vote_scores(scorer, rows, model),
    "rado-form" = rado_scores(scorer, rows, model)
  )
  if (is.matrix(found)) found else matrix(found, ncol = 1L)
}

offset_of <- function(scorer) if (is.null(scorer$link)) 0 else scorer$link$offset

linear_form <- function(scorer, rows, model) {
  columns <- with_cuts(model, scorer$cuts)
  total <- rep(scorer$intercept, n_rows(rows))
  for (form in scorer$forms) {
    features <- linear_features(columns[unlist(form$columns)], form$encoding, form$n_bins)
    total <- total + linear_sum(features, rows, unlist(form$weights))
  }
  total
}

rado_scores <- function(scorer, rows, model) {
  features <- linear_features(model$columns, scorer$encoding, clip = if (is.null(scorer$clip)) 1 else scorer$clip)
  scorer$scale * (linear_sum(features, rows, unlist(scorer$weights)) + scorer$intercept) + offset_of(scorer)
}

# Of two classes one column, the second's less the first's.
contrasts_of <- function(values) {
  if (ncol(values) == 2L) values[, 2L, drop = FALSE] - values[, 1L] else values
}

as_matrix <- function(listed) do.call(rbind, lapply(listed, function(row) as.numeric(unlist(row))))

naive_bayes_scores <- function(scorer, rows, model) {
  columns <- with_cuts(model, scorer$cuts)
  start <- contrasts_of(matrix(unlist(scorer$intercepts), 1L))
  total <- matrix(0, n_rows(rows), ncol(start))
  for (table in scorer$tables) {
    column <- columns[[table$column]]
    values <- rows[[table$column]]
    total <- total + if (table$kind == "bins") {
      # No evidence for the code of a category that is not listed.
      ratios <- as_matrix(table$log_ratios)
      contrasts_of(rbind(ratios, 0))[bin_codes(values, column, scorer$n_bins) + 1L, , drop = FALSE]
    } else {
      normal_evidence(on_grid(scaled(values, column)), unlist(table$means), unlist(table$variances))
    }
  }
  sweep(scorer$slope * total, 2L, start, `+`)
}

# Each class's log density as a parabola.
normal_evidence <- function(values, means, variances) {
  parabola <- contrasts_of(rbind(-(log(variances) + means^2 / variances) / 2, means / variances, -0.5 / variances))
  found <- vapply(seq_len(ncol(parabola)), function(at) {
    (values * parabola[3L, at] + parabola[2L, at]) * values + parabola[1L, at]
  }, numeric(length(values)))
  matrix(found, length(values))
}

# Codes of the columns that are asked for, each made once.
codes_by_column <- function(rows, columns, n_bins) {
  made <- new.env()
  function(name) {
    if (is.null(made[[name]])) made[[name]] <- as.integer(bin_codes(rows[[name]], columns[[name]], n_bins))
    made[[name]]
  }
}

n_bins_of <- function(scorer) if (is.null(scorer$n_bins)) 32L else scorer$n_bins

literal_holds <- function(literal, codes) codes >= literal$first & codes <= literal$last

# The node that each row ends at; parents come before their children.
reached_nodes <- function(nodes, codes, n) {
  reached <- integer(n)
  waiting <- vector("list", length(nodes))
  waiting[[1L]] <- seq_len(n)
  for (at in seq_along(nodes)) {
    node <- nodes[[at]]
    here <- waiting[[at]]
    if (is.null(node$literal)) {
      reached[here] <- at
    } else {
      holds <- literal_holds(node$literal, codes(node$literal$column)[here])
      waiting[[node$yes + 1L]] <- here[holds]
      waiting[[node$no + 1L]] <- here[!holds]
    }
  }
  reached
}

tree_shares <- function(scorer, rows, model) {
  codes <- codes_by_column(rows, with_cuts(model, scorer$cuts), n_bins_of(scorer))
  reached <- reached_nodes(scorer$nodes, codes, n_rows(rows))
  shares <- as_matrix(lapply(scorer$nodes, function(node) {
    if (is.null(node$literal)) unlist(node$probabilities) else rep(0, length(model$classes))
  }))
  shares[reached, , drop = FALSE]
}

tree_scores <- function(scorer, rows, model) contrasts_of(tree_shares(scorer, rows, model))

vote_scores <- function(scorer, rows, model) {
  features <- linear_features(model$columns, scorer$encoding)
  total <- numeric(n_rows(rows))
  for (vote in scorer$votes) {
    rule <- vote$rule
    holds <- if (rule$kind == "linear") {
      linear_sum(features, rows, unlist(rule$weights)) > -rule$intercept
    } else {
      rule_tree_holds(rule, features, rows)
    }
    total <- total + (2 * holds - 1) * vote$coefficient
  }
  total + offset_of(scorer)
}

# A tree of features: left where one is at most the threshold.
rule_tree_holds <- function(rule, features, rows) {
  feature <- unlist(rule$feature)
  threshold <- unlist(rule$threshold)
  left <- unlist(rule$left)
  right <- unlist(rule$right)
  node <- rep(0L, n_rows(rows))
  for (at in seq_along(feature)) {
    if (feature[at] < 0) next
    here <- which(node == at - 1L)
    goes_left <- feature_at(features, rows, feature[at] + 1L)[here] <= threshold[at]
    node[here] <- ifelse(goes_left, left[at], right[at])
  }
  unlist(rule$second)[node + 1L]
}

literal_vote_scores <- function(scorer, rows, model) {
  codes <- codes_by_column(rows, with_cuts(model, scorer$cuts), n_bins_of(scorer))
  total <- start_of_votes(scorer$start, rows, model)
  for (rule in scorer$votes) {
    holds <- switch(rule$kind,
      literal = xor(literal_holds(rule$literal, codes(rule$literal$column)), isTRUE(rule$negated)),
      constant = rep(rule$second, n_rows(rows)),
      "literal-tree" = {
        second <- vapply(rule$nodes, function(node) {
          is.null(node$literal) && node$probabilities[[2L]] > node$probabilities[[1L]]
        }, NA)
        second[reached_nodes(rule$nodes, codes, n_rows(rows))]
      }
    )
    total <- total + (2 * holds - 1)
  }
  total + offset_of(scorer)
}

# The margin of a public model before the first private round, in quarters of a vote.
start_of_votes <- function(start, rows, model) {
  if (is.null(start)) {
    return(numeric(n_rows(rows)))
  }
  public <- Filter(function(column) !column$private, model$columns)
  votes <- linear_sum(linear_features(public, "one-hot"), rows, unlist(start$rule$weights)) + start$rule$intercept
  pmin(pmax(round(votes * 4), -start$reach), start$reach) / 4
}
