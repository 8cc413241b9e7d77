"""Models of machines that carry their error: what is proven of them holds for the machine."""

from __future__ import annotations

import control
import numpy as np
import pytest

import dalembert as da
from dalembert.control.mu import guaranteed_ranges, robust_stability, worst_gain
from dalembert.control.uncertain import LFT, DeltaBlock, neglected_delay, parameter, system_lft, uncertain
from dalembert.control.uncertain.blocks import merged
from dalembert.control.uncertain.error import majorant, moved_by
from dalembert.control.uncertain.reduction import lifted, reduce_map
from dalembert.control.uncertain.replay import replayed
from dalembert.control.uncertain.tapes import SIGNALS, relation_tape, symbols
from dalembert.core.errors import DalembertError, InputError


def arm(modes: int, load: float | da.Parameter = 2.0, **beam: object) -> da.Machine:
    tube = da.Section(1.13e-4, 4.64e-9, 4.64e-9)
    settings = {"E": da.Parameter("E", 70e9), "rho": 2700.0, "damping": 0.01, **beam}
    link = da.Beam(
        "link",
        1.0,
        tube,
        settings["E"],
        26e9,
        settings["rho"],
        (("y", modes),),
        "clamped-free",
        damping=settings["damping"],
    )
    return da.Machine(
        "arm",
        bodies=[da.Body("hub", mass=1.0, inertia=(0.05, 0.05, 0.05)), link, da.point_mass("load", load)],
        joints=[
            da.Joint("theta", "revolute", "world", "hub", axis="z"),
            da.Joint("root", "fixed", "hub", "link"),
            da.Joint("tip", "fixed", "link.tip", "load"),
        ],
        motors=[da.Motor("tau", "theta")],
        gravity=(0, 0, 0),
    )


def same_model(model, machine: da.Machine, values: dict[str, float], at: dict[str, float] | None = None) -> float:
    """Largest difference from the linear model, each entry relative to its row and column."""
    plant, ours = da.linearize(machine, at=at, p=values), model.at(**values, **(at or {}))
    nv = plant.nstates // 2
    truth, found = np.hstack([plant.A, plant.B])[nv:], np.hstack([ours.A, ours.B])[nv:]
    column = np.where(np.abs(truth).max(axis=0) > 0, np.abs(truth).max(axis=0), 1.0)
    row = (np.abs(truth) / column).max(axis=1)
    return float((np.abs(found - truth) / column / np.where(row > 0, row, 1.0)[:, None]).max())


# -- parameters that vanished ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("modes", "span"), [(4, (30e9, 110e9)), (3, (50e9, 90e9)), (6, (50e9, 90e9))])
def test_the_modulus_of_a_beam_stays_uncertain(modes: int, span: tuple[float, float]) -> None:
    machine = arm(modes)
    model = uncertain(machine, {"E": span})
    assert model.lft.sizes == {"E": 2 * modes}
    assert model.error.bound is not None and model.error.sampled < 1e-11
    for E in (span[0], 61e9, span[1]):
        assert same_model(model, machine, {"E": E}) < 1e-12


def late_loop(E: float, delay: float) -> float:
    """Largest real part of the poles of the arm behind a delay, by its own linear model and a Pade approximation."""
    plant = da.linearize(arm(4), p={"E": E}, outputs=["theta", "theta_dot"])
    late = control.ss(*control.ssdata(control.tf(*control.pade(delay, 6))))
    loop = control.series(late, plant)
    closed = control.feedback(loop, control.ss([], [], [], [[20.0, 6.0]]))
    return float(closed.poles().real.max())


@pytest.mark.slow
def test_no_guarantee_where_the_linear_model_is_unstable() -> None:
    assert late_loop(90e9, 0.010) > 1.0 and late_loop(110e9, 0.010) > 3.0  # the truth
    model = uncertain(arm(4), {"E": (30e9, 110e9)}, outputs=["theta", "theta_dot"])
    late = model.lft @ neglected_delay("delay", 0.010)
    proof = robust_stability(late.feedback([[20.0, 6.0]], late.outputs, late.inputs), level=1.0, seconds=20.0)
    assert not proof.guaranteed and proof.lower > 1.0


