"""What each contact takes of the energy, event by event: friction while it slips, and its share of each impact."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.support.thrown_box import thrown_box

import dalembert as da

G = 9.81


def losses(run: da.Run) -> np.ndarray:
    """What all contacts have taken, of each row."""
    return np.sum([run[name] for name in run.names if name.startswith("loss.")], axis=0)


def sliders(restitution: float = 0.0) -> da.Machine:
    """Two bodies that touch the ground with their centres, so that they do not turn."""
    return da.Machine(
        "sliders",
        [da.Body(name, mass, inertia=(1.0, 1.0, 1.0)) for name, mass in (("one", 1.0), ("two", 3.0))],
        [da.Joint(name, "planar", "world", name, axis="-y") for name in ("one", "two")],
        contacts=[
            da.Contact(f"floor.{name}", name, friction=mu, restitution=restitution)
            for name, mu in (("one", 0.2), ("two", 0.5))
        ],
    )


def block() -> da.Machine:
    """A block in the plane on its two lower corners."""
    body = da.Body("block", 1.0, inertia=(1.0, (0.2**2 + 0.4**2) / 12, 1.0))
    return da.Machine(
        "block",
        [body],
        [da.Joint("b", "planar", "world", "block", axis="-y")],
        contacts=[
            da.Contact(name, "block", origin=(x, 0, -0.2), friction=0.4) for name, x in (("left", -0.1), ("right", 0.1))
        ],
    )


@pytest.mark.parametrize("backend", ["auto", "vm"])
def test_friction_takes_what_moves(backend: str) -> None:
    """Two bodies that slide to rest: each floor has taken what its own body had, and along the way mu m g s."""
    eom = da.equations(sliders(), backend=backend)
    run = da.simulate(eom, duration=1.5, v0={"one.x_dot": 2.0, "two.x_dot": 3.0}, method="dopri5", record=0.1)
    for name, mass, mu, v in (("one", 1.0, 0.2, 2.0), ("two", 3.0, 0.5, 3.0)):
        taken = run[f"loss.floor.{name}"]
        np.testing.assert_allclose(taken, mu * mass * G * run[f"{name}.x"], atol=1e-8)
        assert taken[0] == 0.0
        if v / (mu * G) < 1.5:
            assert taken[-1] == pytest.approx(0.5 * mass * v**2, abs=1e-8)
    np.testing.assert_allclose(losses(run), -run["work.loss"], atol=1e-14)


def test_impacts_take_a_part_of_the_energy() -> None:
    """A ball that bounces: (1 - e^2) of what it has left, each time; Newton's law and Poisson's are one here."""
    for law in ("newton", "poisson"):
        contact = da.Contact("floor", "ball", da.Sphere(0.1), restitution=0.8, law=law)
        slide = da.Joint("z", "prismatic", "world", "ball", axis="z")
        machine = da.Machine("ball", [da.sphere("ball", 2.0, 0.1)], [slide], contacts=[contact])
        run = da.simulate(machine, duration=2.5, q0={"z": 1.1}, method="dopri5", record=0.01)
        times = [event.t for event in run.events]
        assert len(times) > 3
        bounces = np.searchsorted(times, run.t)
        sure = ~np.isin(run.t, times)
        np.testing.assert_allclose(run["loss.floor"][sure], 2.0 * G * (1.0 - 0.64 ** bounces[sure]), rtol=1e-9)


@pytest.mark.parametrize("on_event", [None, lambda t, x, names: None], ids=["native", "python"])
def test_shares_of_an_impact(on_event: object) -> None:
    """Rows before and after an instant differ by -(u- + u+) p / 2 of each contact; that is all the audit has."""
    machine, settings = thrown_box(0)
    eom = da.equations(machine)
    run = da.simulate(eom, duration=0.6, on_event=on_event, **settings)
    pairs = [name.removeprefix("loss.") for name in run.names if name.startswith("loss.")]
    assert len(pairs) == 8
    np.testing.assert_allclose(losses(run), -run["work.loss"], atol=1e-12 * run.energy.peak)
    nq, nv, seen = eom.nq, eom.nv, 0
    for entry in run.metadata["transitions"]:
        rows = np.flatnonzero(run.t == entry["t"])
        if len(rows) != 2 or not entry["impulse"]:  # one transition at this instant: rows before and after it
            continue
        before, after = rows
        q, v, v_new = run.x[before, :nq], run.x[before, nq : nq + nv], run.x[after, nq : nq + nv]
        J = eom.contact_terms(q, v).jacobian
        for k, name in enumerate(pairs):
            p = np.array([entry["impulse"].get(row, 0.0) for row in rows_of(name)])
            share = -0.5 * (J[k] @ (v + v_new)) @ p
            jump = run[f"loss.{name}"][after] - run[f"loss.{name}"][before]
            assert jump == pytest.approx(share, abs=1e-9)  # q was moved by the gap, 1e-11 m, after it
        seen += 1
    assert seen > 1


def rows_of(pair: str) -> tuple[str, str, str]:
    """Names of a pair's normal and tangents in a log of impulses."""
    return pair, f"{pair}.friction[0]", f"{pair}.friction[1]"


