"""Picture of proofs with rates: an oscillator whose stiffness varies."""

from __future__ import annotations

from pathlib import Path

import control
import numpy as np
from matplotlib.figure import Figure
from style import GREEN, RED, use_style

from dalembert.control.uncertain import LFT, constant, parameter, system_lft
from dalembert.control.varying import fastest_variation

HERE = Path(__file__).parent
DAMPING = 0.1


def oscillator(change: float) -> LFT:
    """``x'' + 2 z x' + (1 + e d) x = 0``."""
    stiffness = constant([[0.0], [-change]]) @ parameter("d") @ constant([[1.0, 0.0]])
    A = constant([[0.0, 1.0], [-1.0, -2.0 * DAMPING]]) + stiffness
    integrators = system_lft(control.ss(np.zeros((2, 2)), np.eye(2), np.eye(2), 0))
    return integrators.feedback(-A, integrators.outputs, integrators.inputs)


def growth(change: float, omega: float) -> float:
    """Largest Floquet multiplier under a triangle wave of amplitude one whose slope is the rate ``2 omega / pi``."""
    steps = 200
    h = 2.0 * np.pi / omega / steps
    over = np.eye(2)
    for k in range(steps):
        d = 2.0 / np.pi * np.arcsin(np.sin(2.0 * np.pi * (k + 0.5) / steps))
        A = np.array([[0.0, 1.0], [-1.0 - change * d, -2.0 * DAMPING]])
        over = np.linalg.solve(np.eye(2) - 0.5 * h * A, (np.eye(2) + 0.5 * h * A) @ over)  # midpoint rule
    return float(np.abs(np.linalg.eigvals(over)).max())


def main() -> None:
    """Draw the picture."""
    use_style()
    changes = np.linspace(0.22, 0.95, 8)
    proven = [fastest_variation(oscillator(float(e)), {"d": 1.0}, tolerance=0.05) for e in changes]
    omegas = np.linspace(0.15, 3.0, 36)
    unstable = [(e, 2.0 * w / np.pi) for e in np.linspace(0.2, 0.95, 26) for w in omegas if growth(e, w) > 1.0]
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.add_subplot()
    axes.plot(*zip(*unstable, strict=True), "s", ms=3, color=RED, label="a triangle wave diverges")
    axes.fill_between(changes, 0.0, proven, color=GREEN, alpha=0.35, label="proven")
    axes.set_xlabel("change of the stiffness, relative [-]")
    axes.set_ylabel("largest rate of d [1/s]")
    axes.set_ylim(0.0, 2.0)
    axes.legend(loc="upper right")
    figure.savefig(HERE / "varying.png", dpi=120)


if __name__ == "__main__":
    main()
