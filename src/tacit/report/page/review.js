"use strict";
// The entries as cards in groups, buttons and keys. Names and categories are only ever set as text.

const GROUPS = [
  ["identifier", "Who is one person?", "Rows with the same value are one person, who is protected with all of them. If the values name \
anything else, leave it out."],
  ["target", "Which number is predicted?", "Write bounds that follow from what the number means. They are published, and no \
prediction leaves them."],
  ["label", "What is predicted?", "Every class listed is published, whether or not a row has it. Add those that are possible."],
  ["numeric", "Numbers: are the bounds known without the table?", "Write bounds that follow from what the column means. They are \
published, and the noise grows with their distance."],
  ["categorical", "Categories: is each list what is possible?", "A list tells everybody that somebody in the table may have each of \
them. Untick what is rare or telling, add what is possible, and count the rest as other."],
  ["side table", "Side tables: whose are the rows, and are the bounds known without them?", "A person may have several rows \
there. Change lines, and what is computed of them, in the file or where you draft it again."],
  ["left out", "Left out", "Of these the model knows nothing. The file names them with the reason, unless told not to. To use one, \
say what it may hold."],
  ["table", "The table as a whole", "What holds of all rows, and how its files are written."],
];
const MAX_SHOWN = 24;
const drawn = new Map();
// Forms that are open: what is typed into one stays there until it is kept or canceled, whatever else is decided.
const forms = new Map();

const cardOf = (id) => drawn.get(id)?.card;
const cards = () => [...document.querySelectorAll(".entry")];
const count = (number, noun) => `${number} ${noun}`;
// What may be accepted with others at once.
const isTogether = (entry) => entry.guessed && !isAlone(entry) && !lacks(entry).length && !forms.has(entry.id);

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
  const others = rest.map(([key, value]) => element("span", { class: "fact" }, element("b", {}, key.replace(/^.*\./, "").replaceAll("_", " ")), " ", element("bdi", {}, shownValue(value))));
  const range = () => element("span", { class: "fact" }, `${field(entry, "low")[1]} to ${field(entry, "high")[1]}`);
  const main = list ? [chips(list.list)] : entry.kind === "numeric" && field(entry, "low") ? [range()] : [];
  return [...main, ...others];
}

function chips(list) {
  const chip = ([, words]) => element("li", {}, element("bdi", {}, readable(words)));
  const first = element("ul", { class: "chips" }, ...list.slice(0, MAX_SHOWN).map(chip));
  if (list.length <= MAX_SHOWN) return first;
  const more = element("details", {}, element("summary", {}, `${list.length - MAX_SHOWN} more`));
  more.addEventListener("toggle", () => more.append(element("ul", { class: "chips" }, ...list.slice(MAX_SHOWN).map(chip))), { once: true });
  return element("div", {}, first, more);
}

function actions(entry) {
  const act = (change) => () => change(entry);
  if (entry.kind === "left out") {
    const naming = entry.isNamed === false ? "Name it" : "Do not name it";
    return [button("Use it", "c", act(use)), ...(entry.isNamed === false ? [] : [button("Reason", "r", act(giveReason))]), button(naming, "h", act(hide))];
  }
  return [
    ...(entry.guessed ? [button("Accept", "a", act(accept), { class: "main" })] : []),
    ...(entry.kind === "side table" ? [] : [button("Change", "c", act(edit))]),
    ...(isColumn(entry) || entry.kind === "identifier" ? [button("Leave out", "x", act(leave))] : []),
    ...((isColumn(entry) || isPredicted(entry)) && !field(entry, "from") ? [button(isPublic(entry) ? "Make private" : "Make public", "p", act(turn))] : []),
    ...(entry.names.length > 1 ? [button("Split", "s", act(divide))] : []),
  ];
}

