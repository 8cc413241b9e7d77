"""Conversions of states to the orders of Pinocchio and MuJoCo, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.io.conventions import PeerState, from_mujoco, from_pinocchio, to_mujoco, to_pinocchio
from support.random_machines import random_machine, random_state


def one_joint(kind: str, **options: Any) -> da.Machine:
    body = da.box("b", 1.0, (1, 2, 3), (0.1, 0.2, 0.3))
    return da.Machine("m", [body], [da.Joint("j", kind, "world", "b", **options)])


@pytest.mark.parametrize("there, back", [(to_pinocchio, from_pinocchio), (to_mujoco, from_mujoco)])
@pytest.mark.parametrize("seed", range(10))
def test_back_is_the_inverse_of_there(
    seed: int, there: Callable[..., PeerState], back: Callable[..., PeerState]
) -> None:
    machine = random_machine(seed)
    state = random_state(da.equations(machine, backend="vm"), seed)
    for angle in machine.q_names:
        if angle.endswith(".angle"):
            i = machine.q_names.index(angle)
            state[0][i] = np.remainder(state[0][i] + np.pi, 2 * np.pi) - np.pi
    for x, y in zip(state, back(machine, *there(machine, *state)), strict=True):
        np.testing.assert_allclose(y, x, rtol=0, atol=1e-13)


@pytest.mark.parametrize("convert", [to_pinocchio, to_mujoco])
@pytest.mark.parametrize("seed", range(10))
def test_power_and_kinetic_energy_do_not_depend_on_the_convention(seed: int, convert: Callable[..., PeerState]) -> None:
    machine = random_machine(seed)
    q, v, _, tau = random_state(da.equations(machine, backend="vm"), seed)
    s = convert(machine, q, v, tau=tau)
    assert s.v @ s.tau == pytest.approx(v @ tau, rel=1e-12)  # type: ignore[operator]
    assert s.a is None


@pytest.mark.parametrize("convert", [to_pinocchio, to_mujoco])
@pytest.mark.parametrize("seed", range(10))
def test_accelerations_are_the_rates_of_the_velocities(seed: int, convert: Callable[..., PeerState]) -> None:
    """Central differences along the motion q(t), v(t) = v + a t."""
    machine = random_machine(seed)
    eom = da.equations(machine, backend="vm")
    q, v, a, _ = random_state(eom, seed)
    h = 1e-5
    ahead, behind = (convert(machine, eom.integrate(q, s * h * v + h**2 / 2 * a), v + s * h * a).v for s in (1.0, -1.0))
    rate = (ahead - behind) / (2 * h)  # type: ignore[operator]
    np.testing.assert_allclose(convert(machine, q, v, a).a, rate, atol=1e-8)  # type: ignore[arg-type]


def test_orders_of_a_free_joint() -> None:
    machine = one_joint("free")
    half = np.sqrt(0.5)
    q = [1.0, 2.0, 3.0, half, 0.0, 0.0, half]  # a quarter turn about z
    v = [1.0, 0.0, 0.0, 0.1, 0.2, 0.3]
    pin = to_pinocchio(machine, q, v)
    np.testing.assert_allclose(pin.q, [1, 2, 3, 0, 0, half, half])
    np.testing.assert_allclose(pin.v, v)
    muj = to_mujoco(machine, q, v)
    np.testing.assert_allclose(muj.q, q)
    np.testing.assert_allclose(muj.v, [0, 1, 0, 0.1, 0.2, 0.3], atol=1e-15)


def test_a_planar_joint_of_pinocchio_moves_along_its_own_axes() -> None:
    machine = one_joint("planar")
    s = to_pinocchio(machine, [1.0, 2.0, np.pi / 2], [3.0, 0.0, 1.0], tau=[3.0, 0.0, 1.0])
    np.testing.assert_allclose(s.q, [1, 2, 0, 1], atol=1e-15)
    np.testing.assert_allclose(s.v, [0, -3, 1], atol=1e-15)
    np.testing.assert_allclose(s.tau, [0, -3, 1], atol=1e-15)


def test_continuous_joints_are_circles_where_asked() -> None:
    machine = one_joint("revolute")
    np.testing.assert_allclose(to_pinocchio(machine, [0.3]).q, [0.3])
    for choice in (True, ["j"], "j"):
        s = to_pinocchio(machine, [[0.3], [0.4]], continuous=choice)
        np.testing.assert_allclose(s.q, [[np.cos(0.3), np.sin(0.3)], [np.cos(0.4), np.sin(0.4)]])
        np.testing.assert_allclose(from_pinocchio(machine, s.q, continuous=choice).q, [[0.3], [0.4]])
    limited = one_joint("revolute", limits=da.Limits(-1, 1))
    np.testing.assert_allclose(to_pinocchio(limited, [0.3], continuous=True).q, [0.3])


@pytest.mark.parametrize("convert", [to_pinocchio, to_mujoco])
def test_batches_are_converted_row_by_row(convert: Callable[..., PeerState]) -> None:
    machine = random_machine(4, 6, base="free")
    eom = da.equations(machine, backend="vm")
    states = [random_state(eom, seed) for seed in range(6)]
    batch = convert(machine, *(np.reshape([s[k] for s in states], (2, 3, -1)) for k in range(4)))
    for i, state in enumerate(states):
        for x, y in zip(convert(machine, *state), batch, strict=True):
            np.testing.assert_array_equal(x, y.reshape(6, -1)[i])


def test_wrong_input_is_refused() -> None:
    machine = one_joint("revolute")
    with pytest.raises(InputError, match=r"q of machine 'm' must have shape \(..., 1\), got \(2,\)"):
        to_pinocchio(machine, [1.0, 2.0])
    with pytest.raises(InputError, match="q must be an array of numbers"):
        to_pinocchio(machine, ["x"])
    with pytest.raises(InputError, match="without its velocity"):
        to_mujoco(machine, [1.0], a=[1.0])
    with pytest.raises(UnknownNameError, match=r"no revolute joint named 'k'.*known: j"):
        to_pinocchio(machine, [1.0], continuous=["k"])
