// Films of runs that the page has made: where the points and poses of the scene are, from the tape of the machine.
import { Matrix4, Quaternion } from "three";

const FPS = 60, FEWEST = 90, MOST = 1800, NUMBERS = 400000; // frames of a film, and numbers (view/page/packing.py)
const SAG = 12; // pieces of the free part of a cable (view/baked.py)
const CLIP = 1.6; // times the usual force that an arrow shows (view/page/nodes.py)

export class Filmer {
  constructor(live, engine) {
    Object.assign(this, { live, engine });
    const { sizes } = live.drawing;
    this.size = Object.values(sizes).reduce((a, b) => a + b, 0);
    let at = 0;
    this.first = {};
    for (const [name, size] of Object.entries(sizes)) [this.first[name], at] = [at, at + size];
    this.nScene = sizes.points / 3;
    const counts = live.drawing.ways.map((way) => (way.cable ? live.drawing.cables[way.cable].points.length - 2 + SAG + 1 : way.still ? way.still.length / 3 : way.plan ? way.count : 1));
    this.nPoints = this.nScene + counts.reduce((a, b) => a + b, 0);
    this.nPoses = sizes.poses / 12;
    this.up = live.scene.up;
    let offset = this.first.forces;
    this.forces = new Map(live.drawing.forces.map(({ name, signals }) => {
      const force = { signals, offset };
      offset += 3 * (1 + signals.length);
      return [name, force];
    }));
  }

  // Smallest gap of the contacts at coordinates q: [name, gap], or null without contacts.
  gap(q, t) {
    const names = this.live.drawing.gaps;
    if (!names.length) return null;
    const values = this.engine.scene(q, t, this.size).subarray(this.first.gaps, this.first.gaps + names.length);
    const k = values.reduce((least, x, i) => (x < values[least] ? i : least), 0);
    return [names[k], values[k]];
  }

  // A film of a run, as the player takes it; `known`: a run within the place that was laid out for the machine.
  film(run, known) {
    const frames = chosen(run.t, Math.min(Math.max(Math.floor(NUMBERS / (3 * this.nPoints + 10)), 120), MOST));
    const n = frames.length;
    const bends = this.live.scene.bending > 1 && this.live.modal.length > 0;
    const film = {
      t: new Float32Array(n),
      points: new Float32Array(3 * this.nPoints * n),
      poses: new Float32Array(7 * this.nPoses * n),
      levels: new Float32Array(this.live.drawing.levels * n),
    };
    if (bends) [film.straight_points, film.straight_poses] = [new Float32Array(film.points.length), new Float32Array(film.poses.length)];
    const forces = new Map([...this.forces.keys()].map((name) => [name, new Float64Array(3 * n)]));
    const last = new Map();
    frames.forEach(([k, u, time], j) => {
      film.t[j] = time;
      const q = run.coordinates(k, u);
      const value = (name) => run.value(name, k, u);
      const held = (name) => run.value(name, k, 0); // a plan holds until the next sample
      this.put(this.engine.scene(q, time, this.size), value, held, film.points, film.poses, j, n, last, "bent", forces);
      if (!bends) return;
      for (const i of this.live.modal) q[i] = 0;
      this.put(this.engine.scene(q, time, this.size), value, held, film.straight_points, film.straight_poses, j, n, last, "straight", null);
    });
    this.levels(film.levels, forces, frames, run, n);
    const shaped = (values, channels) => ({ shape: [channels, n], values });
    return {
      scene: { ...this.live.scene, speed: speed(run.t.at(-1) - run.t[0]), cloud: known ? this.live.scene.cloud : this.cloud(film.points, n) },
      t: { shape: [n], values: film.t },
      points: shaped(film.points, 3 * this.nPoints),
      poses: shaped(film.poses, 7 * this.nPoses),
      levels: shaped(film.levels, this.live.drawing.levels),
      ...(bends ? { straight_points: shaped(film.straight_points, 3 * this.nPoints), straight_poses: shaped(film.straight_poses, 7 * this.nPoses) } : {}),
    };
  }

