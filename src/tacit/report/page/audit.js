"use strict";
// Pictures of an audit; each waits in the element of its name.

function draw() {
  for (const [id, figure] of Object.entries(study.figures)) {
    const { data, layout } = recolored(figure);
    const chart = document.getElementById(id);
    for (const axis of [layout.xaxis, layout.yaxis]) axis.fixedrange = true;
    chart.style.height = `${layout.height}px`;
    if (innerWidth < 700) Object.assign(layout.yaxis, { tickfont: { ...layout.yaxis.tickfont, size: 10 } });
    const size = onPaper ? { width: 660 } : { autosize: true };
    Plotly.react(chart, data, { ...layout, dragmode: false, ...size }, config);
  }
}

let onPaper = false;

function layOut(paper) {
  onPaper = paper;
  document.documentElement.classList.toggle("on-paper", paper);
  draw();
}

draw();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
addEventListener("beforeprint", () => layOut(true));
addEventListener("afterprint", () => layOut(false));
performance.mark("complete");