function card(entry) {
  const named = entry.names.flatMap((name, at) => [at ? ", " : "", element("bdi", {}, readable(name))]);
  const heading = element("h3", { id: `name-${entry.id}` }, ...(named.length ? named : ["Rows and files"]));
  const isDecision = entry.kind !== "left out" && entry.kind !== "table";
  const status = entry.guessed ? "to decide" : entry.said || (isDecision ? "decided before" : entry.kind === "table" ? "" : "left out");
  const marks = status ? [element("span", { class: "mark status" }, status)] : [];
  if (entry.guessed && isAlone(entry)) marks.push(element("span", { class: "mark" }, "by itself"));
  if (field(entry, "private")) marks.push(element("span", { class: "mark" }, isPublic(entry) ? "public: not protected" : "private"));
  const value = entry.toml ? [["Lines", [element("pre", {}, entry.toml.split("\n").map((line) => line && readable(line)).join("\n"))]]] : entry.kind === "left out" || !entry.fields.length ? [] : [[entry.guessed ? "Guess" : "Value", valueOf(entry)]];
  const reasons = entry.kind === "table" ? [] : [["Why", [readable(why(entry))]]];
  const check = entry.guessed || entry.home === "left out" ? [["Check", [readable(way(entry))]]] : [];
  const facts = [...value, ...reasons, ["Published", [published(entry)]], ...check];
  const list = element("dl", {}, ...facts.flatMap(([term, parts]) => [element("dt", {}, term), element("dd", {}, ...parts)]));
  const made = element("article", { class: "entry", tabindex: 0, "data-id": entry.id, "data-open": entry.guessed, "aria-labelledby": `name-${entry.id} marks-${entry.id}` });
  made.append(element("div", { class: "head" }, heading, element("div", { class: "marks", id: `marks-${entry.id}` }, ...marks)));
  made.append(list, forms.get(entry.id) || element("div", { class: "row" }, ...actions(entry)));
  return made;
}

function close(id) {
  forms.delete(id);
  redraw();
  focusOn(id);
}

function open(entry, form) {
  if (!forms.has(entry.id)) forms.set(entry.id, form());
  redraw();
}

function keepChange(entry, kept) {
  forms.delete(entry.id);
  become(entry, kept);
  settle(entry.id);
}

