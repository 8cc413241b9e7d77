// The element that was clicked, or that a warning is about, and its numbers at the time that is shown.
import { element, number, shown } from "../dom.js";

const MOST = 24; // numbers

export class Selection {
  constructor(studio) {
    this.studio = studio;
    this.name = "";
    studio.player.choosing.push((name) => this.show(name));
    studio.player.listeners.push(() => this.fill());
  }

  show(name) {
    this.name = name;
    if (!this.host) return;
    shown([this.host], Boolean(name));
    if (name) this.host.open = true;
    this.studio.mark({ selected: name });
    this.fill();
  }

  // Signals of an element: its coordinates and all that is named after it.
  signals() {
    const { signals } = this.studio;
    if (!signals || this.studio.shownRun === null) return [];
    const all = [this.name, this.studio.card.elements[this.name]?.joint].filter(Boolean);
    const own = (name) => name.split(".").some((part) => all.some((one) => part === one || part === `${one}_dot`));
    return signals.names.filter(own).slice(0, MOST);
  }

  fill() {
    if (!this.name || !this.host) return;
    const { player, signals, card } = this.studio;
    const rows = [];
    const add = (label, text) => rows.push(element("tr", {}, element("th", { scope: "row" }, label), element("td", { className: "n" }, text)));
    const about = card.elements[this.name];
    for (const [label, text] of Object.entries(about ?? {})) add(label, typeof text === "number" ? number(text) : text);
    const point = player.scene?.traces.find(([name]) => name === this.name)?.[1];
    if (point !== undefined) {
      const at = player.film.show(player.time, 1).points.subarray(3 * point, 3 * point + 3);
      add("position [m]", [...at].map((x) => x.toFixed(4)).join(", "));
    }
    for (const name of this.signals()) add(`${name} [${signals.units[name] ?? ""}]`.replace(" []", ""), number(valueAt(signals, name, player.time)));
    const start = card.q0.find((row) => row.name === this.name);
    if (start) add("range", `${number(start.lower)} to ${number(start.upper)} ${start.unit}`);
    const line = this.studio.card.text.split("\n").findIndex((text) => new RegExp(`^\\s+(['"]?)${escaped(this.name)}\\1:`).test(text));
    const go = element("button", { textContent: "Show in the file", onclick: () => this.studio.editAt(line + 1) });
    const close = element("button", { textContent: "Deselect", onclick: () => player.choose("") });
    this.host.replaceChildren(element("summary", {}, `Selected: ${this.name}`), element("table", {}, ...rows), ...(line >= 0 ? [go] : []), close);
  }
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function valueAt({ t, rows }, name, time) {
  const values = rows.get(name);
  let [low, high] = [0, t.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (t[middle] <= time) low = middle;
    else high = middle;
  }
  const s = t[high] > t[low] ? Math.min(1, Math.max(0, (time - t[low]) / (t[high] - t[low]))) : 0;
  return values[low] + s * (values[high] - values[low]);
}
