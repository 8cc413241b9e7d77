// The studio: choose or open a machine, change it, run it, look at it. Everything is asked of the server that sent the
// page; the page itself holds no machine.
import { element, number, shown } from "./dom.js";
import { Player } from "./player.js";
import { Plot, Signals } from "./plots.js";
import { poleChart } from "./poles.js";
import { slider } from "./sliders.js";
import { CampaignPane } from "./studio/campaign.js";
import { EditorPane } from "./studio/editing.js";
import { Memory } from "./studio/memory.js";
import { Selection } from "./studio/selection.js";
import { Server } from "./studio/server.js";

const PATIENCE = 400; // milliseconds from which on a run is shown while it goes on
const LOOK = 3000; // milliseconds between looks at what other pages of the session do
const WAIT = 300; // milliseconds from which on it is said what takes so long
const PANES = { view: "View", settings: "Settings", editor: "Editor" }; // of a narrow window
const READ = [".yaml", ".yml", ".json"]; // files that are texts; others are sent byte by byte

class Studio {
  constructor(body, { token, session }) {
    this.server = new Server(token, session);
    this.changes = {};
    this.shownRun = null;
    this.showing = 0; // what was asked for last: answers to earlier requests are not shown
    this.settled = 0; // what is shown with all of its signals
    this.plots = [];
    this.chosen = false; // whether somebody has said what to plot
    this.warnings = { machine: [], start: [], run: [] };
    this.build(body);
    this.memory = new Memory(this);
    globalThis.studioPage = this;
  }

  // What the page shows, for who watches it from outside.
  mark(marks) {
    Object.assign(this.body.dataset, marks);
  }

