# BLAKE2b (RFC 7693), which buckets of texts follow from, for many texts at once.
#
# R has no integers of 64 bits: a word is four numbers of 16 bits, the lowest first, and many texts' words are a matrix
# of integers with a row a text.

BASE <- 65536L

IV <- c(
  "6a09e667f3bcc908", "bb67ae8584caa73b", "3c6ef372fe94f82b", "a54ff53a5f1d36f1",
  "510e527fade682d1", "9b05688c2b3e6c1f", "1f83d9abfb41bd6b", "5be0cd19137e2179"
)

SIGMA <- matrix(c(
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
  14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
  11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4,
  7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8,
  9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13,
  2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9,
  12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11,
  13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10,
  6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5,
  10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0
), 10L, 16L, byrow = TRUE) + 1L

# Which words each of the eight steps of a round mixes.
MIXES <- list(
  c(1L, 5L, 9L, 13L), c(2L, 6L, 10L, 14L), c(3L, 7L, 11L, 15L), c(4L, 8L, 12L, 16L),
  c(1L, 6L, 11L, 16L), c(2L, 7L, 12L, 13L), c(3L, 8L, 9L, 14L), c(4L, 5L, 10L, 15L)
)

limbs_of <- function(hex) strtoi(substring(hex, c(13L, 9L, 5L, 1L), c(16L, 12L, 8L, 4L)), 16L)

plus <- function(a, b, c = 0L) {
  sum <- a + b + c
  for (at in 1:3) sum[, at + 1L] <- sum[, at + 1L] + bitwShiftR(sum[, at], 16L)
  sum[] <- bitwAnd(sum, BASE - 1L)
  sum
}

differ <- function(a, b) {
  a[] <- bitwXor(a, b)
  a
}

# To the right by 16 bits as often as `by` says, and then by eight more.
turned <- function(a, by, eight = FALSE) {
  a <- a[, (0:3 + by) %% 4L + 1L, drop = FALSE]
  if (!eight) {
    return(a)
  }
  above <- a[, c(2L, 3L, 4L, 1L), drop = FALSE]
  a[] <- bitwOr(bitwShiftR(a, 8L), bitwShiftL(bitwAnd(above, 255L), 8L))
  a
}

# By 63 bits to the right, which is one to the left.
turned_once <- function(a) {
  below <- a[, c(4L, 1L, 2L, 3L), drop = FALSE]
  a[] <- bitwOr(bitwAnd(bitwShiftL(a, 1L), BASE - 1L), bitwShiftR(below, 15L))
  a
}

# One block of 128 bytes: `state` has eight words, `words` sixteen, `count` is the number of bytes so far.
compressed <- function(state, words, count, last) {
  n <- nrow(words[[1L]])
  v <- c(state, lapply(IV, function(hex) matrix(limbs_of(hex), n, 4L, byrow = TRUE)))
  counted <- cbind(count %% BASE, count %/% BASE, 0L, 0L)
  storage.mode(counted) <- "integer"
  v[[13L]] <- differ(v[[13L]], counted)
  if (last) v[[15L]][] <- bitwXor(v[[15L]], BASE - 1L)
  for (round in 0:11) {
    order <- SIGMA[round %% 10L + 1L, ]
    for (step in 1:8) {
      at <- MIXES[[step]]
      v[at] <- mixed(v[[at[1L]]], v[[at[2L]]], v[[at[3L]]], v[[at[4L]]],
                     words[[order[2L * step - 1L]]], words[[order[2L * step]]])
    }
  }
  lapply(1:8, function(at) differ(state[[at]], differ(v[[at]], v[[at + 8L]])))
}

mixed <- function(a, b, c, d, x, y) {
  a <- plus(a, b, x)
  d <- turned(differ(d, a), 2L)
  c <- plus(c, d)
  b <- turned(differ(b, c), 1L, TRUE)
  a <- plus(a, b, y)
  d <- turned(differ(d, a), 1L)
  c <- plus(c, d)
  list(a, turned_once(differ(b, c)), c, d)
}

# Sixteen words of blocks, a row of 128 bytes each.
words_of <- function(bytes) {
  lapply(0:15, function(word) {
    at <- 8L * word + c(1L, 3L, 5L, 7L)
    bytes[, at, drop = FALSE] + 256L * bytes[, at + 1L, drop = FALSE]
  })
}

# Digests of byte strings (raw vectors), under a key or none, as words: a list of eight matrices.
blake2b <- function(strings, key = raw(), size = 64L) {
  found <- lapply(1:8, function(at) matrix(0L, length(strings), 4L))
  first <- limbs_of(IV[1L])
  first[1L] <- bitwXor(first[1L], bitwXor(size, bitwShiftL(length(key), 8L)))
  first[2L] <- bitwXor(first[2L], 257L)
  start <- c(list(matrix(first, 1L)), lapply(IV[-1L], function(hex) matrix(limbs_of(hex), 1L)))
  keyed <- if (length(key)) 128L else 0L
  if (keyed) {
    # The key's block is the same for all texts.
    start <- compressed(start, words_of(matrix(c(as.integer(key), integer(128L - length(key))), 1L)), 128L, FALSE)
  }
  sizes <- lengths(strings)
  blocks <- pmax(1L, (sizes + 127L) %/% 128L)
  for (n_blocks in unique(blocks)) {
    own <- which(blocks == n_blocks)
    padded <- vapply(strings[own], function(one) c(as.integer(one), integer(128L * n_blocks - length(one))),
                     integer(128L * n_blocks))
    bytes <- t(padded)
    state <- lapply(start, function(word) word[rep(1L, length(own)), , drop = FALSE])
    for (at in seq_len(n_blocks)) {
      last <- at == n_blocks
      count <- keyed + if (last) sizes[own] else rep(128L * at, length(own))
      state <- compressed(state, words_of(bytes[, 128L * (at - 1L) + 1:128, drop = FALSE]), count, last)
    }
    for (word in 1:8) found[[word]][own, ] <- state[[word]]
  }
  found
}

# Buckets of texts: 8 bytes of the hash under the salt's, little-endian, modulo their number.
bucket_of <- function(texts, buckets, salt) {
  if (length(texts) == 0L) {
    return(numeric())
  }
  key <- as_bytes(blake2b(list(charToRaw(enc2utf8(salt)))))
  word <- blake2b(lapply(enc2utf8(texts), charToRaw), key, 8L)[[1L]]
  rest <- numeric(nrow(word))
  for (at in 4:1) rest <- (rest * BASE + word[, at]) %% buckets
  rest
}

as_bytes <- function(words) {
  limbs <- unlist(lapply(words, function(word) word[1L, ]))
  as.raw(rbind(limbs %% 256L, limbs %/% 256L))
}
