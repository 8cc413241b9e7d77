"""Pictures of robust control: what their lines and marks are, and what is refused."""

from __future__ import annotations

from pathlib import Path

import control
import numpy as np
import pytest

from dalembert.control.mu import robust_stability
from dalembert.control.uncertain import LFT, DeltaBlock
from dalembert.core.errors import InputError
from dalembert.view import plot_mu, plot_poles, plot_ranges, plot_singular_values


def oscillator() -> LFT:
    """``x'' + (0.4 + 0.2 d) x' + x = 0``."""
    M11 = np.array([[0.0, 1.0, 0.0], [-1.0, -0.4, -0.2], [0.0, 1.0, 0.0]])
    blocks = (DeltaBlock("1/s", 2, "state"), DeltaBlock("d", 1))
    return LFT(M11, np.zeros((3, 1)), np.zeros((1, 3)), np.zeros((1, 1)), blocks)


def test_singular_values_lie_on_the_response_and_bounds_are_inverse_weights() -> None:
    system, weight = control.tf([1], [1, 0.4, 1]), control.tf([1, 2], [1, 0.1])
    figure = plot_singular_values({"a": system}, bounds={"bound": weight})
    line, bound = figure.axes[0].lines
    w = np.asarray(line.get_xdata())
    assert np.allclose(line.get_ydata(), np.abs(system(1j * w)))
    assert np.allclose(bound.get_ydata(), 1.0 / np.abs(weight(1j * w)))


def test_poles_of_samples_are_those_of_the_damping(tmp_path: Path) -> None:
    figure = plot_poles(oscillator(), samples=50, damping=0.1, path=tmp_path / "poles.png")
    samples = np.asarray(figure.axes[0].collections[0].get_offsets())
    assert samples.shape == (100, 2)
    assert (samples[:, 0] >= -0.3).all() and (samples[:, 0] <= -0.1).all()
    assert (tmp_path / "poles.png").stat().st_size > 1000
    with pytest.raises(InputError, match="damping"):
        plot_poles(control.tf([1], [1, 1]), damping=1.5)


def test_proof_is_drawn_with_its_level_and_what_is_reached() -> None:
    found = robust_stability(oscillator(), level=0.6, seconds=10.0)
    axes = plot_mu(found).axes[0]
    labels = axes.get_legend_handles_labels()[1]
    assert "proven: 0.6" in labels and "reached: 0.5" in labels  # unstable from d = -2
    assert axes.get_title() == f"{len(found.intervals)} intervals"
    nothing = robust_stability(
        LFT(-np.eye(1), np.ones((1, 1)), np.ones((1, 1)), np.zeros((1, 1)), (DeltaBlock("1/s", 1, "state"),))
    )
    with pytest.raises(InputError, match="nothing is uncertain"):
        plot_mu(nothing)


def test_several_proofs_and_samples_are_drawn_together() -> None:
    found = {f"level {x}": robust_stability(oscillator(), level=x, seconds=10.0) for x in (0.6, 0.9)}
    axes = plot_mu(found).axes[0]
    labels = axes.get_legend_handles_labels()[1]
    assert {"level 0.6, proven: 0.6", "level 0.9, proven: 0.9"} <= set(labels)
    M12, M21 = np.array([[0.0], [1.0], [0.0]]), np.array([[1.0, 0.0, 0.0]])
    driven = LFT(oscillator().M11, M12, M21, np.zeros((1, 1)), oscillator().blocks)
    lines = plot_singular_values(driven, samples=20, omega=[1.0]).axes[0].lines
    reached = np.array([float(np.asarray(line.get_ydata())[0]) for line in lines])
    assert len(reached) == 21 and reached[-1] == pytest.approx(1 / 0.4)  # the middle comes last
    assert 1 / 0.6 <= reached.min() < 1 / 0.4 < reached.max() <= 1 / 0.2


def test_ranges_are_bars_within_their_limits() -> None:
    figure = plot_ranges({"proven": {"a": (0.0, np.pi / 2)}}, limits={"a": (-np.pi, np.pi)}, degrees=True)
    limit, bar = figure.axes[0].patches
    assert limit.get_width() == pytest.approx(360.0) and bar.get_width() == pytest.approx(90.0)
    with pytest.raises(InputError, match="no ranges"):
        plot_ranges({})
