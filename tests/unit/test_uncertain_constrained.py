"""Uncertain models of machines with constraints and cables, beside `linearize` and samples of the machine."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.control.mu import guaranteed_ranges, robust_stability
from dalembert.control.uncertain import uncertain

UP = (0.0, -1.0, 0.0)


def same(machine, model, truth, outputs=None, count=5, **point) -> float:
    """Largest difference of the matrices of both models at random values, relative to the largest entry."""
    worst = 0.0
    for values in model.sample(count):
        plant, ours = truth(values), model.at(**values)
        assert list(ours.output_labels) == list(plant.output_labels)
        for name in "ABCD":
            a, b = np.asarray(getattr(ours, name)), np.asarray(getattr(plant, name))
            worst = max(worst, np.abs(a - b).max(initial=0.0) / max(np.abs(b).max(initial=0.0), 1e-3))
    return worst


def pendulum(mass=1.3, stiffness=0.0, length=0.8) -> da.Machine:
    """A point mass on a rod: all of its stiffness is that of the reaction."""
    return da.Machine(
        "pendulum",
        bodies=[da.Body("slide"), da.point_mass("bob", mass)],
        joints=[
            da.Joint("x", "prismatic", "world", "slide", axis=(1, 0, 0), damping=0.2, stiffness=stiffness),
            da.Joint("z", "prismatic", "slide", "bob", axis=(0, 0, 1)),
        ],
        constraints=[da.DistanceConstraint("rod", "bob", length=length)],
        motors=[da.Motor("F", "x")],
    )


def linkage(seed: int) -> tuple[da.Machine, dict[str, tuple[float, float]], dict[str, float]]:
    """A closed chain of bars in a plane under gravity, held by motors, with random uncertain numbers."""
    rng = np.random.default_rng([seed, 3])
    n = int(rng.integers(3, 6))
    ranges: dict[str, tuple[float, float]] = {}

    def number(name: str, value: float):
        if rng.uniform() > 0.4 and ranges:
            return value
        ranges[name] = (value * (1.0 - rng.uniform(0.1, 0.6)), value * (1.0 + rng.uniform(0.1, 0.6)))
        return da.Parameter(name, value)

    angles = np.cumsum(rng.uniform(0.5, 1.0, n) * 2 * np.pi / n)
    angles += rng.uniform(0, 2 * np.pi)
    lengths = rng.uniform(0.3, 1.0, n)
    tip = np.array([lengths @ np.cos(angles), lengths @ np.sin(angles)])
    bodies, joints, parent, before, along = [], [], "world", 0.0, 0.0
    at = {}
    for k in range(n):
        m, l = float(rng.uniform(0.5, 3.0)), float(lengths[k])
        bodies.append(da.Body(f"b{k}", mass=number(f"m{k}", m), com=(l / 2, 0, 0), inertia=(1e-3, 0.1, 0.1)))
        joints.append(
            da.Joint(
                f"j{k}", "revolute", parent, f"b{k}", origin=da.Transform((before, 0, 0)), axis=UP,
                damping=number(f"c{k}", 0.2), stiffness=number(f"k{k}", float(rng.uniform(0.5, 5.0))),
            )
        )  # fmt: skip
        at[f"j{k}"] = float(angles[k] - along)
        parent, before, along = f"b{k}", l, float(angles[k])
    components = "xyz" if seed % 3 == 0 else "xz"  # with the third one redundant
    machine = da.Machine(
        "linkage",
        bodies=bodies,
        joints=joints,
        frames=[
            da.Frame("tip", f"b{n - 1}", da.Transform((before, 0, 0))),
            da.Frame("pin", "world", da.Transform((float(tip[0]), 0, float(tip[1])))),
        ],
        constraints=[da.BallConstraint("loop", "tip", "pin", components=components)],
        motors=[da.Motor(f"T{k}", f"j{k}") for k in range(n)],
    )
    return machine, ranges, at


@pytest.mark.parametrize(
    "seed", [1, 3, *(pytest.param(k, marks=[pytest.mark.slow, pytest.mark.long][: 1 + (k == 5)]) for k in (0, 2, 4, 5))]
)
def test_random_linkages_agree_with_linear_models(seed) -> None:
    machine, ranges, at = linkage(seed)
    outputs = ["j0", "b1.x", "b1.vz", "b2.wy", "j1_dot", "j2"]
    point = {"locked": ["j1"]} if seed % 4 == 1 and len(at) > 3 else {}
    model = uncertain(machine, ranges, at=at, outputs=outputs, **point)
    assert model.error.bound is not None and model.error.bound < 1e-9, model.error
    truth = lambda values: da.linearize(machine, at=at, p=values, outputs=outputs, **point)  # noqa: E731
    assert same(machine, model, truth) < 1e-9


def test_reactions_at_rest_are_part_of_the_model() -> None:
    """The rod carries m g: with a spring k the frequency is sqrt(g/l + k/m), whatever the motor."""
    mass, k = da.Parameter("m", 1.3), da.Parameter("k", 3.0)
    machine = pendulum(mass, k)
    outputs = ["x", "z", "bob.vx", "multiplier.rod"]
    model = uncertain(machine, {"m": (1.0, 2.0), "k": (1.0, 5.0)}, at={"z": -0.8}, outputs=outputs)
    assert model.lft.sizes == {"m": 1, "k": 1}
    for values in model.sample(4):
        omega = np.abs(model.at(**values).poles()).max()
        assert omega**2 == pytest.approx(9.81 / 0.8 + values["k"] / values["m"], rel=1e-12)
    truth = lambda values: da.linearize(machine, at={"z": -0.8}, p=values, outputs=outputs)  # noqa: E731
    assert same(machine, model, truth) < 1e-12


@pytest.mark.slow
def test_a_platform_on_cables_over_its_load() -> None:
    from dalembert import analysis
    from dalembert.systems import cable_robots as cr

    exits = [(-2.0, -1.5, 3.0), (-2.1, 1.5, 3.0), (2.0, 1.6, 2.8), (2.0, -1.5, 3.1)]
    anchors = [(-0.2, -0.15, 0.1), (-0.2, 0.15, 0.1), (0.2, 0.15, 0.1), (0.2, -0.15, 0.1)]
    platform = da.Body("platform", mass=da.Parameter("load", 20.0), inertia=(0.2, 0.3, 0.4))
    robot = cr.cable_robot("robot", platform, exits, anchors, drum=0.04, damping=0.05)
    guess = robot.q_neutral
    guess[list(robot.q_names).index("platform.z")] = 1.5
    q = analysis.static_equilibrium(robot, analysis.cable_lengths(robot, guess), guess).q
    for point in ({}, {"locked": [f"winch{k}" for k in (1, 2, 3, 4)]}):
        model = uncertain(robot, {"load": (10.0, 40.0)}, at=q, **point)
        truth = lambda values: da.linearize(robot, at=q, p=values, **point)  # noqa: E731, B023
        assert same(robot, model, truth, count=2) < 1e-9
        assert model.error.bound is not None and model.error.bound < 1e-10


def test_an_elastic_cable_stays_taut_over_the_ranges() -> None:
    machine = da.Machine(
        "elastic",
        bodies=[da.Body("slide", mass=0.5, inertia=(1, 1, 1)), da.point_mass("bob", da.Parameter("m", 3.0))],
        joints=[
            da.Joint("x", "prismatic", "world", "slide", axis=(1, 0, 0), damping=0.1),
            da.Joint("z", "prismatic", "slide", "bob", axis=(0, 0, 1)),
        ],
        cables=[da.Cable("hang", "bob", length=0.8, stiffness=da.Parameter("EA", 1e4), damping=3.0)],
        motors=[da.Motor("F", "x"), da.Motor("G", "z")],
    )
    model = uncertain(machine, {"m": (1.0, 5.0), "EA": (5e3, 2e4)}, at={"z": -0.85})
    truth = lambda values: da.linearize(machine, at={"z": -0.85}, p=values)  # noqa: E731
    assert same(machine, model, truth) < 1e-12


def test_guarantees_of_a_linkage_hold_for_the_machine() -> None:
    machine, ranges, at = linkage(4)
    motor = machine.motors[0].name
    model = uncertain(machine, ranges, at=at, inputs=[motor])
    A, B = (np.asarray(getattr(model.at(**{n: sum(s) / 2 for n, s in ranges.items()}), x)) for x in "AB")
    K = -30.0 * np.sign(B[len(A) // 2 :, 0]) @ np.eye(len(A))[: len(A) // 2]  # positive feedback: limits the ranges
    for gain in (0.0, 1.0):
        found = guaranteed_ranges(model, gain * K[None, :], seconds=10.0)
        if not found.guaranteed:
            continue
        rng = np.random.default_rng(5)
        for _ in range(20):
            p = {n: rng.uniform(*span) for n, span in found.ranges.items()}
            plant = da.linearize(machine, at=at, p=p, inputs=[motor])
            assert np.linalg.eigvals(plant.A - plant.B @ (gain * K[None, :])).real.max() < 0.0
    free = robust_stability(model.lft.feedback(0.0 * K[None, :], model.lft.outputs, model.lft.inputs), level=1.0)
    stable = [da.linearize(machine, at=at, p=v).poles().real.max() < 0 for v in model.sample(10)]
    assert all(stable) or not free.guaranteed


def heavy(**settings):
    """An uncertain model of the pendulum over its mass."""
    return uncertain(pendulum(da.Parameter("m", 1.0)), {"m": (1.0, 2.0)}, at={"z": -0.8}, **settings)


def moved(machine: da.Machine, name: str, span: tuple[float, float]):
    return uncertain(machine, {name: span}, at={"z": -0.8})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: moved(pendulum(length=da.Parameter("l", 0.8)), "l", (0.7, 0.9)), "'rod' is off by 0.1"),
        (lambda: moved(pendulum(), "x", (-0.1, 0.1)), r"'rod' is off by 0\.006"),
        (lambda: heavy(outputs=["multiplier.bar"]), "multiplier.rod"),
        (lambda: heavy(independent=["z"]), "depend on each other"),
        (lambda: heavy(lockd=["x"]), "lockd"),
    ],
)
def test_refusals(make, message) -> None:
    with pytest.raises(da.DalembertError, match=message):
        make()


def test_reactions_of_redundant_constraints_and_late_readings_are_no_outputs() -> None:
    machine, ranges, at = linkage(3)
    with pytest.raises(da.InputError, match="redundant"):
        uncertain(machine, ranges, at=at, outputs=["multiplier.loop[0]"])
    late = da.Sensor("encoder", "x", period=1e-3, delay=2e-3)
    measured = pendulum(da.Parameter("m", 1.0)).with_(sensors=[late])
    for call in (
        lambda: uncertain(measured, {"m": (1.0, 2.0)}, at={"z": -0.8}, outputs=["encoder.x"]),
        lambda: da.linearize(measured, {"z": -0.8}, outputs=["encoder"]),
    ):
        with pytest.raises(da.InputError, match=r"0.002 s late \(delay of sensor 'encoder'\).*neglected_delay"):
            call()


def test_readings_and_accelerations_on_constraints_are_outputs() -> None:
    """The frame of a bar in a closed chain: its acceleration is the rate of its velocity, on the constraints too."""
    machine, ranges, at = linkage(1)
    gyro = da.Sensor("gyro", ["bar.rate", "j0"], period=1e-3, noise=1e-4, bias=0.1)
    machine = machine.with_(signals=[da.Signal("bar", frame="b1")], sensors=[gyro])
    outputs = ["b1.ax", "b1.az", "gyro.bar.wy", "gyro.j0", "bar.vx", "b1.vz"]
    model = uncertain(machine, ranges, at=at, outputs=outputs)
    truth = lambda values: da.linearize(machine, at=at, p=values, outputs=outputs)  # noqa: E731
    assert same(machine, model, truth) < 1e-9
    plant = truth({})
    A, B, C, D = (np.asarray(getattr(plant, x)) for x in "ABCD")
    for acceleration, velocity in ((0, 4), (1, 5)):
        assert np.allclose(C[acceleration], C[velocity] @ A, atol=1e-10 * np.abs(A).max())
        assert np.allclose(D[acceleration], C[velocity] @ B, atol=1e-10)


def boom(omega=None) -> da.Machine:
    """A truss of eight bars on a turning hub; with other frequencies of its modes if given."""
    from dataclasses import replace

    x = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.3, 0.3, 1.0], [0.9, 0.8, 1.2]])
    K = np.zeros((15, 15))
    for i, j in ((1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2), (4, 1), (4, 2), (4, 3)):
        b = np.zeros((5, 3))
        b[i] = (x[i] - x[j]) / np.linalg.norm(x[i] - x[j])
        b[j] = -b[i]
        K += 1e4 * np.outer(b, b)
    M = np.diag(np.repeat([1.0, 1.0, 1.0, 2.0, 0.7], 3))
    body = da.FlexibleBody.from_matrices("mast", K, M, x, {"root": [0, 1, 2]}, modes=3, damping=0.02)
    if omega is not None:
        body = replace(body, reduction=replace(body.reduction, omega=np.array(omega)))
    return da.Machine(
        "boom",
        bodies=[da.Body("hub", mass=2.0, inertia=(0.5, 0.5, 0.5)), body],
        joints=[
            da.Joint("theta", "revolute", "world", "hub", axis="z", damping=0.1),
            da.Joint("root", "fixed", "hub", "mast"),
        ],
        motors=[da.Motor("tau", "theta")],
        gravity=(0, 0, 0),
    )


def test_frequencies_of_modes_are_uncertain() -> None:
    machine = boom()
    nominal = machine.bodies[1].omega
    ranges = {f"mast.omega{k}": (0.8 * nominal[k - 1], 1.3 * nominal[k - 1]) for k in (1, 3)}
    model = uncertain(machine, ranges)
    assert set(model.lft.sizes) <= set(ranges) and model.lft.sizes and model.error.bound < 1e-10

    def truth(values):
        omega = nominal.copy()
        omega[[0, 2]] = values["mast.omega1"], values["mast.omega3"]
        return da.linearize(boom(omega))

    assert same(machine, model, truth) < 1e-9
    with pytest.raises(da.InputError, match="must be positive"):
        uncertain(machine, {"mast.omega1": (-1.0, 1.0)})
    with pytest.raises(da.DalembertError, match="omega7"):
        uncertain(machine, {"mast.omega7": (1.0, 2.0)})


def test_a_rope_that_sticks_is_one_with_teeth() -> None:
    """Uncertain models refuse friction at sheaves; a rope that sticks is one with teeth on a wheel that is locked."""

    def hoist(**law) -> da.Machine:
        over = da.Sheave("world", 0.1, "y", joint="wheel", name="S", **law)
        return da.Machine(
            "hoist",
            [
                da.point_mass("cart", 4.0),
                da.point_mass("slide", 0.5),
                da.point_mass("load", da.Parameter("mass", 5.0)),
                da.Body("wheel", 1.0, inertia=(0.02, 0.02, 0.02)),
            ],
            [
                da.Joint("x", "prismatic", "world", "cart", axis="x", origin=(-1.0, 0, 0.1)),
                da.Joint("X", "prismatic", "world", "slide", axis="x", damping=0.1),
                da.Joint("Z", "prismatic", "slide", "load", axis="z"),
                da.Joint("wheel", "revolute", "world", "wheel", axis="y"),
            ],
            motors=[da.Motor("F", "x")],
            ropes=[da.Rope("r", [da.Anchor("cart"), over, da.Anchor("load")])],
        )

    at, rubs = {"X": 0.1, "Z": -0.8}, hoist(friction=0.3)
    with pytest.raises(da.InputError, match="cannot have friction or losses at sheaves"):
        uncertain(rubs, {"mass": (4.8, 5.2)}, at=at)
    point = {"locked": ["wheel"], "outputs": ["X", "X_dot"], "u": [-5.0 * 9.81]}
    model = uncertain(hoist(teeth=True), {"mass": (4.8, 5.2)}, at=at, **point)
    assert same(rubs, model, lambda p: da.linearize(rubs, at, p=p, **point)) < 1e-12
