"use strict";
// The controls, and what follows from each.

function options(select, entries, chosen) {
  select.replaceChildren(...entries.map(([value, text]) => element("option", { value, selected: value === chosen }, text)));
}

function chooseCase(place) {
  state.case = study.cases[place];
  const measures = Object.keys(state.case.measures);
  if (!state.picked || !measures.includes(state.measure)) state.measure = state.case.leading;
  options(byId("measure"), measures.map((name) => [name, study.measures[name]]), state.measure);
  document.querySelectorAll("[data-case]").forEach((part) => { part.hidden = part.dataset.case !== String(place); });
  byId("leading").textContent = state.case.why;
  byId("case-name").textContent = byId("case").selectedOptions[0].textContent;
  state.delta = state.case.delta;
  byId("delta").value = short(state.delta);
  offerEpsilons();
  chooseMeasure(state.measure);
}

function chooseMeasure(name) {
  state.measure = name;
  const costs = numbers().costs;
  const found = ceilings().map((point) => point.learner).filter((place) => place in costs);
  if (!found.includes(state.reference)) state.reference = found.length ? found[0] : null;
  options(byId("reference"), found.map((place) => [String(place), learner(place).name]), String(state.reference));
  draw();
}

function offerEpsilons() {
  const tried = state.case.epsilons.length ? state.case.epsilons : [1];
  const slider = byId("slider");
  [slider.min, slider.max] = [Math.log10(tried[0]), Math.log10(tried[tried.length - 1])];
  if (slider.min === slider.max) slider.min = slider.max - 1;
  const buttons = tried.map((epsilon) => {
    const button = element("button", { type: "button", value: epsilon }, short(epsilon));
    button.addEventListener("click", () => chooseEpsilon(epsilon));
    return button;
  });
  byId("tried").replaceChildren(...buttons);
  const start = tried.includes(1) ? 1 : tried[Math.floor((tried.length - 1) / 2)];
  setEpsilon(start);
}

function setEpsilon(epsilon, from) {
  state.epsilon = epsilon;
  if (from !== "slider") byId("slider").value = Math.log10(epsilon);
  if (from !== "number") byId("epsilon").value = short(epsilon);
  byId("slider").setAttribute("aria-valuetext", short(epsilon));
  byId("tried").querySelectorAll("button").forEach((button) => {
    button.setAttribute("aria-pressed", String(Number(button.value) === epsilon));
  });
  drawMeaning();
}

let waiting = false;

// Words at once, the rest with the next frame, so that the slider runs smoothly.
function chooseEpsilon(epsilon, from) {
  setEpsilon(epsilon, from);
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    drawRanking();
    drawDifferences();
    drawCalibration();
    markEpsilon();
  });
}

function drawMeaning() {
  const words = say(state.epsilon, state.delta);
  document.querySelectorAll("[data-word]").forEach((place) => { place.textContent = words[place.dataset.word]; });
}

// Whether a box holds a number from above `least` to `most`; it is marked if not.
function valid(box, accept) {
  const good = box.value !== "" && accept(Number(box.value));
  box.setAttribute("aria-invalid", String(!good));
  return good;
}

function switchLearners() {
  state.hidden = new Set([...document.querySelectorAll('input[name="learner"]:not(:checked)')].map((box) => Number(box.value)));
  draw();
}

function switchAll(on) {
  document.querySelectorAll('input[name="learner"]').forEach((box) => { box.checked = on; });
  switchLearners();
}

function recolor() {
  [drawAccuracy, drawCost, drawCalibration, drawTimes, drawDifferences].forEach((drawn) => drawn());
}

function layOut(onPaper, size) {
  document.documentElement.classList.toggle("on-paper", onPaper);
  recolor();
  document.querySelectorAll(".chart.wide").forEach((chart) => chart.layout && Plotly.relayout(chart, size));
}

function draw() {
  drawAccuracy();
  drawTables();
  // What is further down can wait until the first chart is seen.
  const later = document.readyState === "complete" ? setTimeout : window.requestIdleCallback || setTimeout;
  later(() => {
    drawCost();
    drawCalibration();
    drawTimes();
    performance.mark("complete");
  });
}

function open() {
  byId("learners").open = !matchMedia("(max-width: 34rem)").matches;
  listen();
  chooseCase(0);
}

function listen() {
  byId("case").addEventListener("change", (event) => chooseCase(event.target.value));
  byId("measure").addEventListener("change", (event) => { state.picked = true; chooseMeasure(event.target.value); });
  byId("reference").addEventListener("change", (event) => { state.reference = Number(event.target.value); drawCost(); drawRanking(); });
  byId("learners").addEventListener("change", switchLearners);
  byId("all").addEventListener("click", () => switchAll(true));
  byId("none").addEventListener("click", () => switchAll(false));
  // Two digits, so that the study's own epsilons are met.
  byId("slider").addEventListener("input", (event) => chooseEpsilon(Number((10 ** event.target.value).toPrecision(2)), "slider"));
  byId("epsilon").addEventListener("input", (event) => {
    if (valid(event.target, (epsilon) => epsilon > 0 && epsilon <= 700)) chooseEpsilon(Number(event.target.value), "number");
  });
  byId("delta").addEventListener("input", (event) => {
    if (!valid(event.target, (delta) => delta >= 0 && delta < 1)) return;
    state.delta = Number(event.target.value);
    drawMeaning();
  });
  document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor);
  // Paper is white and has a width of its own.
  addEventListener("beforeprint", () => layOut(true, { width: 680 }));
  addEventListener("afterprint", () => layOut(false, { width: null, autosize: true }));
}

open();
performance.mark("drawn");
