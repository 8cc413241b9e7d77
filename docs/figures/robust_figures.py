"""Pictures of robust control: sensitivities, poles, structured singular values, guaranteed ranges."""

from __future__ import annotations

import sys
from pathlib import Path

import control
import numpy as np

import dalembert as da
from dalembert.control.mu import robust_stability
from dalembert.control.uncertain import LFT, UncertainMachine, neglected_delay, uncertain
from dalembert.studies.robust_control.chaser import (
    LIMITS,
    PRINTED_RANGES,
    as_complex,
    closed_loop,
    one_by_one,
    performance_loop,
    ranges_at,
)
from dalembert.studies.robust_control.lyapunov import INDEFINITE, pd_gains
from dalembert.studies.robust_control.synthesis import CONFIGURATIONS, mass_matrix, plant, synthesis
from dalembert.view import plot_mu, plot_poles, plot_ranges, plot_singular_values

HERE = Path(__file__).parent


def crane() -> UncertainMachine:
    """The crane of the page, over payload and length."""
    payload, length = da.Parameter("payload", 3.0), da.Parameter("length", 2.0)
    machine = da.Machine(
        "crane",
        bodies=[da.Body("trolley", mass=5.0, inertia=(1, 1, 1)), da.point_mass("load", payload, com=(0, 0, -length))],
        joints=[
            da.Joint("x", "prismatic", "world", "trolley", axis="x"),
            da.Joint("theta", "revolute", "trolley", "load", axis="y"),
        ],
        motors=[da.Motor("F", "x")],
    )
    return uncertain(machine, {"payload": (1.0, 9.0), "length": (1.0, 3.0)})


def arm_loop() -> LFT:
    """A flexible link over its load, held by gains of the hub behind any delay up to 4 ms."""
    load = da.Parameter("load", 2.0)
    machine = da.Machine(
        "arm",
        bodies=[
            da.Body("hub", mass=1.0, inertia=(0.05, 0.05, 0.05)),
            da.Beam(
                "link",
                1.0,
                da.Section(1.13e-4, 4.64e-9, 4.64e-9),
                70e9,
                26e9,
                2700.0,
                (("y", 2),),
                "clamped-free",
                damping=0.01,
            ),
            da.point_mass("load", load),
        ],
        joints=[
            da.Joint("theta", "revolute", "world", "hub", axis="z"),
            da.Joint("root", "fixed", "hub", "link"),
            da.Joint("tip", "fixed", "link.tip", "load"),
        ],
        motors=[da.Motor("tau", "theta")],
        gravity=(0, 0, 0),
    )
    model = uncertain(machine, {"load": (1.0, 3.0)}, outputs=["theta", "theta_dot"])
    late = model.lft @ neglected_delay("delay", 0.004)
    return late.feedback([[20.0, 6.0]], late.outputs, late.inputs)


def sensitivities(arm: str = "rigid", name: str = "robust_sensitivity") -> None:
    """Weighted acceleration sensitivities of the chaser's blocks after synthesis, both configurations."""
    result = synthesis("multi", arm)
    K, s = result.matrices[3], result.structure
    systems = {}
    for q in ("q1", "q2"):
        P = plant(q, arm)
        u = [P.input_labels.index(c) for c in s.controls]
        y = [P.output_labels.index(m) for m in s.measured]
        A, B, C, D = (np.array(m) for m in (P.A, P.B, P.C, P.D))
        closed = control.ss(A - B[:, u] @ K @ C[y], B, C - D[:, u] @ K @ C[y], D)
        for block, rows in (("base", range(6)), ("arm", range(6, 12))):
            systems[f"{block}, {q}"] = closed[list(rows), list(rows)]
    w = np.geomspace(1e-3, 10.0 if arm == "rigid" else 300.0, 400 if arm == "rigid" else 2000)
    plot_singular_values(systems, bounds={"bound": control.tf([1], [1])}, frequencies=w, path=HERE / f"{name}.png")


def flexible() -> None:
    """The same with the flexible arm."""
    sensitivities("flexible", "robust_sensitivity_flexible")


def poles() -> None:
    """Poles of the crane over payload and length."""
    model = crane()
    loop = model.lft.feedback([[31.6, -1.3, 26.9, -12.1]], model.lft.outputs, model.lft.inputs)
    plot_poles(loop, damping=0.2, path=HERE / "robust_poles.png")


def proof() -> None:
    """Structured singular value of the flexible arm over its load, behind a delay."""
    found = robust_stability(arm_loop(), seconds=60.0)
    print(found.message, found.lower)
    plot_mu(found, path=HERE / "robust_mu.png")


def chaser() -> None:
    """The chaser with real and with complex parameters, half tangent, at the printed levels."""
    loop = closed_loop("half")
    found = {
        "real": robust_stability(loop, level=1.39, seconds=200.0),
        "complex": robust_stability(as_complex(loop), level=1.72, seconds=200.0),
    }
    plot_mu(found, path=HERE / "robust_chaser_mu.png")


def indefinite() -> None:
    """Poles of the chaser with an indefinite gain of its base at two configurations."""
    Kp, Kd = pd_gains("mono1")
    Kp[3:6, 3:6] = INDEFINITE
    systems = {}
    for name, q in CONFIGURATIONS.items():
        M = mass_matrix(q, "printed")
        n = len(M)
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, Kp), -np.linalg.solve(M, Kd)]])
        systems[name] = control.ss(A, np.zeros((2 * n, 1)), np.zeros((1, 2 * n)), 0)
    figure = plot_poles(systems)
    figure.axes[0].set(xlim=(-0.15, 0.05), ylim=(-0.2, 0.2))
    figure.savefig(HERE / "robust_chaser_poles.png", dpi=150)


def random_configurations() -> None:
    """Weighted sensitivity of the flexible chaser at random configurations (SPACE Fig. 8.19)."""
    loop = performance_loop("half", "booms")
    w = np.geomspace(1e-3, 400.0, 1500)
    plot_singular_values(loop, samples=40, frequencies=w, path=HERE / "robust_chaser_random.png")


def ranges() -> None:
    """Guaranteed ranges of the chaser beside those of the document."""
    names = list(LIMITS)
    asked = {n: tuple(np.radians(LIMITS[n])) for n in names}
    printed = {n: tuple(np.radians(r)) for n, r in zip(names, PRINTED_RANGES["half", "5 to 1"], strict=True)}
    cases = {"SPACE, 5 to 1": printed, "at once": ranges_at(1.23), "5 to 1": one_by_one("5 to 1").ranges}
    plot_ranges(cases, limits=asked, degrees=True, path=HERE / "robust_ranges.png")


if __name__ == "__main__":
    for make in (sensitivities, flexible, poles, proof, chaser, indefinite, random_configurations, ranges):
        if len(sys.argv) < 2 or make.__name__ in sys.argv[1:]:
            make()
