"use strict";
// The form that changes an entry: a box for each of its fields, those that are rarely said folded away.

const KINDS = { numeric: "numbers or dates", categorical: "categories", identifier: "says which rows are of one person" };
const OWN = ["name", "columns", "private"];

function kindsOf(entry) {
  if (["label", "target", "identifier", "table"].includes(entry.kind)) return [entry.kind];
  return ["numeric", "categorical", ...(hasIdentifier() || entry.names.length > 1 ? [] : ["identifier"])];
}

const typedFields = (kind) => fieldsOf(kind).filter((each) => each.name !== "private" && each.editor !== "kept");

// The fields of an entry that is to be of this kind: those of another kind are not its own.
const asKind = (entry, kind) => (entry.kind === kind ? entry : { ...entry, fields: [] });

function fieldset(entry, kind) {
  const own = asKind(entry, kind);
  const value = (each) => (kind === "identifier" && each.name === "columns" ? { list: entry.names.map(text) } : field(own, each.name) || (each.always && each.unset !== "none" ? text(each.unset) : undefined));
  const [near, far] = [typedFields(kind).filter((each) => each.main || each.beside), typedFields(kind).filter((each) => !each.main && !each.beside)];
  const boxes = (some) => some.map((each) => boxOf(each, value(each)));
  const more = element("details", { class: "more", open: far.some((each) => field(own, each.name)) }, element("summary", {}, "More that can be said"), ...boxes(far));
  const set = element("fieldset", { "data-kind": kind }, ...boxes(near), ...(far.length ? [more] : []));
  set.entry = kind === "categorical" && entry.kind === "numeric" ? { ...own, kind: "numeric" } : own;
  set.addEventListener("input", (event) => { if (["kept", "added"].includes(event.target.name)) follow(set, set.entry); });
  set.querySelector("[data-untick]")?.addEventListener("click", () => {
    set.querySelectorAll("[name='kept']").forEach((box) => { box.checked = false; });
    follow(set, set.entry);
  });
  follow(set, set.entry);
  return set;
}

function makeForm(entry, keep, cancel) {
  const kinds = kindsOf(entry);
  const sets = kinds.map((kind) => fieldset(entry, kind));
  const select = element("select", { name: "kind" }, ...kinds.map((kind) => element("option", { value: kind, selected: kind === entry.kind }, KINDS[kind] || kind)));
  const choose = () => sets.forEach((set) => { set.hidden = set.disabled = set.dataset.kind !== select.value; });
  select.addEventListener("change", choose);
  choose();
  const made = withButtons(kinds.length > 1 ? [labelled("What the column holds", select), ...sets] : sets, cancel);
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(made, () => keep(changed(entryOf(entry.id) || entry, select.value, sets.find((set) => !set.hidden))));
  });
  return made;
}

function withButtons(parts, cancel) {
  const buttons = element("div", { class: "row" }, element("button", { class: "main" }, "Keep the change"), element("button", { type: "button" }, "Cancel"));
  const made = element("form", { novalidate: true }, ...parts, element("p", { class: "problem", role: "alert" }), buttons);
  buttons.lastChild.addEventListener("click", cancel);
  return made;
}

// Does what a form is for, or says in it why not.
function attempt(form, act) {
  form.querySelectorAll("[aria-invalid]").forEach((box) => box.removeAttribute("aria-invalid"));
  try {
    act();
  } catch (refused) {
    if (!(refused instanceof Refused)) throw refused;
    complain(form, refused.message, refused.box);
  }
}

function complain(form, message, box) {
  form.querySelector(".problem").textContent = message;
  if (!box) return;
  box.closest("details")?.setAttribute("open", "");
  box.setAttribute("aria-invalid", "true");
  box.focus();
}

// Whether something was typed, ticked or chosen that is not kept yet.
function isTouched(form) {
  const chosen = (box) => ([...box.options].find((option) => option.defaultSelected) || box.options[0])?.value;
  return [...form.querySelectorAll("input, textarea, select")].filter((box) => !box.matches(":disabled")).some((box) =>
    (box.type === "checkbox" ? box.checked !== box.defaultChecked : box.value !== (box.options ? chosen(box) : box.defaultValue)));
}

function changed(entry, kind, set) {
  const values = new Map(typedFields(kind).map((each) => [each.name, typedValue(each, set, set.entry)]).filter(([, value]) => value));
  CHECKS[kind]((name) => values.get(name), (name) => set.elements[name]);
  const names = kind === "identifier" ? namesIn(entry, (values.get("columns")?.list || []).map((each) => each[1]), set.elements.columns) : entry.names;
  values.delete("columns");
  const isOne = isPredicted({ kind }) || isColumn({ kind });
  const computed = isColumn({ kind }) && field(entry, "from") ? [["from", field(entry, "from")]] : [];
  const own = isOne ? [...computed, ["private", field(entry, "private") || ["true", "true"]]] : [];
  const named = kind === "table" ? [] : nameOf(names);
  const was = { guessed: false, said: "changed", isNamed: undefined, was: undefined };
  return { ...entry, kind, names, fields: [...named, ...values, ...own], ...was };
}

const nameOf = (names) => (names.length > 1 ? [["columns", { list: names.map(text) }]] : [["name", text(names[0])]]);

// The columns of an identifier: this entry's, others with an entry of their own, or some that the file does not name.
function namesIn(entry, names, box) {
  if (!names.length || new Set(names).size < names.length) throw new Refused("Name one column, or several different ones.", box);
  const others = state.entries.filter((each) => each.id !== entry.id && each.names.some((name) => names.includes(name)));
  if (others.some((each) => isPredicted(each) || each.names.length > 1)) throw new Refused("The label says nothing of persons, and columns that share an entry must be split first.", box);
  return names;
}
