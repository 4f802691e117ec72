"use strict";
// Draws the pictures of a gallery page, in the colors of the site's theme.

const places = [...document.querySelectorAll(".picture")].map((place) => [place, JSON.parse(place.querySelector("script").textContent)]);

function drawAll() {
  for (const [place, figure] of places) {
    const { data, layout } = recolored(figure);
    const narrow = innerWidth < 700;
    if (narrow) Object.assign(layout, { legend: { orientation: "h", y: -0.25 }, margin: { ...layout.margin, b: 100 } });
    // Names of level lines lie on the curves of a narrow picture: there the key has them.
    const shown = data.map((trace) => (narrow && trace.mode === "text" ? { ...trace, visible: false } : trace));
    for (const axis of [layout.xaxis, layout.yaxis]) axis.fixedrange = coarse;
    place.style.height = `${layout.height || 430}px`;
    Plotly.react(place, shown, { ...layout, dragmode: coarse ? false : "zoom" }, config);
  }
}

drawAll();
new MutationObserver(drawAll).observe(document.documentElement, { attributeFilter: ["data-theme"] });
