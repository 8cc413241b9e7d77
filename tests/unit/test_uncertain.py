"""Linear fractional transformations: their algebra against matrices, and machines against their own linear models."""

from __future__ import annotations

import control
import numpy as np
import pytest

import dalembert as da
from dalembert.control.uncertain import (
    LFT,
    DeltaBlock,
    append,
    constant,
    multiplicative,
    neglected_delay,
    neglected_lag,
    parameter,
    rotation,
    system_lft,
    uncertain,
)
from dalembert.core.errors import DalembertError


def random_lft(seed: int, rows: int, columns: int) -> LFT:
    rng = np.random.default_rng(seed)
    blocks = (DeltaBlock("a", 2), DeltaBlock("b", 1), DeltaBlock("a", 1))
    return LFT(
        0.2 * rng.normal(size=(4, 4)),
        rng.normal(size=(4, columns)),
        rng.normal(size=(rows, 4)),
        rng.normal(size=(rows, columns)) + 3 * np.eye(rows, columns),
        blocks,
    )


VALUES = {"a": 0.37, "b": -0.61}


def test_algebra_is_that_of_matrices() -> None:
    x, y = random_lft(1, 3, 3), random_lft(2, 3, 3)
    X, Y = x.at(**VALUES), y.at(**VALUES)
    C = np.arange(9.0).reshape(3, 3)
    assert np.allclose((x + y).at(**VALUES), X + Y)
    assert np.allclose((x - C).at(**VALUES), X - C)
    assert np.allclose((x @ y).at(**VALUES), X @ Y)
    assert np.allclose((C @ x).at(**VALUES), C @ X)
    assert np.allclose((2.5 * x).at(**VALUES), 2.5 * X)
    assert np.allclose(x.T.at(**VALUES), X.T)
    assert np.allclose(x.inverse().at(**VALUES), np.linalg.inv(X))
    assert np.allclose(append(x, y).at(**VALUES)[:3, :3], X)
    assert np.allclose(x.reduced().at(**VALUES), X)
    assert np.allclose(x.close({"a": VALUES["a"]}).at(b=VALUES["b"]), X)


def test_normalised_blocks_run_from_minus_one_to_one() -> None:
    x = random_lft(3, 2, 2)
    n = x.normalised({"a": (0.2, 0.8), "b": (-1.0, 0.5)})
    assert np.allclose(n.at(a=-1.0, b=1.0), x.at(a=0.2, b=0.5))
    assert np.allclose(n.at(a=0.3, b=-0.4), x.at(a=0.5 + 0.3 * 0.3, b=-0.25 - 0.4 * 0.75))


def test_reduction_removes_what_does_not_matter() -> None:
    d = parameter("d")
    squared = d @ d
    twice = squared + squared - 2.0 * squared  # zero, in six repetitions
    assert twice.size == 6 and twice.reduced().size == 0
    assert (squared + constant([[1.0]])).reduced().size == 2


@pytest.mark.parametrize(("tangent", "part", "size"), [("half", 0.5, 2), ("quarter", 0.25, 4)])
@pytest.mark.parametrize("angle", [-2.9, -0.3, 0.0, 1.7])
def test_rotation_in_the_fewest_repetitions(tangent: str, part: float, size: int, angle: float) -> None:
    R = rotation("angle", tangent)
    assert R.size == size == R.reduced().size
    expected = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    assert np.allclose(R.at(angle=np.tan(part * angle)), expected, atol=1e-14)


def test_feedback_is_that_of_python_control() -> None:
    rng = np.random.default_rng(0)
    plant = control.ss(
        rng.normal(size=(3, 3)),
        rng.normal(size=(3, 2)),
        rng.normal(size=(2, 3)),
        0,
        inputs=["u", "d"],
        outputs=["y", "z"],
    )
    K = control.tf([2.0, 1.0], [1.0, 5.0])
    closed = system_lft(plant).feedback(K, ["y"], ["u"])
    reference = control.feedback(control.ss(plant), control.append(control.ss(K), control.ss([], [], [], [[0.0]])))
    s = 0.7j
    got, _ = closed.state_space()
    G = got[3] + got[2] @ np.linalg.solve(s * np.eye(len(got[0])) - got[0], got[1])
    assert np.allclose(G, reference(s))


