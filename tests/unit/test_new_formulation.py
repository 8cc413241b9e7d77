"""A formulation is added by docs/extending.md alone: Kane's equations, in one class, on public names only.

Nothing in the library knows of them; `verify`, coordinate maps, couplings, constraints and `simulate` take them all the
same.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import InputError
from dalembert.formulations import TreeFormulation, register_formulation, registry, solve_spd
from support.comparison import difference
from support.hybrid_machines import closed, four_bar
from support.random_machines import random_machine, random_state


class Kane(TreeFormulation):
    """Kane's equations ``F_r + F*_r = 0`` of rigid bodies, from partial velocities.

    With the partial velocities ``V = dv_c/du`` of the centre of mass and ``W = dw/du`` of each body (T. R. Kane and
    D. A. Levinson, "Dynamics: Theory and Applications", 1985, sections 2.14, 4.4, 4.11 and 6.1) the generalised
    inertia forces are ``F* = -sum V^T m a_c + W^T (I alpha + w x I w)``. Energies have no part in it. Velocities in
    world axes, rates in axes of the body.
    """

    name = "kane"

    @classmethod
    def refusal(cls, machine: da.Machine) -> str | None:
        beams = [body.name for body in machine.bodies if isinstance(body, da.Beam)]
        return f"kane takes rigid bodies only: '{beams[0]}' is a beam" if beams else None

    def _rate(self, x: ca.SX) -> ca.SX:
        column = ca.jtimes(ca.densify(ca.vec(x)), self.variables.q, self.coordinate_rates())
        return ca.reshape(column, *x.shape)

    def _partials(self, R: ca.SX, p: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Partial velocities of a point and partial rates of its axes."""
        S = R.T @ self._rate(R)
        w = ca.vertcat(S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]) / 2
        return ca.jacobian(self._rate(p), self.variables.v), ca.jacobian(w, self.variables.v)

    @cached_property
    def _bodies(self) -> list[tuple[ca.SX, ...]]:
        """Mass, centre of mass, rotation, inertia and the partials of each body."""
        bodies = [(m, c, R, I, *self._partials(R, c)) for m, c, R, I in self.model.moving_bodies]
        for rotor in self.model.rotors:
            R, p = self.model.world_poses[rotor.node]
            V, W = self._partials(R, p)
            W[:, rotor.index] += rotor.excess * rotor.axis
            bodies.append((0.0, p, R, rotor.body_inertia, V, W))
        return bodies

    def _inertia_forces(self, a: ca.SX) -> ca.SX:
        """``-F*`` at the accelerations ``a``."""
        v, total = self.variables.v, ca.diag(self.model.armature) @ a
        for m, _, _, I, V, W in self._bodies:
            w, alpha = W @ v, W @ a + self._rate(W) @ v
            total = total + V.T @ (m * (V @ a + self._rate(V) @ v)) + W.T @ (I @ alpha + ca.cross(w, I @ w))
        return total

    def mass_matrix(self) -> ca.SX:
        total = ca.diag(self.model.armature)
        for m, _, _, I, V, W in self._bodies:
            total = total + m * (V.T @ V) + W.T @ I @ W
        return total

    def coriolis_matrix(self) -> ca.SX:
        """``sum m V^T V' + W^T I W' - W^T (I w)^ W``, of which the last term is skew: so is ``M' - 2 C``."""
        total = ca.SX(self.layout.nv, self.layout.nv)
        for m, _, _, I, V, W in self._bodies:
            spin = ca.skew(I @ (W @ self.variables.v))
            total = total + m * (V.T @ self._rate(V)) + W.T @ (I @ self._rate(W) - spin @ W)
        return total

    def gravity(self) -> ca.SX:
        g, zero = self.model.gravity_vector, ca.SX(self.layout.nv, 1)
        return -sum((V.T @ (m * g) for m, _, _, _, V, _ in self._bodies), start=zero)

    def inverse_dynamics(self) -> ca.SX:
        return self._inertia_forces(self.variables.a) + self.gravity() + self.model.spring_force

    def bias(self) -> ca.SX:
        return self._inertia_forces(ca.SX(self.layout.nv, 1)) + self.gravity() + self.model.spring_force

    def forward_dynamics(self) -> ca.SX:
        return solve_spd(self.mass_matrix(), self.variables.tau - self.bias())

    def kinetic_energy(self) -> ca.SX:
        return ca.dot(self.variables.v, self.mass_matrix() @ self.variables.v) / 2

    def potential_energy(self) -> ca.SX:
        g = self.model.gravity_vector
        return self.model.spring_energy - sum((m * ca.dot(g, c) for m, c, *_ in self._bodies), start=ca.SX(0))

    def momentum(self) -> ca.SX:
        v, total = self.variables.v, ca.SX(6, 1)
        for m, c, R, I, V, W in self._bodies:
            total = total + ca.vertcat(m * (V @ v), R @ I @ W @ v + ca.cross(c, m * (V @ v)))
        return total

    def center_of_mass(self) -> ca.SX:
        mass = sum((m for m, *_ in self._bodies), start=ca.SX(0))
        return sum((m * c for m, c, *_ in self._bodies), start=ca.SX(3, 1)) / mass

    def jacobian(self, frame: str) -> ca.SX:
        R, p = self.frame_pose(frame)
        V, W = self._partials(R, p)
        return ca.vertcat(R.T @ V, W)


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    register_formulation(Kane)
    yield
    del registry.FORMULATIONS[Kane.name]


