"""Pictures of robust control: sensitivities, poles, structured singular values, guaranteed ranges."""

from __future__ import annotations

import sys
from pathlib import Path

import control
import numpy as np

import dalembert as da
from dalembert.control.mu import robust_performance, robust_stability
from dalembert.control.structured import TuneResult
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
from dalembert.studies.robust_control.lyapunov import random_configurations as some_configurations
from dalembert.studies.robust_control.peaks import printed_system
from dalembert.studies.robust_control.synthesis import CONFIGURATIONS, centralised, mass_matrix, plant, synthesis
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


def closed(result: TuneResult, q: str, arm: str) -> control.StateSpace:
    """The chaser at a configuration under a controller, from disturbing to weighted accelerations (8.11)."""
    K, s, P = result.matrices[3], result.structure, plant(q, arm)
    u = [P.input_labels.index(c) for c in s.controls]
    y = [P.output_labels.index(m) for m in s.measured]
    A, B, C, D = (np.array(m) for m in (P.A, P.B, P.C, P.D))
    return control.ss(A - B[:, u] @ K @ C[y], B, C - D[:, u] @ K @ C[y], D)


def drawn(result: TuneResult, arm: str, name: str, configurations: tuple[str, ...] = ("q1", "q2")) -> None:
    """Weighted sensitivities of base and arm at configurations."""
    systems = {
        f"{block}, {q}": closed(result, q, arm)[list(rows), list(rows)]
        for q in configurations
        for block, rows in (("base", range(6)), ("arm", range(6, 12)))
    }
    w = np.geomspace(1e-3, 10.0 if arm == "rigid" else 300.0, 400 if arm == "rigid" else 2000)
    plot_singular_values(systems, bounds={"bound": control.tf([1], [1])}, omega=w, path=HERE / f"{name}.png")


def sensitivities() -> None:
    """Tuned at two configurations at once (SPACE Fig. 8.5b)."""
    drawn(synthesis("multi"), "rigid", "robust_sensitivity")


def one_configuration() -> None:
    """Tuned at one configuration, and drawn at the other one too (Figs. 8.5a, 8.6a)."""
    drawn(synthesis("mono2"), "rigid", "robust_sensitivity_mono")


def central() -> None:
    """The centralised law, tuned at one configuration (Fig. 8.7)."""
    drawn(centralised("mono1", "rigid"), "rigid", "robust_centralised")


def flexible() -> None:
    """The flexible arm, tuned at one configuration and at both (Fig. 8.9)."""
    drawn(synthesis("mono1", "flexible"), "flexible", "robust_flexible_mono", ("q1",))
    drawn(synthesis("multi", "flexible"), "flexible", "robust_sensitivity_flexible")


def rigid_on_flexible() -> None:
    """Poles of the flexible chaser under gains of the rigid one, and with an indefinite gain of its base (Fig. 8.8)."""
    systems = {}
    for name, gain in (("rigid gains", None), ("indefinite gain of the base", INDEFINITE)):
        Kp, Kd = pd_gains("mono1")
        if gain is not None:
            Kp[3:6, 3:6] = gain
        P = plant("q2", "flexible")
        x, v, f = ([labels.index(f"{s}{k}") for k in range(12)] for s, labels in named(P))
        A, B, C = (np.array(m) for m in (P.A, P.B, P.C))
        systems[name] = control.ss(A - B[:, f] @ (Kp @ C[x] + Kd @ C[v]), B[:, f], C[x], 0)
    figure = plot_poles(systems)
    figure.axes[0].set_xscale("symlog", linthresh=0.01)
    figure.axes[0].set_yscale("symlog", linthresh=0.1)
    figure.savefig(HERE / "robust_rigid_on_flexible.png", dpi=150)


def named(P: control.StateSpace) -> tuple[tuple[str, list[str]], ...]:
    """Letters of positions, velocities and forces, with the labels among which they are."""
    return ("x", P.output_labels), ("v", P.output_labels), ("f", P.input_labels)


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