def floating_arm(flexible: bool = False) -> da.Machine:
    T = da.Transform
    bodies: list = [da.Body("base", mass=80.0, inertia=(20.0, 30.0, 25.0), com=(0.1, 0.0, 0.05))]
    joints = [da.Joint("base", "free", "world", "base")]
    parent = "base"
    for k, axis in enumerate(((0, 0, 1), (0, 1, 0), (1, 0, 0))):
        name = f"link{k + 1}"
        if flexible and k == 1:
            section = da.Section(1e-3, I_y=1e-7, I_z=1e-7)
            bodies.append(da.Beam(name, 1.0, section, 7e10, 2.7e10, 2700.0, modes={"y": 1, "z": 1}))
            at = f"{name}.tip"
        else:
            bodies.append(da.Body(name, mass=5.0 - k, com=(0.4, 0.1, -0.05), inertia=(0.3, 0.6, 0.5)))
            at = name
        place = T((0.5, 0.1, 0.2)) if k == 0 else T((0.0, 0.0, 0.1)) if parent.endswith(".tip") else T((0.9, 0.0, 0.1))
        joints.append(da.Joint(f"theta{k + 1}", "revolute", parent, name, place, axis=axis))
        parent = at
    motors = [da.Motor(f"m{k + 1}", f"theta{k + 1}") for k in range(3)]
    return da.Machine("arm", bodies, joints, motors=motors, gravity=(0, 0, 0))


RANGES = {"theta1": (-1.5, 1.5), "theta2": (-0.5, 2.9), "theta3": (-2.0, 2.5)}


@pytest.mark.parametrize(
    ("tangent", "flexible", "joints"),
    [
        ("half", True, ["theta2"]),
        pytest.param("half", True, list(RANGES), marks=pytest.mark.slow),
        pytest.param("quarter", False, list(RANGES), marks=[pytest.mark.slow, pytest.mark.long]),
        pytest.param("half", False, list(RANGES), marks=pytest.mark.slow),
        pytest.param("quarter", True, list(RANGES), marks=pytest.mark.slow),
    ],
)
def test_machine_has_its_mass_matrix_and_its_linear_model_at_every_configuration(tangent, flexible, joints) -> None:
    machine, ranges = floating_arm(flexible), {name: RANGES[name] for name in joints}
    eom = da.equations(machine, backend="vm")
    model = uncertain(machine, ranges, tangent=tangent)
    assert set(model.lft.sizes) <= set(ranges)
    rng = np.random.default_rng(1)
    for _ in range(4):
        values = {n: rng.uniform(*r) for n, r in ranges.items()}
        q = machine.q_neutral
        for n, v in values.items():
            q[machine.q_names.index(n)] = v
        M = eom.mass_matrix(q)
        assert np.abs(model.mass_matrix(**values) - M).max() < 1e-11 * np.abs(M).max()
        plant, ours = da.linearize(machine, at=q), model.at(**values)
        assert np.allclose(ours.A, plant.A, rtol=0, atol=1e-11 * np.abs(plant.A).max())
        assert np.allclose(ours.B, plant.B, rtol=0, atol=1e-11 * np.abs(plant.B).max())
    assert model.values(**model.normalised(**values)) == pytest.approx(values)


