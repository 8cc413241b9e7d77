"""Parameters from recorded motion: a payload, a flexible arm, winches of a cable robot, tumbling debris.

Each record is a simulation with 1 % noise; the estimates come with intervals of 95 %.
"""

from __future__ import annotations

import numpy as np

import dalembert as da
from dalembert.systems import cable_robots

Found = tuple[da.campaigns.Identification, dict[str, float]]


def noisy(run: da.Run, names: list[str], seed: int) -> dict[str, np.ndarray]:
    """Record signals of a run with noise of 1 % of their range."""
    rng = np.random.default_rng(seed)
    return {"t": run.t} | {n: run[n] + 0.01 * np.ptp(run[n]) / 2 * rng.normal(size=len(run.t)) for n in names}


def payload_and_cable_length(seed: int = 0) -> Found:
    """From the travel of a trolley and the sway of its load."""
    mass, length = da.Parameter("mass", 200.0), da.Parameter("length", 4.0)
    crane = da.Machine(
        "crane",
        bodies=[da.point_mass("trolley", 150.0), da.point_mass("load", mass, com=(0, 0, -length))],
        joints=[
            da.Joint("x", "prismatic", "world", "trolley", axis="x", damping=20.0),
            da.Joint("swing", "revolute", "trolley", "load", axis="y"),
        ],
        motors=[da.Motor("drive", "x", effort=2000.0)],
    )
    law = da.PD(kp=400.0, kd=700.0, reference=da.Quintic([0.0], [5.0], duration=4.0))
    truth, seen = {"mass": 260.0, "length": 4.6}, ["x", "swing"]
    run = da.simulate(crane, p=truth, control=law, duration=8.0, step=5e-3, record=0.02)
    ranges = {"mass": (50.0, 600.0), "length": (2.0, 8.0)}
    return da.identify(crane, noisy(run, seen, seed), unknown=ranges, measured=seen, control=law, step=5e-3), truth


def flexible_arm(seed: int = 0) -> Found:
    """Stiffness and damping from the ringing of the tip of an arm that was bent and let go."""
    arm = da.Machine(
        "arm",
        gravity=(0, 0, 0),
        bodies=[
            da.Beam(
                "link",
                length=1.0,
                section=da.Section(2e-4, 4e-9, 4e-9),
                E=da.Parameter("E", 7.0e10),
                density=2700.0,
                modes={"y": 2},
                damping=da.Parameter("ratio", 0.015),
            )
        ],
        joints=[da.Joint("theta", "revolute", "world", "link", axis="z", stiffness=2e4)],
        signals=[da.Signal("tip", frame="link.tip")],
    )
    truth, start = {"E": 6.1e10, "ratio": 0.02}, {"link.delta1": 0.02}
    run = da.simulate(arm, p=truth, q0=start, duration=1.0, step=2e-4, record=1e-3)
    ranges = {"E": (3e10, 1.2e11), "ratio": (1e-3, 0.1)}
    record = noisy(run, ["tip.y"], seed)
    return da.identify(arm, record, unknown=ranges, measured=["tip.y"], q0=start, step=2e-4), truth


def winch_radii(seed: int = 0) -> Found:
    """Radii of the drums of a cable robot, from encoders of the winches and a tracker of the load."""
    drums = [da.Parameter(f"drum{k}", 0.04) for k in (1, 2, 3)]
    robot = cable_robots.cable_robot(
        "robot",
        da.point_mass("load", 12.0),
        exits=[(-2.0, -1.0, 3.0), (2.0, -1.0, 3.0), (0.0, 2.0, 3.0)],
        anchors=[(0, 0, 0)] * 3,
        mount="point",
        drum=drums,
        rotor_inertia=0.02,
        damping=0.3,
    )
    truth, start = {"drum1": 0.042, "drum2": 0.039, "drum3": 0.0405}, {"y": 0.1, "z": 1.0}
    pull, seen = [-1.9, -2.0, -2.2], ["x", "y", "z", "winch1", "winch2", "winch3"]
    run = da.simulate(robot, p=truth, q0=start, control=pull, duration=0.6, step=2e-3, record=0.01)
    ranges = dict.fromkeys(truth, (0.02, 0.08))
    record = noisy(run, seen, seed)
    return da.identify(robot, record, unknown=ranges, measured=seen, q0=start, control=pull, step=2e-3), truth


def tumbling_debris(seed: int = 0) -> Found:
    """Inertia and spin from the places of four marks in the pictures of a camera, 6 m away on the z axis.

    Pictures show ratios of inertia only: the largest moment is set to one.
    """
    places = [(0.8, 0.0, 0.2), (-0.4, 0.7, 0.0), (0.1, -0.6, 0.5), (0.0, 0.2, -0.7)]
    marks = [f"mark{k}" for k in range(1, 5)]
    signals = [da.Signal(mark, frame=mark) for mark in marks]
    signals += [da.Signal(f"{axis}{mark[-1]}", f"{mark}.{axis} / (6 - {mark}.z)") for mark in marks for axis in "xy"]
    debris = da.Machine(
        "debris",
        gravity=(0, 0, 0),
        bodies=[da.Body("body", 1.0, inertia=(da.Parameter("Ix", 0.6), da.Parameter("Iy", 0.7), 1.0))],
        joints=[da.Joint("pose", "free", "world", "body")],
        frames=[da.Frame(mark, "body", da.Transform(place)) for mark, place in zip(marks, places, strict=True)],
        signals=signals,
    )
    spin = {"pose.wx": 0.5, "pose.wy": 0.8, "pose.wz": -0.3}
    truth = {"Ix": 0.55, "Iy": 0.75} | {f"v0.{name}": w for name, w in spin.items()}
    seen = [f"{axis}{k}" for k in range(1, 5) for axis in "xy"]
    run = da.simulate(debris, p={"Ix": 0.55, "Iy": 0.75}, v0=spin, duration=20.0, step=0.02, record=0.1)
    ranges = {"Ix": (0.3, 0.9), "Iy": (0.3, 0.95)} | {f"v0.{name}": (w - 0.3, w + 0.3) for name, w in spin.items()}
    guess = {name: w + 0.05 for name, w in spin.items()}
    return da.identify(debris, noisy(run, seen, seed), unknown=ranges, measured=seen, v0=guess, step=0.02), truth


def main() -> None:
    """Identify all four, and say how well."""
    for example in (payload_and_cable_length, flexible_arm, winch_radii, tumbling_debris):
        found, truth = example()
        print((example.__doc__ or "").splitlines()[0])
        for name, (low, high) in found.intervals().items():
            print(f"  {name:10} {found.values[name]:<12.5g} from {low:.5g} to {high:.5g}; it was {truth[name]:.5g}")


if __name__ == "__main__":
    main()
