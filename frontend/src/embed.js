// A run in a report or a notebook: a player, and panels of plots that follow it.
import { Player } from "./player.js";
import { Plot, Signals } from "./plots.js";

export async function embed(host, packed, options = {}) {
  const player = new Player(host, options);
  host.player = player;
  await player.load(packed);
  if (options.autoplay) player.play();
  return player;
}

export async function panels(host, packed, player) {
  const signals = await Signals.read(packed);
  const plots = packed.panels.map(
    ({ title, unit, names }) => new Plot(host, { title, unit, names, signals, onseek: (t) => player?.seek(t) }),
  );
  player?.listeners.push((t) => plots.forEach((plot) => plot.cursor(t)));
  return plots;
}
