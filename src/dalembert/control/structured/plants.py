"""The plant that a controller is tuned on: exogenous signals in, signals to judge out, with the controller cut out.

The loop is ``u = K(s) e``, ``e = r - y``. Exogenous inputs are the plant's own inputs (a disturbance adds to the
controller's output) and the references ``r.NAME`` of measured signals (measurement noise is ``-r``). Outputs are the
plant's own outputs, ``u.NAME`` and the errors ``e.NAME``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from dalembert.control.norms import Matrices, matrices_of, realised
from dalembert.control.signals import place
from dalembert.control.structured.structures import Structure, check_names
from dalembert.core.errors import InputError
from dalembert.core.types import Array

if TYPE_CHECKING:
    import control

    from dalembert.control.norms import LinearSystem

    Plant: TypeAlias = control.StateSpace | control.TransferFunction

__all__ = ["LoopPlant", "controller_alone", "loop_plant", "named_plants"]


@dataclass(frozen=True, eq=False)
class LoopPlant:
    """``x' = A x + B1 w + B2 u``, ``z = C1 x + D11 w + D12 u``, ``e = C2 x + D21 w + D22 u``, with states of ``K``."""

    A: Array
    B1: Array
    B2: Array
    C1: Array
    C2: Array
    D11: Array
    D12: Array
    D21: Array
    D22: Array
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    name: str = ""

    def effective(self, K: Array) -> tuple[Array, Array, Array]:
        """``K (1 - D22 K)^-1`` and the factors of its derivative ``left dK right``."""
        if not np.any(self.D22):
            return K, np.eye(K.shape[0]), np.eye(K.shape[1])
        right: Array = np.linalg.inv(np.eye(K.shape[1]) - self.D22 @ K).astype(float)
        F = K @ right
        return F, np.eye(K.shape[0]) + F @ self.D22, right

    def closed(self, F: Array) -> Matrices:
        """Closed loop with the effective gain ``F``."""
        BF, DF = self.B2 @ F, self.D12 @ F
        return self.A + BF @ self.C2, self.B1 + BF @ self.D21, self.C1 + DF @ self.C2, self.D11 + DF @ self.D21

    def channel(self, inputs: Sequence[str], outputs: Sequence[str]) -> LoopPlant:
        """The same loop, seen from some inputs to some outputs."""
        where = f"the loop of plant '{self.name}'" if self.name else "the loop"
        columns = [place(n, self.inputs, "input", where) for n in inputs]
        rows = [place(n, self.outputs, "output", where) for n in outputs]
        return LoopPlant(
            self.A,
            self.B1[:, columns],
            self.B2,
            self.C1[rows],
            self.C2,
            self.D11[np.ix_(rows, columns)],
            self.D12[rows],
            self.D21[:, columns],
            self.D22,
            tuple(inputs),
            tuple(outputs),
            self.name,
        )

    def weighted(self, before: LinearSystem | None, after: LinearSystem | None) -> LoopPlant:
        """The same loop with weights before its inputs and after its outputs (None: none)."""
        result = self
        if before is not None:
            result = result._before(_weight(before, len(self.inputs), "input", self.inputs))
        if after is not None:
            result = result._after(_weight(after, len(self.outputs), "output", self.outputs))
        return result

    def _before(self, W: Matrices) -> LoopPlant:
        Aw, Bw, Cw, Dw = W
        n, k = self.A.shape[0], Aw.shape[0]
        return LoopPlant(
            np.block([[self.A, self.B1 @ Cw], [np.zeros((k, n)), Aw]]),
            np.vstack([self.B1 @ Dw, Bw]),
            np.vstack([self.B2, np.zeros((k, self.B2.shape[1]))]),
            np.hstack([self.C1, self.D11 @ Cw]),
            np.hstack([self.C2, self.D21 @ Cw]),
            self.D11 @ Dw,
            self.D12,
            self.D21 @ Dw,
            self.D22,
            self.inputs,
            self.outputs,
            self.name,
        )

    def _after(self, W: Matrices) -> LoopPlant:
        Aw, Bw, Cw, Dw = W
        n, k = self.A.shape[0], Aw.shape[0]
        return LoopPlant(
            np.block([[self.A, np.zeros((n, k))], [Bw @ self.C1, Aw]]),
            np.vstack([self.B1, Bw @ self.D11]),
            np.vstack([self.B2, Bw @ self.D12]),
            np.hstack([Dw @ self.C1, Cw]),
            np.hstack([self.C2, np.zeros((self.C2.shape[0], k))]),
            Dw @ self.D11,
            Dw @ self.D12,
            self.D21,
            self.D22,
            self.inputs,
            self.outputs,
            self.name,
        )


