"""Requirements on a plant as functions of the controller's gain matrix, with subgradients.

Each term returns pieces ``(value, d value / d K)``: the active one and those that are nearly active, as a non-smooth
method needs them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dalembert.control.hinf import gain_bounds
from dalembert.control.norms import Matrices, Modal, Peak, gain_peaks, modal, peak_gain
from dalembert.control.structured.plants import LoopPlant, controller_alone
from dalembert.control.structured.requirements import ControllerGain, Gain, Poles, Requirement, Variance
from dalembert.control.structured.structures import Structure
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["Claim", "GainTerm", "Term", "ValueAndGradient", "abscissa", "terms_of"]

_AXIS = 1e-11  # a search stops at poles this close to the imaginary axis (relative)
Complex = NDArray[np.complex128]
OfPoles = Callable[[Complex], NDArray[np.number]]


class ValueAndGradient(NamedTuple):
    """A value and its gradient with respect to the packed gain matrix."""

    value: float
    gradient: Array


class Claim(NamedTuple):
    """The final claim about a requirement.

    ``value`` is proven not to be exceeded where ``proven``, else only reached; ``omega`` is where it is largest
    [rad/s], nan where there is no such thing.
    """

    value: float
    proven: bool = True
    omega: float = np.nan


class Term(Protocol):
    """A requirement on one plant."""

    name: str
    plant: str

    def pieces(self, K: Array, fraction: float) -> list[ValueAndGradient]:
        """Pieces whose value is at least ``fraction`` of the largest, largest first; an infinite one if unstable."""

    def claim(self, K: Array) -> Claim:
        """Its value, with a proof where a search found it."""


def abscissa(P: LoopPlant, K: Array) -> ValueAndGradient:
    """Largest real part of the closed loop's poles, and its gradient by the eigenvectors."""
    F, left, right = P.effective(K)
    A = P.A + P.B2 @ F @ P.C2
    if not A.size:  # nothing moves, so that nothing is unstable
        return ValueAndGradient(-np.inf, np.zeros(K.shape))
    pieces = _eigenvalue_pieces(P, A, left, right, lambda poles: poles.real, lambda poles: np.ones(len(poles)), 1)
    return pieces[0]


def _eigenvalue_pieces(
    P: LoopPlant, A: Array, left: Array, right: Array, value: OfPoles, factor: OfPoles, count: int
) -> list[ValueAndGradient]:
    """Largest values of a function of the poles; ``factor`` is its derivative, ``Re(factor d pole)``."""
    poles, V = np.linalg.eig(A)
    if np.linalg.cond(V) > 1e10:  # poles that meet have no derivative: take that of a neighbour
        near = np.random.default_rng(0).normal(size=A.shape) * (1e-8 * (1.0 + np.abs(A).max()))
        poles, V = np.linalg.eig(A + near)
    f = value(poles)
    order = np.argsort(-f)[:count]
    W = np.linalg.inv(V)
    slopes = factor(poles)
    pieces = []
    for k in order:
        if poles[k].imag < 0 and count > 1:
            continue
        row, column = (W[k] @ P.B2) @ left, right @ (P.C2 @ V[:, k])
        pieces.append(ValueAndGradient(float(f[k]), np.real(slopes[k] * np.outer(row, column))))
    return pieces


def _computable(form: Modal, limit: float) -> bool:
    """Whether a norm can be computed: no pole next to the axis, whose spike is missed, and none beyond the limit."""
    if not form.poles.size:
        return True
    largest = float(np.abs(form.poles).max())
    return form.stable and bool(form.poles.real.max() < -_AXIS * largest) and largest < limit


