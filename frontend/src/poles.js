// Poles in the complex plane.
import { number } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";

function draw(tag, attributes, text = "") {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

export function poleChart(poles) {
  const [width, height, edge] = [320, 220, 26];
  const chart = draw("svg", { viewBox: `0 0 ${width} ${height}`, class: "da-poles" });
  const most = (values) => Math.max(...values.map(Math.abs), 1e-9) * 1.1;
  const [re, im] = [most(poles.map((p) => p.re)), most(poles.map((p) => p.im))];
  const x = (value) => width / 2 + (value / re) * (width / 2 - edge);
  const y = (value) => height / 2 - (value / im) * (height / 2 - edge);
  chart.append(draw("rect", { x: width / 2, y: 0, width: width / 2, height, fill: "#fbeeee" }));
  chart.append(draw("line", { x1: 0, x2: width, y1: height / 2, y2: height / 2, stroke: "#aab3bd" }));
  chart.append(draw("line", { x1: width / 2, x2: width / 2, y1: 0, y2: height, stroke: "#aab3bd" }));
  chart.append(draw("text", { x: width - 4, y: height / 2 - 5, "text-anchor": "end", "font-size": 10, fill: "#56606b" }, `Re ${number(re)}`));
  chart.append(draw("text", { x: width / 2 + 5, y: 12, "font-size": 10, fill: "#56606b" }, `Im ${number(im)}`));
  for (const pole of poles) {
    const [a, b] = [x(pole.re), y(pole.im)];
    const colour = pole.re > 1e-9 * re ? "#b3261e" : "#3a6ea5";
    const cross = draw("path", { d: `M${a - 4} ${b - 4}L${a + 4} ${b + 4}M${a - 4} ${b + 4}L${a + 4} ${b - 4}`, stroke: colour, "stroke-width": 1.6 });
    chart.append(cross);
  }
  return chart;
}
