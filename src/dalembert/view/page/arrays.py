"""Arrays of numbers inside a page: compact, and bitwise identical wherever the page is opened.

Channel by channel, as 32-bit floats, the bytes of equal weight together, deflated, in base 64. Parts at rest cost next
to nothing, and a smooth motion about half of its plain size.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["pack_array", "unpack_array"]


def pack_array(values: ArrayLike) -> dict[str, Any]:
    """Pack an array of channels (channels, n), or one channel (n)."""
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is not drawn
        floats = np.ascontiguousarray(values, dtype="<f4")
    planes = floats.reshape(-1).view(np.uint8).reshape(-1, 4).T
    data = zlib.compress(np.ascontiguousarray(planes).tobytes(), 9)
    return {"shape": list(floats.shape), "data": base64.b64encode(data).decode("ascii")}


def unpack_array(packed: dict[str, Any]) -> NDArray[np.float32]:
    """Return the array that `pack_array` packed, as 32-bit floats."""
    planes = np.frombuffer(zlib.decompress(base64.b64decode(packed["data"])), dtype=np.uint8).reshape(4, -1)
    return np.ascontiguousarray(planes.T).view("<f4").reshape(packed["shape"])
