"use strict";
// What is chosen on the page, and the numbers that belong to it. All numbers were computed before the page was written.

const state = { case: study.cases[0], measure: study.cases[0].leading, picked: false, reference: null, epsilon: 1, delta: 0, hidden: new Set() };

const shown = (learner) => !state.hidden.has(learner);
const numbers = () => state.case.measures[state.measure];
const measureName = () => study.measures[state.measure];
const finishedPoints = () => numbers().points.filter((point) => point.mean !== null && shown(point.learner));
const isLoss = () => study.losses.includes(state.measure);
const hasShares = () => study.shared.includes(state.measure);
// Whether some learner without privacy is far enough above a constant for a share of the way to it.
const hasCosts = () => hasShares() && Object.keys(numbers().costs).length > 0;
const better = (one, other) => (isLoss() ? one.mean - other.mean : other.mean - one.mean);
const learner = (place) => study.learners[place];

// Of these epsilons, the largest that the chosen one allows.
function within(epsilons) {
  const allowed = epsilons.filter((tried) => tried <= state.epsilon * (1 + 1e-9));
  return allowed.length ? Math.max(...allowed) : null;
}

function byLearner(points) {
  const groups = new Map();
  for (const point of points) {
    if (!groups.has(point.learner)) groups.set(point.learner, []);
    groups.get(point.learner).push(point);
  }
  return groups;
}

// Each shown learner's point at the largest epsilon that it was run at within the chosen one, the best first.
function ranking() {
  const best = [];
  for (const points of byLearner(finishedPoints().filter((point) => point.epsilon !== null)).values()) {
    const at = within(points.map((point) => point.epsilon));
    if (at !== null) best.push(points.find((point) => point.epsilon === at));
  }
  return best.sort(better);
}

// Learner and mean of those without privacy, whether shown or not, the best first.
function ceilings() {
  const without = numbers().points.filter((point) => point.epsilon === null && point.mean !== null);
  return without.sort(better);
}

function costAt(place, epsilon) {
  const found = (numbers().costs[state.reference] || []).find((cost) => cost.learner === place && cost.epsilon === epsilon);
  return found ? found.ratio : null;
}
