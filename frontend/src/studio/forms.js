// Forms that write a block of the machine file: a law, a reference, an event, a switch.
import { element } from "../dom.js";

// A number, a list or a name, as one would write it in a file.
function read(text) {
  const trimmed = text.trim();
  if (!trimmed) return undefined;
  if (trimmed.includes(",")) return trimmed.replace(/^\[|\]$/g, "").split(",").map((part) => read(part) ?? "");
  if (/^(true|false)$/.test(trimmed)) return trimmed === "true";
  return Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
}

function field(label, value = "", hint = "") {
  const input = element("input", { type: "text", value, placeholder: hint, ariaLabel: label });
  return { input, row: element("label", { className: "row" }, element("span", { title: label }, label), input), read: () => read(input.value) };
}

function choice(label, options, onchange) {
  const input = element("select", { ariaLabel: label }, ...options.map((name) => new Option(name, name)));
  input.onchange = onchange;
  return { input, row: element("label", { className: "row" }, element("span", {}, label), input), read: () => input.value };
}

const REFERENCES = { point: "positions per motor", move: "from start to end", sine: "about a centre" };
const FIRST = { kp: 100, kd: 20, ki: 10, damping: 1, start: 0, end: 0.5, duration: 2, delay: 0, center: 0, amplitude: 0.1, frequency: "1.0 Hz" };

// The form of one kind of entry; `write(what, value)` adds it to the text.
export function form(what, about, write) {
  const box = element("form", { className: "form", dataset: { what } });
  const rows = element("div", {});
  const add = element("button", { type: "submit", textContent: "Add to the file" });
  let collect = () => ({});
  const motors = about.motors.length;
  const reference = () => {
    const kind = choice("reference", Object.keys(REFERENCES), () => fill());
    const fields = element("div", {});
    let inner = [];
    const fill = () => {
      inner = kind.read() === "point" ? [["positions", field("positions", new Array(motors).fill(0).join(", "), "one per motor")]] : about.references[kind.read()].map((key) => [key, field(key, FIRST[key] ?? "")]);
      fields.replaceChildren(...inner.map(([, one]) => one.row));
    };
    fill();
    const value = () => {
      if (kind.read() === "point") return [inner[0][1].read() ?? 0].flat();
      const all = Object.fromEntries(inner.map(([key, one]) => [key, one.read()]).filter(([, x]) => x !== undefined));
      // Sizes are per motor; one number stands for all of them.
      for (const key of ["start", "end", "center", "amplitude"]) if (key in all && !Array.isArray(all[key])) all[key] = new Array(motors).fill(all[key]);
      return all;
    };
    return { rows: [kind.row, fields], value };
  };
  if (what === "control") {
    const law = choice("law", Object.keys(about.laws), () => fill());
    const inner = element("div", {});
    const fill = () => {
      const keys = about.laws[law.read()];
      const fields = keys.filter(({ key }) => key !== "reference").map(({ key, optional }) => [key, field(key, optional ? "" : (FIRST[key] ?? ""), optional ? "optional" : "one, or one per motor")]);
      const aim = keys.some(({ key }) => key === "reference") ? reference() : null;
      inner.replaceChildren(...fields.map(([, one]) => one.row), ...(aim?.rows ?? []));
      collect = () => ({ law: law.read(), ...Object.fromEntries(fields.map(([key, one]) => [key, one.read()]).filter(([, x]) => x !== undefined)), ...(aim ? { reference: aim.value() } : {}) });
    };
    fill();
    rows.append(law.row, inner);
  } else if (what === "reference") {
    const aim = reference();
    rows.append(...aim.rows);
    collect = aim.value;
  } else if (what === "events") {
    const [name, expression] = [field("name", "", "arrived"), field("expression", "", "x - 2.9")];
    const [terminal, direction] = [choice("ends the run", ["no", "yes"]), choice("direction", ["both", "rising", "falling"])];
    name.input.required = expression.input.required = true;
    rows.append(name.row, expression.row, terminal.row, direction.row);
    collect = () => ({ name: String(name.input.value.trim()), expression: expression.input.value.trim(), ...(terminal.read() === "yes" ? { terminal: true } : {}), ...({ rising: { direction: 1 }, falling: { direction: -1 } }[direction.read()] ?? {}) });
  } else {
    const [at, event] = [field("at time [s]", "", "1.5"), field("or at event", "", "touched")];
    const [on, off] = [field("on", "", about.switchable.join(", ")), field("off", "", about.switchable.join(", "))];
    const need = () => {
      at.input.required = !event.input.value.trim();
      on.input.required = !off.input.value.trim();
    };
    for (const other of [event, off]) other.input.oninput = need;
    need();
    rows.append(at.row, event.row, on.row, off.row);
    collect = () => Object.fromEntries([["at", at.read()], ["event", event.read()], ["on", on.read() === undefined ? undefined : [on.read()].flat()], ["off", off.read() === undefined ? undefined : [off.read()].flat()]].filter(([, x]) => x !== undefined));
  }
  box.append(rows, add);
  box.onsubmit = (submitted) => {
    submitted.preventDefault();
    write(what, collect());
  };
  return box;
}
