// The state of the page, stored with the session: sliders, camera, plots, compared runs, the text in the editor. A reload,
// a second page or a studio that was started again continue from it.

const EVERY = 800; // milliseconds

export class Memory {
  constructor(studio) {
    this.studio = studio;
    this.changes = {}; // of every machine of the session
    this.sent = "";
    setInterval(() => this.store(), EVERY);
    addEventListener("pagehide", () => this.store(true));
    document.addEventListener("visibilitychange", () => document.hidden && this.store(true));
  }

  state() {
    const { studio } = this;
    const { player } = studio;
    if (!studio.card || !player.film) return null;
    this.changes[studio.server.entry] = studio.changes;
    const draft = studio.editor?.text;
    return {
      entry: studio.server.entry,
      changes: this.changes,
      run: studio.shownRun,
      other: Number(studio.otherRun.value) || null,
      plots: studio.plots.map(({ names }) => names),
      chosen: studio.chosen,
      camera: player.stage.touched ? player.stage.placement() : null,
      time: player.playing ? null : player.time,
      speed: player.speed,
      bending: player.exaggerate,
      trace: player.trace.value,
      selected: player.chosen,
      pane: studio.body.dataset.pane,
      editing: studio.body.dataset.editing === "yes",
      draft: draft !== undefined && draft !== studio.card.text ? draft : null,
      open: Object.fromEntries([...studio.side.querySelectorAll("details")].map((box) => [box.id, box.open])),
    };
  }

  async store(last = false) {
    if (this.studio.busy) return;
    const page = this.state();
    const text = page && JSON.stringify(page);
    if (!text || text === this.sent || (page.time === null && !last)) return;
    this.sent = text;
    await this.studio.server.ask("remember", { page }, { keepalive: last && text.length < 60000 }).catch(() => (this.sent = ""));
  }
}
