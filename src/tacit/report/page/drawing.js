"use strict";
// Pictures are described in tacit/report/figures.py; here they take the page's colors.

const study = JSON.parse(document.getElementById("data").textContent);

// The style's scheme: light, dark, or as on paper.
const scheme = () => getComputedStyle(document.documentElement).getPropertyValue("--scheme").trim();
const hue = (color) => (scheme() === "dark" && study.dark[color]) || color;

const coarse = matchMedia("(pointer: coarse)").matches;
const config = {
  responsive: true, doubleClick: "reset", displaylogo: false, modeBarButtons: [["toImage"]], toImageButtonOptions: { format: "svg" },
};

// A copy in the page's colors. Only what is a color is changed: a learner may be called #000000.
function recolored(figure) {
  return JSON.parse(JSON.stringify(figure), (key, value) => {
    if (key === "colorscale") return value.map(([at, color]) => [at, hue(color)]);
    return /color$/.test(key) && typeof value === "string" ? hue(value) : value;
  });
}