def test_signals_and_readings_of_sensors_are_outputs() -> None:
    """A floating arm with gyro, encoders and an accelerometer: LFT and linear model agree, and a run has the rates."""
    arm = floating_arm().with_(
        frames=[da.Frame("tool", "link3", da.Transform((0.5, 0.0, 0.1)))],
        signals=[
            da.Signal("hand", frame="tool"),
            da.Signal("twist", "theta1_dot - 2 * theta2_dot * cos(0.3)"),
            da.Signal("lift", "hand.z + 0.5 * twist"),
        ],
        sensors=[
            da.Sensor("gyro", ["base.rate", "hand.rate"], period=1e-2, noise=1e-3),
            da.Sensor("encoder", ["theta1", "theta3", "lift"], period=1e-3, quantum=1e-4),
        ],
    )
    outputs = ["tool.ax", "tool.az", "gyro", "encoder", "lift", "hand.vy", "position.tool.x", "tool.vx"]
    model = uncertain(arm, {"theta2": (-0.5, 2.9)}, at={"theta1": 0.4, "theta3": -0.3}, outputs=outputs)
    assert model.lft.outputs[2] == "gyro_base_wx" and model.lft.outputs[10] == "encoder_lift"
    for value in (-0.4, 1.1):
        at = {"theta1": 0.4, "theta2": value, "theta3": -0.3}
        plant, ours = da.linearize(arm, at, outputs=outputs), model.at(theta2=value)
        assert list(ours.output_labels) == list(plant.output_labels)
        for name in "ABCD":
            expected = np.asarray(getattr(plant, name))
            assert np.allclose(getattr(ours, name), expected, rtol=0, atol=1e-11 * max(np.abs(expected).max(), 1.0))
    v, a = plant.output_labels.index("tool_vx"), 0
    assert np.allclose(plant.C[a], plant.C[v] @ plant.A, atol=1e-12)  # at rest
    assert np.allclose(plant.D[a], plant.C[v] @ plant.B, atol=1e-12) and np.abs(plant.D[a]).max() > 1e-3
    with pytest.raises(da.InputError, match=r"part of a quaternion.*hand\.wx"):
        da.linearize(arm, outputs=["hand.qx"])
    with pytest.raises(da.UnknownNameError, match=r"tool\.bx"):
        uncertain(arm, {"theta2": (0.0, 1.0)}, outputs=["tool.bx"])


def test_crane_over_payload_and_length() -> None:
    m, l = da.Parameter("payload", 3.0), da.Parameter("length", 2.0)
    crane = da.Machine(
        "crane",
        bodies=[da.Body("trolley", mass=5.0, inertia=(1, 1, 1)), da.point_mass("load", m, com=(0, 0, -l))],
        joints=[
            da.Joint("x", "prismatic", "world", "trolley", axis=(1, 0, 0)),
            da.Joint("theta", "revolute", "trolley", "load", axis=(0, 1, 0)),
        ],
        motors=[da.Motor("F", "x")],
    )
    model = uncertain(crane, {"payload": (1.0, 9.0), "length": (1.0, 3.0)}, outputs=["x", "theta"])
    assert model.lft.sizes == {"payload": 1, "length": 1}
    for values in ({"payload": 1.0, "length": 3.0}, {"payload": 6.5, "length": 1.2}):
        assert np.allclose(model.at(**values)(1.3j), da.linearize(crane, p=values, outputs=["x", "theta"])(1.3j))