  // One frame: points and poses of the scene, cables, predicted paths, what stands still, where forces act.
  put(numbers, value, held, points, poses, j, n, last, kind, forces) {
    const { cables, ways } = this.live.drawing;
    for (let i = 0; i < 3 * this.nScene; i++) points[i * n + j] = numbers[this.first.points + i];
    let at = this.nScene;
    const add = (x, y, z) => {
      [x, y, z].forEach((c, i) => (points[(3 * at + i) * n + j] = c));
      at += 1;
    };
    for (const way of ways) {
      if (way.cable) {
        for (const point of this.way(cables[way.cable], way.cable, numbers, value)) add(...point);
      } else if (way.plan) {
        for (let i = 0; i < way.count; i++) add(...["x", "y", "z"].map((axis) => held(`${way.plan}.${i}.${axis}`)));
      } else if (way.still) {
        for (let i = 0; i < way.still.length; i += 3) add(way.still[i], way.still[i + 1], way.still[i + 2]);
      } else {
        const { offset } = this.forces.get(way.force);
        add(numbers[offset], numbers[offset + 1], numbers[offset + 2]);
      }
    }
    for (let m = 0; m < this.nPoses; m++) {
      const a = this.first.poses + 12 * m;
      const q = attitude(numbers, a, last, `${kind}${m}`);
      [numbers[a + 3], numbers[a + 7], numbers[a + 11], ...q].forEach((c, i) => (poses[(7 * m + i) * n + j] = c));
    }
    if (forces) {
      for (const [name, { signals, offset }] of this.forces) {
        signals.forEach((signal, s) => {
          const factor = signal ? value(signal) : 1;
          for (let c = 0; c < 3; c++) forces.get(name)[3 * j + c] += factor * numbers[offset + 3 * (s + 1) + c];
        });
      }
    }
  }

  // Way of a cable or rope: its free line that is longest at first hangs down where it is slack.
  way(cable, name, numbers, value) {
    const point = (k) => Array.from(numbers.subarray(this.first.points + 3 * k, this.first.points + 3 * k + 3));
    const points = cable.points.map(point);
    const [way, paid] = numbers.subarray(this.first.lengths + 2 * cable.row, this.first.lengths + 2 * cable.row + 2);
    const known = cable.measured.reduce((sum, section) => sum + value(`length0.${section}`), 0);
    const slack = cable.bilateral || Number.isNaN(known) ? 0 : Math.max(paid + known - way, 0);
    const k = cable.hangs;
    const line = sagging(points[k], points[k + 1], slack, this.up.map((c) => -c));
    return [...points.slice(0, k), ...line, ...points.slice(k + 2)];
  }

  // Colours of tensions, coordinates of surfaces, and vectors of forces, scaled by the whole run.
  levels(levels, forces, frames, run, n) {
    const { nodes } = this.live.scene;
    const ropes = nodes.filter((node) => node.level !== undefined);
    const tensions = ropes.map((node) => frames.map(([k, u]) => run.value(node.tension, k, u)));
    const every = tensions.flat().filter(Number.isFinite);
    const largest = every.reduce((a, b) => Math.max(a, b), 0);
    const taut = every.filter((x) => x > 1e-9 * largest);
    const least = taut.reduce((a, b) => Math.min(a, b), Infinity);
    const span = largest - least;
    ropes.forEach((node, i) => tensions[i].forEach((T, j) => {
      const share = span > 0.01 * largest ? (T - least) / span : 0.3;
      levels[node.level * n + j] = T >= least ? share : -1;
    }));
    for (const node of nodes) {
      if (node.kind !== "skin") continue;
      node.coordinates.forEach((name, i) => frames.forEach(([k, u], j) => (levels[(node.modal + i) * n + j] = run.value(name, k, u))));
    }
    const legend = this.live.scene.legend?.stress ? { stress: this.live.scene.legend.stress } : {};
    if (taut.length && ropes.length) legend.tension = [least, largest];
    const sizes = [...forces.values()].flatMap((v) => frames.map((_, j) => Math.hypot(v[3 * j], v[3 * j + 1], v[3 * j + 2])));
    const some = sizes.filter((x) => x > 0).sort((a, b) => a - b);
    const usual = some.length ? some[Math.min(some.length - 1, Math.floor(0.95 * some.length))] : 1;
    if (forces.size) legend.force = usual;
    this.live.scene.legend = legend;
    for (const node of nodes) {
      if (node.kind !== "arrow") continue;
      const v = forces.get(node.name);
      node.scale = (0.2 * this.live.scene.size) / usual;
      for (let j = 0; j < n; j++) {
        const cut = Math.min(1, (CLIP * usual) / Math.max(Math.hypot(v[3 * j], v[3 * j + 1], v[3 * j + 2]), 1e-300));
        for (let c = 0; c < 3; c++) levels[(node.vector + c) * n + j] = cut * v[3 * j + c];
      }
    }
  }