@pytest.mark.slow
def test_both_ways_mean_the_same() -> None:
    """A block that falls on a corner and slides on both: time-stepping gives what each has taken, as its step falls.

    The order is one, and errors scatter with the places of impacts within steps.
    """
    start = {"q0": {"b.y": 0.35, "b.angle": 0.3}, "v0": {"b.x_dot": 1.0}, "duration": 0.6}
    exact = da.simulate(block(), method="dopri5", **start)
    expected = np.array([exact["loss.left"][-1], exact["loss.right"][-1]])
    assert expected.min() > 0.1
    errors = []
    for step in (4e-3, 1e-4):
        run = da.simulate(block(), contact="time-stepping", step=step, **start)
        errors.append(np.abs([run["loss.left"][-1], run["loss.right"][-1]] - expected).max())
    assert errors[1] < 0.01 * expected.sum()
    assert errors[1] < 0.4 * errors[0]


@pytest.mark.slow
def test_what_constraints_take_is_the_rest() -> None:
    """A carriage that is gripped while its load slides on: the grip takes the kinetic energy of the carriage."""
    machine = da.Machine(
        "grip",
        [da.point_mass("cart", 2.0), da.Body("load", 1.0, inertia=(1.0, 1.0, 1.0))],
        [
            da.Joint("cart", "prismatic", "world", "cart", axis="x"),
            da.Joint("load", "planar", "world", "load", axis="-y"),
        ],
        constraints=[da.WeldConstraint("grip", "world", "cart", switchable=True, active=False)],
        contacts=[da.Contact("floor", "load", friction=0.3)],
    )
    run = da.simulate(
        machine,
        duration=1.0,
        v0={"cart_dot": 1.5, "load.x_dot": 2.0},
        switches=[da.Switch(at=0.3, on="grip")],
        method="dopri5",
    )
    assert run["loss.floor"][-1] == pytest.approx(2.0, abs=1e-8)
    gripped = run["active.grip"] > 0.5
    rest = -run["work.loss"] - losses(run)
    np.testing.assert_allclose(rest[gripped], 2.25, atol=1e-12)
    np.testing.assert_allclose(rest[~gripped], 0.0, atol=1e-12)
    assert math.isclose(run.metadata["transitions"][0]["energy_lost"], 2.25, rel_tol=1e-12)