// Draws again only what is another entry than before, as a thousand cards take a while.
function redraw() {
  for (const [home, section] of sections) {
    const own = state.entries.filter((entry) => entry.home === home);
    own.forEach((entry, at) => {
      const before = drawn.get(entry.id);
      if (!before || before.entry !== entry || before.form !== forms.get(entry.id)) {
        drawn.set(entry.id, { entry, form: forms.get(entry.id), card: card(entry) });
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
  const left = own.filter((entry) => entry.guessed);
  const together = left.filter(isTogether).length;
  section.element.hidden = !own.length;
  section.counted.textContent = left.length ? count(left.length, "to decide") : "all decided";
  section.counted.hidden = section.home === "table";
  section.all.hidden = together < 2;
  section.all.firstChild.textContent = `Accept these ${together}`;
  section.alone.textContent = left.some(isAlone) ? `${count(left.filter(isAlone).length, "of them")} by itself: a text of several words, of more than 20 characters or with six digits may name somebody.` : "";
}

function drawCount() {
  const [left, all] = [waiting().length, state.entries.filter((entry) => !["left out", "table"].includes(entry.home)).length];
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
  const at = shown.findIndex((each) => each.dataset.id === id);
  const open = [...shown.slice(at + 1), ...shown.slice(0, at + 1)].find((each) => each.dataset.open !== undefined);
  (open || (byId("save").disabled ? cardOf(id) : byId("save")))?.focus();
}

function step(id, by) {
  const shown = cards();
  shown[shown.findIndex((each) => each.dataset.id === id) + by]?.focus();
}

function settle(id, moves = true) {
  redraw();
  if (moves) next(id);
  else focusOn(id);
}

function accept(entry) {
  if (!entry.guessed) return;
  const missing = lacks(entry);
  if (missing.length || forms.has(entry.id)) {
    edit(entry);
    const said = missing.length ? `Say it first: ${missing.map((each) => each.label.toLowerCase()).join(", ")}.` : "Keep this change, or cancel it, first.";
    complain(forms.get(entry.id), said, null);
    return;
  }
  decide([entry.id], (each) => [accepted(each)]);
  settle(entry.id);
}

function acceptAll(home) {
  const together = waiting().filter((entry) => entry.home === home && isTogether(entry));
  if (!together.length) return;
  decide(together.map((entry) => entry.id), (entry) => [accepted(entry)]);
  settle(together[together.length - 1].id);
}

function edit(entry) {
  if (entry.kind === "side table" || (entry.kind === "left out" && forms.has(entry.id))) return;
  open(entry, () => makeForm(entry, (kept) => keepChange(entryOf(entry.id) || entry, kept), () => close(entry.id)));
  // Most changes are of bounds or lists; the kind, the box before, has to be said of what was left out.
  const boxes = cardOf(entry.id).querySelectorAll("fieldset:not(:disabled) :is(input, select, textarea), [name='kind']");
  [...boxes].find((box) => entry.kind === "left out" || box.name !== "kind").focus();
}

// Why a column is left out, which is published with its name.
function giveReason(entry) {
  if (entry.kind !== "left out" || entry.isNamed === false) return;
  const box = element("input", { name: "reason", value: entry.reason, autocomplete: "off" });
  open(entry, () => {
    const made = withButtons([labelled("Why it is left out", box, "published with the name")], () => close(entry.id));
    made.addEventListener("submit", (event) => {
      event.preventDefault();
      keepChange(entry, { ...entry, reason: box.value.trim() || words.forms.find((form) => form.kind === "left out").reason });
    });
    return made;
  });
  forms.get(entry.id).querySelector("input").focus();
}

function leave(entry) {
  if (!isColumn(entry) && entry.kind !== "identifier") return;
  forms.delete(entry.id);
  decide([entry.id], (each) => [leftOut(each, true)]);
  settle(entry.id);
}

function hide(entry) {
  if (isPredicted(entry) || ["side table", "table"].includes(entry.kind)) return;
  forms.delete(entry.id);
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
  if (!field(entry, "private") || field(entry, "from")) return;
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
  for (const id of forms.keys()) if (!entryOf(id)) forms.delete(id);
  redraw();
  const returned = state.entries.find((entry) => after.get(entry.id) !== entry);
  if (returned) focusOn(returned.id);
}

function keep() {
  if (byId("save").disabled) return;
  const touched = [...forms.entries()].find(([, form]) => isTouched(form));
  if (touched) {
    complain(touched[1], "Keep this change, or cancel it, before the file is saved.", touched[1].querySelector("button.main"));
    return;
  }
  save();
  drawCount();
}

const KEYS = {
  a: accept, c: (entry) => (entry.kind === "left out" ? use(entry) : edit(entry)), x: leave, h: hide, p: turn, s: divide, r: giveReason,
  A: (entry) => acceptAll(entry.home), n: (entry) => next(entry.id), u: undo, d: keep,
  j: (entry) => step(entry.id, 1), k: (entry) => step(entry.id, -1), ArrowDown: (entry) => step(entry.id, 1), ArrowUp: (entry) => step(entry.id, -1),
};

function press(event) {
  const within = event.target.closest(".entry");
  if (event.key === "Escape" && within && forms.has(within.dataset.id)) { close(within.dataset.id); return; }
  if (event.key === "Enter" && event.ctrlKey && event.target.form) { event.target.form.requestSubmit(); return; }
  const isFree = within ? !event.target.matches("input, select, textarea") : event.target.closest(".bar") && "und".includes(event.key);
  if (!isFree || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(KEYS, event.key)) return;
  if (event.key.startsWith("Arrow") && event.target !== within) return;
  event.preventDefault();
  KEYS[event.key](within ? entryOf(within.dataset.id) : { id: "" });
}

function group([home, title, meaning]) {
  const name = `group-${home.replace(" ", "-")}`;
  const counted = element("span", { class: "mark" });
  const all = button("", "A", () => acceptAll(home));
  const list = element("div", { class: "entries" });
  const head = element("div", { class: "head" }, element("h2", { id: name }, title), counted);
  const alone = element("p", { class: "quiet" });
  const section = element("section", { "aria-labelledby": name }, head, element("p", { class: "quiet" }, meaning), element("div", { class: "row" }, all), alone, list);
  byId("groups").append(section);
  return [home, { home, element: section, list, counted, all, alone }];
}

const sections = GROUPS.map(group);
redraw();
byId("next").addEventListener("click", () => next(""));
byId("undo").addEventListener("click", undo);
byId("save").addEventListener("click", keep);
byId("preview").addEventListener("toggle", drawCount);
document.addEventListener("keydown", press);
addEventListener("beforeunload", (event) => { if (state.entries !== state.saved || [...forms.values()].some(isTouched)) event.preventDefault(); });
performance.mark("complete");
