// A run that the page has made: its rows, by the names of states, held values and signals.

export class LiveRun {
  constructor(live, rows) {
    Object.assign(this, rows);
    const { states, held, outputs } = live.program;
    this.live = live;
    this.places = new Map([
      ...held.map((name, i) => [name, [this.c, i]]),
      ...outputs.map((name, i) => [name, [this.y, i]]),
      ...states.map((name, i) => [name, [this.x, i]]),
    ]);
    this.own = live.q_names.map((name) => this.places.get(name));
  }

  // All values of a signal; undefined: there is none of that name.
  signal(name) {
    const place = this.places.get(name);
    return place && Float64Array.from(place[0], (row) => row[place[1]]);
  }

  // A signal between the row k and the next one.
  value(name, k, u = 0) {
    const place = this.places.get(name);
    return place && between(place, k, u);
  }

  // Coordinates of the machine between two rows; attitudes on the shorter way, normalised.
  coordinates(k, u = 0) {
    const q = Float64Array.from(this.own, (place) => between(place, k, u));
    if (u > 0) for (const first of this.live.quaternions) this.turn(q, first, k, u);
    return q;
  }

  turn(q, first, k, u) {
    const at = (row) => this.own.slice(first, first + 4).map(([rows, i]) => rows[row][i]);
    const [a, b] = [at(k), at(k + 1)];
    const sign = a.reduce((sum, c, i) => sum + c * b[i], 0) < 0 ? -1 : 1;
    const mixed = a.map((c, i) => c + u * (sign * b[i] - c));
    const size = Math.hypot(...mixed) || 1;
    mixed.forEach((c, i) => (q[first + i] = c / size));
  }
}

function between([rows, i], k, u) {
  return u > 0 ? rows[k][i] + u * (rows[k + 1][i] - rows[k][i]) : rows[k][i];
}
