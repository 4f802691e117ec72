"use strict";
// What is decided, and the file that says so. No entry is ever changed: a decision puts new ones into a new list, so
// that undoing goes back to the list before. A value is its text as TOML and as people read it, a list of such, or pairs of a text and such.

const contents = JSON.parse(byId("data").textContent);
const state = { entries: contents.entries.map((entry, id) => ({ ...entry, id: String(id), home: entry.kind })), past: [], saved: null };
state.saved = state.entries;

const UNSHOWN = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
// Control and direction characters could make a text read as another.
const readable = (text) => text.replace(UNSHOWN, "\ufffd") || "(empty)";

const entryOf = (id) => state.entries.find((entry) => entry.id === id);
const waiting = () => state.entries.filter((entry) => entry.guessed);
const field = (entry, key) => (entry.fields.find(([each]) => each === key) || [])[1];
const hasIdentifier = () => state.entries.some((entry) => entry.kind === "identifier");
const isPredicted = (entry) => entry.kind === "label" || entry.kind === "target";
const isColumn = (entry) => entry.kind === "numeric" || entry.kind === "categorical";
const isPublic = (entry) => (field(entry, "private") || ["true"])[0] === "false";

function put(entries) {
  state.past.push(state.entries);
  state.entries = entries;
}

// Puts `changed(entry)`, one entry or several, in the place of each entry of these ids.
function decide(ids, changed) {
  const chosen = new Set(ids);
  put(state.entries.flatMap((entry) => (chosen.has(entry.id) ? changed(entry) : [entry])));
}

const accepted = (entry) => ({ ...entry, guessed: false, said: entry.said || "accepted" });

function withPrivacy(entry) {
  const turned = String(isPublic(entry));
  const fields = entry.fields.map(([key, value]) => [key, key === "private" ? [turned, turned] : value]);
  return { ...entry, fields };
}

// Puts what an entry has become in its place. An identifier of several columns takes in theirs and leaves out those that
// it no longer has; and it says more than a number of rows for each person, which goes.
function become(entry, kept) {
  const isPersons = kept.kind === "identifier";
  const taken = (each) => isPersons && each.id !== entry.id && each.names.some((name) => kept.names.includes(name));
  const own = (each) => {
    if (each.id === entry.id) return [kept];
    if (taken(each)) return [];
    return [isPersons && each.kind === "table" ? { ...each, fields: each.fields.filter(([key]) => key !== "rows_per_person") } : each];
  };
  const dropped = isPersons && entry.kind === "identifier" ? entry.names.filter((name) => !kept.names.includes(name)) : [];
  const left = dropped.map((name, at) => leftOut({ id: `${entry.id}.out${state.past.length}.${at}`, kind: "identifier", home: "left out", names: [name], fields: [["name", text(name)], ["rows", text("mean")]] }, true));
  put([...state.entries.flatMap(own), ...left]);
}

// What was read off the rows goes with the entry: a column that is left out keeps its name alone.
function leftOut(entry, isNamed) {
  const named = isNamed ? "left out" : "left out, not named";
  return { ...entry, kind: "left out", fields: [], was: entry, isNamed, guessed: false, said: named, reason: OUT_REASON };
}

const OUT_REASON = "left out in the review";

function split(entry) {
  return entry.names.map((name, at) => {
    const fields = entry.fields.map(([key, value]) => (key === "columns" ? ["name", text(name)] : [key, value]));
    return { ...entry, id: `${entry.id}.${at}`, names: [name], fields };
  });
}

const ESCAPES = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r" };
const escapeOf = (sign) => ESCAPES[sign] || `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
// TOML has no control characters; a lone surrogate is no character at all.
const quoted = (words) => `"${words.replace(/\p{Cs}/gu, "\ufffd").replace(/["\\\p{Cc}]/gu, escapeOf)}"`;
const text = (words) => [quoted(words), words];

function literal(value) {
  if (value.pairs) return `{${value.pairs.map(([key, each]) => `${quoted(key)} = ${each[0]}`).join(", ")}}`;
  if (!value.list) return value[0];
  const parts = value.list.map(([each]) => each);
  const line = `[${parts.join(", ")}]`;
  return line.length > 100 ? `[\n${parts.map((each) => `    ${each},\n`).join("")}]` : line;
}

function tableOf(entry) {
  if (entry.toml) return entry.guessed ? entry.toml.replace("\n", "\nguessed = true\n") : entry.toml;
  const [first, ...rest] = entry.fields.map(([key, value]) => `${key} = ${literal(value)}`);
  const kind = isColumn(entry) ? [`kind = "${entry.kind}"`] : [];
  const mark = entry.guessed ? ["guessed = true"] : [];
  return [isColumn(entry) ? "[[column]]" : `[${entry.kind}]`, first, ...kind, ...rest, ...mark].join("\n");
}

function fileText() {
  const left = waiting().length;
  const ignored = state.entries.filter((entry) => entry.kind === "left out" && entry.isNamed !== false);
  const names = ignored.flatMap((entry) => entry.names.map((name) => `${quoted(name)} = ${quoted(entry.reason)}`));
  const whole = state.entries.filter((entry) => entry.kind === "table").flatMap((entry) => entry.fields);
  const used = (kinds) => state.entries.filter((entry) => kinds.includes(entry.kind)).map(tableOf);
  const parts = [
    left ? `# NOT PRIVATE YET: ${left} entries below were read off rows and are not checked.` : "# Reviewed, entry by entry.",
    [...contents.top, ...whole.map(([key, value]) => [key, literal(value)])].map(([key, value]) => `${key} = ${value}`).join("\n"),
    ...used(["label", "target"]), ...used(["identifier"]), ...used(["numeric", "categorical"]), ...used(["side table"]),
    ...(names.length ? [["[ignored]", ...names].join("\n")] : []),
  ];
  return `${parts.join("\n\n")}\n`;
}

function save() {
  const link = element("a", { href: URL.createObjectURL(new Blob([fileText()], { type: "application/toml" })), download: contents.file });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  state.saved = state.entries;
}
