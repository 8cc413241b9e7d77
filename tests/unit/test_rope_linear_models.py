"""Linear models and modes of machines whose ropes stick to sheaves, or slip past them.

Models are compared with differences of accelerations of runs from event to event, and with closed forms.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import machine_modes
from dalembert.core.errors import InputError
from dalembert.formulations.constraints.projection import consistent_state
from dalembert.studies.ropes.machines import atwood
from dalembert.systems.hoists import reeved_hoist

G = 9.81


def line(wheel: float, guide: float, m: float = 2.0) -> da.Machine:
    """A mass on a rail, a sheave that turns, a guide on a trolley with a spring, and a bob in the plane on one rope."""
    path = (
        da.Anchor("m", (0, 0, 0)),
        da.Sheave("world", 0.1, "y", joint="wheel", name="S", friction=wheel),
        da.Guide("trolley", 0.05, "y", name="G", friction=guide),
        da.Anchor("bob"),
    )
    return da.Machine(
        "line",
        bodies=[
            da.point_mass("m", m),
            da.Body("wheel", 1.0, inertia=(0.03, 0.03, 0.03)),
            da.Body("trolley", 3.0, inertia=(0.1, 0.1, 0.1)),
            da.Body("rail"),
            da.point_mass("bob", 1.5),
        ],
        joints=[
            da.Joint("m.x", "prismatic", "world", "m", axis="-z", origin=(-0.3, 0, -1.0), damping=0.4),
            da.Joint("wheel", "revolute", "world", "wheel", axis="y", damping=0.002),
            da.Joint("trolley.x", "prismatic", "world", "trolley", axis="x", origin=(1.0, 0, 0.2), stiffness=40.0),
            da.Joint("bob.x", "prismatic", "world", "rail", axis="x", origin=(1.2, 0, -0.8)),
            da.Joint("bob.z", "prismatic", "rail", "bob", axis="z"),
        ],
        motors=[da.Motor("F", "trolley.x"), da.Motor("P", "m.x")],
        ropes=[da.Rope("r", path, length=3.36)],
    )


@dataclass(frozen=True)
class Starts:
    """States on the rope of a machine near a state, whose sheaves stick where they are to."""

    eom: da.EquationsOfMotion
    sticks: tuple[float, float]
    q: np.ndarray
    free: list[int]

    @property
    def latches(self) -> np.ndarray:
        system = self.eom.constraint_system
        latches = system.latch_nominal.copy()
        for name, on in zip(("r.S", "r.G"), self.sticks, strict=True):
            latches[system.latch_index(f"stick.{name}")] = on
        return latches

    def rows(self, q: np.ndarray) -> np.ndarray:
        system = self.eom.constraint_system
        return self.eom.constraint_jacobian(q, latches=self.latches)[system.activity(self.latches) > 0.5]

    def follow(self, J: np.ndarray, y: np.ndarray) -> np.ndarray:
        """All velocities with ``J v = 0`` from the independent ones."""
        rest = [k for k in range(self.eom.nv) if k not in self.free]
        v = np.zeros(self.eom.nv)
        v[self.free] = y
        v[rest] = np.linalg.solve(J[:, rest], -J[:, self.free] @ y)
        return v

    def state(self, d: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """State with independent displacements ``d`` and velocities ``w``."""
        near = self.q + self.follow(self.rows(self.q), d)
        q = consistent_state(self.eom, near, np.zeros(self.eom.nv), latches=self.latches).q
        return q, self.follow(self.rows(q), w)

    def accelerations(self, d: np.ndarray, w: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations, and tensions, at the start of a run, from short steps."""
        q, v = self.state(d, w)
        made = []
        for h in (2e-4, 1e-4):
            run = da.simulate(self.eom, q0=q, v0=v, control=u, duration=h, step=h)
            made.append(np.array([(run[n][-1] - v[k]) / h for k, n in enumerate(self.eom.v_names)]))
            assert (run["stick.r.S"][-1], run["stick.r.G"][-1]) == self.sticks and not run.events
        return 2 * made[1] - made[0], np.array([run[f"tension.r[{i}]"][0] for i in range(3)])