@pytest.mark.slow
def test_gains_that_drive_a_mode_are_not_guaranteed_and_the_run_diverges() -> None:
    machine = arm(4)
    gains = {"theta": 20.0, "theta_dot": 6.0, "link_delta1": 1778.28}
    model = uncertain(machine, {"E": (30e9, 110e9)})
    K = np.array([[gains.get(n, 0.0) for n in model.lft.outputs]])
    plant = da.linearize(machine, p={"E": 30e9})
    assert np.linalg.eigvals(plant.A - plant.B @ K).real.max() == pytest.approx(4.32, abs=0.01)
    law = da.control.linear_feedback(machine, K, measured=model.lft.outputs, controls=["tau"])
    runs = [
        da.simulate(machine, duration=1.2, control=law, q0={"theta": 1e-4}, p={"E": E}, method="rk4", step=2e-4)
        for E in (30e9, 70e9)
    ]
    late = [np.abs(run["theta"][run.t > 1.0]).max() for run in runs]
    assert late[0] > 1e-3 > 1e-4 > late[1]  # the soft arm diverges, the nominal one comes to rest
    proof = robust_stability(model.lft.feedback(K, model.lft.outputs, model.lft.inputs), level=1.0, seconds=20.0)
    assert not proof.guaranteed and proof.lower > 1.0
    found = guaranteed_ranges(model, K, seconds=5.0)
    assert not found.ranges or found.ranges["E"][0] > 30e9


def springs(soft: float, stiff: float, mass: float) -> da.Machine:
    k, m = da.Parameter("k", soft), da.Parameter("m", mass)
    return da.Machine(
        "springs",
        bodies=[da.point_mass("one", 1.0), da.point_mass("two", m), da.point_mass("three", 1.0)],
        joints=[
            da.Joint("x", "prismatic", "world", "one", axis="x", stiffness=stiff),
            da.Joint("y", "prismatic", "world", "two", axis="x", stiffness=k),
            da.Joint("z", "prismatic", "one", "three", axis="x", stiffness=k),
        ],
        motors=[da.Motor("F", "x"), da.Motor("G", "y")],
    )


@pytest.mark.parametrize(("soft", "stiff", "mass"), [(1.0, 1e11, 1.0), (1.0, 1.0, 1e-12), (1e-12, 1e12, 1e9)])
def test_small_numbers_beside_large_ones_stay(soft: float, stiff: float, mass: float) -> None:
    machine = springs(soft, stiff, mass)
    model = uncertain(machine, {"k": (0.5 * soft, 2.0 * soft), "m": (0.5 * mass, 2.0 * mass)})
    assert set(model.lft.sizes) == {"k", "m"}
    for values in ({"k": 0.6 * soft, "m": 1.9 * mass}, {"k": 2.0 * soft, "m": 0.5 * mass}):
        assert same_model(model, machine, values) < 1e-12


@pytest.mark.parametrize("modes", [1, 4])
@pytest.mark.parametrize("damping", [0.0, 0.01])
def test_density_gives_numbers_of_the_size_of_the_machine(modes: int, damping: float) -> None:
    machine = arm(modes, E=70e9, rho=da.Parameter("rho", 2700.0), damping=damping)
    model = uncertain(machine, {"rho": (1000.0, 4000.0)}, outputs=["theta", "theta_dot"])
    plant = da.linearize(machine)
    assert np.abs(model.lft.M11).max() < 10.0 * np.abs(plant.A).max()
    full = uncertain(machine, {"rho": (1000.0, 4000.0)})
    assert max(same_model(full, machine, {"rho": v}) for v in (1000.0, 1900.0, 4000.0)) < 1e-12
    if damping and modes == 1:
        loop = model.lft.feedback([[20.0, 6.0]], model.lft.outputs, model.lft.inputs)
        proof = robust_stability(loop, level=1.0, seconds=30.0)
        assert proof.lower < 1.0, proof.message  # the truth is stable


