// A machine that simulates in the page: sliders, player, plots, energy audit.
import { element, number } from "../dom.js";
import { inflate } from "../data.js";
import { Player } from "../player.js";
import { Plot, Signals } from "../plots.js";
import { slider } from "../sliders.js";
import { audit, energyColumns } from "./audit.js";
import { Engine } from "./engine.js";
import { Filmer } from "./film.js";
import { LiveRun } from "./run.js";

const DEEP = 1e-6; // metres that a contact may overlap at the start
const SLOW = 0.25; // seconds of a run from which on the start is shown before it
const LINES = 200; // of the table of events
const ANGLES = ["roll", "pitch", "yaw"];

// A page of its own, or a part of another one (`part`), which has a title and tells of the machine itself.
class LivePage {
  constructor(host, live, { part = false } = {}) {
    Object.assign(this, { host, live, runs: 0, plots: [], lasted: 0 });
    this.changes = { p: {}, x: {}, turned: {} };
    host.classList.add("da-live");
    this.playerHost = element("div", { className: "player" });
    this.status = element("p", { className: "status", role: "status" });
    this.status.setAttribute("aria-live", "polite");
    this.side = element("aside");
    this.plotHost = element("div", { className: "plots" });
    this.energy = element("div", { className: "energy" });
    this.eventHost = element("details", {}, element("summary", { textContent: "Events" }));
    const title = part ? [] : [element("h1", { textContent: live.name }), element("p", { className: "lead", textContent: live.about })];
    const foot = `dalembert ${live.version}, experiment ${live.digest.slice(0, 16)}. This page simulates by itself; it asks nobody anything.`;
    const more = part ? [] : [element("div", { className: "sections", innerHTML: live.sections.join("") }), element("p", { className: "foot" }, foot)];
    const heading = part ? "h3" : "h2";
    host.append(
      ...title, this.status, element("div", { className: "work" }, this.playerHost, this.side),
      element(heading, { textContent: "Signals" }), this.plotHost, element(heading, { textContent: "Energy audit" }), this.energy, this.eventHost, ...more,
    );
    this.player = new Player(this.playerHost, { own: !part });
    this.player.listeners.push((t) => this.plots.forEach((plot) => plot.cursor(t)));
    this.duration = live.settings.duration;
    this.controls();
  }

  async begin() {
    this.engine = await Engine.load(await inflate(this.live.module), this.live.program);
    this.filmer = new Filmer(this.live, this.engine);
    await this.go();
  }

  controls() {
    const { sliders, law, settings } = this.live;
    const span = { name: "duration", value: settings.duration, lower: 0.1 * settings.duration, upper: 4 * settings.duration, unit: "s" };
    const duration = slider(span, (x) => x > 0 && this.change(() => (this.duration = x)));
    const back = element("button", { className: "reset", textContent: "Back to the start", onclick: () => this.reset() });
    const how = [settings.method, settings.step ? `step ${number(settings.step)} s` : "", settings.contact ? `contacts ${settings.contact}` : ""].filter(Boolean).join(", ");
    const section = (title, id, open, rows) => (rows.length ? [element("details", { id, open }, element("summary", { textContent: title }), ...rows)] : []);
    const parameter = (row) => slider(row, (x) => this.change(() => (this.changes.p[row.name] = x)));
    const state = (row) => slider(row, (x) => this.change(() => this.place(row.name, x)));
    const [rigid, modal] = [sliders.q0.filter((row) => !row.modal), sliders.q0.filter((row) => row.modal)];
    const v0 = sliders.v0.filter((row) => !row.modal);
    this.side.replaceChildren(
      ...section("Simulation", "live-simulation", true, [duration, element("p", { className: "how", textContent: how }), back]),
      ...section("Parameters", "live-parameters", true, sliders.parameters.map(parameter)),
      ...section(law ? `Gains (${law})` : "Gains", "live-gains", true, sliders.gains.map(parameter)),
      ...section("Initial position", "live-q0", rigid.length <= 8, rigid.map(state)),
      ...section("Initial bending", "live-modal", false, modal.map(state)),
      ...section("Initial velocity", "live-v0", false, v0.map(state)),
      ...(sliders.q0.length ? [] : [element("p", { className: "how", textContent: "The start is that of the file: these equations are not in the machine's own coordinates." })]),
    );
  }

  // A state of the start; roll, pitch and yaw stand for a quaternion.
  place(name, value) {
    const [joint, angle] = [name.slice(0, name.lastIndexOf(".")), name.slice(name.lastIndexOf(".") + 1)];
    if (!(joint in this.live.turns) || !ANGLES.includes(angle)) {
      this.changes.x[name] = value;
      return;
    }
    const before = ANGLES.map((one) => this.live.sliders.q0.find((row) => row.name === `${joint}.${one}`).value);
    const angles = (this.changes.turned[joint] ??= Object.fromEntries(ANGLES.map((one, i) => [one, before[i]])));
    angles[angle] = value;
    quaternion(angles).forEach((c, i) => (this.changes.x[this.live.q_names[this.live.turns[joint][i]]] = c));
  }