@pytest.mark.parametrize("seed", [0, 1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (3, 4, 5))])
def test_verify_compares_it_with_all_others(seed: int) -> None:
    machine = random_machine(seed, 3, max_nv=7, couplings=seed % 2, parameters=seed % 3 == 0)
    report = da.verify(machine, samples=4, tolerance=1e-10)
    assert report.ok, str(report)
    assert {other for row in report.rows if "kane" in row.pair for other in row.pair} >= {"kane", "lagrange"}


@pytest.mark.parametrize("seed", range(10, 14))
def test_identities_of_mechanics_hold_on_random_machines(seed: int) -> None:
    eom = da.equations(random_machine(seed, 4, max_nv=9), by="kane", backend="vm")
    q, v, a, tau = random_state(eom, seed)
    M, C, s = eom.mass_matrix(q), eom.coriolis_matrix(q, v), eom.symbolic
    rate = ca.reshape(ca.jtimes(ca.vec(ca.densify(s.mass_matrix)), s.q, s.coordinate_rate), eom.nv, eom.nv)
    Mdot = np.array(ca.Function("rate", [s.q, s.v, s.p], [rate])(q, v, eom.machine.p_nominal).full())
    scale = max(np.abs(Mdot).max(), np.abs(C).max(), np.abs(M).max() * np.abs(v).max())
    assert difference(M, M.T) < 1e-13
    assert np.linalg.eigvalsh(M)[0] > 0.0
    assert np.abs(Mdot - 2 * C + (Mdot - 2 * C).T).max() < 1e-12 * scale
    assert difference(eom.inverse_dynamics(q, v, a) - eom.bias(q, v), M @ a, np.abs(eom.bias(q, v)).max()) < 1e-12
    back = eom.inverse_dynamics(q, v, eom.forward_dynamics(q, v, tau))
    assert difference(back, tau, np.abs(eom.bias(q, v)).max()) < 1e-9


def test_simulate_takes_it_by_name() -> None:
    machine = random_machine(21, 3, kinds=("revolute",), losses=False, motors=False)
    settings = {"duration": 1.0, "step": 1e-3, "v0": 0.5 * np.ones(machine.nv)}
    run, reference = (da.simulate(machine, by=by, **settings) for by in ("kane", "newton-euler"))
    for name in machine.q_names:
        assert run[name] == pytest.approx(reference[name], abs=1e-10)
    assert abs(run.energy.drift) < 1e-8


@pytest.mark.slow
def test_closed_loops_come_on_top_of_it() -> None:
    settings = {"duration": 0.3, "step": 1e-3, "q0": closed(0.6)}
    machine = four_bar()
    run, reference = (da.simulate(machine, by=by, **settings) for by in ("kane", "newton-euler"))
    for name in machine.q_names:
        assert run[name] == pytest.approx(reference[name], abs=1e-9)


def test_a_machine_that_it_refuses_is_refused_by_name() -> None:
    steel = da.Section.rectangle(0.02, 0.01)
    beam = da.Beam("mast", 1.0, density=7800.0, E=2e11, section=steel, modes={"y": 1})
    machine = da.Machine("flag", bodies=[beam], joints=[da.Joint("hinge", "revolute", "world", "mast", axis="y")])
    with pytest.raises(InputError, match="rigid bodies only: 'mast' is a beam"):
        da.equations(machine, by="kane")


def test_what_cannot_be_registered_says_why() -> None:
    class Nameless(Kane):
        name = ""

    class Another(Kane):
        name = "lagrange"

    class Half(TreeFormulation):
        name = "half"

    with pytest.raises(InputError, match="Nameless needs a name"):
        register_formulation(Nameless)
    with pytest.raises(InputError, match="'lagrange' belongs to formulation Lagrange, got Another"):
        register_formulation(Another)
    with pytest.raises(InputError, match="'half' lacks mass_matrix, coriolis_matrix"):
        register_formulation(Half)  # type: ignore[type-abstract]
    with pytest.raises(InputError, match="a formulation is a class"):
        register_formulation("kane")  # type: ignore[arg-type]
    assert register_formulation(Kane) is Kane  # again: no harm
