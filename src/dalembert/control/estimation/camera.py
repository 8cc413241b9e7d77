"""A stereo camera after SPACE 9.2.2: points to pixels, pixels to points, and the pose of a body from points on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.core.validation import check_number

__all__ = ["StereoCamera", "pose_from_points"]


@dataclass(frozen=True)
class StereoCamera:
    """Two pinhole lenses side by side that look along z; x is from the left to the right one.

    A pixel at the distance ``z`` is ``z rho / f`` wide, 3.72 mm at 2 m.

    Parameters
    ----------
    focal_length, pixel
        ``f`` and ``rho`` [m], SPACE (9.2).
    baseline
        Distance of the lenses [m]: 0.12 of the camera that the document names, which prints none.
    noise
        Standard deviation of each coordinate of a point in a picture [pixels].
    size
        Pixels of a picture: width and height.
    period, delay
        Time between pictures, and from a picture to its result [s].
    """

    focal_length: float = 2.5e-3
    pixel: float = 4.65e-6
    baseline: float = 0.12
    noise: float = 0.2
    size: tuple[int, int] = (1024, 768)
    period: float = 0.1
    delay: float = 0.08

    def __post_init__(self) -> None:
        for name in ("focal_length", "pixel", "baseline", "period"):
            object.__setattr__(self, name, check_number(name, getattr(self, name)))
        for name in ("noise", "delay"):
            value = check_number(name, getattr(self, name), positive=False)
            if value < 0.0:
                raise InputError(f"{name} of a camera must be >= 0, got {value:g}")
            object.__setattr__(self, name, value)
        if len(self.size) != 2 or min(self.size) < 1:
            raise InputError(f"size of a camera must be two numbers of pixels, got {self.size!r}")

    @property
    def gain(self) -> float:
        """Pixels per unit of tangent, ``f / rho``."""
        return self.focal_length / self.pixel

    def pixels(self, points: ArrayLike) -> Array:
        """Pixels (u, v of the left lens, u, v of the right one) of points in axes of the camera, (..., 3) -> (..., 4).

        Raises
        ------
        InputError
            If a point is not in front of the camera.
        """
        p = as_numbers(points)
        if p.shape[-1:] != (3,):
            raise InputError(f"points must be (..., 3), got shape {p.shape}")
        if not np.all(p[..., 2] > 0.0):
            raise InputError(f"points must be in front of the camera (z > 0), got z = {p[..., 2].min():g}")
        return self._projected(p)

    def _projected(self, p: Array) -> Array:
        half, z = 0.5 * self.baseline, self.gain / p[..., 2]
        out = np.empty((*p.shape[:-1], 4))
        out[..., 0], out[..., 2] = z * (p[..., 0] + half), z * (p[..., 0] - half)
        out[..., 1] = out[..., 3] = z * p[..., 1]
        return out

    def points(self, pixels: ArrayLike) -> Array:
        """Points in axes of the camera from pixels: depth by the disparity, then SPACE (9.2), with the pixel size."""
        u, v, ur, vr = np.moveaxis(as_numbers(pixels), -1, 0)
        disparity = u - ur
        if not np.all(disparity > 0.0):
            raise InputError("pixels of the left lens must be to the right of those of the right one")
        z = self.gain * self.baseline / disparity
        return np.stack([0.5 * z * (u + ur) / self.gain, 0.5 * z * (v + vr) / self.gain, z], axis=-1)

    def seen(self, points: ArrayLike) -> Array:
        """Whether points in axes of the camera are in both pictures, (...)."""
        p = as_numbers(points)
        front = p[..., 2] > 1e-3
        safe = np.where(front[..., None], p, np.array([0.0, 0.0, 1.0]))
        edge = np.array([self.size[0], self.size[1]] * 2) / 2
        return np.asarray(front & np.all(np.abs(self._projected(safe)) <= edge, axis=-1))

    def take(self, points: ArrayLike, rng: np.random.Generator | None = None) -> Array:
        """Pixels with noise; None: without."""
        clean = self.pixels(points)
        return clean if rng is None else clean + self.noise * rng.normal(size=clean.shape)


def pose_from_points(measured: ArrayLike, known: ArrayLike) -> Array:
    """Pose (4 x 4) of a body whose ``known`` points (n, 3) are seen at ``measured`` places (n, 3), by least squares.

    Both sets about their centroids, the rotation from a singular value decomposition (Kabsch; Arun, Huang, Blostein).

    Raises
    ------
    InputError
        If there are less than three points, or they lie on a line.

    Examples
    --------
    >>> known = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])
    >>> pose_from_points(known + [0.0, 0.0, 2.0], known).round(9)[:3, 3].tolist()
    [0.0, 0.0, 2.0]
    """
    x, y = as_numbers(measured), as_numbers(known)
    if x.shape != y.shape or x.ndim != 2 or x.shape[1] != 3 or len(x) < 3:
        raise InputError(
            f"a pose needs at least 3 points (n, 3), measured and known, got shapes {x.shape} and {y.shape}"
        )
    cx, cy = x.mean(axis=0), y.mean(axis=0)
    U, s, Vt = np.linalg.svd((y - cy).T @ (x - cx))
    if s[1] < 1e-9 * s[0]:
        raise InputError("a pose needs points that do not lie on a line")
    R = Vt.T @ np.diag([1.0, 1.0, np.sign(np.linalg.det(Vt.T @ U.T))]) @ U.T
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, cx - R @ cy
    return X