def flexible_link() -> da.Machine:
    E, damping, load = da.Parameter("E", 70e9), da.Parameter("damping", 0.01), da.Parameter("load", 2.0)
    tube = da.Section(1.13e-4, 4.64e-9, 4.64e-9)
    return da.Machine(
        "arm",
        bodies=[
            da.Body("hub", mass=1.0, inertia=(0.05, 0.05, 0.05)),
            da.Beam("link", 1.0, tube, E, 26e9, 2700.0, (("y", 2),), "clamped-free", damping=damping),
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


def test_frequencies_and_damping_of_a_link_are_uncertain() -> None:
    machine = flexible_link()
    ranges = {"E": (60e9, 80e9), "damping": (0.005, 0.02), "load": (1.0, 3.0)}
    model = uncertain(machine, ranges)
    assert model.roots == {"E"}  # the damping of a mode has the root of its stiffness
    for values in ({"E": 61e9, "damping": 0.017, "load": 1.2}, {"E": 79e9, "damping": 0.006, "load": 2.9}):
        A, expected = np.array(model.at(**values).A), np.array(da.linearize(machine, p=values).A)
        assert np.abs(A - expected).max() <= 1e-11 * np.abs(expected).max()
        assert model.values(**model.normalised(**values)) == pytest.approx(values)
    frequency = [
        np.abs(np.linalg.eigvals(np.array(model.at(E=E, damping=0.01, load=2.0).A))).max() for E in ranges["E"]
    ]
    assert frequency[1] / frequency[0] == pytest.approx(np.sqrt(80 / 60), rel=1e-6)


def test_neglected_dynamics_are_covered_by_their_weights() -> None:
    w = np.geomspace(1e-3, 1e4, 2000)
    for made, truth in (
        (neglected_delay, lambda T: np.exp(-1j * w * T)),
        (neglected_lag, lambda T: 1 / (1 + 1j * w * T)),
    ):
        block = made("x", 0.2)
        low, high = block.close({"x": 0.0}), block.close({"x": 1.0})
        responses = [
            np.array([system.at()(1j * x) if system.blocks else system.M22[0, 0] for x in w]) for system in (low, high)
        ]
        size = np.abs(responses[1] - responses[0])
        for T in (0.02, 0.1, 0.2):
            assert (np.abs(truth(T) - 1.0) <= size * (1.0 + 1e-9)).all()
    gain = multiplicative("k", 0.3)
    assert gain.at(k=0.5) == pytest.approx(1.15)
    with pytest.raises(DalembertError, match="positive number of seconds"):
        neglected_lag("x", -1.0)


def test_samples_are_values_of_all_blocks_within_their_sizes() -> None:
    late = random_lft(4, 2, 2) @ append(neglected_delay("late", 0.1), constant([[1.0]]))
    drawn = late.sample(400, seed=1)
    assert drawn == late.sample(400, seed=1) != late.sample(400, seed=2)
    for name in ("a", "b"):
        values = np.array([d[name] for d in drawn])
        assert np.isrealobj(values) and np.abs(values).max() <= 1.0 and abs(values.mean()) < 0.15
    disk = np.array([d["late"] for d in drawn])
    assert np.abs(disk).max() <= 1.0 and np.mean(np.abs(disk) < np.sqrt(0.5)) == pytest.approx(0.5, abs=0.1)
    assert late.close(drawn[0]).size == 0
    model = uncertain(floating_arm(), {"theta1": (-0.8, 0.3)})
    (values,) = model.sample(1)
    assert -0.8 <= values["theta1"] <= 0.3 and model.at(**values).nstates == 18
    with pytest.raises(DalembertError, match="full block 'p'"):
        LFT(np.eye(2), np.eye(2), np.eye(2), np.eye(2), (DeltaBlock("p", 2, "full"),)).sample(1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: uncertain(floating_arm(), {}), "at least one"),
        (lambda: uncertain(floating_arm(), {"theta9": (0, 1)}), "theta9"),
        (lambda: uncertain(floating_arm(), {"theta1": (1, 0)}), "theta1"),
        (lambda: uncertain(floating_arm(), {"theta1": (0, 1)}, outputs=["y"]), "'y'"),
        (lambda: uncertain(floating_arm(), {"theta1": (0, 1)}, tangent="third"), "third"),
        (lambda: random_lft(1, 2, 2).at(a=1.0), "missing: b"),
        (lambda: random_lft(1, 2, 2).close({"c": 1.0}), "'c'"),
        (lambda: random_lft(1, 2, 2).normalised({"a": (2.0, 1.0)}), "'a'"),
        (lambda: DeltaBlock("x", 1, "odd"), "odd"),
    ],
)
def test_wrong_input_is_named(call, words: str) -> None:
    with pytest.raises(DalembertError, match=words):
        call()


def test_ranges_keep_the_bounds_of_the_machine() -> None:
    load = da.Parameter("load", 2.0)
    slider = da.Machine(
        "slider",
        bodies=[da.point_mass("block", load)],
        joints=[da.Joint("x", "prismatic", "world", "block", axis="x")],
        motors=[da.Motor("F", "x")],
    )
    assert uncertain(slider, {"load": (1.0, 3.0)}).lft.sizes == {"load": 1}
    with pytest.raises(DalembertError, match="mass of body 'block'"):
        uncertain(slider, {"load": (-1.0, 3.0)})
