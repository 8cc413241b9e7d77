// The pane of the editor: the text, its mistakes, what was open before, and forms that add a block.
import { element, shown } from "../dom.js";
import { form } from "./forms.js";

const FORMS = { control: "Add a law", reference: "Add a reference", events: "Add an event", switches: "Add a switch" };

export class EditorPane {
  constructor(studio, host) {
    this.studio = studio;
    const { server } = studio;
    this.count = element("button", { className: "faults", onclick: () => this.faults?.length && this.editor.go(this.faults[0].line) });
    this.count.setAttribute("aria-live", "polite");
    this.apply_ = element("button", { id: "apply", textContent: "Apply", title: "open this text", onclick: () => studio.guard(() => this.apply(), "opening") });
    this.back = element("button", { id: "revert", textContent: "Revert", title: "the text of the machine that is open", onclick: () => (this.editor.text = studio.card.text) });
    this.history = element("select", { id: "history", title: "machines that were open", ariaLabel: "machines that were open" });
    this.history.onchange = () => studio.guard(() => studio.open({ entry: Number(this.history.value) }), "opening");
    this.forms = element("select", { id: "add", title: "add to the file", ariaLabel: "add to the file" }, new Option("Add ...", ""), ...Object.entries(FORMS).map(([what, text]) => new Option(text, what)));
    this.forms.onchange = () => {
      const what = this.forms.value;
      this.forms.value = "";
      if (what) studio.guard(() => this.ask(what));
    };
    this.formHost = element("div", { className: "forms" });
    const box = element("div", { className: "text" });
    host.replaceChildren(element("div", { className: "editbar" }, this.apply_, this.back, this.forms, this.history, this.count), this.formHost, box);
    this.editor = globalThis.dalembertEditor.create(box, {
      text: studio.card.text,
      check: async (text) => (await server.ask("check", { text })).faults,
      schema: () => server.ask("schema"),
      onchange: () => this.changed(),
      onrun: () => studio.runButton.click(),
      onfaults: (faults) => this.tell(faults),
    });
    this.text = studio.card.text;
  }

  // Show the machine that is open; a text that was not applied stays.
  show() {
    const { studio } = this;
    if (this.editor.text === this.text) this.editor.text = studio.card.text;
    this.text = studio.card.text;
    this.history.replaceChildren(...[...studio.entries].reverse().map(({ entry, title }) => new Option(`${entry}: ${title}`, entry)));
    this.history.value = String(studio.server.entry);
    this.changed();
  }

  changed() {
    const changed = this.editor.text !== this.studio.card.text;
    this.apply_.disabled = this.back.disabled = !changed;
    this.studio.mark({ edited: changed ? "yes" : "no" });
  }

  tell(faults) {
    this.faults = faults;
    this.count.textContent = faults.length ? `${faults.length} ${faults.length === 1 ? "mistake" : "mistakes"}: line ${faults[0].line}` : "no mistakes";
    this.count.classList.toggle("bad", faults.length > 0);
    this.studio.mark({ faults: String(faults.length) });
  }

  // Open the text. Changes by sliders that the new machine has too stay.
  async apply() {
    const { studio } = this;
    const { text } = this.editor;
    const title = `${studio.card.title.replace(/ \(changed\)$/, "")} (changed)`;
    const [changes, view] = [studio.changes, studio.player.stage.touched ? studio.player.stage.placement() : null];
    this.text = text; // what is open now follows the text
    await studio.open({ text, title });
    const { p, q0, v0, gains } = changes;
    const known = { p: new Set([...studio.card.parameters, ...studio.card.gain_parameters].map((row) => row.name)), q0: new Set(studio.card.q0.map((row) => row.name)), v0: new Set(studio.card.v0.map((row) => row.name)), gains: new Set(Object.keys(studio.card.gains)) };
    for (const [key, values] of Object.entries({ p, q0, v0, gains })) {
      for (const [name, value] of Object.entries(values)) if (known[key].has(name)) studio.changes[key][name] = value;
    }
    Object.assign(studio.changes.settings, changes.settings);
    studio.refill();
    if (view) studio.player.stage.look(view);
  }

  async ask(what) {
    const about = await this.studio.server.ask("forms");
    if (["control", "reference"].includes(what) && !about.motors.length) throw new Error("a law drives motors, and this machine has none: add a block motors first");
    const close = element("button", { type: "button", textContent: "Close", onclick: () => this.formHost.replaceChildren() });
    const write = (kind, value) => this.studio.guard(async () => {
      const { text } = await this.studio.server.ask("add", { text: this.editor.text, what: kind, value });
      this.editor.text = text;
      this.formHost.replaceChildren();
      const at = text.split("\n").findIndex((line) => line.startsWith("simulation:"));
      this.editor.go(at + 1);
      this.editor.check();
    });
    const made = form(what, about, write);
    made.append(close);
    this.formHost.replaceChildren(element("b", {}, FORMS[what]), made);
    made.querySelector("input, select")?.focus();
    shown([this.formHost], true);
  }
}