def test_factors_of_any_size_are_no_singular_loop() -> None:
    product = (1e7 * parameter("p")) @ (1e6 * parameter("a")) * 1e-14
    named = LFT(product.M11, product.M12, product.M21, product.M22, product.blocks, ("i",), ("o",))
    still = robust_stability(named.feedback([[1.0]], ["o"], ["i"]))
    assert still.lower == pytest.approx(np.sqrt(0.1), rel=1e-6) == still.upper
    lag = system_lft(control.ss(-1, 1, 1, 0, inputs=["u"], outputs=["y"]))
    proof = robust_stability(lag.feedback(named, ["y"], ["u"]), level=0.4)
    assert proof.guaranteed and proof.lower < 0.3163


def test_reduction_without_tolerance_drops_nothing() -> None:
    small = 1e-13 * parameter("a") + parameter("b") @ parameter("b") + parameter("b")
    assert small.reduced(0.0).sizes == {"a": 1, "b": 3}
    assert small.reduced().at(a=1.0, b=0.0)[0, 0] == pytest.approx(1e-13)
    for tolerance in (0.0, 1e-8):
        assert uncertain(arm(2), {"E": (50e9, 90e9)}, tolerance=tolerance).lft.sizes["E"] >= 4


@pytest.mark.parametrize("units", [(1e-12, 1.0, 1.0), (1e12, 1e-3, 1e3), (1e6, 1e3, 1e-3)])
def test_what_is_kept_does_not_depend_on_units(units: tuple[float, float, float]) -> None:
    mass, length, _ = units

    def crane(m: float, l: float, t: float) -> da.Machine:
        payload, rope = da.Parameter("payload", 3.0 * m), da.Parameter("length", 2.0 * l)
        box = m * l**2
        return da.Machine(
            "crane",
            bodies=[
                da.Body("trolley", mass=5.0 * m, inertia=(box, box, box)),
                da.point_mass("load", payload, com=(0, 0, -rope)),
            ],
            joints=[
                da.Joint("x", "prismatic", "world", "trolley", axis="x"),
                da.Joint("theta", "revolute", "trolley", "load", axis="y"),
            ],
            motors=[da.Motor("F", "x")],
            gravity=(0, 0, -9.81 * l / t**2),
        )

    machine = crane(*units)
    ranges = {"payload": (mass, 9.0 * mass), "length": (length, 3.0 * length)}
    model = uncertain(machine, ranges)
    assert model.lft.sizes == {"payload": 1, "length": 1}
    assert same_model(model, machine, {"payload": 1.3 * mass, "length": 2.9 * length}) < 1e-12
    assert model.error.bound is not None


# -- the bound ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tolerance", [0.0, 1e-8, 0.3, 0.9])
def test_the_bound_covers_whatever_a_reduction_did(tolerance: float) -> None:
    machine = arm(2, da.Parameter("load", 2.0))
    eom = da.equations(machine, backend="vm")
    p = eom.parameter_values(None)
    numbers = {n: eom.p_names.index(n) for n in ("E", "load")}
    point = da.analysis.equilibrium(eom, eom.q_neutral, p=p)
    tape = relation_tape(eom, symbols(eom.q_neutral, p, {}, {}, numbers), point, None)
    raw = replayed(tape, SIGNALS, {}, {"E": (50e9, 90e9), "load": (1.0, 3.0)})
    blocks, order = merged(raw.blocks)
    A, B, C, D = raw.matrices
    reduced = reduce_map((A[np.ix_(order, order)], B[order], C[:, order], D), blocks, tolerance)
    E_A, E_B, E_C, E_D = lifted(reduced.steps, tuple(np.zeros_like(X) for X in reduced.matrices))
    back = np.argsort(order)
    P = moved_by(raw, majorant(raw), (E_A[np.ix_(back, back)], E_B[back], E_C[:, back], E_D))
    assert np.isfinite(P).all()
    full, small = LFT(*raw.matrices, raw.blocks), LFT(*reduced.matrices, reduced.blocks)
    rng = np.random.default_rng(0)
    largest = 0.0
    for _ in range(50):
        values = {n: rng.uniform(-1, 1) for n in full.sizes}
        moved = np.abs(full.at(**values) - small.at(**{n: values[n] for n in small.sizes}))
        rounding = 1e-14 * np.abs(full.at(**values)).max(axis=1, keepdims=True)
        assert (moved <= P + rounding).all()
        largest = max(largest, float((moved / np.maximum(P, 1e-300)).max()))
    if tolerance == 0.9:
        assert largest > 1e-3  # here the reduction did change the map, and the bound is not out of proportion