CASES = {
    "both stick": (0.6, 0.8, {"trolley.x": 0.2, "bob.x": 0.4}, (1.0, 1.0)),
    "the wheel is spun": (0.2, 0.5, {"trolley.x": 0.1, "bob.x": 0.0, "wheel": 30.0}, (0.0, 1.0)),
    "it is spun back": (0.2, 0.9, {"trolley.x": 0.0, "bob.x": 0.0, "wheel": -30.0}, (0.0, 1.0)),
    "the guide slips": (0.9, 0.05, {"trolley.x": 0.1, "bob.x": 0.2, "m.x": 0.3}, (1.0, 0.0)),
    "all slips": (0.1, 0.1, {"trolley.x": 0.1, "bob.x": 0.0, "m.x": 0.5, "wheel": 20.0}, (0.0, 0.0)),
}


@pytest.mark.parametrize("case", CASES)
def test_models_are_the_derivative_of_accelerations(case: str) -> None:
    wheel, guide, rates, sticks = CASES[case]
    eom, u0 = da.equations(line(wheel, guide), backend="vm"), np.array([3.0, 8.0])
    q = eom.q_neutral.copy()
    q[[eom.q_names.index(n) for n in ("m.x", "trolley.x", "bob.x")]] = [0.1, -0.05, 0.1]
    q = consistent_state(eom, q, np.zeros(eom.nv)).q
    free, n, w0 = [eom.q_names.index(name) for name in rates], len(rates), np.array(list(rates.values()))
    starts = Starts(eom, sticks, q, free)
    v = starts.follow(starts.rows(q), w0)
    outputs = [*(f"tension.r[{i}]" for i in range(3)), "bob.x"]
    plant = da.linearize(eom, q, v=v, u=u0, require_equilibrium=False, independent=list(rates), outputs=outputs)
    zero, e = np.zeros(n), 1e-3
    for k in range(2 * n):
        d, w = (np.eye(2 * n)[k, part] * e for part in (slice(n), slice(n, None)))
        (a1, T1), (a0, T0) = (starts.accelerations(s * d, w0 + s * w, u0) for s in (1.0, -1.0))
        np.testing.assert_allclose(plant.A[n:, k], (a1 - a0)[free] / (2 * e), rtol=1e-4, atol=1e-3)
        np.testing.assert_allclose(plant.C[:3, k], (T1 - T0) / (2 * e), rtol=1e-4, atol=1e-3)
    for k in range(2):
        (a1, T1), (a0, T0) = (starts.accelerations(zero, w0, u0 + s * np.eye(2)[k]) for s in (0.1, -0.1))
        np.testing.assert_allclose(plant.B[n:, k], (a1 - a0)[free] / 0.2, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(plant.D[:3, k], (T1 - T0) / 0.2, rtol=1e-6, atol=1e-6)


def test_a_load_over_a_guide_that_sticks_is_a_pendulum() -> None:
    """Held by friction alone, the rope beyond the guide is fixed: sqrt(g/l) with the length that unwinds, exactly."""
    bob = da.Machine(
        "bob",
        bodies=[da.point_mass("m", 3.0), da.Body("rail"), da.point_mass("bob", 2.0)],
        joints=[
            da.Joint("s", "prismatic", "world", "m", axis="-z", origin=(-0.2, 0, -1.0)),
            da.Joint("x", "prismatic", "world", "rail", axis="x", origin=(0.2, 0, -1.5)),
            da.Joint("z", "prismatic", "rail", "bob", axis="z"),
        ],
        ropes=[
            da.Rope("r", [da.Anchor("m"), da.Guide("world", 0.2, "y", friction=0.3, name="G"), da.Anchor("bob")]),
        ],
    )
    eom = da.equations(bob, backend="vm")
    (w,) = machine_modes(eom).omega
    np.testing.assert_allclose(w, np.sqrt(G / 1.5), rtol=1e-9)
    plant = da.linearize(eom, outputs=["tension.r[0]", "tension.r[1]"])
    assert plant.nstates == 2
    np.testing.assert_allclose(np.abs(np.linalg.eigvals(plant.A)), w, rtol=1e-9)
    heavy = bob.with_(bodies=[da.point_mass("m", 6.0), *bob.bodies[1:]])
    with pytest.raises(InputError, match="machine 'bob' is not in equilibrium there: a force of"):
        da.linearize(heavy)  # 3 > e^(0.3 pi): the rope slips


def test_sheaves_that_stick_are_clamps_of_a_hoist_at_rest() -> None:
    """A rope that sticks to its sheaves moves as one that is clamped to them by teeth, a section for each span."""
    loss = da.SheaveLoss(bearing=0.1, pin=0.03, bending=0.005)
    hoist = reeved_hoist(2, payload=800.0, loss=loss)
    (fall,) = hoist.ropes
    path = [replace(e, loss=None, teeth=True) if isinstance(e, da.Sheave) else e for e in fall.path]
    clamped = hoist.with_(ropes=[da.Rope("fall", path)])
    ideal = reeved_hoist(2, payload=800.0)
    held, teeth, free = (machine_modes(da.equations(m, backend="vm")).omega for m in (hoist, clamped, ideal))
    np.testing.assert_allclose(held, teeth, rtol=1e-7, atol=1e-7)
    assert len(free) == len(held) + 1


def test_ropes_that_become_slack_have_no_linear_model() -> None:
    machine = atwood(3.0, 2.5, friction=0.2).with_(motors=[da.Motor("F", "x1")])
    at = {"x1": 0.5, "x2": 0.5}
    with pytest.raises(InputError, match="rope 'r' of machine 'atwood' does not stay taut there"):
        da.linearize(machine, at, u=[-200.0], require_equilibrium=False)
    slack = da.linearize(machine, at, u=[-200.0], require_equilibrium=False, active={"r": False})
    assert slack.nstates == 4


def test_the_friction_of_a_guide_is_an_input() -> None:
    """``a = g (m1 - E m2) / (m1 + E m2)`` with ``E = e^(mu pi)``: its derivative by ``mu``, while the masses move."""
    mu = da.Parameter("mu", 0.2)
    plant = da.linearize(
        atwood(10.0, 2.0, friction=mu),
        {"x1": 0.5, "x2": 0.5},
        v={"x1_dot": 1.0},
        independent=["x1"],
        inputs=["mu"],
        outputs=["x1", "tension.r[0]"],
        require_equilibrium=False,
    )
    E = np.exp(0.2 * np.pi)
    slope = -G * np.pi * E * 2 * 10.0 * 2.0 / (10.0 + E * 2.0) ** 2
    np.testing.assert_allclose(plant.B[1, 0], slope, rtol=1e-10)
    np.testing.assert_allclose(plant.D[1, 0], -10.0 * slope, rtol=1e-10)  # T1 = m1 (g - a)


@pytest.mark.parametrize("mu", [0.7, 0.85])
def test_a_jammed_rope_is_named(mu: float) -> None:
    """A guide on a trolley of 1 kg: a rope that slips jams above a friction of 0.778983394."""
    machine = da.Machine(
        "rail",
        bodies=[da.point_mass("a", 50.0), da.point_mass("trolley", 1.0), da.point_mass("b", 50.0)],
        joints=[
            da.Joint("a", "prismatic", "world", "a", axis="-x", origin=(-2.0, 0, 0.1)),
            da.Joint("x", "prismatic", "world", "trolley", axis="x"),
            da.Joint(
                "b",
                "prismatic",
                "world",
                "b",
                axis=(0.5, 0, -np.sqrt(3) / 2),
                origin=(0.1 * np.sqrt(3) / 2 + 1.0, 0, 0.05 - np.sqrt(3)),
            ),
        ],
        ropes=[da.Rope("r", [da.Anchor("a"), da.Guide("trolley", 0.1, "y", name="G", friction=mu), da.Anchor("b")])],
    )
    given = {"v": {"a_dot": -1.0, "x_dot": 0.0, "b_dot": 1.0}, "require_equilibrium": False}
    if mu < 0.778983394:
        assert da.linearize(machine, **given).nstates == 4
    else:
        with pytest.raises(InputError, match=r"rope 'r' of machine 'rail' is jammed at 'r\.G'"):
            da.linearize(machine, **given)