def named_plants(
    plant: Plant | Sequence[Plant] | Mapping[str, Plant],
) -> dict[str, control.StateSpace]:
    """Plants by name: one plant, several of them (named by number), or a mapping."""
    import control

    if isinstance(plant, Mapping):
        named = dict(plant)
    else:
        several = [plant] if isinstance(plant, control.StateSpace | control.TransferFunction) else list(plant)
        named = {f"plant {k + 1}" if len(several) > 1 else "plant": s for k, s in enumerate(several)}
    if not named:
        raise InputError("tune needs at least one plant")
    for name, system in named.items():
        if isinstance(system, control.TransferFunction):
            named[name] = realised(system)
        elif not isinstance(system, control.StateSpace):
            raise InputError(
                f"plant '{name}' must be a StateSpace or TransferFunction of python-control, got "
                f"{type(system).__name__}"
            )
    return named


def loop_plant(plant: control.StateSpace, structure: Structure, name: str) -> LoopPlant:
    """The loop of a plant and a structure, with the controller cut out and its states added to the plant."""
    (A, B, C, D), period = matrices_of(plant)
    if period:
        raise InputError(f"plant '{name}' is sampled: tune a continuous one, and sample the controller")
    inputs, outputs = tuple(plant.input_labels), tuple(plant.output_labels)
    check_names(structure, inputs, outputs, name)
    u = [inputs.index(c) for c in structure.controls]
    y = [outputs.index(m) for m in structure.measured]
    n, nu, ny, p, m = A.shape[0], len(u), len(y), C.shape[0], B.shape[1]
    C1 = np.vstack([C, np.zeros((nu, n)), -C[y]])
    D11 = np.block([[D, np.zeros((p, ny))], [np.zeros((nu, m)), np.zeros((nu, ny))], [-D[y], np.eye(ny)]])
    D12 = np.vstack([D[:, u], np.eye(nu), -D[np.ix_(y, u)]])
    B1 = np.hstack([B, np.zeros((n, ny))])
    D21 = np.hstack([-D[y], np.eye(ny)])
    cut = LoopPlant(
        A,
        B1,
        B[:, u],
        C1,
        -C[y],
        D11,
        D12,
        D21,
        -D[np.ix_(y, u)],
        (*inputs, *(f"r.{k}" for k in structure.measured)),
        (*outputs, *(f"u.{k}" for k in structure.controls), *(f"e.{k}" for k in structure.measured)),
        name,
    )
    return _with_states(cut, structure.order)


def controller_alone(structure: Structure) -> LoopPlant:
    """A loop whose closed form is the controller itself, from ``e.NAME`` to ``u.NAME``."""
    nu, ny = len(structure.controls), len(structure.measured)
    none = np.zeros((0, 0))
    plant = LoopPlant(
        none,
        np.zeros((0, ny)),
        np.zeros((0, nu)),
        np.zeros((nu, 0)),
        np.zeros((ny, 0)),
        np.zeros((nu, ny)),
        np.eye(nu),
        np.eye(ny),
        np.zeros((ny, nu)),
        tuple(f"e.{k}" for k in structure.measured),
        tuple(f"u.{k}" for k in structure.controls),
        "controller",
    )
    return _with_states(plant, structure.order)


def _with_states(P: LoopPlant, order: int) -> LoopPlant:
    """States of the controller, as integrators whose input and output the packed gain connects."""
    if not order:
        return P
    n, one = P.A.shape[0], np.eye(order)

    def zeros(*shape: int) -> Array:
        return np.zeros(shape)

    nu, ny = P.B2.shape[1], P.C2.shape[0]
    return LoopPlant(
        np.block([[P.A, zeros(n, order)], [zeros(order, n), zeros(order, order)]]),
        np.vstack([P.B1, zeros(order, P.B1.shape[1])]),
        np.block([[P.B2, zeros(n, order)], [zeros(order, nu), one]]),
        np.hstack([P.C1, zeros(P.C1.shape[0], order)]),
        np.block([[P.C2, zeros(ny, order)], [zeros(order, n), one]]),
        P.D11,
        np.hstack([P.D12, zeros(P.D12.shape[0], order)]),
        np.vstack([P.D21, zeros(order, P.D21.shape[1])]),
        np.block([[P.D22, zeros(ny, order)], [zeros(order, nu), zeros(order, order)]]),
        P.inputs,
        P.outputs,
        P.name,
    )


def _weight(weight: LinearSystem, count: int, what: str, names: Sequence[str]) -> Matrices:
    """A weight of ``count`` signals: one for all of them, or one with as many ports."""
    from scipy.linalg import block_diag

    (A, B, C, D), period = matrices_of(weight)
    if period:
        raise InputError(f"the weight of {what}s {', '.join(names)} is sampled: give a continuous one")
    if A.size and np.linalg.eigvals(A).real.max() >= 0.0:
        raise InputError(
            f"the weight of {what}s {', '.join(names)} is not stable: move a pole at zero a little to the left "
            "(1/s becomes 1/(s + 1e-4 w), w the slowest frequency that matters)"
        )
    if D.shape == (1, 1) and count > 1:
        A, B, C, D = (block_diag(*[m] * count).reshape(m.shape[0] * count, m.shape[1] * count) for m in (A, B, C, D))
    if D.shape[1 if what == "output" else 0] != count:
        raise InputError(
            f"the weight of {what}s {', '.join(names)} must have 1 or {count} ports, got {D.shape[0]} x {D.shape[1]}"
        )
    return A, B, C, D