  // Some of the points, for the camera; the first one is the origin of the world, which a machine need not touch.
  cloud(points, n) {
    const cloud = [];
    const stride = Math.max(1, n >> 6);
    for (let j = 0; j < n; j += stride) {
      for (let i = 1; i < this.nPoints; i++) for (let c = 0; c < 3; c++) cloud.push(points[(3 * i + c) * n + j]);
    }
    return cloud;
  }
}

// Frames [row, part of the way to the next, time]: about evenly spaced, and both rows where something jumps.
function chosen(t, most) {
  const [start, end] = [t[0], t.at(-1)];
  if (!(end > start)) return [[0, 0, start]];
  const gap = (end - start) / (Math.min(Math.max((end - start) * FPS, FEWEST), most) - 1);
  const frames = [];
  let last = -Infinity;
  for (let k = 0; k < t.length; k++) {
    const jumps = t[k] === t[k + 1] || t[k] === t[k - 1];
    if (k === 0 || k === t.length - 1 || jumps || t[k] - last >= 0.999 * gap) {
      frames.push([k, 0, t[k]]);
      last = t[k];
    }
    if (k === t.length - 1) break;
    const pieces = Math.ceil((t[k + 1] - t[k]) / gap - 1e-6);
    for (let i = 1; i < pieces; i++) {
      last = t[k] + (i / pieces) * (t[k + 1] - t[k]);
      frames.push([k, i / pieces, last]);
    }
  }
  return frames;
}

function speed(duration) {
  return duration > 0 && duration < 2 ? duration / 4 : Math.max(1, duration / 60);
}

// Attitude (w, x, y, z) of the rotation in a pose, with the sign nearest to the one before.
function attitude(numbers, a, last, key) {
  const [xx, xy, xz, , yx, yy, yz, , zx, zy, zz] = numbers.subarray(a, a + 11);
  const { w, x, y, z } = new Quaternion().setFromRotationMatrix(new Matrix4().set(xx, xy, xz, 0, yx, yy, yz, 0, zx, zy, zz, 0, 0, 0, 0, 1));
  const [before, now] = [last.get(key), [w, x, y, z]];
  const sign = before && before.reduce((sum, c, i) => sum + c * now[i], 0) < 0 ? -1 : 1;
  last.set(key, now.map((c) => sign * c));
  return last.get(key);
}

// A straight piece of a cable, or a parabola that is longer by `slack` (view/baked.py).
export function sagging(a, b, slack, down) {
  const chord = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
  const curve = (depth) => Array.from({ length: SAG + 1 }, (_, i) => {
    const s = i / SAG;
    return a.map((c, k) => c + s * (b[k] - c) + 4 * s * (1 - s) * depth * down[k]);
  });
  if (!(slack > 1e-9 * chord)) return curve(0);
  const length = (points) => points.slice(1).reduce((sum, p, i) => sum + Math.hypot(p[0] - points[i][0], p[1] - points[i][1], p[2] - points[i][2]), 0);
  let [low, high] = [0, chord + slack];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (length(curve(middle)) < chord + slack) low = middle;
    else high = middle;
  }
  return curve(high);
}
