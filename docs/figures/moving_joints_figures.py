"""Picture of proofs along motions: pairs of runs of a flexible arm and of the chaser approach each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from style import BLUE, RED, use_style

from dalembert.loop.rollout import rollout
from dalembert.studies.robust_control.envelopes import CASES

HERE = Path(__file__).parent
PAIRS = 40
TITLES = {"arm": "flexible arm, decay of 0.1 1/s", "chaser": "chaser with arrays, decay of 0.02 1/s"}
DECAYS = {"arm": 0.1, "chaser": 0.02}


def main() -> None:
    """Draw the picture."""
    use_style()
    figure = Figure(figsize=(8.0, 3.3), layout="constrained")
    for axes, name in zip(figure.subplots(1, 2), CASES, strict=True):
        case = CASES[name]()
        proof = case.proof(decay=DECAYS[name])
        result = rollout(
            case.eom, duration=case.duration, step=case.step, record=case.duration / 60, control=case.following,
            limits="ignore", **case.members(PAIRS, 5),
        )  # fmt: skip
        sizes = np.array([case.size(proof, result.x[:, k], result.p) for k in range(len(result.t))])
        axes.semilogy(result.t, sizes / sizes[0], color=BLUE, lw=0.6, alpha=0.6)
        axes.semilogy(result.t, np.exp(-2.0 * DECAYS[name] * result.t), color=RED, ls="--", label="proven")
        axes.set_title(TITLES[name])
        axes.set_xlabel("time [s]")
        axes.set_ylabel("V at the difference, relative [-]")
        axes.legend()
    figure.savefig(HERE / "moving_joints.png", dpi=120)


if __name__ == "__main__":
    main()
