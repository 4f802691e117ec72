"use strict";
// The form that changes an entry, and the checks that the schema would make of it.

class Refused extends Error {
  constructor(message, box) {
    super(message);
    this.box = box;
  }
}

const KINDS = { numeric: "numbers or dates", categorical: "categories", identifier: "says which rows are of one person" };
const FIELDS = { numeric: ["low", "high", "missing", "missing_codes"], categorical: ["categories", "other", "missing", "match", "buckets", "salt"], label: ["classes", "positive"], identifier: ["rows"] };
const OWN = ["name", "columns", "private"];

function labelled(words, box, hint) {
  return element("label", { class: "field" }, words, ...(hint ? [element("span", { class: "quiet" }, ` ${hint}`)] : []), box);
}

const typed = (name, value) => element("input", { name, value: value ? value[1] : "", autocomplete: "off", spellcheck: "false" });

function kindsOf(entry) {
  if (entry.kind === "label" || entry.kind === "identifier") return [entry.kind];
  const taken = hasIdentifier() || entry.names.length > 1;
  return ["numeric", "categorical", ...(taken ? [] : ["identifier"])];
}

function numericPart(entry) {
  return [
    labelled("Low", typed("low", field(entry, "low")), "smaller cells count as this"),
    labelled("High", typed("high", field(entry, "high")), "larger cells count as this"),
    labelled("Missing", typed("missing", entry.kind === "numeric" && field(entry, "missing")), "an empty cell counts as this; indicator: as a category of its own; blank: refused"),
    labelled("Codes", typed("missing_codes", ["", codesOf(entry)]), "cells that stand for a missing one, with commas between, as in N, ?, -99"),
  ];
}

const codesOf = (entry) => (field(entry, "missing_codes")?.list || []).map((each) => each[1]).join(", ");

function listPart(listed, what) {
  const boxes = listed.map(([, words], at) =>
    element("label", {}, element("input", { type: "checkbox", name: "kept", value: at, checked: true }), element("bdi", {}, readable(words))));
  const kept = boxes.length ? [element("fieldset", { class: "kept" }, element("legend", {}, `${what}: untick what should not be published`), ...boxes)] : [];
  return [...kept, labelled("Add", element("textarea", { name: "added", rows: 3, spellcheck: "false" }), "one on each line, whether or not a row has it")];
}

function categoricalPart(entry) {
  const listed = (entry.kind === "categorical" && field(entry, "categories")?.list) || [];
  const missing = entry.kind === "categorical" ? field(entry, "missing") : undefined;
  const at = missing ? listed.findIndex((each) => each[0] === missing[0]) : -1;
  const chosen = missing ? (at < 0 ? "other" : String(at)) : "";
  const choices = [["", "refused"], ["other", "other"], ...listed.map(([, words], place) => [String(place), readable(words)])];
  const select = element("select", { name: "missing category" });
  select.append(...choices.map(([value, words]) => element("option", { value, selected: value === chosen }, words)));
  const tick = (name, isTicked, words) => element("label", { class: "tick" }, element("input", { type: "checkbox", name, checked: isTicked }), words);
  return [
    ...listPart(listed, "Categories"),
    tick("other", field(entry, "other")?.[0] === "true", "What is not listed counts as one more category, other"),
    tick("prefix", field(entry, "match")?.[1] === "prefix", "These are beginnings of codes: a cell is the longest that it starts with"),
    labelled("An empty cell counts as", select),
    labelled("Buckets", typed("buckets", field(entry, "buckets")), "in place of a list, for texts of very many values: a public hash puts each into one of so many, as 256"),
  ];
}

function identifierPart(entry) {
  const rows = typed("rows", entry.kind === "identifier" ? field(entry, "rows") : ["", "mean"]);
  return [labelled("Rows", rows, "mean: each person weighs one; a number: at most so many rows of a person count, at so many times the noise")];
}

// One class made of several; of two there is nothing to bring together.
function labelPart(entry) {
  const { list } = field(entry, "classes");
  const positive = (field(entry, "positive")?.list || []).map(([each]) => each);
  const boxes = list.map(([written, words], at) =>
    element("label", {}, element("input", { type: "checkbox", name: "positive", value: at, checked: positive.includes(written) }), element("bdi", {}, readable(words))));
  const together = element("fieldset", { class: "kept" }, element("legend", {}, "Predict one class made of several: tick these; or none"), ...boxes);
  return [...listPart(list, "Classes"), ...(list.length > 2 || positive.length ? [together] : [])];
}

const PARTS = {
  numeric: numericPart, categorical: categoricalPart, identifier: identifierPart, label: labelPart,
};

