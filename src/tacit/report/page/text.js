"use strict";
// Numbers as words, and elements of the page. Names are only ever set as text.

function short(number) {
  const rounded = Number(number.toPrecision(3));
  return rounded !== 0 && Math.abs(rounded) < 1e-4 ? rounded.toExponential() : String(rounded);
}

// Errors of a number to predict are in its unit, and may be large.
const fixed = (number, digits = 4) => (number === null || number === undefined ? "–" : number.toFixed(Math.abs(number) < 1000 ? digits : 1));

function percent(share) {
  const rest = Math.min(share, 1 - share);
  if (rest < 1e-6) return share < 0.5 ? "0.0001 %" : share === 1 ? "100 %" : "99.9999 %";
  const digits = Math.max(1, Math.ceil(-Math.log10(rest)) - 1);
  return `${(100 * share).toFixed(digits)} %`;
}

function seconds(time) {
  if (time === null || time === undefined) return "–";
  return time < 0.001 ? "< 0.001" : String(Number(time.toPrecision(3)));
}

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

const byId = (id) => document.getElementById(id);