def test_a_wrong_model_is_seen_by_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    import dalembert.control.uncertain.relation as relation

    def spoiled(*given: object) -> tuple[np.ndarray, ...]:
        A, B, C, D = solved(*given)
        wrong = D.copy()
        wrong[0, 0] += 1e-4 * np.abs(D).max()
        return A, B, C, wrong

    solved = relation._solved
    monkeypatch.setattr(relation, "_solved", spoiled)
    with pytest.raises(InputError, match="differs from the machine"):
        uncertain(arm(1), {"E": (50e9, 90e9)})


@pytest.mark.slow
def test_the_bound_costs_under_five_per_cent_of_the_margin() -> None:
    model = uncertain(arm(4), {"E": (50e9, 90e9)}, outputs=["theta", "theta_dot"])
    loop = model.lft.feedback([[20.0, 6.0]], model.lft.outputs, model.lft.inputs)
    with_error = robust_stability(loop, level=0.6, seconds=60.0)
    alone = robust_stability(loop.without_error(), level=0.6 / 1.05, seconds=60.0)
    assert with_error.complete, with_error.message
    assert with_error.upper < 1.05 * max(alone.upper, 0.6)


def test_the_error_keeps_its_size_at_every_level() -> None:
    A, B = np.array([[-1.0]]), np.ones((1, 2))
    blocks = (DeltaBlock("1/s", 1, "state"), DeltaBlock("p", 1), DeltaBlock("model error", 1, "error"))
    M11 = np.block([[A, B], [np.array([[0.5], [0.9]]), np.zeros((2, 2))]])
    loop = LFT(M11, np.zeros((3, 0)), np.zeros((0, 3)), np.zeros((0, 0)), blocks)
    # 1 - 0.5 p - 0.9 e > 0: with an error of one the parameter may reach 0.2, whatever the level
    assert not robust_stability(loop, level=4.9, seconds=5.0).complete
    assert robust_stability(loop, level=5.2, seconds=5.0).complete
    assert not robust_stability(loop, level=1.0, seconds=0.5).complete
    assert robust_stability(loop, level=1.0, seconds=5.0).lower < 1.0  # the error is no value that anyone can set


def test_without_a_bound_the_result_is_about_the_lft() -> None:
    blocks = (DeltaBlock("1/s", 1, "state"), DeltaBlock("p", 1), DeltaBlock("model error", 0, "error", 3e-13))
    M11 = np.array([[-1.0, 1.0], [0.5, 0.0]])
    loop = LFT(M11, np.array([[1.0], [0.0]]), np.array([[1.0, 0.0]]), np.zeros((1, 1)), blocks, ("u",), ("y",))
    proof = robust_stability(loop, level=1.0)
    assert proof.complete and not proof.guaranteed
    assert "proven at 1 for the LFT (its error, sampled: 3e-13)" in proof.message
    gain = worst_gain(loop, ["u"], ["y"], bound=2.5)
    assert gain.complete and gain.sampled_error == 3e-13 and "for the LFT" in gain.message


def test_a_parameter_that_drops_out_has_no_effect() -> None:
    depth = da.Parameter("depth", 0.3)
    machine = da.Machine(
        "slider",
        bodies=[da.Body("block", mass=2.0, com=(0, depth, 0), inertia=(1, 1, 1))],
        joints=[da.Joint("x", "prismatic", "world", "block", axis="x", stiffness=3.0, damping=0.5)],
        motors=[da.Motor("F", "x")],
    )
    model = uncertain(machine, {"depth": (0.1, 0.9)})
    assert model.lft.sizes == {} and model.error.bound is not None
    proof = robust_stability(model.lft.feedback([[1.0, 1.0]], model.lft.outputs, model.lft.inputs))
    assert proof.guaranteed and proof.sampled_error is None


