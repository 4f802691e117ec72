"use strict";
// A box for each field that can be typed, by the way it is typed, and what was typed into it.

class Refused extends Error {
  constructor(message, box) {
    super(message);
    this.box = box;
  }
}

function labelled(label, box, hint) {
  return element("label", { class: "field" }, label, ...(hint ? [element("span", { class: "quiet" }, ` ${hint}`)] : []), box);
}

const tick = (name, isTicked, label) => element("label", { class: "tick" }, element("input", { type: "checkbox", name, checked: isTicked }), label);

// A choice of one word beside leaving it out is a tick.
function wordOf(each) {
  const others = each.words.filter(([word]) => word !== each.unset);
  return each.editor === "choice" && others.length === 1 ? others[0] : null;
}

// Words with commas between, those that hold one in quotes.
const inLine = (list) => list.map((word) => (/[",]/.test(word) ? `"${word.replaceAll('"', '""')}"` : word)).join(", ");

function lineOf(each, value) {
  if (!value) return "";
  if (value.pairs) return value.pairs.map(([key, by]) => `${key} = ${by[1]}`).join("\n");
  if (!value.list) return value[1];
  const list = value.list.map((one) => one[1]);
  return each.editor === "texts" ? list.join("\n") : inLine(list);
}

function boxOf(each, value) {
  const only = wordOf(each);
  if (only) return tick(only[0], value?.[1] === only[0], `${each.label}: ${only[1]}`);
  if (each.editor === "flag") return tick(each.name, value?.[0] === "true", each.label);
  if (each.editor === "values") return listPart(value?.list || [], each.label);
  if (each.editor === "some") return element("fieldset", { class: "kept", "data-some": each.name }, element("legend", {}, `${each.label}: ${each.hint}`));
  if (each.editor === "one") return labelled(each.label, element("select", { name: each.name, "data-one": each.name, "data-word": each.words[0]?.[0] }), each.hint);
  if (each.editor === "choice") {
    const options = each.words.some(([word]) => word === each.unset) ? each.words : [["", "not said"], ...each.words];
    const select = element("select", { name: each.name });
    select.append(...options.map(([word, means]) => element("option", { value: word, selected: word === (value?.[1] ?? "") }, means)));
    return labelled(each.label, select, each.hint);
  }
  const isLong = each.editor === "texts" || each.editor === "pairs";
  const box = element(isLong ? "textarea" : "input", { name: each.name, autocomplete: "off", spellcheck: "false", ...(isLong ? { rows: 3 } : { value: lineOf(each, value) }) });
  if (isLong) box.append(lineOf(each, value));
  return labelled(each.label, box, isLong ? `${each.hint}; one on each line` : each.hint);
}

function listPart(listed, what) {
  const boxes = listed.map(([, word], at) =>
    element("label", {}, element("input", { type: "checkbox", name: "kept", value: at, checked: true }), element("bdi", {}, readable(word))));
  const none = element("button", { type: "button", "data-untick": "" }, "Untick all");
  const kept = boxes.length ? [element("fieldset", { class: "kept" }, element("legend", {}, `${what}: untick what should not be published`, " ", none), ...boxes)] : [];
  return element("div", {}, ...kept, labelled("Add", element("textarea", { name: "added", rows: 3, spellcheck: "false" }), "one on each line, whether or not a row has it"));
}

// What is chosen among the values follows them: those that are ticked, and those that are typed.
function follow(set, entry) {
  const listed = listOf(entry).filter((each, at) => set.querySelector(`[name="kept"][value="${at}"]`)?.checked);
  const sample = listOf(entry)[0];
  const added = linesOf(set.elements.added).map((line) => asValue(line, sample ? sort(sample) : entry.kind === "numeric" ? "number" : "text")).filter(Boolean);
  const values = [...listed, ...added];
  set.querySelectorAll("[data-one]").forEach((select) => choices(select, entry, values));
  set.querySelectorAll("[data-some]").forEach((some) => ticks(some, entry, values));
  set.values = values;
}

function choices(select, entry, values) {
  const old = field(entry, select.name);
  const isMissing = select.name === "missing";
  const { word } = select.dataset;
  const spare = word ? (old?.[1] === word ? "word" : "") : "other";
  const before = select.options.length ? select.value : !old ? "" : values.some((each) => each[0] === old[0]) ? old[0] : spare;
  const found = values.map(([literal, said]) => [literal, readable(said)]);
  const options = [["", isMissing ? (word ? "refused" : "refused, or other where that is ticked") : "not said"], ...(word ? [["word", word]] : isMissing ? [["other", "what is not listed"]] : []), ...found];
  const chosen = options.some(([value]) => value === before) ? before : isMissing && !word ? "other" : "";
  const isFirst = !select.options.length;
  select.replaceChildren(...options.map(([value, said]) => element("option", { value, selected: isFirst && value === chosen }, said)));
  select.value = chosen;
}

function ticks(some, entry, values) {
  const before = some.querySelector("input") ? new Set([...some.querySelectorAll(":checked")].map((box) => box.value))
    : new Set((field(entry, some.dataset.some)?.list || []).map(([literal]) => literal));
  const boxes = values.map(([literal, word]) => element("label", {}, element("input", { type: "checkbox", name: some.dataset.some, value: literal, checked: before.has(literal) }), element("bdi", {}, readable(word))));
  some.replaceChildren(some.firstChild, ...boxes);
  some.hidden = values.length < 3 && !before.size;
}

const listOf = (entry) => (field(entry, "categories") || field(entry, "classes"))?.list || [];
const linesOf = (box) => (box ? box.value.split("\n").map((line) => line.trim()).filter(Boolean) : []);
const sort = ([literal]) => (/^["']/.test(literal) ? "text" : /^[tf]/.test(literal) ? "boolean" : "number");

// A value of a sort, or nothing.
function asValue(line, wanted) {
  if (wanted === "text") return text(line);
  if (wanted === "boolean") return line === "true" || line === "false" ? [line, line] : null;
  return number(line);
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const NUMBER = /^[-+]?(\d|\.\d)[\d.e+-]*$/i;

// A number as TOML writes it, or nothing: TOML has neither "5." nor ".5" nor "007".
function number(word) {
  if (!NUMBER.test(word) || !Number.isFinite(Number(word))) return null;
  // Whole numbers of any length, exactly; doubles hold fifteen digits.
  const short = /^[-+]?\d+$/.test(word) ? String(BigInt(word.replace(/^\+/, ""))) : String(Number(word));
  return [short, short];
}

function bound(word, box) {
  if (DATE.test(word) && word >= "0001" && new Date(`${word}T00:00Z`).toJSON()?.startsWith(word)) return [word, word];
  const found = number(word);
  if (!found) throw new Refused("Write a number such as 16020 or 0.5, without spaces or commas, or a date as YYYY-MM-DD.", box);
  return found;
}

// Words between commas; one in quotes may hold a comma, and two quotes are one.
function wordsIn(line) {
  const found = line.match(/\s*("(?:[^"]|"")*"|[^,]*)\s*(?:,|$)/g) || [];
  return found.map((each) => each.replace(/,$/, "").trim()).map((each) => (/^".*"$/s.test(each) ? each.slice(1, -1).replaceAll('""', '"') : each)).filter(Boolean);
}

const READ = {
  flag: (each, box) => (box.checked ? ["true", "true"] : undefined),
  choice: (each, box) => (box.value && box.value !== each.unset ? text(box.value) : undefined),
  text: (each, box) => (box.value ? text(box.value) : undefined),
  bound: (each, box) => readBound(each, box),
  count: (each, box) => readCount(each, box),
  bounds: (each, box) => listed(wordsIn(box.value).map((word) => bound(word, box))),
  shares: (each, box) => listed(wordsIn(box.value).map((word) => bound(word, box))),
  codes: (each, box) => listed(wordsIn(box.value).map((word) => number(word) || text(word))),
  texts: (each, box) => listed(linesOf(box).map(text)),
  pairs: (each, box) => readPairs(box),
};

const listed = (list) => (list.length ? { list } : undefined);

function readBound(each, box) {
  const word = box.value.trim();
  if (!each.always && (!word || word === each.unset)) return undefined;
  return each.words.some(([known]) => known === word) ? text(word) : bound(word, box);
}

function readCount(each, box) {
  const word = box.value.trim();
  if (!word || word === each.unset) return each.always ? text(each.unset) : undefined;
  if (!/^\d{1,5}$/.test(word)) throw new Refused(`Write ${each.words.map(([known]) => `${known}, or `).join("")}a whole number.`, box);
  return [String(Number(word)), word];
}

function readPairs(box) {
  const pairs = linesOf(box).map((line) => {
    const at = line.includes(" = ") ? line.indexOf(" = ") + 1 : line.indexOf("=");
    if (at < 1) throw new Refused("Write each text and what it is read as, as in f = female.", box);
    return [line.slice(0, at).trim(), text(line.slice(at + 1).trim())];
  });
  return pairs.length ? { pairs } : undefined;
}

// What is typed for a field; what was not touched stays as it was, as it may be what nobody can type.
function typedValue(each, set, entry) {
  const old = field(entry, each.name);
  if (each.editor === "values") return readList(set, entry);
  if (each.editor === "some") return listed(set.values.filter(([literal]) => set.querySelector(`[data-some="${each.name}"] [value=${CSS.escape(literal)}]:checked`)));
  if (each.editor === "one") return readOne(each, set, entry);
  const only = wordOf(each);
  const box = set.elements[only ? only[0] : each.name];
  if (only) return box.checked ? text(only[0]) : undefined;
  const isTyped = each.editor !== "flag" && each.editor !== "choice";
  if (isTyped && box.value === box.defaultValue && (old || !(box.value || each.always))) return old;
  return READ[each.editor](each, box);
}

function readOne(each, set, entry) {
  const chosen = set.elements[each.name].value;
  const old = field(entry, each.name);
  if (chosen === "word") return text(each.words[0][0]);
  if (chosen === "other") return old && !listOf(entry).some((one) => one[0] === old[0]) ? old : text("missing");
  return set.values.find(([literal]) => literal === chosen);
}

// The ticked values and the added ones, all of one sort. New ones of a column of numbers are numbers.
function readList(set, entry) {
  const box = set.elements.added;
  const sample = listOf(entry)[0];
  const wanted = sample ? sort(sample) : entry.kind === "numeric" ? "number" : "text";
  if (linesOf(box).some((line) => !asValue(line, wanted))) {
    throw new Refused(wanted === "number" ? "Write numbers, as the column has them." : "Write true or false, as the values listed are.", box);
  }
  const keys = set.values.map((each) => (wanted === "number" ? String(Number(each[1])) : each[1]));
  if (new Set(keys).size < keys.length) throw new Refused("List each value once.", box);
  return listed(set.values);
}
