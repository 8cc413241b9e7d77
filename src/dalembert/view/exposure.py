"""Pixels of a figure of which only some things move."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

__all__ = ["Exposure"]


class Exposure:
    """Takes pixels of a figure: fixed parts are drawn once and moving ones over them, faster than whole pictures.

    Parameters
    ----------
    figure
        The figure, with a canvas that has pixels (Agg).
    moving
        Moving parts.
    dpi
        Dots per inch.
    """

    def __init__(self, figure: Figure, moving: Iterable[Artist], dpi: int) -> None:
        figure.set_dpi(dpi)
        canvas: Any = figure.canvas  # matplotlib's Agg has no types
        self._figure, self._canvas = figure, canvas
        for artist in moving:
            artist.set_animated(True)
        self._canvas.draw()
        self._still = self._canvas.copy_from_bbox(figure.bbox)

    def taken(self, moving: Iterable[Artist]) -> NDArray[np.uint8]:
        """Pixels (height, width, 4) with the moving parts as they are now, a new array."""
        self._canvas.restore_region(self._still)
        for artist in moving:
            self._figure.draw_artist(artist)
        return np.array(self._canvas.buffer_rgba())