# -- equilibria and coordinates ----------------------------------------------------------------------------------------


def hanging_spring(motor: bool) -> da.Machine:
    load = da.Parameter("load", 2.0)
    return da.Machine(
        "spring",
        bodies=[da.point_mass("load", load, com=(0.5, 0, 0))],
        joints=[da.Joint("theta", "revolute", "world", "load", axis=(0, -1, 0), stiffness=40.0, rest=0.0)],
        motors=[da.Motor("tau", "theta")] if motor else [],
    )


def test_an_equilibrium_that_moves_is_refused_with_its_distance() -> None:
    free = hanging_spring(motor=False)
    rest = 0.0
    for _ in range(50):  # 40 theta = -2 g 0.5 cos(theta)
        rest -= (40.0 * rest + 9.81 * np.cos(rest)) / (40.0 - 9.81 * np.sin(rest))
    da.linearize(free, at={"theta": rest})
    with pytest.raises(InputError, match=r"equilibrium has moved by 0\.\d+ in 'theta'") as refused:
        uncertain(free, {"load": (1.0, 3.0)}, at={"theta": rest})
    distance = float(str(refused.value).split("moved by ")[1].split(" ")[0])
    there = rest
    for _ in range(50):
        there -= (40.0 * there + 0.5 * 9.81 * np.cos(there)) / (40.0 - 0.5 * 9.81 * np.sin(there))
    assert distance == pytest.approx(abs(there - rest), rel=1e-5)
    held = hanging_spring(motor=True)  # the motor holds what is left
    model = uncertain(held, {"load": (1.0, 3.0)}, at={"theta": rest})
    for load in (1.0, 2.7):
        plant, ours = da.linearize(held, at={"theta": rest}, p={"load": load}), model.at(load=load)
        assert np.allclose(ours.A, plant.A, rtol=1e-12)


@pytest.mark.parametrize(("gain", "guaranteed"), [(-0.5001, False), (-0.4999, True)])
def test_a_narrow_island_of_instability_is_found(gain: float, guaranteed: bool) -> None:
    """The least stiffness, 0.5 N/m at 50.3, is above zero with the feedback or below it in 0.2 of 80 only."""
    k = da.Parameter("k", 40.0)
    stiffness = (k - 50.3) * (k - 50.3) * 0.01 + 0.5
    joint = da.Joint("x", "prismatic", "world", "block", axis="x", stiffness=stiffness, damping=0.4)
    machine = da.Machine("island", [da.point_mass("block", 1.0)], [joint], motors=[da.Motor("F", "x")])
    lft = uncertain(machine, {"k": (10.0, 90.0)}).lft
    assert robust_stability(lft.feedback([[gain, 0.0]], lft.outputs, lft.inputs), level=1.0).guaranteed == guaranteed


def test_a_large_force_elsewhere_does_not_hide_a_load() -> None:
    """A spring of 0.5 Nm/rad beside a weight of 2 MN: the pendulum moves, whatever the motor holds."""
    rest = da.Parameter("rest", 0.0)
    pendulum = da.Joint("swing", "revolute", "world", "bob", axis="y", stiffness=0.5, rest=rest, damping=0.05)
    machine = da.Machine(
        "mixed",
        bodies=[da.point_mass("weight", 2e5), da.point_mass("bob", 0.1, com=(0, 0, -0.4))],
        joints=[da.Joint("lift", "prismatic", "world", "weight", axis="z"), pendulum],
        motors=[da.Motor("F", "lift")],
    )
    da.linearize(machine)
    with pytest.raises(InputError, match=r"a force of -0\.5 at 'swing_dot' is left unbalanced"):
        da.linearize(machine, p={"rest": 1.0})
    with pytest.raises(
        InputError, match=r"equilibrium has moved by 0\.57\d* in 'swing'"
    ):  # 0.5 (x - 1) = -0.3924 sin x
        uncertain(machine, {"rest": (-1.0, 1.0)})


