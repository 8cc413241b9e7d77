"""Peers that run on JAX: adam and frax, one state per call, and all states in one call.

Both read a URDF file; it is written from the machine, so that it includes locked joints and generated chains.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from dalembert.benchmarks.cases import Case, Contender, Skipped
from dalembert.benchmarks.peers.mujoco import in_our_velocities
from dalembert.benchmarks.peers.urdf_model import urdf_text
from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.io.conventions import from_mujoco, to_mujoco

__all__ = ["jax_contenders"]

ADAM_MOST = 20
"""Degrees of freedom up to which adam is measured: the humanoid took five minutes to compile."""


class _Peer(NamedTuple):
    """Functions of one state and of all, the arguments for all states, and the way back to our conventions."""

    one: Callable[..., Any]
    all_states: Callable[..., Any]
    arguments: tuple[Array, ...]
    back: Callable[[Array], Array] = lambda y: y


def jax_contenders(
    case: Case, *, build: bool, announce: Callable[[str], None] = lambda _: None
) -> Iterator[Contender | Skipped]:
    """Evaluate a case by adam and frax; ``build`` allows compilations that take longer than a few seconds."""
    for name, maker, wheels in (("adam", _adam, "adam-robotics jax"), ("frax", _frax, "frax")):
        titles = {f"{name}-jax-call": f"{name} (JAX), one call", f"{name}-jax": f"{name} (JAX), batch"}
        try:
            jax, module = _modules("adam.jax" if name == "adam" else name, wheels)
            if case.quantity.key == "derivatives" and case.eom.nq != case.eom.nv:
                raise InputError("derivatives are compared for machines without quaternions")
            if name == "adam" and not build:
                raise InputError("compiling takes a minute: not in quick runs")
            if name == "adam" and case.eom.nv > ADAM_MOST:
                raise InputError(f"compared up to {ADAM_MOST} degrees of freedom: compiling takes minutes")
            if build:
                announce(f"{name} compiles ...")
            yield from _contenders(jax, case, maker(jax, module, case), titles)
        except InputError as reason:
            for key, title in titles.items():
                yield Skipped(key, title, str(reason))


def _modules(name: str, wheels: str) -> tuple[Any, Any]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # advice on versions and environment variables
            jax: Any = import_module("jax")
            jax.config.update("jax_enable_x64", True)
            return jax, import_module(name)
    except ImportError:
        raise InputError(f"not installed (pip install {wheels})") from None


def _contenders(jax: ModuleType, case: Case, peer: _Peer, titles: dict[str, str]) -> Iterator[Contender]:
    one, all_states = jax.jit(peer.one), jax.jit(peer.all_states)
    rows = list(zip(*peer.arguments, strict=True))
    arrays = [jax.numpy.array(x) for x in peer.arguments]
    join, wait = case.quantity.join, jax.block_until_ready

    def stack(results: list[Any]) -> Any:
        if case.quantity.parts == 1:
            return np.array([np.asarray(y) for y in results])
        return tuple(np.array([np.asarray(y[k]) for y in results]) for k in range(case.quantity.parts))

    def values(results: Any) -> Array:
        several = case.quantity.parts > 1
        return join(tuple(map(np.asarray, results)) if several else peer.back(np.asarray(results)))

    def run() -> None:
        for row in rows:
            wait(one(*row))

    key_one, key_all = titles
    yield Contender(key_one, titles[key_one], run, lambda: values(stack([wait(one(*row)) for row in rows])))
    yield Contender(
        key_all,
        titles[key_all],
        lambda: wait(all_states(*arrays)),
        lambda: values(wait(all_states(*arrays))),
        rows=case.states,
    )


def _load(case: Case, load: Callable[[str, list[str]], Any]) -> Any:
    machine = case.eom.machine
    names = [node.joint.name for node in machine.tree.nodes if node.joint.kind != "free"]
    with tempfile.TemporaryDirectory(prefix="dalembert-bench-") as folder:
        path = Path(folder) / "machine.urdf"
        path.write_text(urdf_text(machine), encoding="utf-8")
        return load(str(path), names)


def _is_floating(case: Case) -> bool:
    return case.eom.machine.tree.nodes[0].joint.kind == "free"


def _adam(jax: ModuleType, adam: ModuleType, case: Case) -> _Peer:
    """Mass matrix and bias, solved for the accelerations: its articulated-body algorithm has no force on the base.

    Its body-fixed representation has the twists of our free joints; a fixed base is one at rest, without its rows. It
    takes many states by itself; it fails under ``jax.vmap``, and so under ``jax.jacfwd``, but not backwards.
    """
    np_ = jax.numpy
    gravity = np_.array([*(nominal(x) for x in case.eom.machine.gravity), 0.0, 0.0, 0.0])
    robot = _load(case, lambda path, names: adam.KinDynComputations(path, names, gravity=gravity))
    robot.set_frame_velocity_representation(import_module("adam").Representations.BODY_FIXED_REPRESENTATION)
    floating = _is_floating(case)

    def mass_matrix(q: Any) -> Any:
        if floating:
            return robot.mass_matrix(_pose(np_, q), q[..., 7:])
        return robot.mass_matrix(_pose(np_, q, fixed=True), q)[..., 6:, 6:]

    def bias(q: Any, v: Any) -> Any:
        if floating:
            return robot.bias_force(_pose(np_, q), q[..., 7:], v[..., :6], v[..., 6:])
        return robot.bias_force(_pose(np_, q, fixed=True), q, np_.zeros((*q.shape[:-1], 6)), v)[..., 6:]

    functions: dict[str, Callable[..., Any]] = {
        "forward": lambda q, v, tau: np_.linalg.solve(mass_matrix(q), (tau - bias(q, v))[..., None])[..., 0],
        "inverse": lambda q, v, a: (mass_matrix(q) @ a[..., None])[..., 0] + bias(q, v),
        "mass-matrix": mass_matrix,
    }
    functions["derivatives"] = _backwards(jax, functions["forward"])
    function = functions[case.quantity.key]
    return _Peer(function, function, case.inputs)


def _backwards(jax: ModuleType, function: Callable[..., Any]) -> Callable[..., Any]:
    """Derivatives of a function of one or many states by reverse accumulation, row by row of its result."""

    def derivatives(*arguments: Any) -> Any:
        y, pull = jax.vjp(function, *arguments)
        n = y.shape[-1]
        rows = jax.numpy.eye(n).reshape(n, *[1] * (y.ndim - 1), n)
        by_all = jax.vmap(pull)(jax.numpy.broadcast_to(rows, (n, *y.shape)))
        return tuple(jax.numpy.moveaxis(D, 0, -2) for D in by_all)

    return derivatives


def _pose(np_: ModuleType, q: Any, *, fixed: bool = False) -> Any:
    """Homogeneous matrix of the base: at the origin, or from position and quaternion."""
    pose = np_.broadcast_to(np_.eye(4), (*q.shape[:-1], 4, 4))
    if fixed:
        return pose
    w, x, y, z = (q[..., k] for k in range(3, 7))
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    R = np_.stack([np_.stack(row, axis=-1) for row in rows], axis=-2)
    return pose.at[..., :3, :3].set(R).at[..., :3, 3].set(q[..., :3])


def _frax(jax: ModuleType, frax: ModuleType, case: Case) -> _Peer:
    """Its own forward dynamics, Newton-Euler and composite-body algorithms; floating bases as MuJoCo has them."""
    machine, key = case.eom.machine, case.quantity.key
    if tuple(nominal(x) for x in machine.gravity) != (0.0, 0.0, -9.81):
        raise InputError("its gravity is 9.81 m/s2 downwards")
    base = "quaternion" if _is_floating(case) else None
    robot = _load(case, lambda path, names: frax.Robot(path, joint_ordering=names, floating_base=base))
    upwards = jax.numpy.array([0.0, 0.0, 9.81, 0.0, 0.0, 0.0])
    functions: dict[str, Callable[..., Any]] = {
        "forward": lambda q, v, tau: robot.forward_dynamics(q, v, tau, None),
        "inverse": lambda q, v, a: robot.rnea(q, v, a, upwards, None),
        "mass-matrix": robot.mass_matrix,
    }
    functions["derivatives"] = jax.jacfwd(functions["forward"], argnums=(0, 1, 2))
    inverse = key == "inverse"
    s = to_mujoco(machine, case.q, case.v, **{"a" if inverse else "tau": case.x})
    x = s.a if inverse else s.tau
    assert s.v is not None and x is not None
    q, v = s.q, s.v

    def back(y: Array) -> Array:
        if key == "mass-matrix":
            return in_our_velocities(case, y)
        kind = "tau" if inverse else "a"
        return np.asarray(getattr(from_mujoco(machine, q, v, **{kind: y}), kind))

    return _Peer(functions[key], jax.vmap(functions[key]), (q, v, x)[: len(case.inputs)], back)