@dataclass(eq=False)
class GainTerm:
    """H-infinity norm of a weighted channel, relative to its bound."""

    name: str
    plant: str
    channel: LoopPlant
    bound: float
    band: tuple[float, float] = (0.0, np.inf)
    needs_stability: bool = True
    fast_poles: float = np.inf
    near: list[float] = field(default_factory=list)  # frequencies of earlier peaks: the next search starts there

    @cached_property
    def fastest(self) -> float:
        """Limit of the poles of the loop [rad/s]; infinite if plant and weights are integrators alone."""
        sizes = np.abs(np.linalg.eigvals(self.channel.A)) if self.channel.A.size else np.zeros(1)
        known = sizes.max() > 1e-9 * np.linalg.norm(self.channel.A)
        return self.fast_poles * float(sizes.max()) if known else np.inf

    def at_limit(self, K: Array) -> bool:
        """Whether poles of the loop have come near to the limit."""
        F = self.channel.effective(K)[0]
        poles = np.linalg.eigvals(self.channel.A + self.channel.B2 @ F @ self.channel.C2)
        return self.needs_stability and bool(np.abs(poles).max(initial=0.0) > 0.5 * self.fastest)

    def pieces(self, K: Array, fraction: float = 1.0) -> list[ValueAndGradient]:
        """The norm, and near-active peaks."""
        P = self.channel
        try:
            F, left, right = P.effective(K)
        except np.linalg.LinAlgError:
            return [ValueAndGradient(np.inf, np.zeros(K.shape))]
        closed = P.closed(F)
        if not np.isfinite(closed[0]).all() or not np.isfinite(closed[3]).all():
            return [ValueAndGradient(np.inf, np.zeros(K.shape))]
        form = modal(closed)
        if self.needs_stability and not _computable(form, self.fastest):
            return [ValueAndGradient(np.inf, np.zeros(K.shape))]
        best = peak_gain(form, self.band, near=self.near, tolerance=1e-12)  # the gradient needs the frequency
        if not np.isfinite(best.gain):  # a pole as good as on the axis
            return [ValueAndGradient(np.inf, np.zeros(K.shape))]
        peaks = gain_peaks(form, best, self.band, fraction) if fraction < 1.0 else [best]
        self.near = [p.omega for p in peaks[:4] if np.isfinite(p.omega)]
        values = []
        for peak in peaks:
            values += self._at(closed, peak, left, right, fraction * best.gain)
        return sorted(values, key=lambda piece: -piece.value)

    def claim(self, K: Array) -> Claim:
        """The norm from both sides; its upper bound counts."""
        P = self.channel
        value = self.pieces(K, 1.0)[0].value
        if not np.isfinite(value):
            return Claim(value)
        bounds = gain_bounds(P.closed(P.effective(K)[0]), self.band, near=self.near)
        proven = bool(np.isfinite(bounds.upper))
        return Claim((bounds.upper if proven else bounds.peak.gain) / self.bound, proven, bounds.peak.omega)

    def _at(self, closed: Matrices, peak: Peak, left: Array, right: Array, least: float) -> list[ValueAndGradient]:
        P, (A, B, C, D) = self.channel, closed
        if np.isfinite(peak.omega) and A.size:
            pencil = 1j * peak.omega * np.eye(A.shape[0]) - A
            R = np.linalg.solve(pencil, np.hstack([B, P.B2]).astype(complex))
            T, Z = D + C @ R[:, : B.shape[1]], P.D12 + C @ R[:, B.shape[1] :]
            Y = P.D21 + P.C2 @ R[:, : B.shape[1]]
        else:
            T, Z, Y = D.astype(complex), P.D12.astype(complex), P.D21.astype(complex)
        U, s, Vh = np.linalg.svd(T)
        values = []
        for k in range(min(2, len(s))):
            if k and s[k] < least:
                break
            row, column = (U[:, k].conj() @ Z) @ left, right @ (Y @ Vh[k].conj())
            values.append(ValueAndGradient(float(s[k]) / self.bound, np.real(np.outer(row, column)) / self.bound))
        return values


@dataclass(eq=False)
class VarianceTerm:
    """H2 norm of a weighted channel, relative to its bound."""

    name: str
    plant: str
    channel: LoopPlant
    bound: float

    def pieces(self, K: Array, fraction: float = 1.0) -> list[ValueAndGradient]:
        """The norm: smooth, so one piece."""
        from scipy.linalg import solve_continuous_lyapunov

        P = self.channel
        F, left, right = P.effective(K)
        A, B, C, D = P.closed(F)
        if not np.isfinite(A).all() or np.linalg.eigvals(A).real.max() >= 0.0 or np.abs(D).max(initial=0.0) > 1e-12:
            return [ValueAndGradient(np.inf, np.zeros(K.shape))]
        X = solve_continuous_lyapunov(A, -B @ B.T)
        Q = solve_continuous_lyapunov(A.T, -C.T @ C)
        norm = float(np.sqrt(max(np.trace(C @ X @ C.T), 0.0)))
        if norm == 0.0:
            return [ValueAndGradient(0.0, np.zeros(K.shape))]
        slope = P.B2.T @ Q @ X @ P.C2.T + P.B2.T @ Q @ B @ P.D21.T + P.D12.T @ C @ X @ P.C2.T
        return [ValueAndGradient(norm / self.bound, left.T @ slope @ right.T / (norm * self.bound))]

    def claim(self, K: Array) -> Claim:
        """The norm."""
        return Claim(self.pieces(K)[0].value)