function makeForm(entry, keep, cancel) {
  const kinds = kindsOf(entry);
  const sets = kinds.map((kind) => element("fieldset", { "data-kind": kind }, ...PARTS[kind](entry)));
  const select = element("select", { name: "kind" }, ...kinds.map((kind) => element("option", { value: kind, selected: kind === entry.kind }, KINDS[kind] || kind)));
  const choose = () => sets.forEach((set) => { set.hidden = set.disabled = set.dataset.kind !== select.value; });
  select.addEventListener("change", choose);
  choose();
  const problem = element("p", { class: "problem", role: "alert" });
  const buttons = element("div", { class: "row" }, element("button", { class: "main" }, "Keep the change"), element("button", { type: "button" }, "Cancel"));
  const made = element("form", { novalidate: true }, ...(kinds.length > 1 ? [labelled("What the column holds", select)] : []), ...sets, problem, buttons);
  buttons.lastChild.addEventListener("click", cancel);
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    made.querySelectorAll("[aria-invalid]").forEach((box) => box.removeAttribute("aria-invalid"));
    try {
      keep(changed(entry, select.value, sets.find((set) => !set.hidden)));
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      problem.textContent = refused.message;
      refused.box.setAttribute("aria-invalid", "true");
      refused.box.focus();
    }
  });
  return made;
}

const READ = { numeric: readNumeric, categorical: readCategorical, label: readLabel, identifier: readIdentifier };

// What the form does not ask for stays as it was, as long as the kind does.
function changed(entry, kind, set) {
  const fresh = READ[kind](entry, set);
  const old = entry.fields.filter(([key]) => OWN.includes(key) || (entry.kind === kind && !FIELDS[kind].includes(key)));
  const [first, ...rest] = old.length ? old : nameOf(entry);
  const own = kind === "identifier" ? [] : rest;
  if (kind !== "identifier" && !own.some(([key]) => key === "private")) own.push(["private", ["true", "true"]]);
  return { ...entry, kind, fields: [first, ...fresh, ...own], guessed: false, said: "changed", isNamed: undefined, was: undefined };
}

const nameOf = (entry) => (entry.names.length > 1 ? [["columns", { list: entry.names.map(text) }]] : [["name", text(entry.names[0])]]);

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const NUMBER = /^[-+]?(\d|\.\d)[\d.e+-]*$/i;

// A number as TOML writes it, or nothing: TOML has neither "5." nor ".5" nor "007".
function number(words) {
  if (!NUMBER.test(words) || !Number.isFinite(Number(words))) return null;
  // Whole numbers of any length, exactly; doubles hold fifteen digits.
  const short = /^[-+]?\d+$/.test(words) ? String(BigInt(words.replace(/^\+/, ""))) : String(Number(words));
  return [short, short];
}

function bound(box) {
  const words = box.value.trim();
  if (DATE.test(words) && words >= "0001" && new Date(`${words}T00:00Z`).toJSON()?.startsWith(words)) return [words, words];
  const found = number(words);
  if (!found) throw new Refused("Write a number such as 16020 or 0.5, without spaces or commas, or a date as YYYY-MM-DD.", box);
  return found;
}

const size = ([, words]) => (DATE.test(words) ? Date.parse(words) : Number(words));
const isDate = ([, words]) => DATE.test(words);

function readNumeric(entry, set) {
  const { low: lowBox, high: highBox, missing: missingBox } = set.elements;
  const [low, high] = [bound(lowBox), bound(highBox)];
  if (isDate(low) !== isDate(high)) throw new Refused("Write both bounds as numbers, or both as dates.", highBox);
  if (!(size(low) < size(high)) || !Number.isFinite(size(high) - size(low))) throw new Refused("Write a low below high.", highBox);
  const within = (value) => isDate(value) === isDate(low) && size(value) >= size(low) && size(value) <= size(high);
  const isIndicator = missingBox.value.trim() === "indicator";
  const missing = isIndicator ? text("indicator") : missingBox.value.trim() && bound(missingBox);
  if (missing && !isIndicator && !within(missing)) throw new Refused("A missing cell must count as a value within the bounds.", missingBox);
  const codes = readCodes(entry, set.elements.missing_codes);
  if (codes.length && !missing) throw new Refused("Say what cells with these codes count as.", missingBox);
  if (isDate(low) && entry.kind === "numeric" && field(entry, "scale")) throw new Refused("Dates have no logarithmic scale; change it in the file first.", lowBox);
  const others = entry.kind === "numeric" ? [field(entry, "center"), ...(field(entry, "cuts")?.list || [])] : [];
  if (!others.every((each) => !each || within(each))) throw new Refused("The center and the cuts must stay within the bounds; change them in the file first.", lowBox);
  return [["low", low], ["high", high], ...(missing ? [["missing", missing]] : []), ...(codes.length ? [["missing_codes", { list: codes }]] : [])];
}

// A box that was not touched keeps what cannot be typed.
function readCodes(entry, box) {
  if (box.value === codesOf(entry)) return field(entry, "missing_codes")?.list || [];
  const words = box.value.split(",").map((each) => each.trim()).filter(Boolean);
  if (words.length > 100 || new Set(words).size < words.length) throw new Refused("Write at most 100 codes, each once.", box);
  return words.map((each) => number(each) || text(each));
}

