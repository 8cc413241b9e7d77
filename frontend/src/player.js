// The player of a run: the machine in three dimensions, a clock, and what one does with both. The same in studio, report
// and notebook.
import { Film } from "./data.js";
import { Shapes } from "./shapes.js";
import { Stage, VIEWS } from "./stage.js";
import { element, number, shown } from "./dom.js";
import { filmed, pictured } from "./exports.js";

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
const TRACE = "#d6304f";
const playing = new Set();
let ticking = false;

export class Player {
  constructor(host, options = {}) {
    this.host = host;
    host.classList.add("da-player");
    this.view = element("div", { className: "da-view" });
    this.caption = element("div", { className: "da-caption" });
    this.legend = element("div", { className: "da-legend" });
    this.tip = element("div", { className: "da-tip", hidden: true });
    this.view.append(this.caption, this.legend, this.tip);
    host.append(this.view, this.toolbar());
    this.stage = new Stage(this.view, { own: options.own });
    this.stage.resized = () => this.film && !this.stage.touched && this.refit(true);
    this.time = 0;
    this.speed = 1;
    this.playing = false;
    this.exaggerate = 1;
    this.listeners = [];
    this.lines = [];
    this.stats = { frames: 0, script: 0 };
    this.visible = true;
    new IntersectionObserver(([entry]) => {
      this.visible = entry.isIntersecting;
      this.stage.dirty = true;
    }).observe(this.view);
    this.pointing();
    playing.add(this);
    if (!ticking) {
      ticking = true;
      requestAnimationFrame(tick);
    }
  }

  toolbar() {
    this.button = element("button", { className: "da-button", title: "play (space)", ariaLabel: "play or pause", onclick: () => this.toggle() });
    this.slider = element("input", { type: "range", className: "da-scrub", min: 0, max: 1, step: "any", value: 0, title: "time", ariaLabel: "time" });
    this.slider.oninput = () => {
      this.pause();
      this.seek(this.film.start + Number(this.slider.value) * (this.film.end - this.film.start));
    };
    this.clock = element("output", { className: "da-clock" });
    this.pace = element("select", { className: "da-pace", title: "speed", ariaLabel: "speed" });
    for (const speed of SPEEDS) this.pace.append(new Option(`${speed} x`, speed, speed === 1, speed === 1));
    this.pace.onchange = () => (this.speed = Number(this.pace.value));
    this.bend = element("input", { type: "range", className: "da-bend", min: 0, max: 1, step: "any", value: 0, ariaLabel: "factor on the bending of beams" });
    this.bendLabel = element("label", { className: "da-label", title: "factor on the bending of beams" }, "bending ", this.bend);
    this.bendValue = element("output", { className: "da-clock" }, "1 x");
    this.bendLabel.append(this.bendValue);
    this.bend.oninput = () => this.bendBy(Math.exp(Number(this.bend.value) * Math.log(this.scene.bending)));
    this.trace = element("select", { className: "da-pace da-trace", title: "path of a point", ariaLabel: "path of a point" });
    this.trace.onchange = () => this.traceOf(this.trace.value);
    this.frames = this.box("frames", () => this.show("framesShown", this.frames.checked));
    this.forces = this.box("forces", () => this.show("forcesShown", this.forces.checked));
    this.tensions = this.box("tensions", () => this.show("tensionsShown", this.tensions.checked));
    this.sight = element("select", { className: "da-pace da-sight", title: "standard views", ariaLabel: "standard views" }, new Option("view", ""), ...VIEWS.map((name) => new Option(name, name)));
    this.sight.onchange = () => {
      if (this.sight.value) this.from(this.sight.value);
      this.sight.value = "";
    };
    this.keep = element("select", { className: "da-pace da-keep", title: "save a picture or a film", ariaLabel: "save a picture or a film" }, new Option("picture", ""), new Option("PNG", "png"), new Option("WebM film", "webm"));
    this.keep.onchange = () => {
      const what = this.keep.value;
      this.keep.value = "";
      if (what === "png") pictured(this);
      if (what === "webm") filmed(this);
    };
    const home = element("button", { className: "da-button da-plain", title: "look at the whole machine", onclick: () => this.refit(true) }, "fit");
    this.bar = element("div", { className: "da-bar" }, this.button, this.slider, this.clock, this.pace, this.bendLabel, this.trace, this.frames.parentNode, this.forces.parentNode, this.tensions.parentNode, this.sight, this.keep, home);
    return this.bar;
  }

