// The energy audit of a run in the page, as `EnergyAudit` (simulation/energy.py) defines it.

export function audit(run) {
  const [kinetic, potential] = [run.signal("energy.kinetic"), run.signal("energy.potential")];
  if (!kinetic || !potential) return null;
  const n = kinetic.length;
  const since = (name) => {
    const values = run.signal(name) ?? new Float64Array(n);
    return values.map((x) => x - values[0]);
  };
  const [input, loss] = [since("work.input"), since("work.loss")];
  const total = kinetic.map((x, i) => x + potential[i]);
  const unbooked = total.map((x, i) => x - total[0] - input[i] - loss[i]);
  const transitions = new Float64Array(n); // time stands still in a transition
  for (let i = 1; i < n; i++) transitions[i] = transitions[i - 1] + (run.t[i] === run.t[i - 1] ? unbooked[i] - unbooked[i - 1] : 0);
  const most = (values) => values.reduce((m, x) => Math.max(m, Math.abs(x)), 0);
  const peak = kinetic.reduce((m, x, i) => Math.max(m, x + Math.abs(potential[i] - potential[0])), -Infinity);
  const rounding = 16 * Number.EPSILON * [kinetic, potential, input, loss].reduce((sum, x) => sum + most(x), 0);
  const balance = unbooked.map((x, i) => {
    const left = Math.abs(x - transitions[i]) <= rounding ? 0 : x - transitions[i];
    return peak > 0 ? left / peak : left;
  });
  return { kinetic, potential, input, loss, transitions, total, balance, peak, drift: most(balance) };
}

// What each energy has changed by since the start, by the names of its lines.
export function energyColumns({ kinetic, potential, input, loss, transitions, total, balance }) {
  const since = (values) => values.map((x) => x - values[0]);
  const lines = { kinetic, potential, "input work": input, "loss work": loss, transitions, sum: total };
  return { ...Object.fromEntries(Object.entries(lines).map(([name, values]) => [name, since(values)])), balance };
}