const sort = ([literal]) => (/^["']/.test(literal) ? "text" : /^[tf]/.test(literal) ? "boolean" : "number");

function ticked(set, listed, name = "kept") {
  const boxes = [...set.querySelectorAll(`[name="${name}"]:checked`)];
  return boxes.map((box) => listed[Number(box.value)]);
}

// The ticked values and the added ones, all of one sort. New ones of a column of numbers are numbers.
function readList(set, listed, asNumbers) {
  const kept = ticked(set, listed);
  const box = set.elements.added;
  const wanted = listed.length ? sort(listed[0]) : asNumbers ? "number" : "text";
  const added = box.value.split("\n").map((line) => line.trim()).filter(Boolean).map((line) => valued(line, wanted, box));
  const all = [...kept, ...added];
  const keys = all.map((each) => (wanted === "number" ? String(Number(each[1])) : each[1]));
  if (new Set(keys).size < keys.length) throw new Refused("List each value once.", box);
  if (!all.length) throw new Refused("List at least one value.", box);
  return all;
}

function valued(line, wanted, box) {
  if (wanted === "text") return text(line);
  if (wanted === "boolean") {
    if (line !== "true" && line !== "false") throw new Refused("Write true or false, as the values listed are.", box);
    return [line, line];
  }
  const found = number(line);
  if (!found) throw new Refused("Write numbers, as the column has them.", box);
  return found;
}

const MISSING = text("missing");

function readCategorical(entry, set) {
  const old = entry.kind === "categorical" ? entry : { fields: [] };
  if (set.elements.buckets.value.trim()) return readBuckets(old, set.elements.buckets);
  const listed = field(old, "categories")?.list || [];
  const categories = readList(set, listed, entry.kind === "numeric");
  const isListed = (value) => categories.some((each) => each[0] === value[0]);
  const other = set.elements.other.checked;
  const box = set.elements["missing category"];
  // What was struck is not to be published as what a missing cell counts as, either.
  const spare = field(old, "missing") && !listed.some((each) => each[0] === field(old, "missing")[0]) ? field(old, "missing") : MISSING;
  const chosen = box.value === "other" ? spare : listed[Number(box.value)];
  const missing = box.value !== "" && (isListed(chosen) ? chosen : spare);
  if (missing && !isListed(missing) && !other) throw new Refused("A missing cell must count as a category that is listed; or let what is not listed count as other.", box);
  const center = field(old, "center");
  if (center && !isListed(center)) throw new Refused("The center must stay a category; change it in the file first.", set.elements.added);
  const isPrefix = set.elements.prefix.checked;
  if (isPrefix && categories.some((each) => sort(each) !== "text" || !each[1] || each[1] !== each[1].trim())) throw new Refused("Beginnings of codes are texts without blanks around them.", set.elements.prefix);
  const flags = [...(other ? [["other", ["true", "true"]]] : []), ...(isPrefix ? [["match", text("prefix")]] : [])];
  return [["categories", { list: categories }], ...flags, ...(missing ? [["missing", missing]] : [])];
}

// Buckets take any text, so that no list is published beside them.
function readBuckets(old, box) {
  const words = box.value.trim();
  if (!/^\d{1,5}$/.test(words) || Number(words) < 2 || Number(words) > 65534) throw new Refused("Write a whole number of buckets from 2 to 65534, or none.", box);
  if (field(old, "center")) throw new Refused("Buckets have no center; change it in the file first.", box);
  const salt = field(old, "salt");
  return [["buckets", [String(Number(words)), words]], ...(salt ? [["salt", salt]] : [])];
}

function readLabel(entry, set) {
  const { list } = field(entry, "classes");
  const classes = readList(set, list, false);
  const box = set.elements.added;
  if (classes.length < 2) throw new Refused("List at least two classes.", box);
  if (classes.length > 1000 || classes.some(([, words]) => [...words].length > 1000)) throw new Refused("List at most 1,000 classes of at most 1,000 characters.", box);
  const shares = field(entry, "prevalence");
  const positive = ticked(set, list, "positive");
  if (positive.some((each) => !classes.includes(each)) || positive.length === classes.length) throw new Refused("The class made of several needs classes that are listed, but not all.", box);
  if (shares && shares.list.length !== (positive.length ? 2 : classes.length)) throw new Refused("The file gives a prevalence for each class; change both there.", box);
  return [["classes", { list: classes }], ...(positive.length ? [["positive", { list: positive }]] : [])];
}

function readIdentifier(entry, set) {
  const words = set.elements.rows.value.trim();
  if (words === "mean") return [["rows", text(words)]];
  if (!/^\d{1,5}$/.test(words) || Number(words) < 1 || Number(words) > 10000) throw new Refused("Write mean, or a whole number from 1 to 10000.", set.elements.rows);
  return [["rows", [String(Number(words)), words]]];
}
