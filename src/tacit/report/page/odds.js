"use strict";
// What an epsilon and a delta mean; the formulas and their sources are in tacit/report/odds.py.

const WIDER = 1.1; // with a delta

const oddsFactor = (epsilon, delta) => Math.exp(epsilon) * (delta > 0 ? WIDER : 1);

const exception = (delta) => Math.min(1, (delta * (WIDER + 1)) / (WIDER - 1));

const certainty = (prior, epsilon, delta) => 1 / (1 + (1 - prior) / prior / oddsFactor(epsilon, delta));

const rightGuesses = (epsilon, delta) =>
  0.5 + (-Math.expm1(-epsilon) + 2 * delta * Math.exp(-epsilon)) / (2 * (1 + Math.exp(-epsilon)));

const detections = (epsilon, delta, falseAlarms) =>
  Math.min(1, Math.exp(epsilon) * falseAlarms + delta, 1 - Math.exp(-epsilon) * (1 - delta - falseAlarms));

function say(epsilon, delta) {
  const unless = `, except with a probability of at most ${unbroken(exception(delta))}`;
  return {
    epsilon: short(epsilon) + (delta > 0 ? ` and delta ${unbroken(delta)}` : ""),
    factor: factorText(oddsFactor(epsilon, delta)),
    unless: delta > 0 ? unless : "",
    even: percent(rightGuesses(epsilon, delta)),
    rare: percent(certainty(0.01, epsilon, delta)),
    seldom: percent(certainty(0.1, epsilon, delta)),
    "unless-too": delta > 0 ? ", with the same exception" : "",
    found: percent(detections(epsilon, delta, 0.05)),
  };
}

// No line breaks within 1e-6.
const unbroken = (number) => short(number).replace("-", "\u2011");

const factorText = (factor) => (factor < 1e5 ? String(Number(factor.toPrecision(4))) : factor.toExponential(1));
