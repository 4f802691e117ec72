"use strict";
// The entries as cards in groups, buttons and keys. Names and categories are only ever set as text.

const GROUPS = [
  ["identifier", "Who is one person?", "Rows with the same value are one person, who is protected with all of them. If the values name \
anything else, leave it out."],
  ["label", "What is predicted?", "Every class listed is published, whether or not a row has it. Add those that are possible."],
  ["numeric", "Numbers: are the bounds known without the table?", "Write bounds that follow from what the column means. They are \
published, and the noise grows with their distance."],
  ["categorical", "Categories: is each list what is possible?", "A list tells everybody that somebody in the table may have each of \
them. Untick what is rare or telling, add what is possible, and count the rest as other."],
  ["left out", "Left out", "Of these the model knows nothing. The file names them with the reason, unless told not to. To use one, \
say what it may hold."],
];
const MOST_SHOWN = 24;
const drawn = new Map();
let editing = null;

const cardOf = (id) => drawn.get(id)?.card;
const cards = () => [...document.querySelectorAll(".entry")];
const count = (number, noun) => `${number} ${noun}`;

function button(words, key, act, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, words, " ", element("kbd", { "aria-hidden": "true" }, key));
  if (key) made.setAttribute("aria-keyshortcuts", key);
  made.addEventListener("click", act);
  return made;
}

function valueOf(entry) {
  if (entry.kind === "identifier") return [`rows: ${field(entry, "rows")?.[1] || "mean"}`];
  const list = field(entry, "categories") || field(entry, "classes");
  const rest = entry.fields.filter(([key]) => !OWN.includes(key) && !["low", "high", "categories", "classes"].includes(key));
  const others = rest.map(([key, value]) => element("span", { class: "fact" }, element("b", {}, key.replace("_", " ")), " ", element("bdi", {}, shownValue(value))));
  const range = () => element("span", { class: "fact" }, `${field(entry, "low")[1]} to ${field(entry, "high")[1]}`);
  const main = list ? [chips(list.list)] : entry.kind === "numeric" ? [range()] : [];
  return [...main, ...others];
}

const shownValue = (value) => (value.list ? value.list.map((each) => readable(each[1])).join(", ") : readable(value[1]));

function chips(list) {
  const chip = ([, words]) => element("li", {}, element("bdi", {}, readable(words)));
  const first = element("ul", { class: "chips" }, ...list.slice(0, MOST_SHOWN).map(chip));
  if (list.length <= MOST_SHOWN) return first;
  const more = element("details", {}, element("summary", {}, `${list.length - MOST_SHOWN} more`));
  more.addEventListener("toggle", () => more.append(element("ul", { class: "chips" }, ...list.slice(MOST_SHOWN).map(chip))), { once: true });
  return element("div", {}, first, more);
}

function actions(entry) {
  const act = (change) => () => change(entry);
  if (entry.kind === "left out") {
    const naming = entry.isNamed === false ? "Name it" : "Do not name it";
    return [button("Use it", "c", act(use)), button(naming, "h", act(hide))];
  }
  return [
    ...(entry.guessed ? [button("Accept", "a", act(accept), { class: "main" })] : []),
    button("Change", "c", act(edit)),
    ...(entry.kind === "label" ? [] : [button("Leave out", "x", act(leave))]),
    ...(isColumn(entry) || entry.kind === "label" ? [button(isPublic(entry) ? "Make private" : "Make public", "p", act(turn))] : []),
    ...(entry.names.length > 1 ? [button("Split", "s", act(divide))] : []),
  ];
}

