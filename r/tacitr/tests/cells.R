# What is read of cells and what is refused, without test vectors.

library(tacitr)

refused <- function(expression, said) {
  message <- tryCatch({
    force(expression)
    ""
  }, error = conditionMessage)
  if (!grepl(said, message, fixed = TRUE)) stop("Expected an error with '", said, "', got '", message, "'.")
}

model <- read_tacit(system.file("extdata", "model.json", package = "tacitr"))
people <- data.frame(age = c(25, 61, 17), sky = c("clear", "gray", " gray "))
stopifnot(identical(predict(model, people[2:1]), predict(model, people)))
stopifnot(all(abs(rowSums(predict(model, people, type = "prob")) - 1) < 1e-12))
stopifnot(identical(colnames(predict(model, people, type = "prob")), c("no", "yes")))
stopifnot(length(predict(model, people[0, ])) == 0L)
stopifnot(all(predict_set(model, people, 0.99)[cbind(1:3, match(predict(model, people), c("no", "yes")))]))

refused(predict(model, as.matrix(people)), "Expected a data frame")
refused(predict(model, people["age"]), "Expected a column named 'sky'")
refused(predict(model, transform(people, age = NA)), "got NA")
refused(predict(model, transform(people, age = "old")), "Expected numbers in every cell of column 'age'")
refused(predict(model, transform(people, age = Sys.Date())), "Expected numbers in column 'age', got another type")
refused(predict(model, transform(people, sky = "green")), "Expected every value of column 'sky'")
refused(predict_set(model, people, coverage = 1), "Expected a number between 0 and 1")
learned <- model
learned$schema$learned <- list(certificate = "that of the schema")
refused(predict_set(learned, people, confidence = 0.9), "Expected no confidence with a schema that was learned")
refused(read_tacit("nowhere.json"), "got none that is there")
refused(fit_tacit(people, "schema.toml", 1, out = system.file("DESCRIPTION", package = "tacitr")), "a new file")

# RFC 7693, appendix A, and Python's hashlib under a key.
hex <- function(words) paste(format(as.hexmode(as.integer(tacitr:::as_bytes(words))), width = 2L), collapse = "")
abc <- hex(tacitr:::blake2b(list(charToRaw("abc"))))
stopifnot(startsWith(abc, "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"))
numbers <- c(0.1, 1e-7, 1e16, 123456.789, 2^53, -0, 1e22, 1 / 3, 5e-324, -2.5)
texts <- c("0.1", "1e-07", "1e+16", "123456.789", "9007199254740992.0", "0", "1e+22", "0.3333333333333333", "5e-324",
           "-2.5")
stopifnot(identical(tacitr:::shortest(numbers), texts))
