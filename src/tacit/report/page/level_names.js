"use strict";
// The names of level lines in a chart.

const SMALL = 11.5;
const pen = document.createElement("canvas").getContext("2d");

// Pixels of a small text.
function widthOf(text) {
  pen.font = `${SMALL}px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}

// Room for the names of level lines on the right; none where a chart is narrow.
function roomForNames(points, width) {
  const longest = Math.max(0, ...points.map((point) => widthOf(learner(point.learner).name)));
  return width < 600 || !longest ? 0 : Math.min(longest + 12, width / 4);
}

function cut(name, width) {
  let end = name.length;
  const shortened = () => (end < name.length ? `${name.slice(0, end)}…` : name);
  while (end > 1 && widthOf(shortened()) > width) end -= 1;
  return shortened();
}

// Names of level lines: beside them if there is room, else on the left, where curves are low; apart, and within the chart.
function levelNames(points, [low, high], height, room) {
  const step = (15 / height) * (high - low);
  const sorted = [...points].sort((a, b) => a.mean - b.mean);
  const places = sorted.map((point) => point.mean);
  places.forEach((at, place) => { if (place) places[place] = Math.max(at, places[place - 1] + step); });
  let ceiling = high - (room ? 0 : step);
  for (let place = places.length - 1; place >= 0; place -= 1) {
    places[place] = Math.min(places[place], ceiling);
    ceiling = places[place] - step;
  }
  const beside = { x: 1, xshift: 4, yanchor: "middle" };
  const above = { x: 0.005, yanchor: "bottom", bgcolor: `${colors.paper}80` };
  const text = ({ name }) => plain(room ? cut(name, room - 10) : name);
  return sorted.map((point, place) => ({
    ...(room ? beside : above), xref: "paper", xanchor: "left", y: places[place], text: text(learner(point.learner)),
    showarrow: false, font: { size: SMALL, color: colors.quiet }, borderpad: 0,
  }));
}