function card(entry) {
  const heading = element("h3", { id: `name-${entry.id}` }, ...entry.names.flatMap((name, at) => [at ? ", " : "", element("bdi", {}, readable(name))]));
  const status = entry.guessed ? "to decide" : entry.said || (entry.kind === "left out" ? "left out" : "decided before");
  const marks = [element("span", { class: "mark status" }, status)];
  if (field(entry, "private")) marks.push(element("span", { class: "mark" }, isPublic(entry) ? "public: not protected" : "private"));
  const publishes = entry.kind === "left out" ? leftOutPublishes(entry) : readable(entry.publishes);
  const value = entry.kind === "left out" ? [] : [[entry.guessed ? "Guess" : "Value", valueOf(entry)]];
  const facts = [...value, ["Why", [readable(entry.reason)]], ["Published", [publishes]]];
  const list = element("dl", {}, ...facts.flatMap(([term, parts]) => [element("dt", {}, term), element("dd", {}, ...parts)]));
  const made = element("article", { class: "entry", tabindex: 0, "data-id": entry.id, "data-open": entry.guessed, "aria-labelledby": `name-${entry.id} marks-${entry.id}` });
  made.append(element("div", { class: "head" }, heading, element("div", { class: "marks", id: `marks-${entry.id}` }, ...marks)));
  made.append(list, editing === entry.id ? editor(entry) : element("div", { class: "row" }, ...actions(entry)));
  return made;
}

const leftOutPublishes = (entry) => (entry.isNamed === false ? "nothing" : "the column's name and this reason");

function editor(entry) {
  const close = () => { editing = null; redraw(); focusOn(entry.id); };
  return makeForm(entry, (kept) => { editing = null; decide([entry.id], () => [kept]); settle(entry.id); }, close);
}

// Draws again only what is another entry than before, as a thousand cards take a while.
function redraw() {
  for (const [home, section] of sections) {
    const own = state.entries.filter((entry) => entry.home === home);
    own.forEach((entry, at) => {
      const before = drawn.get(entry.id);
      if (!before || before.entry !== entry || before.isOpen !== (editing === entry.id)) {
        drawn.set(entry.id, { entry, isOpen: editing === entry.id, card: card(entry) });
        before?.card.replaceWith(cardOf(entry.id));
      }
      const place = section.list.children[at];
      if (place !== cardOf(entry.id)) section.list.insertBefore(cardOf(entry.id), place || null);
    });
    while (section.list.children.length > own.length) section.list.lastChild.remove();
    tally(section, own);
  }
  drawCount();
}

function tally(section, own) {
  const left = own.filter((entry) => entry.guessed).length;
  section.element.hidden = !own.length;
  section.counted.textContent = left ? count(left, "to decide") : "all decided";
  section.all.hidden = left < 2;
  section.all.firstChild.textContent = `Accept these ${left}`;
}

function drawCount() {
  const [left, all] = [waiting().length, state.entries.filter((entry) => entry.home !== "left out").length];
  const isUsable = state.entries.some(isColumn);
  byId("left").textContent = !isUsable ? "Use at least one column" : left ? `${left} of ${all} to decide` : `All ${all} decided`;
  Object.assign(byId("progress"), { max: all || 1, value: all - left });
  byId("undo").disabled = !state.past.length;
  byId("next").disabled = !left;
  byId("save").disabled = !isUsable;
  byId("save").firstChild.textContent = left ? "Save unfinished " : "Save ";
  byId("done").hidden = left > 0 || !isUsable;
  if (byId("preview").open) byId("text").textContent = fileText().replace(/[^\S\n ]|[\p{Cf}\u2028\u2029]/gu, "\ufffd");
}

function focusOn(id) {
  cardOf(id)?.focus();
}

// The next entry to decide after this one, in the order of the page; after the last one the first.
function next(id) {
  const shown = cards();
  const at = shown.findIndex((each) => each.dataset.id === String(id));
  const open = [...shown.slice(at + 1), ...shown.slice(0, at + 1)].find((each) => each.dataset.open !== undefined);
  (open || (byId("save").disabled ? cardOf(id) : byId("save")))?.focus();
}

function step(id, by) {
  const shown = cards();
  shown[shown.findIndex((each) => each.dataset.id === String(id)) + by]?.focus();
}

function settle(id, moves = true) {
  redraw();
  if (moves) next(id);
  else focusOn(id);
}

function accept(entry) {
  if (!entry.guessed) return;
  decide([entry.id], (each) => [accepted(each)]);
  settle(entry.id);
}

function acceptAll(home) {
  const open = waiting().filter((entry) => entry.home === home);
  if (!open.length) return;
  editing = null;
  decide(open.map((entry) => entry.id), (entry) => [accepted(entry)]);
  settle(open[open.length - 1].id);
}

