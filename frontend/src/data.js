// Packed arrays (view/page/packing.py): float32, channel by channel, the bytes of equal weight together, deflated.

export async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Of arrays that the page has computed itself there are the values.
export async function unpack({ shape, data, values }) {
  if (values) return { shape, values };
  const bytes = await inflate(data);
  const n = bytes.length / 4;
  const words = new Uint8Array(bytes.length);
  for (let byte = 0; byte < 4; byte++) {
    for (let i = 0; i < n; i++) words[4 * i + byte] = bytes[byte * n + i];
  }
  return { shape, values: new Float32Array(words.buffer) };
}

// A film: where the points and poses of a scene are at the times of its frames. A time that stands twice is a jump.
export class Film {
  static async read(packed) {
    const film = new Film();
    const names = ["t", "points", "poses", "levels", "straight_points", "straight_poses"];
    const arrays = await Promise.all(names.map((name) => packed[name] && unpack(packed[name])));
    names.forEach((name, i) => (film[name] = arrays[i] ? arrays[i].values : null));
    film.n = film.t.length;
    film.nPoints = packed.points.shape[0];
    film.nPoses = packed.poses.shape[0];
    film.nLevels = packed.levels.shape[0];
    film.at = { points: new Float32Array(film.nPoints), poses: new Float32Array(film.nPoses), levels: new Float32Array(film.nLevels) };
    return film;
  }

  // Frames that come after: a film of a run that goes on.
  async append(packed) {
    const [t, points, poses, levels] = (await Promise.all([packed.t, packed.points, packed.poses, packed.levels].map(unpack))).map(({ values }) => values);
    const [n, m] = [this.n, t.length];
    for (let i = 3; i < this.nPoses; i += 7) turnAlike(this.poses, n, poses, m, i);
    this.t = joined(this.t, n, t, m);
    this.points = joined(this.points, n, points, m);
    this.poses = joined(this.poses, n, poses, m);
    this.levels = joined(this.levels, n, levels, m);
    this.n = n + m;
  }

  get start() {
    return this.t[0];
  }

  get end() {
    return this.t[this.n - 1];
  }

  // Frame before a time, and how far the time is on the way to the next one.
  locate(time) {
    const t = this.t;
    if (this.n === 1 || time <= t[0]) return [0, 0];
    if (time >= t[this.n - 1]) return [this.n - 1, 0];
    let low = 0;
    let high = this.n - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (t[middle] <= time) low = middle;
      else high = middle;
    }
    const gap = t[low + 1] - t[low];
    return [low, gap > 0 ? (time - t[low]) / gap : 0];
  }

  // Everything at a time; bending exaggerated by a factor. Fills and returns `at`.
  show(time, exaggerate = 1) {
    const [k, u] = this.locate(time);
    const { at, n } = this;
    blend(this.points, at.points, n, k, u);
    blend(this.poses, at.poses, n, k, u);
    blend(this.levels, at.levels, n, k, u);
    at.exaggerate = this.straight_points ? exaggerate : 1;
    if (exaggerate !== 1 && this.straight_points) {
      const points = this.straight(this.straight_points, this.nPoints, k, u);
      for (let i = 0; i < points.length; i++) at.points[i] = points[i] + exaggerate * (at.points[i] - points[i]);
      const poses = this.straight(this.straight_poses, this.nPoses, k, u);
      for (let i = 0; i < poses.length; i += 7) bendMore(at.poses, poses, i, exaggerate);
    }
    for (let i = 0; i < at.poses.length; i += 7) normalise(at.poses, i + 3);
    return at;
  }

  straight(values, size, k, u) {
    const scratch = (this.scratch ??= { [this.nPoints]: new Float32Array(this.nPoints) });
    const out = (scratch[size] ??= new Float32Array(size));
    blend(values, out, this.n, k, u);
    return out;
  }
}

// Channels of n and of m values, one after the other.
export function joined(a, n, b, m) {
  const out = new Float32Array(a.length + b.length);
  for (let c = 0; c * (n + m) < out.length; c++) {
    out.set(a.subarray(c * n, (c + 1) * n), c * (n + m));
    out.set(b.subarray(c * m, (c + 1) * m), c * (n + m) + n);
  }
  return out;
}

// A quaternion and its negative are the same attitude: those that come after get the sign of those before.
function turnAlike(before, n, after, m, i) {
  let along = 0;
  for (let c = i; c < i + 4; c++) along += before[c * n + n - 1] * after[c * m];
  if (along < 0) for (let k = i * m; k < (i + 4) * m; k++) after[k] = -after[k];
}

function blend(values, out, n, k, u) {
  const next = u > 0 ? 1 : 0;
  for (let i = 0, j = k; i < out.length; i++, j += n) out[i] = values[j] + u * (values[j + next] - values[j]);
}

function normalise(a, i) {
  const size = Math.hypot(a[i], a[i + 1], a[i + 2], a[i + 3]) || 1;
  for (let c = 0; c < 4; c++) a[i + c] /= size;
}

// Position and attitude (w, x, y, z) moved by a factor times their way from the straight ones.
function bendMore(bent, straight, i, factor) {
  for (let c = 0; c < 3; c++) bent[i + c] = straight[i + c] + factor * (bent[i + c] - straight[i + c]);
  normalise(bent, i + 3);
  normalise(straight, i + 3);
  const [bw, bx, by, bz] = bent.subarray(i + 3, i + 7);
  const [sw, sx, sy, sz] = straight.subarray(i + 3, i + 7);
  let w = bw * sw + bx * sx + by * sy + bz * sz;
  let x = -bw * sx + bx * sw - by * sz + bz * sy;
  let y = -bw * sy + bx * sz + by * sw - bz * sx;
  let z = -bw * sz - bx * sy + by * sx + bz * sw;
  if (w < 0) [w, x, y, z] = [-w, -x, -y, -z];
  const sine = Math.hypot(x, y, z);
  const half = factor * Math.atan2(sine, w);
  const scale = sine > 1e-12 ? Math.sin(half) / sine : 0;
  const [tw, tx, ty, tz] = [Math.cos(half), scale * x, scale * y, scale * z];
  bent[i + 3] = tw * sw - tx * sx - ty * sy - tz * sz;
  bent[i + 4] = tw * sx + tx * sw + ty * sz - tz * sy;
  bent[i + 5] = tw * sy - tx * sz + ty * sw + tz * sx;
  bent[i + 6] = tw * sz + tx * sy - ty * sx + tz * sw;
}
