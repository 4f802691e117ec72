"use strict";
// The tables: best learners, failures, all numbers.

function named(place) {
  const swatch = document.querySelector(`input[name="learner"][value="${place}"] + svg`).cloneNode(true);
  return [swatch, ` ${learner(place).name}`];
}

// A column: title, the value it is sorted by, what a cell shows (the value itself if not given), a class.
function table(caption, columns, rows, { sortable = false, mark } = {}) {
  const body = element("tbody");
  const headings = columns.map((column) => element("th", { scope: "col", class: column.class }));
  const fill = (sorted) => body.replaceChildren(...sorted.map((row) => line(columns, row, mark)));
  columns.forEach((column, at) => {
    if (!sortable) return headings[at].append(column.title);
    const button = element("button", { type: "button" }, column.title);
    button.addEventListener("click", () => fill(sortBy(headings, at, column, rows)));
    return headings[at].append(button);
  });
  fill(rows);
  const head = element("thead", {}, element("tr", {}, ...headings));
  return element("table", {}, element("caption", {}, caption), head, body);
}

function line(columns, row, mark) {
  const cells = columns.map((column, at) => {
    const cell = element(at ? "td" : "th", at ? { class: column.class } : { scope: "row" });
    cell.append(...[column.show ? column.show(row) : column.value(row)].flat());
    return cell;
  });
  return element("tr", { class: mark ? mark(row) : undefined }, ...cells);
}

function sortBy(headings, at, column, rows) {
  const down = headings[at].getAttribute("aria-sort") === "ascending";
  headings.forEach((heading) => heading.removeAttribute("aria-sort"));
  headings[at].setAttribute("aria-sort", down ? "descending" : "ascending");
  const worth = (row) => column.value(row) ?? -Infinity;
  const compared = (a, b) => (worth(a) < worth(b) ? -1 : worth(a) > worth(b) ? 1 : 0);
  return [...rows].sort((a, b) => (down ? compared(b, a) : compared(a, b)));
}

const spread = (point) => (point.deviation === null ? fixed(point.mean) : `${fixed(point.mean)} ± ${fixed(point.deviation)}`);
const epsilonCell = (point) => (point.epsilon === null ? "none" : short(point.epsilon));
const timeOf = (place) => state.case.seconds[place];

function drawRanking() {
  const best = ranking();
  const without = ceilings().filter((point) => shown(point.learner));
  const columns = [
    { title: "learner", value: (point) => learner(point.learner).name, show: (point) => named(point.learner) },
    { title: `${measureName()}, mean ± deviation`, value: (point) => point.mean, show: spread },
    ...(!hasCosts() ? [] : [{ title: numbers().learned ? "share of the way" : "share of no privacy",
      value: (point) => costAt(point.learner, point.epsilon), show: (point) => fixed(costAt(point.learner, point.epsilon), 3) }]),
    { title: "at epsilon", value: (point) => point.epsilon, show: epsilonCell },
    { title: "fits", value: (point) => point.runs, show: (point) => String(point.runs) },
    { title: "seconds", value: (point) => timeOf(point.learner), show: (point) => seconds(timeOf(point.learner)) },
  ];
  const mark = (point) => (point === best[0] ? "first" : point.epsilon === null ? "apart" : undefined);
  const caption = `Each learner at the largest epsilon that it was run at within ${short(state.epsilon)}; without privacy below.`;
  byId("ranking").replaceChildren(table(caption, columns, [...best, ...without], { mark }));
  byId("best").replaceChildren(...bestWords(best));
}

function bestWords(best) {
  const tried = numbers().points.filter((point) => point.epsilon !== null && shown(point.learner));
  if (!best.length) {
    const least = tried.length ? ` The least epsilon tried is ${short(Math.min(...tried.map((point) => point.epsilon)))}.` : "";
    return [`No learner that is shown finished a fit within epsilon ${short(state.epsilon)}.${least}`];
  }
  const [first] = best;
  const cost = costAt(first.learner, first.epsilon);
  const share = cost === null ? "" : `: ${fixed(cost, 3)} ${shareWords(learner(state.reference).name)}`;
  const alike = notToldApart(first);
  const others = alike.length ? ` Not distinguished from it (p of 0.05 or more): ${alike.map((place) => learner(place).name).join("; ")}.` : "";
  return [
    element("strong", {}, learner(first.learner).name),
    ` has the best mean ${measureName()}, ${spread(first)} at epsilon ${short(first.epsilon)}${share}.${majorityWords(first)}${others}`,
  ];
}