function edit(entry) {
  editing = entry.id;
  redraw();
  // Most changes are of bounds or lists; the kind, the box before, has to be said of what was left out.
  const boxes = cardOf(entry.id).querySelectorAll("fieldset:not(:disabled) :is(input, select, textarea), [name='kind']");
  [...boxes].find((box) => entry.kind === "left out" || box.name !== "kind").focus();
}

function leave(entry) {
  if (entry.kind === "label" || entry.kind === "left out") return;
  decide([entry.id], (each) => [leftOut(each, true)]);
  settle(entry.id);
}

function hide(entry) {
  if (entry.kind === "label") return;
  const named = entry.kind === "left out" && entry.isNamed === false;
  const turned = (each) => (each.kind === "left out" ? { ...each, isNamed: named, said: named ? "left out" : "left out, not named" } : leftOut(each, false));
  decide([entry.id], (each) => [turned(each)]);
  settle(entry.id, entry.guessed);
}

function use(entry) {
  const isTaken = entry.was?.kind === "identifier" && hasIdentifier();
  if (!entry.was || isTaken) { edit(entry); return; }
  decide([entry.id], () => [entry.was]);
  settle(entry.id, false);
}

function turn(entry) {
  if (!field(entry, "private")) return;
  decide([entry.id], (each) => [withPrivacy(each)]);
  settle(entry.id, false);
}

function divide(entry) {
  if (entry.names.length < 2 || entry.kind === "left out") return;
  decide([entry.id], split);
  redraw();
  focusOn(`${entry.id}.0`);
}

function undo() {
  if (!state.past.length) return;
  const after = new Map(state.entries.map((entry) => [entry.id, entry]));
  state.entries = state.past.pop();
  editing = null;
  redraw();
  const returned = state.entries.find((entry) => after.get(entry.id) !== entry);
  if (returned) focusOn(returned.id);
}

function keep() {
  if (byId("save").disabled) return;
  save();
  drawCount();
}

const KEYS = {
  a: accept, c: (entry) => (entry.kind === "left out" ? use(entry) : edit(entry)), x: leave, h: hide, p: turn, s: divide,
  A: (entry) => acceptAll(entry.home), n: (entry) => next(entry.id), u: undo, d: keep,
  j: (entry) => step(entry.id, 1), k: (entry) => step(entry.id, -1), ArrowDown: (entry) => step(entry.id, 1), ArrowUp: (entry) => step(entry.id, -1),
};

function press(event) {
  const within = event.target.closest(".entry");
  if (event.key === "Escape" && editing !== null) { const id = editing; editing = null; redraw(); focusOn(id); return; }
  if (event.key === "Enter" && event.ctrlKey && event.target.form) { event.target.form.requestSubmit(); return; }
  const isFree = within ? !event.target.matches("input, select, textarea") : event.target.closest(".bar") && "und".includes(event.key);
  if (!isFree || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(KEYS, event.key)) return;
  if (event.key.startsWith("Arrow") && event.target !== within) return;
  event.preventDefault();
  KEYS[event.key](within ? state.entries.find((entry) => String(entry.id) === within.dataset.id) : { id: -1 });
}

function group([home, title, meaning]) {
  const name = `group-${home.replace(" ", "-")}`;
  const counted = element("span", { class: "mark" });
  const all = button("", "A", () => acceptAll(home));
  const list = element("div", { class: "entries" });
  const head = element("div", { class: "head" }, element("h2", { id: name }, title), counted);
  const section = element("section", { "aria-labelledby": name }, head, element("p", { class: "quiet" }, meaning), element("div", { class: "row" }, all), list);
  byId("groups").append(section);
  return [home, { element: section, list, counted, all }];
}

const sections = GROUPS.map(group);
redraw();
byId("next").addEventListener("click", () => next(-1));
byId("undo").addEventListener("click", undo);
byId("save").addEventListener("click", keep);
byId("preview").addEventListener("toggle", drawCount);
document.addEventListener("keydown", press);
addEventListener("beforeunload", (event) => { if (state.entries !== state.saved) event.preventDefault(); });
performance.mark("complete");
