// Plots of signals over time, with a cursor that follows the player.
import uPlot from "uplot";
import { joined, unpack } from "./data.js";
import { element, number } from "./dom.js";

// A number beside an axis: few signs.
function short(x) {
  const size = Math.abs(x);
  return x !== 0 && (size >= 1e5 || size < 1e-3) ? x.toExponential(1).replace(".0e", "e") : String(Number(x.toPrecision(4)));
}

// Range of an axis; a constant is in the middle of one that shows its size.
function range(u, min, max) {
  if (min == null || max == null) return [0, 1];
  const size = Math.max(Math.abs(min), Math.abs(max));
  if (max - min > 1e-6 * size) return uPlot.rangeNum(min, max, 0.08, true);
  const [middle, half] = [(min + max) / 2, 0.1 * size || 1];
  return [middle - half, middle + half];
}

const COLOURS = ["#4477aa", "#ee6677", "#228833", "#aa3377", "#ccbb44", "#66ccee", "#994455", "#666666"];

// Signals of a run: names, units, and a row of values each. `span`: start and end of a run that goes on.
export class Signals {
  static async read(packed, span = null) {
    const signals = new Signals();
    signals.span = span;
    signals.t = new Float32Array(0);
    signals.names = packed.names;
    signals.units = packed.units;
    signals.rows = new Map(packed.names.map((name) => [name, signals.t]));
    await signals.append(packed);
    return signals;
  }

  // Values that come after, of the same signals.
  async append(packed) {
    const [{ values }, { values: t }] = await Promise.all([packed.values, packed.t].map(unpack));
    const m = t.length;
    packed.names.forEach((name, k) => this.rows.set(name, after(this.rows.get(name), gaps(values.subarray(k * m, (k + 1) * m)))));
    this.t = after(this.t, t);
    this.events = packed.events;
  }
}

function after(a, b) {
  return Array.isArray(a) || Array.isArray(b) ? [...a, ...b] : joined(a, a.length, b, b.length);
}

// What a run that diverges leaves at its end is not drawn.
function gaps(values) {
  return values.every(Number.isFinite) ? values : Array.from(values, (x) => (Number.isFinite(x) ? x : null));
}

// A panel: signals of one unit. `other`: signals of a second run to compare with, dashed.
export class Plot {
  constructor(host, { title = "", unit = "", names, signals, other = null, otherName = "other", height = 170, onseek = null }) {
    this.host = host;
    Object.assign(this, { names, signals, other });
    this.box = element("div", { className: "da-plot" });
    host.append(this.box);
    const lines = names.map((name, k) => ({ label: name, stroke: COLOURS[k % COLOURS.length], width: 1.5, points: { show: false }, value: (_, v) => (v == null ? "" : number(v)) }));
    if (other) {
      for (const name of this.known()) {
        lines.push({ label: `${name} (${otherName})`, stroke: COLOURS[names.indexOf(name) % COLOURS.length], dash: [5, 4], width: 1.2, spanGaps: true, points: { show: false }, value: (_, v) => (v == null ? "" : number(v)) });
      }
      lines.forEach((line) => (line.spanGaps = true));
    }
    const label = [title, unit && unit !== "1" ? `[${unit}]` : ""].filter(Boolean).join(" ");
    const look = getComputedStyle(host);
    const colour = (name, usual) => look.getPropertyValue(name).trim() || usual;
    const axis = { font: "11px system-ui, sans-serif", labelFont: "11px system-ui, sans-serif", stroke: colour("--da-soft", "#555"), grid: { stroke: colour("--da-line", "#e6e9ed"), width: 1 }, ticks: { stroke: colour("--da-line", "#d3d9e0"), width: 1 } };
    this.plot = new uPlot(
      {
        width: Math.max(200, this.box.clientWidth || host.clientWidth || 400),
        height,
        pxAlign: 0, // smooth lines
        title: label,
        scales: { x: { time: false }, y: { range } },
        series: [{ label: "t [s]", value: (_, v) => (v == null ? "" : v.toFixed(3)) }, ...lines],
        axes: [{ ...axis, size: 30, label: "t [s]", labelSize: 14 }, { ...axis, size: 56, space: 26, values: (_, ticks) => ticks.map(short) }],
        cursor: { y: false, drag: { x: true, y: false }, points: { size: 6 } },
        legend: { live: true },
        hooks: { draw: [(u) => this.marks(u, this.signals.events ?? [])] },
      },
      this.table(),
      this.box,
    );
    if (signals.span) this.plot.setScale("x", { min: signals.span[0], max: signals.span[1] });
    if (onseek) {
      const pick = (event) => {
        if (event.buttons === 1 && event.shiftKey) onseek(this.plot.posToVal(event.offsetX, "x"));
      };
      this.plot.over.addEventListener("pointermove", pick);
      this.plot.over.addEventListener("dblclick", (event) => onseek(this.plot.posToVal(event.offsetX, "x")));
    }
    this.watch = new ResizeObserver(() => {
      const width = this.box.clientWidth;
      if (width > 100 && Math.abs(width - this.plot.width) > 2) this.plot.setSize({ width, height });
    });
    this.watch.observe(this.box);
  }

  // Signals of the other run that are drawn.
  known() {
    return this.names.filter((name) => this.other.rows.has(name));
  }

  // Columns of the plot; a signal that is not known, or not yet, is not drawn.
  table() {
    const { t, rows } = this.signals;
    const own = [t, ...this.names.map((name) => rows.get(name) ?? new Array(t.length).fill(null))];
    if (!this.other) return own;
    const its = [this.other.t, ...this.known().map((name) => this.other.rows.get(name))];
    return uPlot.join([own, its].map((columns) => columns.map((column) => [...column])));
  }

  // Draw what the signals have grown by; the times that are looked at stay.
  grow() {
    const { min, max } = this.plot.scales.x;
    this.plot.setData(this.table(), false);
    this.plot.setScale("x", { min, max });
  }

  // Events as thin lines.
  marks(u, events) {
    const { ctx } = u;
    for (const event of events) {
      const x = Math.round(u.valToPos(event.t, "x", true));
      if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
      ctx.save();
      ctx.strokeStyle = `rgb(201 160 160 / ${Math.min(1, Math.max(0.15, 30 / events.length))})`; // many: fainter
      ctx.beginPath();
      ctx.moveTo(x, u.bbox.top);
      ctx.lineTo(x, u.bbox.top + u.bbox.height);
      ctx.stroke();
      ctx.restore();
    }
  }

  // Follow the player, unless the mouse is in the plot: twenty times a second is enough for the eye. null: no cursor.
  cursor(time) {
    this.now = time;
    const at = performance.now();
    clearTimeout(this.later);
    if (at - (this.drawn ?? 0) < 50) {
      this.later = setTimeout(() => this.cursor(this.now), 60);
      return;
    }
    this.drawn = at;
    if (this.plot.over.matches(":hover")) return;
    this.plot.setCursor(time === null ? { left: -10, top: -10 } : { left: this.plot.valToPos(time, "x"), top: 0 }, false);
  }

  destroy() {
    clearTimeout(this.later);
    this.watch.disconnect();
    this.plot.destroy();
    this.box.remove();
  }
}
