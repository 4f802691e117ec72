# Fits are made by the Python package: noise and accounting have one implementation.

CLASSIFIERS <- c(
  auto = "AutoClassifier", "boosted-trees" = "BoostedTreesClassifier", brc = "BRCClassifier",
  lazybb = "LazyBBClassifier", logistic = "LogisticClassifier", "naive-bayes" = "NaiveBayesClassifier",
  radoboost = "RadoBoostClassifier", svm = "SVMClassifier", tree = "TreeClassifier"
)
REGRESSORS <- c(auto = "AutoRegressor", "boosted-trees" = "BoostedTreesRegressor", linear = "LinearRegressor")

fit_tacit <- function(data, schema, epsilon, out, delta = NULL, learner = "auto", ...) {
  if (!is.data.frame(data)) refuse("Expected a data frame, got something else. Pass one with named columns.")
  if (!is.character(out) || length(out) != 1L || file.exists(out)) {
    refuse("Expected the path of a new file for out, got another. A model costs its privacy again: name a new file.")
  }
  if (!dir.exists(dirname(out))) refuse("Expected a folder that is there for out, got another. Make it first.")
  tacit <- python_module("tacit")
  public <- tacit$Schema$from_toml(tacit_path(schema))
  learners <- if (is.null(public$target)) CLASSIFIERS else REGRESSORS
  if (!isTRUE(learner %in% names(learners))) {
    refuse("Expected a learner, got another name. Choose one of ", paste(names(learners), collapse = ", "), ".")
  }
  name <- public$label$name
  if (!name %in% names(data)) refuse("Expected a column named '", name, "', got a table without one. Add the column.")
  settings <- list(public, epsilon = epsilon, ...)
  if (!is.null(delta)) settings$delta <- delta
  estimator <- do.call(tacit[[learners[[learner]]]], settings)
  frame <- python_frame(data[setdiff(names(data), name)])
  estimator$fit(frame, python_frame(data[name])$get_column(name))
  python_module("tacit.models")$write_model(estimator$model_, tacit_path(out, must_exist = FALSE))
  read_tacit(out)
}

python_module <- function(name) {
  if (!requireNamespace("reticulate", quietly = TRUE)) {
    refuse("Expected the package reticulate to fit through Python, got none. install.packages(\"reticulate\")")
  }
  tryCatch(reticulate::import(name, convert = TRUE), error = function(error) {
    refuse("Expected a Python that has the package tacit, got none. Install it, and see ?reticulate::use_virtualenv.")
  })
}

tacit_path <- function(path, must_exist = TRUE) {
  reticulate::import("pathlib", convert = FALSE)$Path(normalizePath(path, mustWork = must_exist))
}

# A frame of polars, column by column: missing cells of R are none of Python's, and would become numbers or texts.
python_frame <- function(data) {
  columns <- lapply(data, python_cells)
  python_module("polars")$DataFrame(do.call(reticulate::dict, columns))
}

python_cells <- function(cells) {
  if (inherits(cells, "POSIXt")) {
    cells <- format(as.POSIXct(cells), "%Y-%m-%dT%H:%M:%OS6", tz = "UTC")
  } else if (inherits(cells, "Date") || is.factor(cells)) {
    cells <- as.character(cells)
  }
  cells <- as.list(cells)
  cells[vapply(cells, is.na, NA)] <- list(NULL)
  unname(cells)
}
