"""Figure of the page on missions: ways of least impulse around debris."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from dalembert.model import Orbit
from dalembert.plan import RendezvousLimits, plan_rendezvous

HERE = Path(__file__).parent
COLOURS = ("#4477aa", "#ee6677", "#228833", "#aa3377", "#ccbb44")

limits = RendezvousLimits(keep_out=9.6, acceleration=0.0055, plume=(14.8, 0.00165))
orbit = Orbit(altitude=700e3, inclination=1.7)
figure = Figure(figsize=(10.5, 4.4), layout="constrained")
plane, speeds = figure.subplots(1, 2, width_ratios=(1.5, 1.0))
turn = np.linspace(0.0, 2.0 * np.pi, 200)
plane.fill(limits.keep_out * np.cos(turn), limits.keep_out * np.sin(turn), color="#eeeeee", label="keep-out zone")
plane.fill([-0.75, 0.75, 0.75, -0.75], [-1.9, -1.9, 1.9, 1.9], color="#999999")
for angle, colour in zip((0.0, 45.0, 90.0, 130.0, 165.0), COLOURS, strict=True):
    side = np.pi - np.radians(angle)
    end = [7.4 * np.cos(side), 7.4 * np.sin(side), 0.0, 0.0, 0.0, 0.0]
    path = plan_rendezvous([-30.0, 0, 0, 0, 0, 0], end, limits, times=(-486.0, -194.0, 0.0), orbit=orbit)
    t = np.linspace(-486.0, 0.0, 300)
    x = np.array([path.state(float(s)) for s in t])
    plane.plot(x[:, 0], x[:, 1], color=colour, label=f"{angle:.0f} degrees, {path.impulse:.2f} m/s")
    speeds.plot(t, np.linalg.norm(x[:, 3:], axis=1), color=colour)
    for edge in (side - limits.corridor, side + limits.corridor):
        plane.plot([0.0, 14.0 * np.cos(edge)], [0.0, 14.0 * np.sin(edge)], color=colour, linewidth=0.6, linestyle=":")
plane.set_aspect("equal")
plane.set_ylim(-14.0, 14.0)
plane.set_xlabel("x [m]")
plane.set_ylabel("y [m]")
plane.legend(fontsize=7, loc="lower left")
speeds.axvline(-194.0, color="#bbbbbb", linewidth=0.8)
speeds.set_xlabel("t [s], the arm begins at 0")
speeds.set_ylabel("speed [m/s]")
speeds.grid(alpha=0.25)
figure.savefig(HERE / "rendezvous.png", dpi=90)
