"use strict";
// The charts: accuracy and cost over epsilon, and times.

// The style's colors: light, dark, or as on paper.
let colors;

function readColors() {
  const style = getComputedStyle(document.documentElement);
  const names = ["scheme", "ink", "quiet", "grid", "paper"];
  colors = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

const hue = (place) => learner(place).colors[colors.scheme];

const coarse = matchMedia("(pointer: coarse)").matches;
const config = { displayModeBar: false, responsive: true, doubleClick: "reset" };

function axis(more) {
  const still = { gridcolor: colors.grid, linecolor: colors.grid, zeroline: false, fixedrange: coarse };
  return { ...still, title: { standoff: 8 }, tickfont: { color: colors.ink }, ...more };
}

function layout(xaxis, yaxis, more = {}) {
  return {
    margin: { l: 58, r: 14, t: 10, b: 48 }, showlegend: false, hovermode: "closest", dragmode: coarse ? false : "zoom",
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: colors.ink },
    hoverlabel: { bgcolor: colors.paper, bordercolor: colors.ink, font: { color: colors.ink, size: 13 }, align: "left", namelength: 0 },
    xaxis, yaxis, ...more,
  };
}

function epsilonAxis(epsilons, width) {
  const [low, high] = [epsilons[0] / 1.4, epsilons[epsilons.length - 1] * 1.4].map(Math.log10);
  const apart = (46 / Math.max(width - 72, 200)) * (high - low);
  const ticks = [];
  for (const epsilon of [...epsilons].reverse()) {
    if (!ticks.length || Math.log10(ticks[0] / epsilon) >= apart) ticks.unshift(epsilon);
  }
  const title = { text: "epsilon (less is more private)", standoff: 8 };
  return axis({ type: "log", range: [low, high], tickvals: ticks, ticktext: ticks.map(short), title });
}

function heightAxis(title, heights) {
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  const room = 0.05 * (high - low || 0.1);
  return axis({ range: [low - room, high + room], title: { text: plain(title), standoff: 8 } });
}

function band(points, value, color) {
  const spread = (sign) => points.map((point) => point[value] + sign * (point.deviation || 0));
  const x = points.map((point) => point.epsilon);
  return {
    x: [...x, ...[...x].reverse()], y: [...spread(1), ...spread(-1).reverse()], fill: "toself", mode: "lines",
    fillcolor: color, opacity: colors.scheme === "dark" ? 0.17 : 0.13, line: { width: 0 }, hoverinfo: "skip",
  };
}

function curve(place, points, value, text) {
  const { symbol, stroke, name } = learner(place);
  const color = hue(place);
  const lone = points.length === 1;
  return {
    x: points.map((point) => point.epsilon), y: points.map((point) => point[value]), name: plain(name),
    text: points.map((point) => `<b>${plain(name)}</b><br>${text(point)}`), hoverinfo: "text", mode: "lines+markers",
    line: { color, width: 2, dash: stroke }, marker: { color, symbol, size: 8.5, line: { color: colors.ink, width: 0.7 } },
    error_y: { visible: lone, array: points.map((point) => point.deviation || 0), color },
  };
}

function curves(points, value, text) {
  const groups = [...byLearner(points)].map(([place, own]) => [place, [...own].sort((a, b) => a.epsilon - b.epsilon)]);
  return [
    ...groups.filter(([, own]) => own.length > 1).map(([place, own]) => band(own, value, hue(place))),
    ...groups.map(([place, own]) => curve(place, own, value, text)),
  ];
}

function level(point, [low, high]) {
  const { name, stroke } = learner(point.learner);
  const x = Array.from({ length: 30 }, (_, at) => 10 ** (low + ((high - low) * at) / 29));
  const text = `<b>${plain(name)}</b><br>without privacy<br>${spreadText(point)}`;
  return {
    x, y: x.map(() => point.mean), text: x.map(() => text), hoverinfo: "text", mode: "lines", name: plain(name),
    line: { color: colors.quiet, width: 1.6, dash: stroke },
  };
}

function spreadText(point) {
  const least = point.runs > 1 ? `<br>from ${fixed(point.least)} to ${fixed(point.most)}` : "";
  const deviation = point.deviation === null ? "" : ` ± ${fixed(point.deviation)}`;
  return `${measureName()} ${fixed(point.mean)}${deviation}${least}<br>${point.runs} fit${point.runs > 1 ? "s" : ""}`;
}

const epsilonText = (point) =>
  `epsilon ${short(point.epsilon)}${point.delta ? `, delta ${short(point.delta)}` : ""}`;

const chosen = () => ({
  type: "line", x0: state.epsilon, x1: state.epsilon, yref: "paper", y0: 0, y1: 1, line: { color: colors.ink, width: 1, dash: "dot" },
});

