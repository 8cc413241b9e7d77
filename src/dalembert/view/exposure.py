"""Pixels of a figure of which only some things move."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Exposure"]


class Exposure:
    """Takes pixels of a figure: what stands still is drawn once and what moves over it, faster than whole pictures.

    Parameters
    ----------
    figure
        The figure, with a canvas that has pixels (Agg).
    moving
        What moves.
    dpi
        Dots per inch.
    """

    def __init__(self, figure: Figure, moving: Iterable[Any], dpi: int) -> None:
        figure.set_dpi(dpi)
        self._figure, self._canvas = figure, figure.canvas
        for artist in moving:
            artist.set_animated(True)
        canvas: Any = self._canvas
        canvas.draw()
        self._still = canvas.copy_from_bbox(figure.bbox)

    def taken(self, moving: Iterable[Any]) -> NDArray[np.uint8]:
        """Pixels (height, width, 4) with what moves as it is now, a new array."""
        canvas: Any = self._canvas
        canvas.restore_region(self._still)
        for artist in moving:
            self._figure.draw_artist(artist)
        return np.array(canvas.buffer_rgba())