const shareWords = (name) => (numbers().learned
  ? `of the way from ${constantWords()} to ${name}, without privacy`
  : `of what ${name} reaches without privacy`);

const constantWords = () => ({ auc: "an area of one half", r2: "the mean alone" })[state.measure] || "the majority class";

const majorityWords = (point) => (point.no_better && ["accuracy", "r2"].includes(state.measure)
  ? ` That is no better than always predicting ${constantWords()}.` : "");

function pairsAt(epsilon) {
  const found = numbers().comparisons.find((comparison) => comparison.epsilon === epsilon);
  return found ? found.pairs : [];
}

const notToldApart = (point) =>
  pairsAt(point.epsilon).filter(([one, other, p]) => p >= 0.05 && [one, other].includes(point.learner))
    .map(([one, other]) => (one === point.learner ? other : one)).filter(shown);

function drawDifferences() {
  const at = within(state.case.epsilons);
  const pairs = pairsAt(at).filter(([one, other]) => shown(one) && shown(other));
  const places = [...new Set(pairs.flatMap(([one, other]) => [one, other]))].sort((a, b) => a - b);
  byId("differences").textContent = differenceWords(at, pairs, places);
  drawPValues(at);
}

function differenceWords(at, pairs, places) {
  if (at === null) return `The study has no epsilon within ${short(state.epsilon)}.`;
  if (!pairs.length) return `At epsilon ${short(at)}, no two learners that are shown have two splits and their delta in common.`;
  const counts = pairs.map(([, , , count]) => count);
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)];
  const alone = finishedPoints().filter((point) => point.epsilon === at && !places.includes(point.learner));
  const rest = alone.length ? ` Nobody shares splits and delta with ${alone.map((point) => learner(point.learner).name).join("; ")}.` : "";
  const over = fewest === most ? fewest : `${fewest} to ${most}`;
  // Of the test's normal distribution, where one learner is better on all splits.
  const least = { 2: "0.18", 3: "0.11", 4: "0.068" }[most];
  const few = least ? ` With so few no p can be below ${least}: below 0.05 it takes 5 splits.` : "";
  return `At epsilon ${short(at)}, the largest of the study within ${short(state.epsilon)}, over ${over} splits.${few}${rest}`;
}

function drawFailures() {
  const failures = state.case.failures.filter((failure) => shown(failure.learner));
  const columns = [
    { title: "learner", value: (row) => learner(row.learner).name, show: (row) => named(row.learner) },
    { title: "epsilon", value: (row) => row.epsilon, show: epsilonCell },
    { title: "fits", value: (row) => row.fits, show: (row) => String(row.fits) },
    { title: "error", class: "text", value: (row) => row.error || "" },
    { title: "reason", class: "text wrap", value: (row) => row.message || "not recorded" },
  ];
  const made = failures.length ? table("Fits that failed; they are in no mean.", columns, failures) : element("p", {}, "No fit that is shown failed.");
  byId("failures").replaceChildren(made);
}

function drawNumbers() {
  const points = numbers().points.filter((point) => shown(point.learner));
  const column = (title, name, show) => ({ title, value: (point) => point[name], show: (point) => show(point[name]) });
  const columns = [
    { title: "learner", value: (point) => learner(point.learner).name, show: (point) => named(point.learner) },
    { title: "epsilon", value: (point) => point.epsilon, show: epsilonCell },
    column("delta", "delta", (delta) => (delta === null ? "none" : short(delta))),
    column(`mean ${measureName()}`, "mean", fixed4),
    column("deviation", "deviation", fixed4),
    column("least", "least", fixed4),
    column("most", "most", fixed4),
    ...beside(points).map(([name, title]) => column(title, name, fixed4)),
    column("fits", "runs", String),
    column("failed", "failed", String),
    column("seconds, mean", "seconds", seconds),
  ];
  const caption = `${byId("case").selectedOptions[0].textContent}: ${measureName()} on rows not learned from`;
  byId("table").replaceChildren(table(caption, columns, points, { sortable: true }));
}

// The other measures, where they were recorded.
const beside = (points) => Object.entries({ auc: "area under ROC", balanced_accuracy: "balanced accuracy", log_loss: "log-loss", brier: "Brier score", rmse: "RMSE", mae: "MAE", r2: "R2" })
  .filter(([name]) => name !== state.measure && points.some((point) => point[name] !== null));

const fixed4 = (number) => fixed(number, 4);

function drawTables() {
  drawRanking();
  drawDifferences();
  drawFailures();
  drawNumbers();
}