function drawAccuracy() {
  const chart = byId("accuracy-chart");
  const points = finishedPoints();
  const tried = points.filter((point) => point.epsilon !== null);
  const levels = points.filter((point) => point.epsilon === null);
  const room = roomForNames(levels, chart.clientWidth);
  const x = epsilonAxis(state.case.epsilons.length ? state.case.epsilons : [1], chart.clientWidth - room);
  const y = heightAxis(measureName(), extremes(points, "mean"));
  const traces = [
    ...levels.map((point) => level(point, x.range)),
    ...curves(tried, "mean", (point) => `${epsilonText(point)}<br>${spreadText(point)}`),
  ];
  const annotations = levelNames(levels, y.range, chart.clientHeight - 58, room);
  const margin = { l: 58, r: Math.max(room, 14), t: 10, b: 48 };
  Plotly.react(chart, traces, layout(x, y, { shapes: [chosen()], annotations, margin }), config);
  describe(chart, `${measureName()} against epsilon`, byLearner(tried).size + levels.length);
}

function drawCost() {
  const chart = byId("cost-chart");
  const costs = (numbers().costs[state.reference] || []).filter((cost) => shown(cost.learner) && cost.epsilon !== null);
  const name = state.reference === null ? "" : learner(state.reference).name;
  const x = epsilonAxis(state.case.epsilons.length ? state.case.epsilons : [1], chart.clientWidth);
  const y = heightAxis("ratio of " + measureName(), [1, ...extremes(costs, "ratio")]);
  const deviation = (cost) => (cost.deviation === null ? "" : ` ± ${fixed(cost.deviation)}`);
  const traces = curves(costs, "ratio", (cost) =>
    `${epsilonText(cost)}<br>${fixed(cost.ratio)}${deviation(cost)} of ${plain(name)}<br>${cost.pairs} splits`);
  const one = { ...chosen(), xref: "paper", x0: 0, x1: 1, yref: "y", y0: 1, y1: 1, line: { color: colors.quiet, width: 1.6, dash: "7px,3px" } };
  Plotly.react(chart, traces, layout(x, y, { shapes: [chosen(), one] }), config);
  describe(chart, `${measureName()} as a share of what ${name} reaches without privacy`, byLearner(costs).size);
}

function drawTimes() {
  const chart = byId("time-chart");
  const times = state.case.times.filter((time) => shown(time.learner)).sort((a, b) => b.learner - a.learner);
  const traces = times.map((time, at) => {
    const { name, symbol } = learner(time.learner);
    const color = hue(time.learner);
    const text = `<b>${plain(name)}</b><br>median ${seconds(time.median)} s<br>from ${seconds(time.least)} to ${seconds(time.most)} s<br>${time.fits} fits`;
    return {
      x: [time.median], y: [at], name: plain(name), text: [text], hoverinfo: "text", mode: "markers",
      marker: { color, symbol: symbol || "line-ns-open", size: 10, line: { color: colors.ink, width: symbol ? 0.7 : 2 } },
      error_x: { type: "data", symmetric: false, array: [time.most - time.median], arrayminus: [time.median - time.least], color, thickness: 3, width: 0 },
    };
  });
  const names = times.map((time) => plain(learner(time.learner).name));
  const ticks = timeTicks(times, chart.clientWidth - 150);
  const x = axis({ type: "log", tickvals: ticks, ticktext: ticks.map(short), title: { text: "seconds", standoff: 8 } });
  const y = axis({ tickvals: times.map((_, at) => at), ticktext: names, range: [-0.6, times.length - 0.4], automargin: true });
  chart.style.height = `${80 + 26 * Math.max(times.length, 2)}px`;
  Plotly.react(chart, traces, layout(x, y, { dragmode: false, margin: { l: 20, r: 14, t: 6, b: 48 } }), config);
  describe(chart, "seconds for one fit", times.length);
}

function extremes(points, value) {
  const found = points.flatMap((point) => [-1, 1].map((sign) => point[value] + sign * (point.deviation || 0)));
  return found.length ? found : [0, 1];
}

function describe(chart, what, count) {
  chart.setAttribute("aria-label", `Chart of ${what}, ${count} learner${count === 1 ? "" : "s"}. The table “All numbers” holds its values.`);
}

function markEpsilon() {
  for (const chart of [byId("accuracy-chart"), byId("cost-chart")]) {
    Plotly.relayout(chart, { "shapes[0].x0": state.epsilon, "shapes[0].x1": state.epsilon });
  }
}

const OF_A_DECADE = [1, 2, 5];

// Ticks of seconds at 1, 2 and 5 of each decade, or at 1 alone where that would be many.
function timeTicks(times, width) {
  if (!times.length) return [];
  const [first, last] = [Math.min(...times.map((time) => time.least)), Math.max(...times.map((time) => time.most))].map(Math.log10);
  const decades = Array.from({ length: Math.ceil(last) - Math.floor(first) + 1 }, (_, at) => Math.floor(first) + at);
  const steps = decades.length * 55 > width ? [1] : OF_A_DECADE;
  return decades.flatMap((decade) => steps.map((step) => Number((step * 10 ** decade).toPrecision(1))));
}
