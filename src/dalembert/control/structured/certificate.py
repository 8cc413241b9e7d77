"""The tuned loop computed another way: equations of plant and controller beside each other, solved at each frequency.

It uses no result of the search: no closed-loop state space, no Hamiltonian. The gains on a dense grid, and at the peaks
that the search reported, must not exceed its claims, and must reach them; and its claims must be proven upper bounds.
Poles are those of python-control's feedback interconnection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.control.norms import Matrices, matrices_of, response
from dalembert.control.structured.requirements import ControllerGain, Gain, Poles, Requirement, Variance
from dalembert.control.structured.structures import Structure
from dalembert.control.structured.terms import Claim
from dalembert.core.types import Array

if TYPE_CHECKING:
    import control

    from dalembert.control.norms import LinearSystem

__all__ = ["Check", "certify"]

_GRID = 4000


@dataclass(frozen=True)
class Check:
    """A requirement on a plant: the claim of the search, and the independent value.

    ``proven`` says whether the claim is an upper bound over all frequencies; without that the check is not ``ok``.
    """

    requirement: str
    plant: str
    claimed: float
    computed: float
    ok: bool
    proven: bool = True

    @property
    def found(self) -> float:
        """The value of the independent computation."""
        return self.computed


def certify(
    plants: Mapping[str, control.StateSpace],
    structure: Structure,
    x: Array,
    requirements: Sequence[Requirement],
    claims: Mapping[tuple[str, str], Claim],
) -> tuple[Check, ...]:
    """Check all requirements of a tuned controller."""
    AK, BK, CK, DK = (np.array(ca.DM(ca.densify(ca.SX(m))).full()) for m in structure.matrices(ca.DM(x)))
    K = (AK, BK, CK, DK)
    checks = []
    for name, plant in plants.items():
        poles = _poles(plant, K, structure)
        slowest = float(poles.real.max(initial=-np.inf))
        rounding = 1e-13 * float(np.abs(poles).max(initial=0.0))
        checks.append(Check("stability", name, np.nan, slowest, slowest < -rounding or not poles.size))
        loop = _Loop(plant, K, structure, poles)
        for r in requirements:
            if (r.name, name) in claims:
                claim = claims[r.name, name]
                checks.append(_check(r, name, claim, loop.value(r, claim.omega)))
    for r in requirements:
        if isinstance(r, ControllerGain):
            claim = claims[r.name, ""]
            poles = np.linalg.eigvals(K[0]) if K[0].size else np.zeros(0, dtype=complex)
            w = _grid(poles, r.band, claim.omega)
            G = _weigh(response(K, w), r.before, r.after, w)
            value = float(np.linalg.svd(G, compute_uv=False)[:, 0].max()) / r.bound
            checks.append(_check(r, "", claim, value))
    return tuple(checks)


def _check(requirement: Requirement, plant: str, claim: Claim, value: float) -> Check:
    """Compare: no gain of a grid may exceed a claimed norm, and one comes close to it; smooth quantities agree."""
    if isinstance(requirement, Gain | ControllerGain):
        agree = 0.98 * claim.value <= value <= claim.value * (1.0 + 1e-6) + 1e-12
    else:
        agree = abs(value - claim.value) <= 1e-5 * max(abs(claim.value), 1e-12)
    return Check(requirement.name, plant, claim.value, value, bool(agree and claim.proven), claim.proven)


def _poles(plant: control.StateSpace, K: Matrices, structure: Structure) -> NDArray[np.complex128]:
    import control

    u = [plant.input_labels.index(c) for c in structure.controls]
    y = [plant.output_labels.index(m) for m in structure.measured]
    (A, B, C, D), _ = matrices_of(plant)
    P = control.ss(A, B[:, u], C[y], D[np.ix_(y, u)])
    closed = control.feedback(P, control.ss(*K), sign=-1)
    return np.asarray(np.linalg.eigvals(closed.A)) if closed.nstates else np.zeros(0, dtype=complex)


class _Loop:
    """A plant and a controller, joined frequency by frequency."""

    def __init__(
        self, plant: control.StateSpace, K: Matrices, structure: Structure, poles: NDArray[np.complex128]
    ) -> None:
        self.matrices, _ = matrices_of(plant)
        self.K, self.structure, self.poles = K, structure, poles
        self.inputs, self.outputs = list(plant.input_labels), list(plant.output_labels)

    def transfer(self, inputs: Sequence[str], outputs: Sequence[str], w: Array) -> NDArray[np.complex128]:
        """Closed-loop response between signals by name.

        All equations of plant and controller form one system and are solved at once. Closing the response of
        the plant instead would subtract numbers that grow without bound at low frequencies where it has integrators.
        """
        s = self.structure
        (A, B, C, D), (AK, BK, CK, DK) = self.matrices, self.K
        u = [self.inputs.index(c) for c in s.controls]
        y = [self.outputs.index(m) for m in s.measured]
        n, k, m, p = A.shape[0], AK.shape[0], len(u), len(y)
        # Unknown: states x and xK, controls v, errors e.
        E = np.zeros((n + k + m + p, n + k + m + p))
        E[:n, :n], E[:n, n + k : n + k + m] = -A, -B[:, u]
        E[n : n + k, n : n + k], E[n : n + k, n + k + m :] = -AK, -BK
        E[n + k : n + k + m, n : n + k] = -CK
        E[n + k : n + k + m, n + k :] = np.hstack([np.eye(m), -DK])
        E[n + k + m :, :n], E[n + k + m :, n + k :] = C[y], np.hstack([D[np.ix_(y, u)], np.eye(p)])
        right = np.zeros((len(E), len(inputs)))
        direct = np.zeros((len(self.outputs), len(inputs)))
        for j, name in enumerate(inputs):
            if name in self.inputs:
                i = self.inputs.index(name)
                right[:n, j], right[n + k + m :, j], direct[:, j] = B[:, i], -D[y, i], D[:, i]
            else:
                right[n + k + m + s.measured.index(name.removeprefix("r.")), j] = 1.0
        shown = np.zeros((len(outputs), len(E)))
        through = np.zeros((len(outputs), len(inputs)))
        for i, name in enumerate(outputs):
            if name in self.outputs:
                row = self.outputs.index(name)
                shown[i, :n], shown[i, n + k : n + k + m], through[i] = C[row], D[row, u], direct[row]
            elif name.startswith("u."):
                shown[i, n + k + s.controls.index(name.removeprefix("u."))] = 1.0
            else:
                shown[i, n + k + m + s.measured.index(name.removeprefix("e."))] = 1.0
        moving = np.diag(np.concatenate([np.ones(n + k), np.zeros(m + p)]))
        responses = []
        for some in np.array_split(w, max(1, len(w) * len(E) ** 2 // 2_000_000)):
            x = np.linalg.solve(1j * some[:, None, None] * moving + E, right)
            responses.append(shown @ x + through)
        return np.concatenate(responses)

    def value(self, r: Requirement, frequency: float) -> float:
        """Value of a requirement; ``frequency`` [rad/s] is where a gain is claimed to be largest."""
        if isinstance(r, Poles):
            s = self.poles
            worst = [0.0]
            if r.decay is not None:
                worst.append(float((-r.decay / s.real).max()))
            if r.damping is not None:
                worst.append(float((-r.damping * np.abs(s) / s.real).max()))
            if r.omega is not None:
                worst.append(float(np.abs(s).max() / r.omega))
            return max(worst)
        if isinstance(r, Variance):
            return self._variance(r)
        assert isinstance(r, Gain)
        w = _grid(self.poles, r.band, frequency)
        T = self.transfer(r.inputs, r.outputs, w)
        if r.scale != 1.0 or r.offset is not None:
            T = r.scale * T + (0.0 if r.offset is None else np.asarray(r.offset))
        T = _weigh(T, r.before, r.after, w)
        return float(np.linalg.svd(T, compute_uv=False)[:, 0].max()) / r.bound

    def _variance(self, r: Variance) -> float:
        """Root of the integral of the squared gain over frequency, on the angle that makes it finite."""
        scale = float(np.exp(np.log(np.abs(self.poles)).mean())) if self.poles.size else 1.0
        step = np.pi / 2.0 / _GRID
        angle = step * (np.arange(_GRID) + 0.5)  # periodic and smooth in the angle: the midpoint rule converges fast
        w = scale * np.tan(angle)
        T = _weigh(self.transfer(r.inputs, r.outputs, w), r.before, r.after, w)
        density = (np.abs(T) ** 2).sum(axis=(1, 2))
        total = float((density * scale / np.cos(angle) ** 2).sum() * step)
        return float(np.sqrt(total / np.pi)) / r.bound


def _grid(poles: NDArray[np.complex128], band: tuple[float, float] | None, peak: float) -> Array:
    """Frequencies over the range of the poles, denser at resonances; ends of the band and a known peak included."""
    size = np.abs(poles[np.abs(poles) > 1e-9]) if poles.size else np.ones(1)
    size = size if size.size else np.ones(1)
    low, high = size.min() * 1e-3, size.max() * 1e3
    resonant = poles[(poles.imag > 0) & (np.abs(poles.real) < 0.2 * np.abs(poles))] if poles.size else poles
    fine = [np.abs(p) * (1.0 + np.linspace(-3, 3, 61) * np.abs(p.real) / np.abs(p)) for p in resonant]
    w = np.concatenate(
        [[1e-6 * low], np.geomspace(low, high, _GRID), *fine, [1e6 * high], [peak] if np.isfinite(peak) else []]
    )
    lo, hi = band or (0.0, np.inf)
    w = np.concatenate([w[(w >= lo) & (w <= hi)], [lo], [hi] if np.isfinite(hi) else []])
    return np.unique(np.maximum(w, 1e-6 * low))  # not zero itself: the plant may have integrators


def _weigh(
    T: NDArray[np.complex128], before: LinearSystem | None, after: LinearSystem | None, w: Array
) -> NDArray[np.complex128]:
    for weight, side in ((before, "before"), (after, "after")):
        if weight is None:
            continue
        W = response(matrices_of(weight)[0], w)
        if W.shape[1:] == (1, 1):
            T = T * W
        else:
            T = T @ W if side == "before" else W @ T
    return T