  // Names under the pointer, and what is chosen by a click (not by a drag).
  pointing() {
    const { canvas } = this.stage;
    this.chosen = "";
    this.choosing = []; // functions that hear what was chosen
    let [down, waiting] = [null, false];
    let held = ""; // a body that is dragged with the shift key
    canvas.addEventListener("pointerdown", (event) => {
      down = [event.clientX, event.clientY];
      if (!event.shiftKey || !this.dragging || !this.shapes) return;
      const name = this.stage.under(event, this.shapes);
      const point = this.scene.traces.find(([known]) => known === name)?.[1];
      if (point === undefined) return;
      held = name;
      this.stage.controls.enabled = false;
      this.stage.hold(this.film.show(this.time, 1).points.subarray(3 * point, 3 * point + 3));
      canvas.setPointerCapture(event.pointerId);
    }, { capture: true });
    canvas.addEventListener("pointermove", (event) => held && this.dragging(held, this.stage.held(event)));
    canvas.addEventListener("pointerup", (event) => {
      const still = down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4;
      down = null;
      this.stage.controls.enabled = true;
      if (held) {
        held = "";
        return;
      }
      if (still && this.shapes) this.choose(this.stage.under(event, this.shapes));
    });
    canvas.addEventListener("pointermove", (event) => {
      if (down || waiting || !this.shapes || this.playing) return;
      waiting = true;
      setTimeout(() => {
        waiting = false;
        const name = this.shapes && this.stage.under(event, this.shapes);
        const box = this.view.getBoundingClientRect();
        Object.assign(this.tip, { hidden: !name, textContent: name });
        this.tip.style.transform = `translate(${event.clientX - box.left + 12}px, ${event.clientY - box.top + 12}px)`;
      }, 60);
    });
    canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
  }

  // Show an element of the machine in another colour; empty: none.
  choose(name) {
    this.chosen = name;
    this.shapes?.choose(name);
    this.stage.dirty = true;
    for (const listener of this.choosing) listener(name);
  }

  // What lengths, arrows and colours of cables and surfaces stand for.
  explain() {
    const { floor, place, legend = {} } = this.scene;
    const rows = [];
    if (place !== "space") rows.push(element("span", {}, `grid ${number(floor.step)} m`));
    if (legend.force && this.forces.checked) rows.push(element("span", { className: "da-arrow" }, `${number(Number(legend.force.toPrecision(2)))} N`));
    if (legend.tension) {
      const [least, most] = legend.tension;
      rows.push(element("span", { className: "da-tension" }, `${number(Number(least.toPrecision(3)))} to ${number(Number(most.toPrecision(3)))} N`));
    }
    if (legend.stress) rows.push(element("span", { className: "da-stress" }, `0 to ${number(Number((legend.stress / 1e6).toPrecision(3)))} MPa`));
    this.legend.replaceChildren(...rows);
    // The arrow of the legend is as long as one of its force in the middle of the picture.
    this.legend.style.setProperty("--arrow", `${Math.round(Math.min(120, Math.max(12, 0.2 * this.scene.size * this.stage.pixels())))}px`);
  }

  box(name, onchange) {
    const box = element("input", { type: "checkbox", onchange });
    element("label", { className: "da-label" }, box, ` ${name}`);
    return box;
  }