@dataclass(eq=False)
class PolesTerm:
    """Poles in a region: decay, damping and frequency, each relative to the requirement."""

    name: str
    plant: str
    channel: LoopPlant
    requirement: Poles

    def pieces(self, K: Array, fraction: float = 1.0) -> list[ValueAndGradient]:
        """The worst poles of each condition."""
        P, r = self.channel, self.requirement
        F, left, right = P.effective(K)
        A = P.A + P.B2 @ F @ P.C2
        if not A.size:
            return [ValueAndGradient(0.0, np.zeros(K.shape))]
        if not np.isfinite(A).all() or (np.linalg.eigvals(A).real >= 0.0).any():
            return [ValueAndGradient(np.inf, np.zeros(K.shape))]
        count = 1 if fraction >= 1.0 else 6
        values: list[ValueAndGradient] = []
        if r.decay is not None:
            a = r.decay
            values += _eigenvalue_pieces(P, A, left, right, lambda s: -a / s.real, lambda s: a / s.real**2, count)
        if r.damping is not None:
            z = r.damping
            # value = z |s| / -Re s; d|s| = Re(conj(s) ds) / |s|
            values += _eigenvalue_pieces(
                P,
                A,
                left,
                right,
                lambda s: -z * np.abs(s) / s.real,
                lambda s: z * (np.abs(s) / s.real**2 - s.conj() / (np.abs(s) * s.real)),
                count,
            )
        if r.omega is not None:
            w = r.omega
            values += _eigenvalue_pieces(
                P,
                A,
                left,
                right,
                lambda s: np.abs(s) / w,
                lambda s: s.conj() / (np.maximum(np.abs(s), 1e-300) * w),
                count,
            )
        values.sort(key=lambda piece: -piece.value)
        return [piece for piece in values if piece.value >= fraction * values[0].value]

    def claim(self, K: Array) -> Claim:
        """The worst pole."""
        return Claim(self.pieces(K)[0].value)


def terms_of(
    requirement: Requirement, plants: list[LoopPlant], structure: Structure, fast_poles: float = np.inf
) -> list[Term]:
    """The terms of a requirement on the plants that it names; ``fast_poles`` as in `TuneSettings`."""
    if isinstance(requirement, ControllerGain):
        channel = controller_alone(structure).weighted(requirement.before, requirement.after)
        band = requirement.band or (0.0, np.inf)
        return [GainTerm(requirement.name, "", channel, requirement.bound, band, needs_stability=False)]
    if not isinstance(requirement, Gain | Variance | Poles):
        raise InputError(f"expected a requirement such as Gain, Variance, Poles or ControllerGain, got {requirement!r}")
    names = [P.name for P in plants]
    asked = requirement.plants or tuple(names)
    unknown = [n for n in asked if n not in names]
    if unknown:
        raise InputError(
            f"requirement '{requirement.name}' is for plant '{unknown[0]}', which does not exist; plants: "
            f"{', '.join(names)}"
        )
    terms: list[Term] = []
    for P in plants:
        if P.name not in asked:
            continue
        if isinstance(requirement, Poles):
            terms.append(PolesTerm(requirement.name, P.name, P, requirement))
            continue
        channel = P.channel(requirement.inputs, requirement.outputs)
        if isinstance(requirement, Gain):
            channel = _shifted(channel, requirement).weighted(requirement.before, requirement.after)
            band = requirement.band or (0.0, np.inf)
            terms.append(GainTerm(requirement.name, P.name, channel, requirement.bound, band, fast_poles=fast_poles))
        else:
            channel = channel.weighted(requirement.before, requirement.after)
            if np.any(channel.D11) or (np.any(channel.D12) and np.any(channel.D21)):
                raise InputError(
                    f"requirement '{requirement.name}' has a direct path from its inputs to its outputs: white noise "
                    "passes it with infinite variance; weight it with a low-pass"
                )
            terms.append(VarianceTerm(requirement.name, P.name, channel, requirement.bound))
    return terms


def _shifted(P: LoopPlant, requirement: Gain) -> LoopPlant:
    """``scale T + offset``."""
    s = requirement.scale
    offset = 0.0 if requirement.offset is None else np.asarray(requirement.offset, dtype=float)
    if s == 1.0 and requirement.offset is None:
        return P
    return replace(P, C1=s * P.C1, D11=s * P.D11 + offset, D12=s * P.D12)
