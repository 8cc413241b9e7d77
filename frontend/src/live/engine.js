// The engine in a page: the WebAssembly of a machine (io/wasm/live.c), its rows and events as arrays.

const ARRAYS = ["X", "P", "C", "ROWS_T", "ROWS_X", "ROWS_C", "OUTPUTS", "EVENTS_T", "Q", "SCENE"]; // as in live.c
const REACHED = 0, YIELD = 2, FULL = 3, LOG_FULL = 8, STOPPED = 12; // as in loop.h
const ENDS = {
  4: "diverged: the state stopped being finite, or the constraints could not be kept",
  5: "diverged: the step shrank below the resolution of time",
  6: "failed: it took more steps than it may",
  9: "failed: events accumulate",
  10: "failed: a transition leads nowhere: no forces obey the laws of its contacts, or a gap is open",
  11: "failed: a transition has no finite state",
};
const SLICE = 0.012; // seconds of work between two looks at the page

// What the C library of a module asks of its surroundings: a clock; everything else it does without.
function surroundings(module, memory) {
  const clock = (id, precision, at) => {
    new DataView(memory().buffer).setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
    return 0;
  };
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    (imports[from] ??= {})[name] = name === "clock_time_get" ? clock : () => 52; // not supported
  }
  return imports;
}

export class Engine {
  static async load(bytes, program) {
    const engine = new Engine();
    const module = await WebAssembly.compile(bytes);
    const instance = await WebAssembly.instantiate(module, surroundings(module, () => engine.code.memory));
    engine.code = instance.exports;
    engine.program = program;
    engine.code._initialize?.();
    engine.code.live_reset();
    return engine;
  }

  // A view of an array of the module, `count` numbers from `first` on.
  array(name, count, first = 0) {
    return new Float64Array(this.code.memory.buffer, this.code.live_array(ARRAYS.indexOf(name)) + 8 * first, count);
  }

  // The experiment that the page was written for, with other states and parameters. Returns how far constraints have
  // moved the states from what was asked, or null where they cannot be kept.
  start(x, p) {
    const { x0, p0, moves } = this.program;
    this.code.live_reset();
    const moved = x.some((value, i) => value !== x0[i]) || p.some((value, i) => value !== p0[i]);
    this.array("X", x.length).set(x);
    this.array("P", p.length).set(p);
    if (this.code.live_settle(moved ? 1 : 0)) return null;
    return this.array("X", x.length).reduce((most, value, i) => (moves[i] ? Math.max(most, Math.abs(value - x[i])) : most), 0);
  }

  // Signals at the present state.
  outputs() {
    this.code.live_now();
    return this.array("OUTPUTS", this.program.outputs.length);
  }

  // Simulate from where `start` has put the state. `look(fraction)`: called now and then; false ends the run.
  async run(duration, look = () => true) {
    const { code, program } = this;
    const rows = { t: [], x: [], c: [], y: [] };
    const events = [];
    const t0 = code.live_time();
    const began = performance.now();
    let status = "";
    if (code.live_begin(duration)) status = ENDS[10];
    let read = this.read(rows, events);
    let waited = performance.now();
    while (!status) {
      const outcome = code.live_advance(SLICE);
      read += this.read(rows, events);
      if (outcome === REACHED) status = "completed";
      else if (outcome === STOPPED) status = "stopped";
      else if (outcome !== FULL && outcome !== LOG_FULL && outcome !== YIELD) status = ENDS[outcome] ?? `failed: outcome ${outcome}`;
      if (!status && performance.now() - waited > 1000 * SLICE) {
        if (!look((code.live_time() - t0) / duration)) return null;
        await new Promise((resolve) => setTimeout(resolve));
        waited = performance.now();
      }
    }
    if (rows.t.at(-1) !== code.live_time()) {
      code.live_last();
      this.read(rows, events, read);
    }
    return { ...rows, events, status, steps: code.live_steps(), seconds: (performance.now() - began) / 1000 };
  }

  // Take rows and events that are new.
  read(rows, events, skip = 0) {
    const { code, program } = this;
    const [n, m, held] = [program.states.length, program.outputs.length, program.held.length];
    const count = code.live_rows();
    const first = skip ? count - 1 : 0;
    for (let k = first; k < count; k++) {
      code.live_outputs(k);
      rows.t.push(this.array("ROWS_T", 1, k)[0]);
      rows.x.push(this.array("ROWS_X", n, k * n).slice());
      rows.c.push(this.array("ROWS_C", held, k * held).slice());
      rows.y.push(this.array("OUTPUTS", m).slice());
    }
    const here = skip ? 0 : code.live_events();
    for (let k = 0; k < here; k++) {
      const { name, hidden } = program.events[code.live_event(k)];
      if (!hidden) events.push({ name, t: this.array("EVENTS_T", 1, k)[0], sign: code.live_sign(k) });
    }
    return count;
  }

  // Everything that is drawn at coordinates q of the machine; a view that the next call overwrites.
  scene(q, t, size) {
    this.array("Q", q.length).set(q);
    this.code.live_scene(t);
    return this.array("SCENE", size);
  }
}
