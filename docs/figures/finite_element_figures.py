"""Figure of the page on flexible bodies: an L-frame of finite elements that falls about its hinge."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection

import dalembert as da
from dalembert.studies.flexible_bodies.frame import frame_model, frame_pendulum

HERE = Path(__file__).parent
ENLARGED = 40.0


def falling_frame() -> None:
    """Deformed mesh at four instants, coloured by the displacement, and the energies of the run."""
    model, machine = frame_model(), frame_pendulum()
    frame = machine.body("frame")
    run = da.simulate(machine, duration=0.12, method=da.ImplicitMidpoint(step=1e-4))
    modal = run.array(list(frame.q_names))
    instants = [int(np.argmin(np.abs(run.t - t))) for t in (0.0, 0.05, 0.085, 0.12)]
    u = frame.displacements(modal[instants])
    size = np.linalg.norm(u, axis=-1)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8))
    drawn = None
    for k, moved, length in zip(instants, u, size, strict=True):
        c, s = np.cos(run["hinge"][k]), np.sin(run["hinge"][k])
        x = (frame.reduction.positions + ENLARGED * moved) @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        drawn = PolyCollection(x[model.surface][:, :, :2], cmap="viridis", edgecolors="face", linewidths=0.3)
        drawn.set_array(1e3 * length[model.surface].mean(axis=1))
        drawn.set_clim(0.0, 1e3 * float(size.max()))
        left.add_collection(drawn)
        tip = x[model.sets["TIP"]].mean(axis=0)
        left.annotate(f"{1e3 * run.t[k]:.0f} ms", tip[:2], textcoords="offset points", xytext=(4, 6), fontsize=8)
    left.set(xlim=(-0.05, 0.75), ylim=(-0.6, 0.4), aspect="equal", xlabel="x [m]", ylabel="y [m]")
    left.set_title(f"displacements enlarged {ENLARGED:.0f} times", fontsize=9)
    figure.colorbar(drawn, ax=left, label="displacement [mm]")
    right.plot(1e3 * run.t, run.energy.kinetic, label="kinetic")
    right.plot(1e3 * run.t, run.energy.potential - run.energy.potential[0], label="potential")
    right.plot(1e3 * run.t, 1e6 * run.energy.residual, label=r"residual $\times 10^6$")
    right.set(xlabel="time [ms]", ylabel="energy [J]")
    right.legend()
    figure.tight_layout()
    figure.savefig(HERE / "flexible_bodies.png", dpi=110)


if __name__ == "__main__":
    falling_frame()