  // Show a packed film. `keep`: the camera and the clock stay as they are. `path`: the point whose path is drawn.
  async load(packed, { keep = false, path = packed.scene.trace } = {}) {
    const turn = (this.loading = (this.loading ?? 0) + 1);
    const [film, shapes] = [await Film.read(packed), await Shapes.build(packed.scene)];
    if (turn !== this.loading) {
      shapes.dispose(); // another one was asked for meanwhile
      return false;
    }
    this.shapes?.dispose();
    this.compare(null);
    [this.film, this.shapes, this.scene, this.packed] = [film, shapes, packed.scene, packed];
    this.stage.world.add(shapes.group);
    shapes.framesShown = this.frames.checked;
    this.forces.checked = shapes.forcesShown = true;
    shapes.tensionsShown = this.tensions.checked;
    if (this.chosen) shapes.choose(this.chosen);
    this.stage.canvas.setAttribute("aria-label", `${packed.scene.name}, drawn in three dimensions; arrow keys turn the view, plus and minus zoom`);
    this.stage.furnish(packed.scene);
    if (this.stage.shade) shapes.shadow(this.stage.shade);
    this.view.classList.toggle("da-dark", packed.scene.place === "space");
    this.controls();
    shown([this.bendLabel], packed.scene.bending > 1 && Boolean(film.straight_points));
    shown([this.frames.parentNode], packed.scene.nodes.some((n) => n.kind === "frame"));
    shown([this.forces.parentNode], packed.scene.nodes.some((n) => n.kind === "arrow"));
    shown([this.tensions.parentNode], packed.scene.nodes.some((n) => n.level !== undefined));
    this.trace.replaceChildren(new Option("no path", ""), ...packed.scene.traces.map(([name, point]) => new Option(`path of ${name}`, point)));
    if (!keep) {
      this.setSpeed(packed.scene.speed);
      this.exaggerate = 1;
      this.bend.value = 0;
      this.bendValue.textContent = "1 x";
      this.refit(true);
    }
    this.traceOf(path ?? "");
    this.seek(keep ? this.time : film.start);
    this.host.dataset.loaded = String(Number(this.host.dataset.loaded ?? 0) + 1);
    return true;
  }

  // Show another film of the same scene from its start; the camera and the path that is drawn stay.
  async recast(packed) {
    const turn = (this.loading = (this.loading ?? 0) + 1);
    const film = await Film.read(packed);
    if (turn !== this.loading) return;
    this.film = film;
    [this.packed, this.scene.cloud, this.scene.legend] = [packed, packed.scene.cloud, packed.scene.legend];
    this.shapes.most = packed.scene.legend?.tension?.[1] ?? 0;
    this.pause();
    this.controls();
    this.setSpeed(packed.scene.speed);
    if (!this.stage.touched && !this.fits()) this.refit(true);
    this.traceOf(this.trace.value);
    this.seek(this.film.start);
    this.host.dataset.loaded = String(Number(this.host.dataset.loaded ?? 0) + 1);
  }

  // What there is to be done with a machine that moves.
  controls() {
    const moving = this.film.n > 1;
    shown([this.button, this.slider, this.clock, this.pace], moving);
    shown([this.trace], moving && this.scene.traces.length > 0);
  }

  // Show more of a film: frames that come after, or all of it in a larger place. A view of the last frame goes along, and
  // one of an earlier time stays, also if the time is changed while the frames are unpacked.
  async grow(packed) {
    const { end } = this.film;
    if (packed.scene) {
      const ghost = this.ghost;
      this.ghost = null;
      if (!(await this.load(packed, { keep: true, path: this.trace.value }))) return ghost?.shapes.dispose();
      this.ghost = ghost;
    } else {
      const film = this.film;
      await film.append(packed);
      if (film !== this.film) return; // another one was loaded meanwhile
      this.scene.cloud = packed.cloud;
      this.controls();
      this.traceOf(this.trace.value);
    }
    if (!this.stage.touched && !this.fits()) this.refit(true);
    this.seek(!this.playing && this.time >= end ? this.film.end : this.time);
  }

  // Show another film of the same kind of machine as a ghost beside this one; null: none.
  async compare(packed) {
    const turn = (this.comparing = (this.comparing ?? 0) + 1);
    this.ghost?.shapes.dispose();
    this.ghost = null;
    if (packed) {
      const ghost = { film: await Film.read(packed), shapes: await Shapes.build(packed.scene, { ghost: true }) };
      if (turn !== this.comparing) return ghost.shapes.dispose();
      this.ghost = ghost;
      this.stage.world.add(ghost.shapes.group);
    }
    if (this.film) this.seek(this.time);
  }

