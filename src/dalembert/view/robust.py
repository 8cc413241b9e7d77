"""Pictures of robust control: singular values with their bounds, poles, structured singular values, ranges."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dalembert.control.mu import Robustness
from dalembert.control.norms import Matrices, matrices_of, response
from dalembert.control.uncertain import LFT
from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.renamed import renamed_keywords
from dalembert.core.types import Array
from dalembert.view.plots import COLOURS, picture_file, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dalembert.control.norms import LinearSystem

__all__ = ["plot_mu", "plot_poles", "plot_ranges", "plot_singular_values"]

Path = str | os.PathLike[str]


@renamed_keywords("rad/s", frequencies="omega")
def plot_singular_values(
    systems: LFT | LinearSystem | Mapping[str, LinearSystem],
    *,
    bounds: Mapping[str, LinearSystem] | None = None,
    omega: Sequence[float] | Array | None = None,
    samples: int = 50,
    seed: int = 0,
    path: Path | None = None,
) -> Figure:
    """Draw largest singular values over frequency, of one system also the others, with the bounds that weights set.

    Parameters
    ----------
    systems
        System of python-control, several by name, or an uncertain loop in blocks between -1 and 1, which is sampled.
    samples, seed
        Random values of an uncertain loop, even in its blocks.
    bounds
        Weights by name: what is drawn is ``1 / |w|``, below which the weighted gain is at most one.
    omega
        Angular frequencies [rad/s]; default the range of all poles and a decade beside.
    path
        File to write; None: only return the figure.

    Examples
    --------
    >>> import control
    >>> figure = plot_singular_values(control.tf([1.0], [1.0, 0.4, 1.0]), omega=[0.1, 1.0, 10.0])
    >>> len(figure.axes)
    1
    """
    drawn: list[Matrices] = []
    if isinstance(systems, LFT):
        drawn = [_closed(systems, values) for values in systems.sample(samples, seed=seed)]
        parts = {"middle": _closed(systems, dict.fromkeys(systems.sizes, 0.0))}
    else:
        named = dict(systems) if isinstance(systems, Mapping) else {"": systems}
        parts = {name: matrices_of(system)[0] for name, system in named.items()}
    among = [p[0] for p in (*drawn, *parts.values())]
    w = _frequencies(among) if omega is None else as_numbers(omega)
    figure, axes = _figure()
    for i, system in enumerate(drawn):
        label = None if i else f"{samples} random values"
        largest = np.linalg.svd(response(system, w), compute_uv=False)[:, 0]
        axes.loglog(w, largest, color=COLOURS[1], lw=0.5, alpha=0.6, label=label)
    for k, (name, system) in enumerate(parts.items()):
        values = np.linalg.svd(response(system, w), compute_uv=False)
        colour = COLOURS[k % len(COLOURS)]
        axes.loglog(w, values[:, 0], color=colour, label=name or None)
        if values.shape[1] > 1 and len(parts) == 1 and not drawn:
            axes.fill_between(w, np.maximum(values[:, -1], 1e-12), values[:, 0], color=colour, alpha=0.15, lw=0)
    for name, weight in (bounds or {}).items():
        gain = np.linalg.svd(response(matrices_of(weight)[0], w), compute_uv=False)[:, 0]
        axes.loglog(w, 1.0 / np.maximum(gain, 1e-300), "k--", lw=1, label=name)
    axes.set(xlabel="omega [rad/s]", ylabel="singular values")
    return _finished(figure, axes, path, legend=bool(bounds or drawn) or len(parts) > 1)


def plot_poles(
    loop: LFT | LinearSystem | Mapping[str, LinearSystem],
    *,
    samples: int = 200,
    seed: int = 0,
    damping: float | None = None,
    path: Path | None = None,
) -> Figure:
    """Draw the poles of closed loops in the complex plane.

    Parameters
    ----------
    loop
        System, several by name, or an uncertain loop in blocks between -1 and 1, which is sampled.
    samples, seed
        Random values of an uncertain loop, even in its blocks.
    damping
        A damping ratio whose rays are drawn.
    path
        File to write; None: only return the figure.

    Examples
    --------
    >>> import control
    >>> figure = plot_poles(control.tf([1.0], [1.0, 0.4, 1.0]), damping=0.2)
    >>> len(figure.axes)
    1
    """
    figure, axes = _figure()
    if isinstance(loop, LFT):
        poles = np.concatenate(
            [np.linalg.eigvals(loop.close(v).without_error().M11) for v in loop.sample(samples, seed=seed)]
        )
        _cross(axes, poles, COLOURS[0], f"{samples} random values", size=6)
        middle = loop.close(dict.fromkeys(loop.sizes, 0.0)).without_error()
        _cross(axes, np.linalg.eigvals(middle.M11), COLOURS[1], "middle", size=36)
    else:
        named = dict(loop) if isinstance(loop, Mapping) else {"": loop}
        for k, (name, system) in enumerate(named.items()):
            _cross(axes, np.linalg.eigvals(matrices_of(system)[0][0]), COLOURS[k % len(COLOURS)], name, size=36)
    axes.axvline(0.0, color="k", lw=0.8)
    if damping is not None:
        if not 0.0 < damping < 1.0:
            raise InputError(f"damping of a pole map must lie between 0 and 1, got {damping!r}")
        reach = max(abs(y) for y in axes.get_ylim())
        slope = damping / np.sqrt(1.0 - damping**2)
        axes.plot([-slope * reach, 0, -slope * reach], [reach, 0, -reach], "k:", lw=1, label=f"damping {damping:g}")
    axes.set(xlabel="real part [1/s]", ylabel="imaginary part [rad/s]")
    return _finished(figure, axes, path, legend=bool(axes.get_legend_handles_labels()[1]))


def plot_mu(found: Robustness | Mapping[str, Robustness], *, path: Path | None = None) -> Figure:
    """Draw the proofs about an uncertain loop: its level, the intervals of frequency, and the bound from below.

    Parameters
    ----------
    found
        Result of `robust_stability` or `robust_performance`, or several of them by name.
    path
        File to write; None: only return the figure.

    Examples
    --------
    >>> import control
    >>> from dalembert.control.uncertain import constant, parameter, system_lft
    >>> gain = constant([[1.0]]) + constant([[0.5]]) @ parameter("k")  # 0.5 to 1.5
    >>> integrator = system_lft(control.ss(0.0, 1.0, 1.0, 0.0))
    >>> loop = integrator.feedback(gain, integrator.outputs, integrator.inputs)
    >>> from dalembert.control.mu import robust_stability
    >>> plot_mu(robust_stability(loop)).axes[0].get_xlabel()
    'omega [rad/s]'
    """
    named = dict(found) if isinstance(found, Mapping) else {"": found}
    for name, one in named.items():
        if not one.intervals:
            raise InputError(f"there is nothing to draw{f' of {name}' if name else ''}: {one.message}")
    figure, axes = _figure()
    ends = sorted(x for one in named.values() for i in one.intervals for x in (i.low, i.high) if 0.0 < x < np.inf)
    low, high = (ends[0] / 3.0, ends[-1] * 3.0) if ends else (0.1, 10.0)
    levels = [_level(one) for one in named.values()]
    for k, ((name, one), level) in enumerate(zip(named.items(), levels, strict=True)):
        _proof(axes, one, level, f"{name}, " if name else "", 2 * k, (low, high))
    axes.set_xscale("log")
    top = 1.25 * max(levels)
    axes.set(xlabel="omega [rad/s]", ylabel="structured singular value", xlim=(low, high), ylim=(0.0, top))
    counts = ", ".join(f"{len(x.intervals)} intervals" if x.complete else "not complete" for x in named.values())
    axes.set_title(counts)
    return _finished(figure, axes, path)


def _level(proof: Robustness) -> float:
    return proof.upper if np.isfinite(proof.upper) else max(i.bound for i in proof.intervals)


def _proof(axes: Axes, proof: Robustness, level: float, name: str, colour: int, span: tuple[float, float]) -> None:
    """Intervals of one proof, its level, and the lower bound."""
    shade, other = (COLOURS[(colour + k) % len(COLOURS)] for k in (0, 1))
    for k, i in enumerate(sorted(proof.intervals, key=lambda x: x.low)):
        a, b = max(i.low, span[0]), min(i.high, span[1])
        axes.fill_between([a, b], 0.0, level, color=shade, alpha=0.12 if k % 2 else 0.22, lw=0)
        label = f"{name}bound where it was fitted" if k == 0 else None
        axes.plot([a, b], [i.bound, i.bound], color=shade, lw=1.2, label=label)
    if np.isfinite(proof.upper):
        axes.axhline(proof.upper, color=shade if name else "k", ls="--", lw=1, label=f"{name}proven: {proof.upper:.3g}")
    if proof.lower > 0.0 and np.isfinite(proof.lower):
        w = proof.worst.omega if proof.worst is not None else np.nan
        label = f"{name}reached: {proof.lower:.3g}"
        if np.isfinite(w):
            axes.plot(np.clip(w, *span), proof.lower, "o", color=other, label=label)
        else:
            axes.axhline(proof.lower, color=other, ls=":", lw=1, label=label)


def plot_ranges(
    cases: Mapping[str, Mapping[str, tuple[float, float]]],
    *,
    limits: Mapping[str, tuple[float, float]] | None = None,
    degrees: bool = False,
    path: Path | None = None,
) -> Figure:
    """Draw guaranteed ranges of quantities side by side.

    Parameters
    ----------
    cases
        Ranges of each quantity, by the name of the case.
    limits
        Required ranges, drawn behind.
    degrees
        Whether ranges are angles in rad to be drawn in degrees.
    path
        File to write; None: only return the figure.

    Examples
    --------
    >>> figure = plot_ranges({"proven": {"payload": (200.0, 900.0)}}, limits={"payload": (300.0, 800.0)})
    >>> len(figure.axes)
    1
    """
    names = list(dict.fromkeys(n for case in cases.values() for n in case))
    if not names:
        raise InputError("there are no ranges to draw")
    factor = np.degrees(1.0) if degrees else 1.0
    figure, axes = _figure(height=0.9 + 0.2 * len(names) * (len(cases) + 1))
    for row, name in enumerate(names):
        if limits and name in limits:
            lo, hi = (factor * x for x in limits[name])
            axes.barh(row, hi - lo, left=lo, height=0.9, color="#dddddd", label="asked for" if row == 0 else None)
        for k, (case, ranges) in enumerate(cases.items()):
            if name in ranges:
                lo, hi = (factor * x for x in ranges[name])
                place = row + 0.8 * ((k + 0.5) / len(cases) - 0.5)
                colour = COLOURS[k % len(COLOURS)]
                axes.barh(
                    place, hi - lo, left=lo, height=0.7 / len(cases), color=colour, label=case if row == 0 else None
                )
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel("angle [deg]" if degrees else "value")
    return _finished(figure, axes, path)


def _closed(loop: LFT, values: Mapping[str, complex]) -> Matrices:
    """Matrices of an uncertain loop at values of its blocks."""
    at = loop.close(values).without_error()
    return at.M11, at.M12, at.M21, at.M22


def _cross(axes: Axes, poles: NDArray[np.inexact], colour: str, label: str, size: float) -> None:
    axes.scatter(poles.real, poles.imag, s=size, marker="x", color=colour, lw=0.9, label=label or None)


def _frequencies(matrices: Sequence[Array]) -> Array:
    size = np.concatenate([np.abs(np.linalg.eigvals(A)) if A.size else np.zeros(0) for A in matrices] or [np.ones(1)])
    size = size[size > 1e-9]
    low, high = (size.min(), size.max()) if size.size else (1.0, 1.0)
    return np.geomspace(low / 10.0, high * 10.0, 600)


def _figure(height: float = 3.4) -> tuple[Figure, Axes]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _finished(figure: Figure, axes: Axes, path: Path | None, *, legend: bool = True) -> Figure:
    if legend:
        axes.legend(frameon=False, fontsize=8)
    if path is not None:
        save_figure(figure, picture_file(path))
    return figure
