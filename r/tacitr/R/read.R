# Model files: JSON, as docs/file-formats.md of the project describes it.

FORMAT <- "tacit-model"
LATEST <- 2L

read_tacit <- function(path) {
  if (!is.character(path) || length(path) != 1L || is.na(path) || !file.exists(path)) {
    stop("Expected the path of a model file, got none that is there. Check the path.", call. = FALSE)
  }
  document <- tryCatch(
    jsonlite::fromJSON(path, simplifyVector = FALSE),
    error = function(error) stop("Expected JSON, got another kind of file: ", path, ". Check the path.", call. = FALSE)
  )
  if (!is.list(document) || !identical(document$format, FORMAT) || !is.list(document$model)) {
    stop("Expected a model of Tacit, got another kind of file: ", path, ". Check the path.", call. = FALSE)
  }
  if (!isTRUE(document$version >= 1L && document$version <= LATEST)) {
    stop("Expected format version 1 to ", LATEST, ", got another. Update this package.", call. = FALSE)
  }
  body <- upgraded(document$model, document$version)
  if (is.null(body$parts)) prepared(body) else prepared_parts(body)
}

# Format 1 called the number of bins "parts", and "coerce" "code".
upgraded <- function(body, version) {
  if (version > 1L) {
    return(body)
  }
  renamed <- function(entry) {
    names(entry)[names(entry) == "parts"] <- "n_bins"
    entry
  }
  body$scorers <- lapply(body$scorers, function(scorer) {
    scorer <- renamed(scorer)
    scorer$forms <- lapply(scorer$forms, renamed)
    scorer
  })
  if (identical(body$on_invalid, "code")) body$on_invalid <- "coerce"
  body$fitted_with <- "0.1.0"
  body
}

prepared <- function(body) {
  columns <- lapply(body$schema$columns, prepared_column)
  names(columns) <- vapply(columns, function(each) each$name, "")
  label <- body$schema$label
  model <- list(
    learner = body$learner, fitted_with = body$fitted_with, label = label$name, columns = columns,
    on_invalid = body$on_invalid, guarantee = body$guarantee, scorers = body$scorers
  )
  if (is.null(label$classes)) {
    model$target <- prepared_column(label)
    model$scale <- body$scale
    model$quantiles <- body$quantiles
    if (!is.null(body$scale$link) && !identical(body$scale$link, "log")) {
      stop("Expected a link that this package knows, got another. Update this package.", call. = FALSE)
    }
    model$held_out <- body$held_out
  } else {
    model$classes <- sorted_classes(unlist(label$classes))
    if (!is.null(label$prevalence)) {
      model$prevalence <- unlist(label$prevalence)[match(model$classes, unlist(label$classes))]
    }
    model$held_out <- body$held_out
    model$class_weights <- body$class_weights
    model$released_shares <- body$released_shares
  }
  known <- c(
    "vote", "literal-votes", "naive-bayes", "literal-tree", "boosted-trees", "linear-model", "logistic-model",
    "rado-form", "ranked"
  )
  kinds <- vapply(body$scorers, function(scorer) scorer$kind, "")
  if (!all(kinds %in% known)) {
    stop("Expected kinds of scorers that this package knows, got another. Update this package.", call. = FALSE)
  }
  structure(model, class = "tacit_model")
}

# By code points, whatever the locale.
sorted_classes <- function(classes) {
  if (is.character(classes)) sort(enc2utf8(classes), method = "radix") else sort(classes)
}

print.tacit_model <- function(x, ...) {
  what <- if (is.null(x$target)) paste("classes", paste(x$classes, collapse = ", ")) else "a number"
  cat(sprintf("Tacit model (%s): %s, %s\n", x$learner, x$label, what))
  cat(sprintf("Certificate: %s, epsilon %s, delta %s\n", x$guarantee$status,
              format(x$guarantee$epsilon), format(x$guarantee$delta)))
  cat("Columns:", paste(table_names(x), collapse = ", "), "\n")
  invisible(x)
}

# The columns that a table has: those that mark empty cells are made when it is read.
table_names <- function(model) {
  names(model$columns)[vapply(model$columns, function(each) is.null(each$indicates), NA)]
}