def test_members_have_what_single_runs_have() -> None:
    """Losses are states of rollouts too."""
    eom, heights = da.equations(sliders(0.5)), np.array([0.1, 0.2])
    settings = {"v0": {"two.x_dot": 1.0}, "duration": 0.8, "step": 1e-3, "record": 0.1}
    many = da.rollout(eom, q0={"one.y": heights}, threads=1, **settings)
    for i, height in enumerate(heights):
        run = da.simulate(eom, q0={"one.y": height}, **settings)
        for name in ("loss.floor.one", "loss.floor.two"):
            assert many[name][i, -1] == pytest.approx(run[name][-1], abs=1e-10)
            assert run[name][-1] > 0.1


def driven_rods(links: bool) -> da.Machine:
    """A carriage that is driven along a line, with a rod that hangs from it by a hinge and hits the ground.

    With ``links`` the hinge is a constraint.
    """
    rod = da.Body("rod", 1.0, com=(0.5, 0.0, 0.0), inertia=(0.01, 1.0 / 12, 1.0 / 12))
    hinge = (
        da.Joint("b", "planar", "world", "rod", axis="-y")
        if links
        else da.Joint("a", "revolute", "cart", "rod", axis="-y")
    )
    return da.Machine(
        "driven",
        [da.point_mass("cart", 2.0), rod],
        [da.Joint("x", "prismatic", "world", "cart", axis="x"), hinge],
        frames=[da.Frame("tip", "rod", (1.0, 0.0, 0.0))],
        constraints=[
            da.MotionConstraint("drive", joint="x", value=1.5 * da.TIME + 0.1 * da.TIME * da.TIME),
            *([da.BallConstraint("pin", "rod", "cart", components="xz")] if links else []),
        ],
        contacts=[
            da.Contact("floor", "tip", surface=da.HalfSpace((0, 0, 1.0), (0, 0, -0.8)), restitution=0.4, friction=0.3)
        ],
    )


@pytest.mark.parametrize("on_event", [None, lambda t, x, names: None], ids=["native", "python"])
@pytest.mark.parametrize("links", [False, True])
def test_what_drives_a_machine_does_work_at_impacts(links: bool, on_event: object) -> None:
    """A rod hits the ground under a driven carriage: impulses of all rows are all that changes the velocities.

    The work of the drive is an input, what the contact takes is its loss, and nothing is left over.
    """
    eom = da.equations(driven_rods(links))
    turn = {"b.angle_dot" if links else "a_dot": 0.37}
    run = da.simulate(
        eom, duration=0.9, v0={"x_dot": 1.5, **turn}, method="dopri5", rtol=1e-10, atol=1e-12, on_event=on_event
    )
    assert "initial_impact" not in run.metadata  # loops that move are no impact, whatever rounding leaves of them
    struck = [entry for entry in run.metadata["transitions"] if "floor" in entry["impulse"]]
    assert len(struck) > 1
    nq, nv, names = eom.nq, eom.nv, eom.constraint_system.row_names
    for entry in struck:
        before, after = np.flatnonzero(run.t == entry["t"])
        q, v, v_new = run.x[before, :nq], run.x[before, nq : nq + nv], run.x[after, nq : nq + nv]
        J = eom.constraint_jacobian(q, t=entry["t"], latches=run.array(eom.constraint_system.latch_names)[after])
        impulses = np.array([entry["impulse"].get(name, 0.0) for name in names])
        np.testing.assert_allclose(eom.mass_matrix(q) @ (v_new - v), -J.T @ impulses, atol=1e-9)
        drive = run["work.input"][after] - run["work.input"][before]
        rate = 1.5 + 0.2 * entry["t"]  # of the carriage: the constraint is x - 1.5 t - 0.1 t^2
        assert drive == pytest.approx(-rate * entry["impulse"]["drive"], abs=1e-9)
        assert abs(drive) > 1e-3
    np.testing.assert_allclose(losses(run), -run["work.loss"], atol=1e-12)
    assert np.diff(run["loss.floor"]).min() > -1e-12  # one contact alone never gives
    np.testing.assert_allclose(run.energy.transition, 0.0, atol=1e-10)
    assert run.energy.drift < 1e-8
