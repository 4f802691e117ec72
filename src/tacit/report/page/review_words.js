"use strict";
// What is said of an entry as it is now, put together from the sentences of entry_words.py as that does.

const words = contents.words;
const fieldsOf = (kind) => words.fields[kind] || [];
const formOf = (entry) => words.forms.find((form) => form.kind === entry.kind && (!form.given || field(entry, form.given)));
const originals = new Map(contents.entries.map((entry, id) => [String(id), entry]));

const shownValue = (value) => (value.list ? value.list.map((each) => readable(each[1])).join(", ")
  : value.pairs ? value.pairs.map(([key, each]) => `${readable(key)} = ${readable(each[1])}`).join(", ") : readable(value[1]));

function tells(each, value) {
  const many = value.list || value.pairs;
  if (many) {
    if (!each.tells) return "";
    const isListed = value.list && many.length > 0 && many.length <= words.maxTold;
    return each.tells.replace("{n}", many.length) + (isListed ? `: ${shownValue(value)}` : "");
  }
  if (each.editor === "flag" && value[0] === "false") return "";
  const told = each.told.find(([word]) => word === value[1]);
  return told ? told[1] : each.tells.replace("{}", () => readable(value[1]));
}

function published(entry) {
  if (entry.kind === "left out" && entry.isNamed === false) return words.nothing;
  const head = (entry.names.length > 1 && words.headsOfSeveral[entry.kind]) || words.heads[entry.kind];
  const told = fieldsOf(entry.kind).map((each) => [each, field(entry, each.name)]).filter(([, value]) => value);
  return [head, ...told.map(([each, value]) => tells(each, value))].filter(Boolean).join("; ") || words.nothing;
}

// What an entry says of values, whatever is decided of it.
const NO_VALUES = ["name", "columns", "private", "guessed", "learned"];
const valuesOf = (entry) => JSON.stringify(entry.fields.filter(([key]) => !NO_VALUES.includes(key)).sort(([one], [other]) => (one < other ? -1 : 1)));

// The draft's words, as long as the entry is as the draft has it.
function drafted(entry) {
  const first = originals.get(String(entry.id).split(".")[0]);
  return first && first.kind === entry.kind && valuesOf(first) === valuesOf(entry) ? first : null;
}

const isShared = (entry) => entry.names.length > 1 && entry.kind !== "identifier";

function why(entry) {
  if (entry.kind === "left out") return entry.reason;
  return (drafted(entry) || formOf(entry)).reason + (isShared(entry) ? words.alike : "");
}

const way = (entry) => (drafted(entry) || formOf(entry)).way + (isShared(entry) ? ` ${words.split}` : "");

const ALONE = new RegExp(words.alone, "u");
const textsOf = (value) => (value.pairs ? value.pairs.flatMap(([key, each]) => [key, each[1]])
  : (value.list || [value]).filter(([literal]) => /^["']/.test(literal)).map((each) => each[1]));

// A text of its cells may name somebody: it is no part of accepting many at once.
const isAlone = (entry) => entry.kind === "side table" || fieldsOf(entry.kind).some((each) => each.of_cells && field(entry, each.name) && textsOf(field(entry, each.name)).some((text) => ALONE.test(text)));

// The fields that every entry of its kind needs, and this one lacks.
const lacks = (entry) => fieldsOf(entry.kind).filter((each) => each.always && !NO_VALUES.includes(each.name) && !field(entry, each.name));
