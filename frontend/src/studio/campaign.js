// Members of a campaign: a measure over a varied quantity, as they are finished; one of them becomes the start of the page.
import { element, number } from "../dom.js";

const EVERY = 1000; // milliseconds between looks
const [WIDTH, HEIGHT, LEFT, FOOT, EDGE] = [300, 190, 58, 30, 8]; // of the picture
const KINDS = { q0: "q0.", v0: "v0." };
const short = (x) => number(Number(x.toPrecision(3)));

export class CampaignPane {
  constructor(studio) {
    this.studio = studio;
    this.rows = [];
    this.member = null;
    this.count = element("p", { id: "members", role: "status" });
    const select = (id, label) => {
      const made = element("select", { id, ariaLabel: label, onchange: () => this.draw() });
      return [made, element("label", {}, `${label} `, made)];
    };
    const [y, ys] = select("measure", "measure");
    const [x, xs] = select("quantity", "over");
    Object.assign(this, { x, y });
    this.canvas = element("canvas", { id: "scatter", width: 2 * WIDTH, height: 2 * HEIGHT, role: "img" });
    this.canvas.onclick = (event) => this.choose(this.nearest(event));
    this.which = element("input", { id: "member", type: "number", min: 0, step: 1, ariaLabel: "member" });
    this.which.onchange = () => this.choose(this.rows.find(([member]) => member === Number(this.which.value)) ?? null);
    const extreme = (text, sign) => element("button", { textContent: text, onclick: () => this.choose(this.extreme(sign)) });
    this.take = element("button", { id: "take", textContent: "Start from it", disabled: true, title: "set parameters and start to those of the member", onclick: () => studio.guard(() => this.start()) });
    this.facts = element("pre", { id: "member-facts", tabIndex: 0, ariaLabel: "values of the member" });
    this.parts = [this.count, ys, xs, this.canvas, element("label", {}, "member ", this.which), extreme("largest", 1), extreme("smallest", -1), this.take, this.facts];
    this.look();
    this.timer = setInterval(() => document.hidden || this.look(), EVERY);
  }

  // Ask for members that were finished since.
  async look() {
    if (this.asking) return;
    this.asking = true;
    try {
      const { rows, since, ...about } = await this.studio.server.ask("campaign", { since: this.rows.length });
      const first = !this.about || this.about.measures.length === 0;
      this.about = about;
      if (since === this.rows.length) this.rows.push(...rows);
      if (first) {
        this.y.replaceChildren(...about.measures.map((name) => new Option(name, name)));
        this.x.replaceChildren(...about.quantities.map((name) => new Option(name, name)));
      }
      const failed = about.failed ? `, ${about.failed} failed` : "";
      const text = `${about.done} of ${about.members} members done${failed}`;
      if (this.count.textContent !== text) this.count.textContent = text;
      this.which.max = about.members - 1;
      if (rows.length || first) this.draw();
      this.studio.mark({ members: String(about.done) });
      if (about.done >= about.members) clearInterval(this.timer);
    } catch {
      // The status of the page says that the server does not answer.
    } finally {
      this.asking = false;
    }
  }

  column(name) {
    return 1 + [...this.about.quantities, ...this.about.measures].indexOf(name);
  }

  // Points of the members in the picture, and the ranges of its axes.
  points() {
    const [i, j] = [this.column(this.x.value), this.column(this.y.value)];
    const known = this.rows.filter((row) => row[i] !== null && row[j] !== null && row[j] !== undefined);
    const range = (k) => {
      const [low, high] = known.reduce(([a, b], row) => [Math.min(a, row[k]), Math.max(b, row[k])], [Infinity, -Infinity]);
      return low < high ? [low, high] : [low - (Math.abs(low) || 1), low + (Math.abs(low) || 1)];
    };
    const [[a, b], [c, d]] = [range(i), range(j)];
    const at = (row) => [LEFT + ((row[i] - a) / (b - a)) * (WIDTH - LEFT - EDGE), HEIGHT - FOOT - ((row[j] - c) / (d - c)) * (HEIGHT - FOOT - EDGE)];
    return { known, at, ranges: [[a, b], [c, d]] };
  }

  draw() {
    if (!this.about) return;
    const context = this.canvas.getContext("2d");
    const style = getComputedStyle(this.studio.body);
    context.setTransform(2, 0, 0, 2, 0, 0);
    context.clearRect(0, 0, WIDTH, HEIGHT);
    const { known, at, ranges } = this.points();
    this.canvas.setAttribute("aria-label", `${this.y.value} over ${this.x.value} of ${known.length} members`);
    context.strokeStyle = context.fillStyle = style.color;
    context.font = "11px system-ui, sans-serif";
    context.lineWidth = 0.5;
    context.strokeRect(LEFT, EDGE, WIDTH - LEFT - EDGE, HEIGHT - FOOT - EDGE);
    if (!known.length) return;
    const [[a, b], [c, d]] = ranges;
    const text = (word, x, y, align) => Object.assign(context, { textAlign: align }).fillText(word, x, y);
    text(short(a), LEFT, HEIGHT - FOOT + 13, "left");
    text(short(b), WIDTH - EDGE, HEIGHT - FOOT + 13, "right");
    text(this.x.value, (LEFT + WIDTH - EDGE) / 2, HEIGHT - 4, "center");
    text(short(d), LEFT - 3, EDGE + 9, "right");
    text(short(c), LEFT - 3, HEIGHT - FOOT, "right");
    context.fillStyle = "#4477aa";
    context.globalAlpha = known.length > 500 ? 0.4 : 0.75;
    for (const row of known) {
      const [x, y] = at(row);
      context.fillRect(x - 1.3, y - 1.3, 2.6, 2.6);
    }
    context.globalAlpha = 1;
    if (!this.member || !known.includes(this.member)) return;
    context.strokeStyle = "#ff9500";
    context.lineWidth = 2;
    context.beginPath();
    context.arc(...at(this.member), 5, 0, 2 * Math.PI);
    context.stroke();
  }

  nearest(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [((event.clientX - box.left) * WIDTH) / box.width, ((event.clientY - box.top) * HEIGHT) / box.height];
    const { known, at } = this.points();
    const far = (row) => Math.hypot(at(row)[0] - x, at(row)[1] - y);
    const best = known.reduce((a, b) => (a && far(a) <= far(b) ? a : b), null);
    return best && far(best) < 20 ? best : null;
  }

  extreme(sign) {
    const j = this.column(this.y.value);
    return this.points().known.reduce((a, b) => (a && sign * a[j] >= sign * b[j] ? a : b), null);
  }

  choose(row) {
    this.member = row;
    this.take.disabled = !row;
    const names = [...this.about.quantities, ...this.about.measures];
    if (row) this.which.value = row[0];
    this.facts.textContent = row ? names.map((name, k) => `${name}  ${row[k + 1] === null ? "not finite" : number(row[k + 1])}`).join("\n") : "";
    this.draw();
  }

  // Parameters and start of the page become those of the member.
  async start() {
    const { studio } = this;
    this.about.quantities.forEach((name, k) => {
      const kind = Object.keys(KINDS).find((key) => name.startsWith(KINDS[key])) ?? "p";
      studio.changes[kind][kind === "p" ? name : name.slice(3)] = this.member[k + 1];
    });
    studio.refill();
    await studio.preview();
  }
}