  setSpeed(speed) {
    this.speed = SPEEDS.reduce((a, b) => (Math.abs(Math.log(b / speed)) < Math.abs(Math.log(a / speed)) ? b : a));
    this.pace.value = String(this.speed);
  }

  // Look at the whole machine from one of the standard directions.
  from(view) {
    this.stage.touched = true;
    this.refit(true, view);
  }

  show(what, on) {
    this.shapes[what] = on;
    this.explain();
    this.seek(this.time);
  }

  traceOf(point) {
    for (const line of this.lines) {
      line.removeFromParent();
      line.geometry.dispose();
      line.material.dispose();
    }
    this.lines = [];
    this.trace.value = String(point);
    if (point !== "") this.lines = [this.stage.path(this.film, Number(point), TRACE)];
    this.seek(this.time);
  }

  bendBy(factor) {
    this.exaggerate = factor;
    this.bend.value = Math.log(factor) / Math.log(this.scene.bending);
    this.bendValue.textContent = `${factor < 10 ? factor.toFixed(1) : factor.toFixed(0)} x`;
    this.refit(false);
    this.seek(this.time);
  }

  // Look at everything the machine does, seen with the present exaggeration.
  refit(reset, view) {
    const cloud = [...this.scene.cloud];
    if (this.exaggerate !== 1) {
      for (let k = 0; k < this.film.n; k += Math.max(1, this.film.n >> 5)) cloud.push(...this.film.show(this.film.t[k], this.exaggerate).points);
    }
    this.stage.fit(cloud, reset, view);
    this.explain();
  }

  // Whether the machine is in the picture, and fills enough of it.
  fits() {
    const [least, most] = this.stage.extent(this.scene.cloud);
    return most <= 1 && least >= 0.45;
  }

  seek(time) {
    if (!this.film) return;
    this.time = Math.min(Math.max(time, this.film.start), this.film.end);
    this.stage.dirty = true;
    // The browser takes long to draw controls again: while it plays, ten times a second is enough.
    const now = performance.now();
    if (!this.playing || now - (this.told ?? 0) > 90) this.tell(now);
  }

  tell(now) {
    this.told = now;
    const whole = this.film.end - this.film.start;
    if (whole > 0) this.slider.value = (this.time - this.film.start) / whole;
    this.clock.textContent = `${this.time.toFixed(whole < 1 ? 4 : 2)} s`;
    for (const listener of this.listeners) listener(this.time);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (!this.film || this.film.n < 2) return;
    if (this.time >= this.film.end) this.seek(this.film.start);
    this.playing = true;
    this.button.dataset.state = "playing";
    this.last = performance.now();
  }

  pause() {
    this.playing = false;
    this.button.dataset.state = "";
    if (this.film) this.seek(this.time);
  }

  draw(sharp = false) {
    const began = performance.now();
    const at = this.film.show(this.time, this.exaggerate);
    this.shapes.shade?.color.set(this.stage.shadeColour());
    this.shapes.draw(at);
    if (this.ghost) this.ghost.shapes.draw(this.ghost.film.show(this.time, this.exaggerate));
    const [k] = this.film.locate(this.time);
    for (const line of this.lines) line.reach(k);
    this.stage.render(sharp);
    this.stats.calls = this.stage.calls;
    this.drawn = began;
    this.stats.frames += 1;
    this.stats.script += performance.now() - began;
  }
}

function tick(now) {
  for (const player of playing) {
    if (!player.host.isConnected || !player.film) continue;
    if (player.playing) {
      const next = player.time + (player.speed * Math.max(0, now - player.last)) / 1000;
      player.last = now;
      const ends = next >= player.film.end;
      player.seek(ends ? (player.once ? player.film.end : player.film.start) : next);
      if (ends && player.once) {
        player.once = false;
        player.pause();
      }
    }
    if (player.visible && player.stage.dirty) player.draw();
    else if (player.visible && player.stage.unsharp && !player.playing && performance.now() - player.drawn > 150) player.draw(true);
  }
  requestAnimationFrame(tick);
}
