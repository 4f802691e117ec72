# Test vectors that the Python package wrote: tests/predictions of the project, which `make r` puts next to this file.

library(tacitr)

if (!dir.exists("vectors")) {
  message("No test vectors are here: run `make r` in the project.")
  quit(save = "no")
}

rows <- jsonlite::fromJSON("vectors/rows.json", simplifyVector = FALSE)
expected <- jsonlite::fromJSON("vectors/expected.json", simplifyVector = FALSE)

vector_of <- function(cells) {
  cells[vapply(cells, is.null, NA)] <- NA
  unlist(cells)
}

as_frame <- function(table) as.data.frame(lapply(table, vector_of), stringsAsFactors = FALSE)

as_numbers <- function(listed) unname(do.call(rbind, lapply(listed, function(row) as.numeric(unlist(row)))))

close_to <- function(found, listed, what) {
  wanted <- as_numbers(listed)
  found <- matrix(as.numeric(found), nrow(wanted))
  far <- abs(found - wanted) > 1e-12 * pmax(1, abs(wanted))
  if (any(far)) stop(what, ": rows ", paste(unique(row(found)[far]), collapse = ", "), call. = FALSE)
}

check <- function(name) {
  wanted <- expected[[name]]
  file <- if (startsWith(name, "golden ")) file.path("golden", substring(name, 8L)) else file.path("vectors", name)
  model <- read_tacit(paste0(file, ".model.json"))
  frame <- as_frame(rows[[wanted$rows]])
  factors <- as.data.frame(lapply(frame, function(each) if (is.character(each)) factor(each) else each))
  if (!is.null(wanted$numbers)) {
    close_to(predict(model, frame), wanted$numbers, name)
    if (!is.null(wanted$learned)) close_to(predict_quantiles(model, frame), wanted$learned, paste(name, "quantiles"))
    if (!is.null(wanted$intervals)) {
      close_to(predict_interval(model, frame, 0.8), wanted$intervals[["0.8"]], paste(name, "intervals"))
      sure <- predict_interval(model, frame, 0.6, confidence = 0.9)
      close_to(sure, wanted$intervals[["0.6, confidence 0.9"]], paste(name, "intervals with a confidence"))
      close_to(predict_quantiles(model, frame, c(0.9, 0.05, 0.5)), wanted$quantiles, paste(name, "quantiles"))
    }
    return(invisible())
  }
  close_to(predict(model, frame, type = "score"), wanted$scores, paste(name, "scores"))
  close_to(predict(model, frame, type = "prob"), wanted$probabilities, paste(name, "probabilities"))
  stopifnot(identical(as.character(predict(model, frame)), as.character(unlist(wanted$classes))))
  stopifnot(identical(predict(model, factors), predict(model, frame)))
  for (row in seq_len(nrow(frame))) {
    stopifnot(identical(predict(model, frame[row, ], type = "prob"), predict(model, frame, type = "prob")[row, , drop = FALSE]))
  }
  same <- function(found, listed) identical(as.character(found), as.character(unlist(listed)))
  as_asked <- function(threshold) if (threshold == "balanced") threshold else as.numeric(threshold)
  for (threshold in names(wanted$chosen)) {
    stopifnot(same(predict(model, frame, threshold = as_asked(threshold)), wanted$chosen[[threshold]]))
  }
  if (!is.null(wanted$calibrated)) {
    close_to(predict(model, frame, type = "prob", calibrated = TRUE), wanted$calibrated, paste(name, "calibrated"))
    stopifnot(identical(predict(model, frame, calibrated = TRUE), predict(model, frame)))
    for (threshold in names(wanted[["chosen calibrated"]])) {
      found <- predict(model, frame, threshold = as_asked(threshold), calibrated = TRUE)
      stopifnot(same(found, wanted[["chosen calibrated"]][[threshold]]))
    }
  }
  sets <- wanted$sets
  if (!is.null(sets)) {
    as_sets <- function(listed) unname(do.call(rbind, lapply(listed, unlist)))
    stopifnot(identical(unname(predict_set(model, frame, 0.9)), as_sets(sets[["0.9"]])))
    stopifnot(identical(unname(predict_set(model, frame, 0.6)), as_sets(sets[["0.6"]])))
    stopifnot(identical(unname(predict_set(model, frame, 0.6, 0.8)), as_sets(sets[["0.6, confidence 0.8"]])))
    all_rows <- unname(predict_set(model, frame, 0.6, by_class = FALSE))
    stopifnot(identical(all_rows, as_sets(sets[["0.6, marginal"]])))
    sure <- unname(predict_set(model, frame, 0.5, 0.8, by_class = FALSE))
    stopifnot(identical(sure, as_sets(sets[["0.5, marginal, confidence 0.8"]])))
  }
}

stopifnot(length(expected) > 30L)
failed <- character()
for (name in names(expected)) {
  tryCatch(check(name), error = function(error) failed <<- c(failed, paste(name, conditionMessage(error))))
}
if (length(failed)) stop(paste(failed, collapse = "\n"))
