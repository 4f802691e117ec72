"use strict";
// The pictures of a study, without learners that are off.

function show(id, figure, { shapes = [], ...more } = {}) {
  const { data, layout } = recolored(figure);
  const chart = byId(id);
  layout.shapes = [...shapes, ...(layout.shapes || [])];
  for (const axis of [layout.xaxis, layout.yaxis]) axis.fixedrange = coarse;
  if (narrow() && layout.yaxis.type === "category" && layout.xaxis.type === "log") thin(layout.xaxis);
  Object.assign(layout, { showlegend: false, dragmode: coarse ? false : "zoom" }, more);
  if (layout.height) chart.style.height = `${layout.height}px`;
  Plotly.react(chart, data.map(switched), layout, config);
  return data;
}

// Names take most of a narrow chart, and beside them two ticks have room.
function thin(axis) {
  for (const list of ["tickvals", "ticktext"]) axis[list] = axis[list].filter((_, at, all) => at === 0 || at === all.length - 1);
}

const narrow = () => matchMedia("(max-width: 34rem)").matches;

// Names of level lines lie on the curves of a narrow chart: there a touch says them.
function switched(trace) {
  if (trace.mode === "text" && narrow()) return { ...trace, visible: false };
  return trace.type === "heatmap" ? without(trace) : { ...trace, visible: !off(trace.meta) };
}

const off = (name) => state.hidden.has(study.learners.findIndex((each) => each.name === name));

// A heat map without the rows and columns of learners that are off.
function without(trace) {
  const kept = trace.meta.map((name) => !off(name));
  const some = (list) => list.filter((_, at) => kept[at]);
  const cells = (name) => ({ [name]: some(trace[name]).map(some) });
  return { ...trace, meta: some(trace.meta), x: some(trace.x), y: some(trace.y), ...cells("z"), ...cells("text"), ...cells("hovertext") };
}

const chosen = () => ({
  type: "line", x0: state.epsilon, x1: state.epsilon, yref: "paper", y0: 0, y1: 1, line: { color: hue(study.ink), width: 1, dash: "dot" },
});

function drawAccuracy() {
  const data = show("accuracy-chart", numbers().figures.accuracy, { shapes: [chosen()] });
  describe("accuracy-chart", `${measureName()} against epsilon`, data);
}

function drawCost() {
  byId("cost").hidden = !hasShares();
  byId("no-cost").hidden = hasCosts();
  byId("no-cost").textContent = hasCosts() ? "" : noCostWords();
  for (const id of ["reference-field", "cost-figure"]) byId(id).hidden = !hasCosts();
  const figure = numbers().figures.costs[state.reference];
  if (!figure) return;
  const data = show("cost-chart", figure, { shapes: [chosen()] });
  describe("cost-chart", `${measureName()}, ${shareWords(learner(state.reference).name)}`, data);
}

function noCostWords() {
  return ceilings().length
    ? `No learner without privacy is half a point above ${constantWords()}: there is no way to it of which a share could be told.`
    : "No learner without privacy finished a fit: there is nothing to compare with.";
}

// At the largest epsilon of the study that the chosen one allows.
function drawCalibration() {
  const tried = state.case.calibration;
  const at = within(tried.map((each) => each.epsilon).filter((epsilon) => epsilon !== null));
  const found = tried.find((each) => each.epsilon === at);
  byId("calibration").hidden = !tried.length;
  byId("calibration-chart").hidden = !found;
  byId("calibration-at").textContent = at === null ? "" : `At epsilon ${short(at)}${found.without ? ", and without privacy" : ""}.`;
  if (!found) return;
  describe("calibration-chart", "shares that came against probabilities said", show("calibration-chart", found.figure));
}

function drawTimes() {
  describe("time-chart", "seconds for one fit", show("time-chart", state.case.figure));
}

function drawPValues(epsilon) {
  const { figure } = numbers().comparisons.find((comparison) => comparison.epsilon === epsilon) || {};
  byId("p-values").hidden = !figure;
  byId("p-hint").hidden = true;
  if (!figure) return;
  show("p-value-chart", figure, { dragmode: false });
  // The chart covers the shadow by which tables show that there is more.
  byId("p-hint").hidden = byId("p-values").scrollWidth <= byId("p-values").clientWidth;
}

function describe(id, what, data) {
  const count = new Set(data.map((trace) => trace.meta).filter((name) => !off(name))).size;
  byId(id).setAttribute("aria-label", `Chart of ${what}, ${count} learner${count === 1 ? "" : "s"}. The table “All numbers” holds its values.`);
}

function markEpsilon() {
  for (const id of ["accuracy-chart", "cost-chart"]) {
    if (byId(id).layout) Plotly.relayout(byId(id), { "shapes[0].x0": state.epsilon, "shapes[0].x1": state.epsilon });
  }
}