  change(set) {
    set();
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.go(), 40);
  }

  reset() {
    this.changes = { p: {}, x: {}, turned: {} };
    this.duration = this.live.settings.duration;
    this.controls();
    return this.go();
  }

  // Simulate with what the sliders say now: the newest wish only.
  async go() {
    this.wanted = true;
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.wanted) {
        this.wanted = false;
        await this.simulate();
      }
    } catch (error) {
      this.say(`failed: ${error.message}`, true);
    } finally {
      this.busy = false;
    }
  }

  // Whether anything differs from the experiment that the page was written for.
  changed() {
    const { p, x } = this.changes;
    return Object.keys(p).length + Object.keys(x).length > 0 || this.duration !== this.live.settings.duration;
  }

  // States and parameters of the start.
  wishes() {
    const { states, parameters, x0, p0 } = this.live.program;
    const value = (now, names, values) => names.map((name, i) => (Number.isFinite(now[name]) ? now[name] : values[i]));
    return [value(this.changes.x, states, x0), value(this.changes.p, parameters, p0)];
  }

  async simulate() {
    const { engine, live } = this;
    const [x, p] = this.wishes();
    const moved = engine.start(x, p);
    const start = moved === null ? this.row(x) : this.row(engine.array("X", x.length).slice());
    const gap = this.changed() ? this.filmer.gap(start.coordinates(0), start.t[0]) : null;
    if (gap && gap[1] < -DEEP) return this.refuse(`contact '${gap[0]}' starts ${number(-gap[1])} m deep in what it touches; lift it`, start);
    if (moved === null) return this.refuse("the constraints cannot be kept from this start; move a slider back", start);
    if (this.lasted > SLOW) await this.show(start, false);
    const rows = await engine.run(this.duration, (fraction) => {
      this.host.dataset.progress = fraction.toFixed(3);
      if (this.lasted > SLOW) this.status.textContent = `simulating: ${Math.round(100 * fraction)} %`;
      return !this.wanted;
    });
    if (!rows) return;
    this.lasted = rows.seconds;
    this.run = new LiveRun(live, rows);
    await this.show(this.run, true);
    const asked = moved > 1e-9 ? ` The start was moved onto the constraints, by up to ${number(moved)}.` : "";
    const span = this.run.t.at(-1) - this.run.t[0];
    this.say(`${rows.status}: ${number(span)} s in ${number(rows.seconds)} s, ${number(span / rows.seconds)} times real time, ${rows.steps} steps.${asked}`, !/^(completed|stopped)/.test(rows.status));
    this.host.dataset.run = String(++this.runs);
  }

  // A state at the start as a run of one row.
  row(x) {
    const { engine, live } = this;
    const [y, c] = [engine.outputs().slice(), engine.array("C", live.program.held.length).slice()];
    return new LiveRun(live, { t: [engine.code.live_time()], x: [x], c: [c], y: [y], events: [] });
  }

  async refuse(why, start) {
    await this.show(start, false);
    this.say(`refused: ${why}.`, true);
    this.host.dataset.run = String(++this.runs);
  }

  say(text, bad) {
    this.status.textContent = text;
    this.status.classList.toggle("bad", bad);
    this.host.dataset.status = text.slice(0, text.search(/[:.]/));
  }

  // A run in the player; `whole`: with its plots, and playing.
  async show(run, whole) {
    const film = this.filmer.film(run, !this.changed());
    if (!this.player.film) await this.player.load(film);
    else await this.player.recast(film);
    if (!whole) return;
    this.player.play();
    await this.draw(run);
  }

  async draw(run) {
    const { live } = this;
    const energies = audit(run);
    const computed = energies ? energyColumns(energies) : {};
    const names = [...new Set(live.panels.flatMap((panel) => panel.names))].filter((name) => name in computed || run.places.has(name));
    const columns = names.map((name) => computed[name] ?? run.signal(name));
    const n = run.t.length;
    const values = new Float32Array(names.length * n);
    columns.forEach((column, i) => values.set(column, i * n));
    const events = run.events.slice(0, LINES);
    const signals = await Signals.read({ names, units: live.units, t: { values: Float32Array.from(run.t) }, values: { values }, events });
    this.plots.forEach((plot) => plot.destroy());
    this.plots = live.panels.map(({ title, unit, names: lines }) => new Plot(this.plotHost, { title, unit, names: lines, signals, onseek: (t) => this.player.seek(t) }));
    this.energy.replaceChildren(energies ? energyTable(energies) : "This machine has no energies.");
    this.events = run.events;
    this.eventHost.style.display = live.program.events.some((event) => !event.hidden) ? "" : "none";
    this.eventHost.replaceChildren(element("summary", { textContent: `Events (${run.events.length})` }), eventTable(events));
  }
}

function table(rows) {
  const cell = (text, k) => element("td", { className: k ? "n" : "", textContent: text });
  return element("table", {}, ...rows.map((row) => element("tr", {}, ...row.map(cell))));
}

function energyTable(e) {
  const change = (values) => `${number(values.at(-1) - values[0])} J`;
  return table([
    ["largest energy that the motion handled", `${number(e.peak)} J`],
    ["change of kinetic and potential energy", change(e.total)],
    ["work of inputs", change(e.input)],
    ["work of losses", change(e.loss)],
    ["brought by transitions at events", change(e.transitions)],
    ["what is left unexplained, of the largest energy", e.drift.toExponential(2)],
  ]);
}

function eventTable(events) {
  return table(events.map(({ name, t, sign }) => [name, `${number(t)} s`, sign > 0 ? "rising" : "falling"]));
}

// Attitude (w, x, y, z) of roll, pitch and yaw (3-2-1 angles).
function quaternion({ roll, pitch, yaw }) {
  const [cr, cp, cy] = [roll, pitch, yaw].map((a) => Math.cos(a / 2));
  const [sr, sp, sy] = [roll, pitch, yaw].map((a) => Math.sin(a / 2));
  return [cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy];
}

export async function live(host, data, options = {}) {
  const page = new LivePage(host, data, options);
  host.live = page;
  host.dataset.loaded = "1";
  await page.begin();
  return page;
}
