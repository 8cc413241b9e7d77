"""MJX, MuJoCo on JAX: all members in one call, on a GPU where JAX has one."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["mjx_rollout"]


def mjx_rollout(model: Any, steps: int) -> tuple[Callable[[Array, Array], Array], str]:
    """Return ``run(qpos, qvel)``, the end states (members, nq + nv) in double precision, and its device.

    Parameters
    ----------
    model
        An ``mujoco.MjModel`` with its step and integrator.
    steps
        How many steps a run has.

    Raises
    ------
    InputError
        If JAX or MJX is not installed, or MJX cannot take the model.
    """
    if find_spec("jax") is None or find_spec("mujoco.mjx") is None:
        raise InputError("MJX is not installed (pip install mujoco-mjx)")
    jax, mjx = import_module("jax"), import_module("mujoco.mjx")
    jax.config.update("jax_enable_x64", True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            there = mjx.put_model(model)
    except NotImplementedError as error:
        raise InputError(f"MJX cannot take the model: {error}") from None
    empty = mjx.make_data(there)

    def member(q: Any, v: Any) -> Any:
        data = empty.replace(qpos=q, qvel=v)
        data = jax.lax.fori_loop(0, steps, lambda _, d: mjx.step(there, d), data)
        return jax.numpy.concatenate((data.qpos, data.qvel))

    compiled = jax.jit(jax.vmap(member))
    return lambda q, v: np.asarray(compiled(q, v)), str(jax.devices()[0].platform)
