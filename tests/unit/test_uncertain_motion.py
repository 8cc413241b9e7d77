"""Uncertain models along motions of coordinates: velocity terms, and proofs for machines whose coordinates move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.control.uncertain import constant, uncertain
from dalembert.control.varying import block_rates, varying_gain, varying_stability

G = 9.81


def hoisted(mass=2.0, damping: float = 0.6) -> da.Machine:
    """A point mass on a rope that a winch hoists, swinging about a fixed pivot."""
    return da.Machine(
        "hoisted",
        bodies=[da.Body("rope"), da.point_mass("load", mass)],
        joints=[
            da.Joint("sway", "revolute", "world", "rope", axis=(0, 1, 0), damping=damping),
            da.Joint("l", "prismatic", "rope", "load", axis=(0, 0, -1)),
        ],
        motors=[da.Motor("M", "sway"), da.Motor("F", "l")],
    )


@pytest.fixture(scope="module")
def model():
    mass = da.Parameter("mass", 2.0)
    ranges = {"l": (1.0, 3.0), "mass": (1.0, 3.0)}
    return uncertain(hoisted(mass), ranges, at={"l": 2.0}, motion={"l": 0.4})


def test_a_hoisted_pendulum_is_its_closed_form(model) -> None:
    """``sway'' = -g/l sway - (2 l'/l + c/(m l^2)) sway'``, and hoisting does not depend on the sway."""
    assert set(model.ranges) == {"l", "mass", "l.rate"} and model.error.bound < 1e-12
    for values in model.sample(6):
        l, m, rate = values["l"], values["mass"], values["l.rate"]
        A = np.asarray(model.at(**values).A)
        assert np.allclose(A[2], [-G / l, 0.0, -2 * rate / l - 0.6 / (m * l**2), 0.0], rtol=1e-12, atol=1e-13)
        assert np.allclose(A[3], 0.0, atol=1e-13)


def test_a_crane_along_its_hoisting_agrees_with_linear_models() -> None:
    from dalembert.systems.cranes import hanging, planar_crane, uniform_cable

    crane = planar_crane(uniform_cable(2, 2.0, mass=1.0, payload=3.0), trolley=5.0, lengths="hoisted")
    at = dict(hanging(crane))
    load = crane.bodies[-1].name
    outputs = ["x", "theta2", "l1", f"{load}.x", f"{load}.vx", f"{load}.vz"]
    model = uncertain(crane, {"l1": (0.8, 2.0)}, at=at, motion={"l1": (0.5, 0.3)}, outputs=outputs)
    eom = da.equations(crane, backend="vm")
    for values in model.sample(4):
        q = np.array([values.get(n, at[n]) for n in crane.q_names])
        v, a = (np.array([values.get(f"{n}.{what}", 0.0) for n in crane.q_names]) for what in ("rate", "acceleration"))
        force = eom.inverse_dynamics(q, v, a) - eom.applied(q, v, np.zeros(eom.nu))
        u = [float(force[list(crane.q_names).index(m.joint)]) for m in crane.motors]
        plant = da.linearize(crane, at=q, v=v, u=u, require_equilibrium=False, outputs=outputs)
        ours = model.at(**values)
        for name in "ABCD":
            x, y = np.asarray(getattr(ours, name)), np.asarray(getattr(plant, name))
            assert np.abs(x - y).max() < 1e-10 * max(np.abs(y).max(), 1.0)


def test_the_proof_is_for_the_machine_while_it_moves_as_told(model) -> None:
    K = [[0.0, 0.0, 20.0, 0.0], [0.0, 30.0, 0.0, 30.0]]
    loop = model.lft.feedback(K, model.lft.outputs, model.lft.inputs)
    rates = block_rates(model, mass=0.0)
    assert rates == {"l": 0.4, "l.rate": np.inf, "mass": 0.0}  # no acceleration was given: the rate may jump
    proof = varying_stability(loop, rates)
    assert proof.guaranteed and "frozen" not in proof.message
    for faster in ({**rates, "l": 0.41}, {**rates, "mass": 1e-3}):
        proof = varying_stability(loop, faster)
        assert proof.frozen and not proof.guaranteed
    still = uncertain(hoisted(), {"l": (1.0, 3.0)}, at={"l": 2.0})
    loop = still.lft.feedback(K, still.lft.outputs, still.lft.inputs)
    assert varying_stability(loop, {"l": 0.0}).guaranteed
    assert not varying_stability(loop, {"l": 0.1}).guaranteed


def test_the_rate_of_the_forces_is_the_rate_of_the_lyapunov_function() -> None:
    """Tied, the certificate falls where ``l'`` is the rate of ``d`` as well, at rates that the untied one misses."""
    model = uncertain(hoisted(damping=2.0), {"l": (1.0, 3.0)}, at={"l": 2.0}, motion={"l": (0.5, 1.0)})
    loop = model.lft.feedback([[0.0, 0.0, 3.0, 0.0], [0.0, 30.0, 0.0, 30.0]], model.lft.outputs, model.lft.inputs)
    untied = replace(loop, blocks=tuple(replace(b, ties=()) for b in loop.blocks))
    rates = block_rates(model)
    assert not varying_stability(untied, rates).proven
    for degree in (1, 2):
        proof = varying_stability(loop, rates, degree=degree)
        assert proof.guaranteed and ("l*l" in proof.lyapunov) is (degree == 2)
        value, slope, rng = _lyapunov(proof), 1e-6, np.random.default_rng(4)
        for d, r in rng.uniform(-1.0, 1.0, (60, 2)):
            l, rate, a = 2.0 + d, 0.5 * r, rng.choice((-1.0, 1.0))
            A = np.array([[0, 1], [-G / l, -2 * rate / l - 5.0 / (2.0 * l**2)]])  # c + k = 5
            P, change = value(d, r), (value(d + slope * rate, r + slope * a / 0.5) - value(d, r)) / slope
            assert np.linalg.eigvalsh(P)[0] > 0.0
            assert np.linalg.eigvalsh(P @ A + A.T @ P + change)[-1] < 0.0


def _lyapunov(proof):
    """``P(d_l, d_rate)`` of the sway alone, from the matrices of the proof by name."""
    pick = np.ix_([0, 2], [0, 2])

    def value(d, r):
        numbers = {"l": d, "l.rate": r}
        return sum(np.prod([numbers[x] for x in n.split("*") if x]) * P[pick] for n, P in proof.lyapunov.items())

    return value


def test_limits_of_a_winch_are_part_of_the_proof(model) -> None:
    """A saturation is no quantity of the machine: it may jump, and the guarantee stays, in a region of states."""
    from dalembert.control.uncertain import append
    from dalembert.control.varying import saturation, saturation_region

    K = np.array([[0.0, 0.0, 20.0, 0.0], [0.0, 30.0, 0.0, 30.0]])
    plant = model.lft @ append(saturation("slew", 0.6), constant([[1.0]]))
    loop = plant.feedback(K, plant.outputs, plant.inputs)
    proof = varying_stability(loop, {"l": 0.1, "mass": 0.0})
    assert proof.guaranteed and proof.rates["slew"] == np.inf
    region = saturation_region(proof, K[:1], [50.0], [0.6])
    assert region.reach.shape == (4,) and region.reach[2] <= 50.0 / 0.6 / 20.0 * (1 + 1e-9)
    assert not varying_stability(loop, {"l": 0.1}).guaranteed  # the mass may not jump


def test_lowering_pumps_the_sway_of_an_undamped_pendulum() -> None:
    """Without damping the sway grows while the rope is hoisted: nothing is proven."""
    model = uncertain(hoisted(damping=0.0), {"l": (1.0, 3.0)}, at={"l": 2.0}, motion={"l": 0.4})
    loop = model.lft.feedback([[0.0] * 4, [0.0, 30.0, 0.0, 30.0]], model.lft.outputs, model.lft.inputs)
    assert not varying_stability(loop, {"l": 0.4}).proven


def test_an_error_that_was_only_sampled_is_no_guarantee(model) -> None:
    loop = model.lft.feedback([[0.0, 0.0, 20.0, 0.0], [0.0, 30.0, 0.0, 30.0]], model.lft.outputs, model.lft.inputs)
    kept = [i for b, i in _rows(loop) if b.kind != "error"]
    blocks = tuple(replace(b, size=0, sampled=1e-12) if b.kind == "error" else b for b in loop.blocks)
    bare = replace(loop, M11=loop.M11[np.ix_(kept, kept)], M12=loop.M12[kept], M21=loop.M21[:, kept], blocks=blocks)
    rates = {"l": 0.1, "mass": 0.0}
    proof = varying_stability(bare, rates)
    assert proof.proven and proof.sampled_error == 1e-12 and not proof.guaranteed and "for the LFT" in proof.message
    gain = varying_gain(bare, [bare.inputs[0]], [bare.outputs[0]], rates)
    assert gain.proven and not gain.guaranteed


def _rows(loop):
    start = 0
    for b in loop.blocks:
        yield from ((b, i) for i in range(start, start + b.size))
        start += b.size


@pytest.mark.parametrize(
    ("motion", "message"),
    [
        ({"sway": 0.1}, "uncertain coordinate that can move"),
        ({"l": -1.0}, "rate above 0"),
        ({"l": (0.1, 0.2, 0.3)}, "rate above 0"),
    ],
)
def test_refusals(motion, message) -> None:
    with pytest.raises(da.DalembertError, match=message):
        uncertain(hoisted(), {"l": (1.0, 3.0)}, at={"l": 2.0}, motion=motion)


def test_a_motion_whose_acceleration_matters_or_that_moves_others_is_refused() -> None:
    from dalembert.systems.cranes import hanging, planar_crane, uniform_cable

    crane = planar_crane(uniform_cable(1, 2.0, payload=3.0), trolley=5.0, lengths="hoisted")
    with pytest.raises(da.InputError, match="acceleration of 'l1' has an effect"):
        uncertain(crane, {"l1": (1.0, 3.0)}, at=dict(hanging(crane)), motion={"l1": 0.5})
    bare = hoisted().with_(motors=[da.Motor("F", "l")])
    with pytest.raises(da.InputError, match="at 'sway_dot' is left unbalanced"):
        uncertain(bare.with_(gravity=(0, 0, 0)), {"sway": (-0.5, 0.5)}, at={"l": 2.0}, motion={"sway": (0.2, 0.1)})