def fifth_joint() -> None:
    """The fifth joint alone, the others in the middle of their ranges (Fig. 8.16)."""
    alone = closed_loop("half").close(dict.fromkeys(("theta1", "theta2", "theta3", "theta4"), 0.0))
    found = {
        "real": robust_stability(alone, level=0.8, seconds=60.0),
        "complex": robust_stability(as_complex(alone), seconds=60.0),
    }
    print({name: one.message for name, one in found.items()})
    plot_mu(found, path=HERE / "robust_theta5_mu.png")


def performance() -> None:
    """Stability and performance of the chaser, half tangent, at the printed levels (Fig. 8.18)."""
    loop = performance_loop("half")
    found = {
        "real": robust_performance(loop, loop.inputs, loop.outputs, level=2.22, seconds=200.0),
        "complex": robust_performance(as_complex(loop), loop.inputs, loop.outputs, level=2.6, seconds=200.0),
    }
    print({name: one.message for name, one in found.items()})
    plot_mu(found, path=HERE / "robust_performance_mu.png")


def reduction() -> None:
    """What a bound of 1.3 leaves of a limit of a joint, in both tangents (Fig. 8.15)."""
    limits = {f"{k} deg": (0.0, np.radians(k)) for k in (30, 60, 90, 120, 150, 175)}
    cases = {
        name: {n: (0.0, m * np.arctan(np.tan(hi / m) / 1.3)) for n, (_, hi) in limits.items()}
        for name, m in (("half tangent", 2.0), ("quarter tangent", 4.0))
    }
    plot_ranges(cases, limits=limits, degrees=True, path=HERE / "robust_reduction.png")


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
    """The flexible chaser at random configurations, as (8.8) to (8.10) are printed (Fig. 8.19)."""
    systems = {f"{k}": control.ss(*printed_system(q)) for k, q in enumerate(some_configurations(12))}
    w = np.unique(np.concatenate([np.geomspace(1e-2, 3e3, 1500), *(peak_frequencies(s) for s in systems.values())]))
    figure = plot_singular_values(systems, omega=w)
    for line in figure.axes[0].lines:
        line.set(color="tab:orange", lw=0.5, alpha=0.7)
    figure.axes[0].get_legend().remove()
    figure.axes[0].axhline(10 ** (55.6 / 20), color="k", ls="--", lw=1)
    figure.savefig(HERE / "robust_chaser_random.png", dpi=150)


def peak_frequencies(system: control.StateSpace) -> np.ndarray:
    """Frequencies of the poles that oscillate, where narrow peaks are."""
    poles = system.poles()
    return np.abs(poles[(poles.imag > 0.0) & (np.abs(poles.real) < 0.1 * np.abs(poles.imag))])


def ranges() -> None:
    """Guaranteed ranges of the chaser beside those of the document, in both tangents."""
    for tangent, level, name in (("half", 1.10, "robust_ranges"), ("quarter", 1.41, "robust_ranges_quarter")):
        end = 175 if tangent == "half" else 180
        asked = {n: tuple(np.radians(np.clip(LIMITS[n], -end, end))) for n in LIMITS}
        printed = PRINTED_RANGES[tangent, "5 to 1"]
        found = one_by_one("5 to 1", tangent).ranges
        print(tangent, {n: tuple(np.degrees(r).round(1).tolist()) for n, r in found.items()})
        cases = {
            "SPACE, 5 to 1": {n: tuple(np.radians(r)) for n, r in zip(LIMITS, printed, strict=True)},
            "at once": ranges_at(level, tangent),
            "5 to 1": found,
        }
        plot_ranges(cases, limits=asked, degrees=True, path=HERE / f"{name}.png")


PICTURES = (
    sensitivities,
    one_configuration,
    central,
    flexible,
    rigid_on_flexible,
    poles,
    proof,
    chaser,
    fifth_joint,
    performance,
    reduction,
    indefinite,
    random_configurations,
    ranges,
)

if __name__ == "__main__":
    for make in PICTURES:
        if len(sys.argv) < 2 or make.__name__ in sys.argv[1:]:
            make()
