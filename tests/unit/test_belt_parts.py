"""Ropes with friction at sheaves: rates in time, linear models of wheels that have turned, and warnings."""

from __future__ import annotations

import math
import warnings
from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import DalembertWarning
from dalembert.engine.methods.contacts import TimeStepping
from dalembert.formulations.constraints.elastic_sheaves import elastic_sheaves_of
from dalembert.loop.rope_checks import rope_frequencies, warn_of_light_ends, warn_of_stiff_ropes

EA = 2e4


def _hoist(damping: float, pretension: float | None = None) -> da.Machine:
    """Two masses on an elastic rope over a wheel; without pretension a length that grows with time."""
    bodies = [da.point_mass("m1", 4.0), da.point_mass("m2", 3.0), da.Body("wheel", 1.0, inertia=(0.03,) * 3)]
    joints = [
        da.Joint("x1", "prismatic", "world", "m1", axis="-z", origin=(-0.1, 0, -0.5)),
        da.Joint("x2", "prismatic", "world", "m2", axis="-z", origin=(0.1, 0, -1.0)),
        da.Joint("wheel", "revolute", "world", "wheel", axis="y"),
    ]
    over = da.Sheave("world", 0.1, "y", joint="wheel", friction=0.3, name="S")
    path = [da.Anchor("m1"), over, da.Anchor("m2")]
    rope = {"pretension": pretension} if pretension else {"length": 1.8 + 0.2 * da.sin(3.0 * da.TIME)}
    return da.Machine("hoist", bodies, joints, ropes=[da.Rope("r", path, stiffness=EA, damping=damping, **rope)])


@pytest.mark.parametrize("damping", [0.0, 30.0])
def test_a_model_does_not_depend_on_how_far_a_round_wheel_has_turned(damping: float) -> None:
    machine = _hoist(damping, 4.0 * 9.81)
    eom = da.equations(machine, backend="vm")
    s, (belt,) = eom.symbolic, elastic_sheaves_of(eom).belts
    numbers = ca.Function("L", [s.q, s.p], [belt.L, belt.terms.length])
    L, whole = (np.array(ca.DM(x).full()).ravel() for x in numbers(np.zeros(3), np.zeros(0)))
    T = 35.0  # in the second span; of the first one the rest of the rope
    first = float(EA * (L[0] / (whole[0] - L[1] / (1.0 + T / EA)) - 1.0))
    assert abs(math.log(T / first)) < 0.3 * math.pi
    settings = {"tensions": {"r[0]": first, "r[1]": T}, "require_equilibrium": False}
    v = {"x1_dot": 0.3, "x2_dot": -0.3, "wheel_dot": -3.0}
    still, turned = (da.linearize(machine, {"wheel": at}, v=v, **settings) for at in (0.0, 0.7))
    assert still.state_labels[-1] == "material_r_S"
    np.testing.assert_allclose(turned.A, still.A, rtol=1e-7, atol=1e-6 * np.abs(still.A).max())


def test_rates_of_functions_of_the_configuration_and_time() -> None:
    """Against differences along the motion, of any function and of the rope of each span."""
    eom = da.equations(_hoist(0.0), backend="vm")
    s, (belt,) = eom.symbolic, elastic_sheaves_of(eom).belts
    rng = np.random.default_rng(5)
    q, v, t, h = 0.1 * rng.normal(size=3), rng.normal(size=3), 0.3, 1e-6
    y = ca.vertcat(ca.sin(2.0 * s.t) * s.q[0], s.q[1] ** 2 * s.q[2] + s.t**3, belt.L, belt.terms.length)
    f = ca.Function("f", [s.q, s.v, s.t, s.p], [y, belt.rate(y), belt.stretch_rates(ca.DM([0.01, 0.02]))])
    found = [np.array(x.full())[:, 0] for x in f(q, v, t, [])]
    ends = [np.array(f(q + k * h * v, v, t + k * h, [])[0].full())[:, 0] for k in (1.0, -1.0)]
    rates = (ends[0] - ends[1]) / (2.0 * h)
    np.testing.assert_allclose(found[1], rates, rtol=1e-6, atol=1e-7)
    assert rates[-1] == pytest.approx(0.6 * math.cos(0.9))
    # a rim that carries stretched rope along: l_1' + l_2' is the growth of the whole rope
    np.testing.assert_allclose(rates[2:4].sum() - found[2].sum(), rates[-1], rtol=1e-6)