  build(body) {
    this.body = body;
    const button = (text, onclick, more = {}) => element("button", { textContent: text, onclick: () => this.guard(onclick), ...more });
    this.machines = element("select", { id: "machine", title: "ready-made machines", ariaLabel: "ready-made machines" });
    this.machines.onchange = () => this.guard(() => this.open({ system: this.machines.value }), "opening");
    this.file = element("input", { type: "file", id: "file", accept: ".yaml,.yml,.nc,.urdf,.xml,.mjcf", hidden: true, ariaLabel: "file to open" });
    this.file.onchange = () => this.guard(() => this.upload(), "opening");
    this.runButton = button("Run", () => this.run(), { id: "run", className: "primary", title: "run (Ctrl+Enter)" });
    this.cancelButton = button("Cancel", () => this.server.ask("cancel"), { id: "cancel", disabled: true });
    this.progress = element("progress", { id: "progress", max: 1, value: 0, ariaLabel: "progress" });
    this.status = element("span", { id: "status", role: "status", ariaLive: "polite" });
    this.saveMenu = element("select", { id: "save", title: "save", ariaLabel: "save" }, new Option("Save ...", ""), new Option("machine file", "machine"), new Option("run", "run"), new Option("report", "report"));
    this.saveMenu.onchange = () => {
      const what = this.saveMenu.value;
      this.saveMenu.value = "";
      // While a start or a mode is shown, the run is the one that is chosen among the runs.
      const run = this.shownRun ?? (Number(this.runsList.value) || null);
      this.guard(() => this.server.save({ what, run, changes: this.changes }), "saving");
    };
    const share = async () => {
      this.say("the machine is compiled for the page ...");
      await this.server.save({ what: "page", changes: this.changes });
      this.say("shared: one HTML file that simulates");
    };
    const top = element("header", {}, element("h1", {}, element("b", {}, "dalembert"), element("span", { className: "word" }, "studio")), this.machines, button("Open ...", () => this.file.click(), { id: "open" }), this.file, this.runButton, this.cancelButton, this.progress, this.status, element("span", { className: "gap" }), button("Edit", () => this.edit(), { id: "edit", title: "the machine file (Ctrl+E)", ariaExpanded: "false" }), button("Share", share, { id: "share", title: "save the machine as one HTML file that simulates" }), this.saveMenu);
    this.error = element("pre", { id: "error", title: "click to close", role: "alert", tabIndex: 0 });
    this.error.onkeydown = (event) => ["Enter", "Escape"].includes(event.key) && this.complain("");
    this.error.onclick = () => this.complain("");
    this.playerHost = element("div", { id: "player" });
    this.plotHost = element("div", { id: "plots" });
    this.signalMenu = element("select", { id: "signal", title: "show a signal", ariaLabel: "show a signal", disabled: true }, new Option("Plot ...", ""));
    this.signalMenu.onchange = () => {
      const chosen = this.signalMenu.value;
      this.signalMenu.value = "";
      if (!chosen) return;
      this.chosen = true;
      this.addPlot(JSON.parse(chosen));
    };
    const plotBar = element("div", { className: "plotbar" }, this.signalMenu, element("small", {}, "double-click into a plot: go to that time; drag: magnify"));
    this.side = element("aside", { ariaLabel: "settings of the machine and its runs" });
    this.editHost = element("section", { id: "editor", ariaLabel: "machine file" });
    const tabs = Object.entries(PANES).map(([pane, text]) => element("button", { textContent: text, dataset: { pane }, onclick: () => this.pane(pane) }));
    this.tabs = element("nav", { className: "panes", ariaLabel: "parts of the studio" }, ...tabs);
    const left = element("main", {}, this.playerHost, plotBar, this.plotHost);
    body.append(top, this.error, this.tabs, element("div", { className: "work" }, left, this.editHost, this.side));
    this.pane("view");
    this.player = new Player(this.playerHost, { own: true });
    this.player.listeners.push((t) => this.plots.forEach(({ plot }) => plot.cursor(this.shownRun === null ? null : t)));
    this.selection = new Selection(this);
    this.player.dragging = (body, target) => {
      this.pull = { body, target };
      this.preview();
    };
    this.server.listeners.push((answers) => {
      this.mark({ connected: answers ? "yes" : "no" });
      if (answers) this.say("connected again");
      else this.say("the studio does not answer: start it again, this page then continues", true);
    });
    addEventListener("popstate", ({ state }) => state?.entry && this.guard(() => this.open({ entry: state.entry }, false), "opening"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    addEventListener("keydown", (event) => {
      const command = event.ctrlKey || event.metaKey;
      if (command && event.key === "Enter" && !event.defaultPrevented) {
        event.preventDefault();
        this.runButton.click();
      } else if (command && event.key === "e") {
        event.preventDefault();
        this.guard(() => this.edit());
      }
      if (event.code === "Space" && event.target === document.body) {
        event.preventDefault();
        this.player.toggle();
      }
    });
  }

  // Do something, and show why it failed; what takes long (`doing`) is shown as that.
  async guard(action, doing = "") {
    const told = doing && setTimeout(() => {
      this.say(`${doing} ...`);
      this.progress.removeAttribute("value");
    }, WAIT);
    try {
      this.complain("");
      await action();
    } catch (error) {
      this.complain(error.message);
    } finally {
      clearTimeout(told);
      if (this.status.textContent === `${doing} ...`) this.say("");
      if (!this.running) this.progress.value = 0;
    }
  }

  complain(text) {
    this.error.textContent = text;
  }

  // The part of the studio that a narrow window shows.
  pane(name) {
    this.body.dataset.pane = name;
    for (const tab of this.tabs.children) tab.setAttribute("aria-pressed", String(tab.dataset.pane === name));
    if (name === "editor" && this.card) this.edit(true);
  }

  // Open or close the editor.
  edit(on = this.body.dataset.editing !== "yes") {
    this.body.dataset.editing = on ? "yes" : "no";
    document.getElementById("edit").setAttribute("aria-expanded", String(on));
    if (on) {
      this.editing ??= new EditorPane(this, this.editHost);
      this.editing.show();
    }
  }

  // Open the editor at a line.
  editAt(line) {
    if (matchMedia("(max-width: 900px)").matches) this.pane("editor");
    this.edit(true);
    this.editor.go(line);
  }

  get editor() {
    return this.editing?.editor;
  }

  async begin() {
    const { systems, opened, page, campaign } = await this.server.ask("systems");
    this.machines.append(...systems.map(({ name, about }) => element("option", { value: name, textContent: name, title: about })));
    this.memory.changes = page.changes ?? {};
    if (campaign) this.campaign = new CampaignPane(this);
    if (opened) await this.open(page.entry ? { entry: page.entry } : {}, false, page.entry ? page : null).catch(() => this.open({}, false));
    else await this.open({ system: "spatial-crane" }, false);
    setInterval(() => this.look(), LOOK);
    await this.look();
  }

  // Runs that other pages of this session have made, or that goes on since before this page was loaded.
  async look() {
    if (document.hidden || this.running || !this.card) return;
    const state = await this.server.ask("state").catch(() => null);
    if (!state || this.running) return;
    if (JSON.stringify(state.runs) !== JSON.stringify(this.runs)) this.listRuns(state.runs);
    if (["building", "running"].includes(state.stage)) this.guard(() => this.attend());
  }

  async upload() {
    const [file] = this.file.files;
    this.file.value = "";
    if (!file) return;
    if (READ.some((ending) => file.name.toLowerCase().endsWith(ending))) return this.open({ text: await file.text(), title: file.name });
    const bytes = new Uint8Array(await file.arrayBuffer());
    return this.open({ file: [...bytes].map((b) => b.toString(16).padStart(2, "0")).join(""), title: file.name });
  }

  // Open a machine; `step`: as a step of the browser's history; `page`: the state of the page to continue from.
  async open(what, step = true, page = null) {
    const turn = (this.turn = (this.turn ?? 0) + 1);
    this.busy = true; // what is half loaded is not remembered
    try {
      const { card, film, q, gaps, runs, notes, entry, history: entries } = await this.server.ask("open", what);
      if (turn !== this.turn) return; // something else was opened meanwhile
      this.showing += 1;
      if (this.server.entry !== null) this.memory.changes[this.server.entry] = this.changes;
      this.server.entry = entry;
      if (step) history.pushState({ entry }, "");
      else history.replaceState({ entry }, "");
      this.card = card;
      this.entries = entries;
      this.changes = { p: {}, q0: {}, v0: {}, gains: {}, settings: {}, ...structuredClone(this.memory.changes[entry] ?? {}) };
      this.shownRun = null;
      this.chosen = false;
      const known = [...this.machines.options].some((option) => option.value === card.title && !option.dataset.opened);
      [...this.machines.options].filter((option) => option.dataset.opened).forEach((option) => option.remove());
      if (!known) this.machines.append(element("option", { value: card.title, textContent: card.title, dataset: { opened: "yes" } }));
      this.machines.value = card.title;
      this.signals = null;
      this.clearPlots();
      this.fillSide(page?.open);
      this.editing?.show();
      this.player.chosen = "";
      this.player.caption.textContent = `${card.title}\n${card.about}`;
      await this.player.load(film);
      this.say("");
      this.listRuns(runs);
      this.warnings = { machine: notes, start: [], run: [] };
      this.assembled({ q, gaps, notes: [] }, false);
      this.showGaps();
      this.selection.show("");
      this.mark({ machine: card.title, run: "", entry: String(entry) });
      await this.restore(page ?? {}, runs);
    } finally {
      this.busy = false;
    }
  }

  // Continue where a page was left.
  async restore(page, runs) {
    const changed = Object.values(this.changes).some((values) => Object.keys(values).length);
    const run = runs.find((one) => one.run === page.run) ?? (page.entry || changed ? null : runs.at(-1));
    if (page.other) this.otherRun.value = String(page.other);
    if (run) {
      this.chosen = page.chosen ?? false;
      await this.showRun(run.run, false, page.plots);
    } else if (changed) await this.preview();
    if (!page.entry) return;
    if (page.speed) this.player.setSpeed(page.speed);
    if (page.bending > 1 && this.player.scene.bending > 1) this.player.bendBy(Math.min(page.bending, this.player.scene.bending));
    if (page.trace !== undefined && run) this.player.traceOf(page.trace);
    if (page.camera) this.player.stage.look(page.camera);
    if (page.time != null) this.player.seek(page.time);
    if (page.selected) this.player.choose(page.selected);
    if (page.pane) this.pane(page.pane);
    if (page.editing || page.draft != null) {
      this.edit(true);
      if (page.draft != null) this.editor.text = page.draft;
    }
  }

  // Everything that the library warns of, as the command line would: of the machine, of its start, of the run.
  warn() {
    const all = [...new Map(Object.values(this.warnings).flat().map((note) => [note.text, note])).values()];
    const rows = all.map(({ text, element: name }) => element("button", { className: "warning", textContent: text, title: name ? `show ${name}` : "", onclick: () => name && this.player.choose(name) }));
    this.warningBox.replaceChildren(element("summary", {}, `Warnings (${all.length})`), ...rows);
    shown([this.warningBox], all.length > 0);
    if (all.length) this.warningBox.open = true;
  }

  say(text, bad = false) {
    this.status.textContent = text;
    this.status.className = bad ? "bad" : "";
  }

  // -- running ---------------------------------------------------------------

  async run() {
    if (this.editor && this.editor.text !== this.card.text) await this.editing.apply();
    await this.asking; // the start, as the sliders have it
    await this.server.ask("run", { changes: this.changes });
    await this.attend();
  }

  // Follow the run that goes on until its end.
  async attend() {
    this.running = true;
    this.runButton.disabled = true;
    this.cancelButton.disabled = false;
    let going = null; // what has been shown of it
    const began = performance.now();
    try {
      for (;;) {
        const state = await this.server.ask("state");
        this.progress.value = state.fraction;
        this.mark({ stage: state.stage });
        this.warnings.run = state.notes;
        this.warn();
        this.say(state.stage === "building" ? "deriving and compiling ..." : state.stage === "running" ? `running: ${Math.round(100 * state.fraction)} %` : "");
        if (state.stage === "failed") {
          if (this.shownRun === going) this.shownRun = null;
          this.listRuns(state.runs);
          throw new Error(state.error);
        }
        if (state.stage === "done") {
          this.listRuns(state.runs);
          if (state.run !== null) await this.finish(state.run, going);
          return;
        }
        if (state.stage === "running" && state.run !== null && performance.now() - began > PATIENCE) {
          if (going === null) {
            this.listRuns(state.runs);
            await this.showRun(state.run);
          } else await this.follow(state.run);
          going = state.run;
        }
        await new Promise((done) => setTimeout(done, state.stage === "building" ? 150 : 120));
      }
    } finally {
      this.running = false;
      this.runButton.disabled = false;
      this.cancelButton.disabled = true;
      this.progress.value = 0;
    }
  }

  // A run that has ended is played, unless something else or an earlier time of it has been looked at meanwhile.
  async finish(run, going) {
    const { player } = this;
    if (going !== null && this.shownRun !== going) return this.say(`run ${run} has ended`);
    const back = going !== null && (player.playing || player.time < player.film.end);
    const [time, playing] = [player.time, player.playing];
    await this.showRun(run, !back);
    if (!back || this.shownRun !== run) return;
    player.seek(time);
    if (playing) player.play();
  }

  async showRun(run, play = false, plots = null) {
    const turn = (this.showing += 1);
    const { film, signals, facts, span } = await this.server.ask("film", { run });
    if (turn !== this.showing) return; // another one was asked for meanwhile
    const again = this.shownRun !== null;
    const goesOn = facts.status === "running";
    this.shownRun = run;
    this.runsList.value = String(run);
    this.player.caption.textContent = `${this.card.title}\n${this.card.about}`;
    await this.player.load(film, { keep: again && this.player.stage.touched });
    if (turn !== this.showing) return;
    if (goesOn) this.player.seek(this.player.film.end);
    const read = await Signals.read(signals, span);
    if (turn !== this.showing) return;
    [this.signals, this.panels] = [read, signals.panels];
    this.settled = turn;
    this.fillSignals();
    const names = plots ?? this.plots.map(({ names }) => names);
    this.clearPlots();
    const wanted = this.chosen && names.length ? names : this.firstPanels();
    // What a run that goes on does not know yet, such as the balance of its energies, may come with its end.
    const known = goesOn ? wanted : wanted.map((list) => list.filter((name) => this.signals.rows.has(name))).filter((list) => list.length);
    known.forEach((list) => this.addPlot(list));
    const bad = !["running", "completed", "stopped"].includes(facts.status);
    this.say(facts.message ? `${facts.status}: ${facts.message}` : facts.status, bad);
    const moved = facts.moved && Math.max(facts.moved.position, facts.moved.velocity) > 1e-12 ? `start moved onto the constraints: position by ${number(facts.moved.position)}, velocity by ${number(facts.moved.velocity)}\n` : "";
    this.facts.textContent = `${facts.status}${facts.message ? `: ${facts.message}` : ""}\n${moved}${facts.summary}`;
    if (!goesOn) {
      this.warnings.run = facts.notes;
      this.warn();
    }
    await this.compare();
    if (turn !== this.showing) return;
    this.mark({ run: String(run), status: facts.status });
    if (play) this.player.play();
  }

  // What a run that goes on has come to since it was last looked at; if it is still what is shown.
  async follow(run) {
    const turn = this.showing;
    if (this.shownRun !== run || this.settled !== turn) return;
    const { film, signals, since } = await this.server.ask("film", { run, since: this.signals.t.length }).catch(() => ({})); // it has failed: its state says why
    if (this.showing !== turn || since !== this.signals.t.length) return;
    if (film) await this.player.grow(film);
    if (!signals || this.showing !== turn) return;
    await this.signals.append(signals);
    this.plots.forEach(({ plot }) => plot.grow());
  }

  listRuns(runs) {
    this.runs = runs;
    const [list, chosen] = [this.runsList, this.runsList.value];
    list.replaceChildren(...runs.map(({ run, label, status }) => new Option(`${label} (${status})`, run)));
    if (runs.some(({ run }) => String(run) === chosen)) list.value = chosen;
    const other = this.otherRun.value;
    const ended = runs.filter(({ status }) => status !== "running");
    this.otherRun.replaceChildren(new Option("nothing", ""), ...ended.map(({ run, label }) => new Option(label, run)));
    this.otherRun.value = ended.some(({ run }) => String(run) === other) ? other : "";
    shown([this.runsBox], runs.length > 0);
  }

  async compare() {
    const run = Number(this.otherRun.value);
    this.other = null;
    this.otherName = `run ${run}`;
    if (run && run !== this.shownRun) {
      const { film, signals } = await this.server.ask("film", { run });
      const other = await Signals.read(signals);
      if (Number(this.otherRun.value) !== run) return; // another one was chosen meanwhile
      this.other = other;
      await this.player.compare(film);
    } else await this.player.compare(null);
    this.redraw();
  }

  // -- plots -----------------------------------------------------------------

  fillSignals() {
    const groups = this.panels.map(({ title, names }) => new Option(title, JSON.stringify(names)));
    const single = this.signals.names.map((name) => new Option(name, JSON.stringify([name])));
    const group = (label, options) => {
      const made = element("optgroup", { label });
      made.append(...options);
      return made;
    };
    this.signalMenu.disabled = false;
    this.signalMenu.replaceChildren(new Option("Plot ...", ""), group("together", groups), group("one signal", single));
  }

  // What to plot at first: where things are, and what pulls, drives or moves them.
  firstPanels() {
    const useful = this.panels.filter(({ title }) => !/^(quaternions|modal velocities)/.test(title));
    const second = useful.find(({ title }) => /^(tensions|modal coordinates|inputs)/.test(title)) ?? useful[1];
    return [...new Set([useful[0], second])].filter(Boolean).map((panel) => panel.names);
  }

  addPlot(names) {
    const units = new Set(names.map((name) => this.signals.units[name] ?? ""));
    const host = element("div", { className: "plotbox" });
    const close = element("button", { className: "close", textContent: "x", title: "remove this plot", ariaLabel: "remove this plot" });
    host.append(close);
    this.plotHost.append(host);
    const title = this.panels.find((panel) => panel.names.join() === names.join())?.title ?? names.join(", ");
    const plot = new Plot(host, { title, unit: units.size === 1 ? [...units][0] : "", names, signals: this.signals, other: this.other, otherName: this.otherName, height: innerWidth >= 1900 ? 220 : 160, onseek: (t) => this.player.seek(t) });
    if (this.shownRun !== null) plot.cursor(this.player.time);
    const entry = { names, plot, host };
    close.onclick = () => {
      this.chosen = true;
      plot.destroy();
      host.remove();
      this.plots.splice(this.plots.indexOf(entry), 1);
    };
    this.plots.push(entry);
  }

  // Draw the plots again, in the colours of the page.
  redraw() {
    const names = this.plots.map((entry) => entry.names);
    this.clearPlots();
    names.forEach((list) => this.addPlot(list));
  }

  clearPlots() {
    for (const { plot, host } of this.plots) {
      plot.destroy();
      host.remove();
    }
    this.plots = [];
  }

  // -- the side --------------------------------------------------------------

  fillSide(opened = {}) {
    const { card } = this;
    const section = (title, id, open, ...children) => element("details", { id, open: opened[id] ?? open }, element("summary", {}, title), ...children);
    this.warningBox = section("Warnings", "section-warnings", true);
    this.selection.host = section("Selected", "section-selected", true);
    this.runsList = element("select", { id: "runs", title: "runs of this machine", ariaLabel: "run that is shown" });
    this.runsList.onchange = () => this.guard(() => this.showRun(Number(this.runsList.value)));
    this.otherRun = element("select", { id: "other", title: "shown as a ghost, and dashed", ariaLabel: "run to compare with" });
    this.otherRun.onchange = () => this.guard(() => this.compare());
    this.facts = element("pre", { id: "facts", tabIndex: 0, ariaLabel: "facts of the run" });
    this.runsBox = section("Runs", "section-runs", true, element("label", {}, "shown ", this.runsList), element("label", {}, "compare with ", this.otherRun), this.facts);
    const parts = [this.warningBox, this.selection.host, this.runsBox];
    if (this.campaign) parts.push(section("Campaign", "section-campaign", true, ...this.campaign.parts));
    const change = this.changes.settings;
    const step = this.entry("step [s]", change.step ?? card.settings.step, (x) => (change.step = x), "step");
    const rtol = this.entry("tolerance", change.rtol ?? card.settings.rtol, (x) => (change.rtol = x), "rtol");
    // A method has a step or a tolerance; what the other one was set to is of no use to it.
    const fits = (method) => {
      const adaptive = card.adaptive.includes(method);
      shown([rtol], adaptive);
      shown([step], !adaptive);
      const [own, field, other] = adaptive ? ["rtol", rtol, "step"] : ["step", step, "rtol"];
      delete change[other];
      const value = Number(field.lastChild.value);
      if (value !== card.settings[own]) change[own] = value;
    };
    const settings = [
      this.entry("duration [s]", change.duration ?? card.settings.duration, (x) => (change.duration = x), "duration"),
      this.choice("method", card.methods, change.method ?? card.settings.method, (x) => {
        change.method = x;
        fits(x);
      }),
      step,
      rtol,
    ];
    fits(change.method ?? card.settings.method);
    parts.push(section("Simulation", "section-simulation", true, ...settings));
    if (card.parameters.length) parts.push(section("Parameters", "section-parameters", true, ...card.parameters.map((row) => this.slider(row, this.changes.p, true))));
    const gains = card.gain_parameters.map((row) => this.slider(row, this.changes.p, false));
    gains.push(...Object.entries(card.gains).flatMap(([name, value]) => this.gain(name, value)));
    if (gains.length) parts.push(section(card.law ? `Gains (${card.law})` : "Gains", "section-gains", true, ...gains));
    this.startRows = {}; // by coordinate
    const rigid = card.q0.filter((row) => !row.modal);
    const modal = card.q0.filter((row) => row.modal);
    parts.push(section("Initial position", "section-q0", rigid.length <= 8, ...rigid.map((row) => (this.startRows[row.name] = this.slider(row, this.changes.q0, true)))));
    if (modal.length) parts.push(section("Initial bending", "section-modal", false, ...modal.map((row) => this.slider(row, this.changes.q0, true))));
    parts.push(section("Initial velocity", "section-v0", false, ...card.v0.filter((row) => !row.modal).map((row) => this.slider(row, this.changes.v0, false))));
    parts.push(this.modesSection(section), this.linearSection(section));
    this.side.replaceChildren(...parts);
    shown([this.runsBox, this.warningBox, this.selection.host], false);
  }

  // Show the changes in the fields again.
  refill() {
    this.fillSide(Object.fromEntries([...this.side.querySelectorAll("details")].map((box) => [box.id, box.open])));
    this.listRuns(this.runs);
    this.warn();
  }

  entry(label, value, set, id) {
    const input = element("input", { type: "number", step: "any", value, id: `set-${id}` });
    input.onchange = () => set(Number(input.value));
    return element("label", { className: "row" }, element("span", {}, label), input);
  }

  choice(label, options, value, set) {
    const input = element("select", { id: `set-${label}` }, ...options.map((name) => new Option(name, name)));
    input.value = value;
    input.onchange = () => set(input.value);
    return element("label", { className: "row" }, element("span", {}, label), input);
  }

  // A slider; `preview`: the machine is shown with its number at once.
  slider(row, target, preview, set = null) {
    const value = target?.[row.name] ?? row.value;
    return slider({ ...row, value, lower: Math.min(row.lower, value), upper: Math.max(row.upper, value) }, (x) => {
      if (set) set(x);
      else target[row.name] = x;
      if (preview) this.preview();
    });
  }

  gain(name, value) {
    const row = (label, x, set) => this.slider({ name: label, value: x, lower: 0, upper: 3 * Math.abs(x) || 10, unit: "" }, null, false, set);
    const changed = this.changes.gains[name];
    if (!Array.isArray(value)) return [row(name, changed ?? value, (x) => (this.changes.gains[name] = x))];
    const now = [...(changed ?? value)];
    return now.map((x, k) => row(`${name} ${this.card.gain_labels[name]?.[k] ?? k + 1}`, x, (y) => {
      now[k] = y;
      this.changes.gains[name] = [...now];
    }));
  }

  // The machine where it would start, while a slider moves: the newest wish only.
  preview() {
    this.wanted = true;
    if (this.asking) return this.asking;
    this.asking = this.guard(async () => {
      while (this.wanted) {
        this.wanted = false;
        const pull = this.pull;
        this.pull = null;
        const turn = (this.showing += 1);
        const answer = await this.server.ask(pull ? "drag" : "pose", { changes: this.changes, ...(pull ?? {}) });
        const { film } = answer;
        this.assembled(answer, Boolean(pull));
        if (turn !== this.showing) continue; // a run was chosen meanwhile
        const first = this.shownRun !== null;
        this.shownRun = null;
        this.player.pause();
        await this.player.load(film, { keep: !first || this.player.stage.touched });
        this.showGaps();
        if (!this.player.stage.touched && !this.player.fits()) this.player.refit(true);
      }
    }).finally(() => (this.asking = null));
    return this.asking;
  }

  // Coordinates that followed from the constraints, or from a drag, and loops that do not close.
  assembled({ q, gaps, notes }, pulled) {
    if (pulled) this.changes.q0 = { ...this.changes.q0, ...q };
    for (const [name, row] of Object.entries(this.startRows)) if (q[name] !== undefined && (pulled || this.changes.q0[name] === undefined)) row.show(q[name]);
    const open = gaps.map(({ name, gap }) => ({ text: `'${name}' does not close: its ends are off by ${number(gap)} m`, element: name }));
    this.warnings.start = [...open, ...notes];
    this.gaps = gaps;
    this.mark({ gaps: String(gaps.length) });
    this.warn();
  }

  showGaps() {
    this.player.stage.gaps(this.gaps);
    this.player.shapes.mark(this.gaps.map(({ name }) => name));
  }

  modesSection(section) {
    const list = element("div", { id: "modes" });
    const find = async () => {
      const { modes, note } = await this.server.ask("modes", { changes: this.changes });
      list.replaceChildren(...aside(note, "Frequencies hold as far as the stiffness there does."), ...modes.map(({ mode, omega, damping, mostly }) => {
        const text = `${modeName(omega, damping)}: ${mostly}`;
        const show = async () => {
          const turn = (this.showing += 1);
          const { film } = await this.server.ask("mode", { mode });
          if (turn !== this.showing) return;
          this.shownRun = null;
          await this.player.load(film, { keep: this.player.stage.touched });
          this.player.caption.textContent = `${this.card.title}: ${text}`;
          this.player.play();
        };
        return element("button", { className: "mode", textContent: text, onclick: () => this.guard(show) });
      }));
    };
    const box = section("Vibration modes", "section-modes", false, element("button", { id: "find-modes", textContent: "about the initial position", onclick: () => this.guard(find, "finding vibration modes") }), list);
    return box;
  }

  linearSection(section) {
    const result = element("div", { id: "poles" });
    const find = async () => {
      const { poles, states, inputs, note } = await this.server.ask("linear", { changes: this.changes });
      result.replaceChildren(...aside(note, "The model holds for small deviations all the same."), poleChart(poles), element("p", {}, `${states.length} states; inputs: ${inputs.join(", ") || "none"}`), element("pre", {}, poles.map(({ re, im }) => `${number(re)} ${im < 0 ? "-" : "+"} ${number(Math.abs(im))} i`).join("\n")));
    };
    return section("Linear model", "section-linear", false, element("button", { id: "find-poles", textContent: "about the initial position", onclick: () => this.guard(find, "linearising") }), result);
  }
}

// What the server has to say about a configuration, if anything.
function aside(note, more) {
  return note ? [element("p", { className: "note" }, `${note}. ${more}`)] : [];
}

// A motion that meets no stiffness, one that grows, or a vibration.
function modeName(omega, damping) {
  if (omega === 0) return "moves freely";
  if (omega < 0) return `grows by e in ${number(-1 / omega)} s`;
  return `${number(omega / (2 * Math.PI))} Hz${damping === null ? "" : `, damping ${number(damping)}`}`;
}

export async function studio(body, options) {
  const page = new Studio(body, options);
  await page.guard(() => page.begin());
  return page;
}
