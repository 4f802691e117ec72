"use strict";
// A picture alone on its page.

function draw() {
  const { data, layout } = recolored(study.figure);
  if (innerWidth < 700) Object.assign(layout, { legend: { orientation: "h", y: -0.2 }, margin: { ...layout.margin, b: 90 } });
  const place = document.getElementById("picture");
  if (layout.height) place.style.height = `${layout.height}px`;  // of many small charts; what follows must begin below
  Plotly.react(place, data, layout, config);
}

draw();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
performance.mark("complete");