def _drums(light: float) -> da.Machine:
    """Two inextensible ropes with friction: over two guides between two masses, and over one between two more."""
    bodies = [da.point_mass(f"m{k}", m) for k, m in enumerate((2.0, 3.0, light, 5.0))]
    joints = [
        da.Joint(f"x{k}", "prismatic", "world", f"m{k}", axis="-z", origin=(0.4 * k, 0.0, -0.5)) for k in range(4)
    ]
    one = [da.Guide("world", 0.1, "y", at=(x, 0.0, 0.2), friction=0.2, name=n) for x, n in ((0.1, "a"), (0.3, "b"))]
    two = [da.Guide("world", 0.2, "y", at=(1.0, 0.0, 0.2), friction=0.2, name="c")]
    ropes = [
        da.Rope("first", [da.Anchor("m0"), *one, da.Anchor("m1")]),
        da.Rope("second", [da.Anchor("m2"), *two, da.Anchor("m3")]),
    ]
    return da.Machine("drums", bodies, joints, ropes=ropes)


def test_the_lightest_and_the_heaviest_span_are_named() -> None:
    """Of all ropes together; the mass that a span moves is that of the anchors at its ends."""
    eom = da.equations(_drums(1e-9), backend="vm")
    with pytest.warns(DalembertWarning) as found:
        warn_of_light_ends(eom, np.zeros(4), 0.0, np.zeros(0))
    (text,) = [str(w.message) for w in found]
    assert "span 'second[0]' of a rope with friction moves an effective mass of 1e-09 kg" in text
    assert "span 'second[1]' one of 5 kg (machine 'drums')" in text
    eom = da.equations(_drums(1e-7), backend="vm")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_light_ends(eom, np.zeros(4), 0.0, np.zeros(0))
    with pytest.warns(DalembertWarning, match=r"span 'first\[2\]' .* 1e-10 kg, span 'second\[1\]' one of 5 kg"):
        machine = _drums(1.0)
        bodies = tuple(da.point_mass("m1", 1e-10) if b.name == "m1" else b for b in machine.bodies)
        eom = da.equations(machine.with_(bodies=bodies), backend="vm")
        warn_of_light_ends(eom, np.zeros(4), 0.0, np.zeros(0))


class _Ended:
    """A run, as the warnings read it."""

    def __init__(self, status: str, drift: float, rows: int = 2) -> None:
        self.status, self.energy, self.t = status, SimpleNamespace(drift=drift), np.zeros(rows)

    def __getitem__(self, name: str) -> Any:
        return np.zeros(2)


def test_steps_that_are_too_long_for_a_rope_are_named() -> None:
    """Of fixed explicit steps only, where energy was lost or gained, or the run failed."""
    eom = da.equations(_hoist(0.0, 4.0 * 9.81), backend="vm")
    omega = rope_frequencies(eom, np.zeros(3), 0.0, np.zeros(0))["r"]

    def messages(run: _Ended, method: Any, contact: Any = None, of: Any = eom) -> list[str]:
        experiment = SimpleNamespace(integrator=method, equations=of, contact=contact, p=None)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            warn_of_stiff_ropes(cast(Any, experiment), cast(Any, run))
        return [str(w.message) for w in found]

    def fixed(part: float, **changes: Any) -> Any:
        return SimpleNamespace(**({"tableau": (), "adaptive": False, "step": part / omega, "name": "rk4"} | changes))

    (text,) = messages(_Ended("completed", 2e-6), fixed(0.26))
    assert f"steps of {0.26 / omega:g} s by 'rk4' do not resolve rope 'r' of machine 'hoist'" in text
    assert f"vibrate with {omega:.3g} rad/s: the energy has drifted by 2e-06" in text
    assert f"take steps of {0.25 / omega:.1g} s" in text
    for status in ("failed", "diverged"):
        assert "the run has failed" in messages(_Ended(status, 0.0), fixed(0.26))[0]
    assert messages(_Ended("completed", 2e-6), fixed(0.24)) == []
    assert messages(_Ended("completed", 5e-7), fixed(0.26)) == []
    for method in (fixed(0.26, tableau=None), fixed(0.26, adaptive=True)):
        assert messages(_Ended("failed", 1.0), method) == []
    assert messages(_Ended("failed", 1.0), fixed(0.26), TimeStepping()) == []
    assert messages(_Ended("failed", 1.0, 0), fixed(0.26)) == []
    plain = SimpleNamespace(machine=SimpleNamespace(all_ropes=()))
    assert messages(_Ended("failed", 1.0), fixed(0.26), of=plain) == []
    without = fixed(0.26)
    del without.step
    assert messages(_Ended("failed", 1.0), without) == []
