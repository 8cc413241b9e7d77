"""The part of the contract of `EquationsOfMotion` that is about states and parameter values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers, by_name
from dalembert.core.ports import Formulation
from dalembert.core.types import Array
from dalembert.formulations.layout import Layout
from dalembert.model.checks import check_parameter_values
from dalembert.model.elastic.contract import Elastic
from dalembert.model.machine import Machine

__all__ = ["Parameters", "StateContract", "plain_numbers"]

_FLOAT64 = np.dtype(np.float64)
Parameters = Mapping[str, Any] | ArrayLike | None


class StateContract:
    """Coordinates of the machine and of the equations, configurations to begin with, and checks of given values."""

    machine: Machine
    formulation: Formulation
    layout: Layout
    nq: int
    q_names: tuple[str, ...]
    p_names: tuple[str, ...]
    _call: Callable[..., Any]
    _p_nominal: Array
    _admitted: tuple[bytes, ...]
    _quaternions: tuple[tuple[str, int], ...]

    def to_machine(self, q: ArrayLike, v: ArrayLike, *, p: Parameters = None) -> tuple[Array, Array]:
        """State in the machine's own coordinates; the same arrays unless other coordinates were chosen."""
        if self.formulation.machine_coordinates:
            return plain_numbers(q, "q"), plain_numbers(v, "v")
        result: tuple[Array, Array] = self._call("to_machine", (q, v), 0.0, p)
        return result

    def from_machine(self, q: ArrayLike, v: ArrayLike, *, p: Parameters = None) -> tuple[Array, Array]:
        """State in these coordinates from one in the machine's own, or many (N, n): the inverse of `to_machine`."""
        q, v = plain_numbers(q, "q"), plain_numbers(v, "v")
        if self.formulation.machine_coordinates:
            return q, v
        values = self.parameter_values(p)
        state = (q, v, np.broadcast_to(values, (*q.shape[:-1], values.shape[-1])))
        converted = self.formulation.from_machine(*(ca.DM(a.T) for a in state))
        coordinates, velocities = (np.ascontiguousarray(np.array(ca.DM(a).full()).T) for a in converted)
        return (coordinates, velocities) if q.ndim == 2 else (coordinates[0], velocities[0])

    @property
    def q_neutral(self) -> Array:
        """Neutral configuration."""
        neutral = np.zeros(self.nq)
        for _, start in self.layout.quaternions:
            neutral[start] = 1.0
        return neutral

    def random_configuration(self, rng: np.random.Generator, spread: float = 1.0) -> Array:
        """Random configuration: normal coordinates, within the joints' limits if there are any; uniform attitudes.

        Modal coordinates are normal within the range of small deflections, see `Elastic.amplitudes`.
        """
        q = spread * rng.normal(size=self.nq)
        for body in (b for b in self.machine.bodies if isinstance(b, Elastic)):
            for name, amplitude in zip(body.q_names, body.amplitudes, strict=True):
                if name in self.q_names:
                    q[self.q_names.index(name)] *= amplitude
        for _, start in self.layout.quaternions:
            Q = rng.normal(size=4)
            q[start : start + 4] = Q / np.linalg.norm(Q)
        limits = {j.name: j.limits for j in self.machine.joints}
        for block in self.layout.blocks:
            if block.name in limits and block.q.stop - block.q.start == 1:
                lower, upper = limits[block.name].lower, limits[block.name].upper
                x = q[block.q.start]
                if not lower <= x <= upper:
                    # Reflected at the limit it exceeds; uniform in a range too narrow for that.
                    x = 2 * lower - x if x < lower else 2 * upper - x
                    q[block.q.start] = x if lower <= x <= upper else rng.uniform(lower, upper)
        return q

    def parameter_values(self, p: Parameters = None) -> Array:
        """Parameter values of a call, checked against the bounds of the fields they stand for."""
        if p is None:
            return self._p_nominal
        p = by_name(p, "p")
        if isinstance(p, Mapping):
            values = self.machine.parameter_vector(p)
        else:
            try:
                values = as_numbers(p)
            except (TypeError, ValueError):
                raise InputError(f"p must be a mapping of parameter names or an array of numbers, got {p!r}") from None
            if values.shape[-1:] != (len(self.p_names),):
                expected = f"(..., {len(self.p_names)}) for the parameters {', '.join(self.p_names) or '(none)'}"
                raise InputError(f"p has shape {values.shape}, expected {expected}")
        # those of a run are requested again and again: checked once
        key = values.tobytes() if values.ndim == 1 else b""
        if key not in self._admitted:
            check_parameter_values(self.machine, values)
            if key:
                self._admitted = (*self._admitted[-7:], key)
        return values

    def check_quaternions(self, q: ArrayLike) -> None:
        """Refuse a configuration whose quaternions are not of unit norm."""
        if isinstance(q, np.ndarray) and q.dtype is _FLOAT64 and q.shape == (self.nq,):
            for _, start in self._quaternions:
                w, x, y, z = q[start : start + 4].tolist()
                if not abs(w * w + x * x + y * y + z * z - 1.0) < 1e-6:
                    break
            else:
                return
        try:
            values = np.asarray(q, dtype=float)
        except (TypeError, ValueError):
            return  # the kernel reports the error
        if values.shape[-1:] != (self.nq,):
            return
        for name, start in self._quaternions:
            norm = np.linalg.norm(values[..., start : start + 4], axis=-1)
            if np.any(np.abs(norm - 1.0) > 1e-6):
                worst = float(norm.flat[int(np.argmax(np.abs(norm - 1.0)))]) if norm.ndim else float(norm)
                raise InputError(
                    f"the quaternion (w, x, y, z) of joint '{name}' in q must have unit norm, got norm {worst:g}"
                )


def plain_numbers(value: ArrayLike, what: str) -> Array:
    """Numbers of an argument, which is named where it has none."""
    try:
        return as_numbers(value)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be numbers, got {value!r}") from None