def test_the_length_of_a_rope_is_uncertain() -> None:
    from dalembert.systems.cranes import hanging, planar_crane, uniform_cable

    crane = planar_crane(uniform_cable(1, 2.0, payload=3.0), trolley=5.0, lengths="hoisted")
    at = hanging(crane)
    name = "l1"
    model = uncertain(crane, {name: (1.0, 4.0)}, at=at)
    assert name in model.lft.sizes and model.error.bound is not None
    for length in (1.0, 2.2, 4.0):
        q = np.array(at, dtype=float) if not isinstance(at, dict) else {**at, name: length}
        if not isinstance(q, dict):
            q[crane.q_names.index(name)] = length
        plant, ours = da.linearize(crane, at=q), model.at(**{name: length})
        assert np.abs(ours.A - plant.A).max() < 1e-12 * np.abs(plant.A).max()


def test_angles_beyond_a_half_turn_need_the_quarter() -> None:
    machine = arm(1)
    with pytest.raises(DalembertError, match="tangent='quarter'"):
        uncertain(machine, {"theta": (-3.5, 3.5)})
    assert uncertain(machine, {"theta": (-3.5, 3.5)}, tangent="quarter").error.sampled < 1e-12
    with pytest.raises(DalembertError, match="360 degrees"):
        uncertain(machine, {"theta": (-7.0, 1.0)}, tangent="quarter")


@pytest.mark.slow
def test_positions_of_frames_are_outputs() -> None:
    length = da.Parameter("length", 2.0)
    crane = da.Machine(
        "crane",
        bodies=[da.Body("trolley", mass=5.0, inertia=(1, 1, 1)), da.point_mass("load", 3.0, com=(0, 0, -length))],
        joints=[
            da.Joint("x", "prismatic", "world", "trolley", axis="x"),
            da.Joint("theta", "revolute", "trolley", "load", axis="y"),
        ],
        frames=[da.Frame("hook", "load", da.Transform((0, 0, -length)))],
        motors=[da.Motor("F", "x"), da.Motor("T", "theta")],
    )
    outputs = ["hook.x", "theta_dot", "hook.z", "x"]
    model = uncertain(crane, {"length": (1.0, 3.0), "theta": (-0.4, 0.9)}, outputs=outputs)
    for values in ({"length": 1.1, "theta": 0.8}, {"length": 3.0, "theta": -0.4}):
        plant = da.linearize(crane, at={"theta": values["theta"]}, p={"length": values["length"]}, outputs=outputs)
        ours = model.at(**values)
        assert list(ours.output_labels) == list(plant.output_labels)
        assert np.allclose(ours(0.7j), plant(0.7j), rtol=1e-12, atol=1e-12)
    K = [[-3.0, 0.0, 0.0, 9.0], [0.0, 4.0, 0.0, 0.0]]
    loop = model.lft.feedback(K, model.lft.outputs, model.lft.inputs)
    assert sum(b.kind == "error" and b.size > 0 for b in loop.blocks) == 2
    robust_stability(loop, level=1.0, seconds=5.0)  # both errors take part
    with pytest.raises(DalembertError, match=r"hook\.w"):
        uncertain(crane, {"length": (1.0, 3.0)}, outputs=["hook.w"])


@pytest.mark.slow
def test_random_machines_agree_with_their_models_and_keep_their_guarantees() -> None:
    from dalembert.studies.robust_control.random_models import judge

    seeds = (0, 1, 2, 3, 4, 5, 7, 12)  # the stored result has all of them
    verdicts = [judge(seed, points=100, samples=1000, seconds=4.0) for seed in seeds]
    assert all(v.status == "agrees" for v in verdicts), verdicts
    assert all(v.bound is not None and v.broken == 0 for v in verdicts), verdicts
    assert sum(v.guarantee > 0.0 for v in verdicts) >= 5 and sum(v.outside > 0 for v in verdicts) >= 2
