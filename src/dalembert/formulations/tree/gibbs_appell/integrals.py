"""Integrals of the shapes of a flexible body, ``C_1`` to ``C_8`` of IMPACT (17)-(24), over its volume.

A point of the beam is at ``r = x + sum_j eps_j r_j`` (1). The document takes the points of the axis, so that sections
have no inertia of their own when the beam vibrates; its ``J'`` in (4) turns with the frame of the link. Here a point
of a section is

    x = p_a + s e_x + y e_y + z e_z,      r_j = phi_j + theta_j x (y e_y + z e_z),

and the integrals over the section hold the elastic rotary inertia. Without it (``rotary_inertia="rigid"``: ``theta_j``
is zero here) the integrals and ``J'`` are those of the document.

A beam that keeps the shortening of its bent axis has one more shape ``-e_x H_jk(s)`` for each product of two modal
coordinates: with the products among the amplitudes ``eps``, the motion is linear in them, and (1)-(26) hold.

The fields come from `Elastic.material_fields`: those of a body from finite elements are sums over its nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.core.types import Array
from dalembert.model.elastic.contract import Elastic

__all__ = ["ShapeIntegrals"]

_E = np.eye(3)


@dataclass(frozen=True)
class ShapeIntegrals:
    """Integrals of a body with n shapes, per unit density.

    Parameters
    ----------
    volume, first
        ``int dV``, and ``int x dV`` (3), whose cross matrix is ``C_2``.
    C1
        ``int r_j dV`` (n x 3).
    C3
        ``int r_j . r_k dV`` (n x n).
    C4
        ``int r_j^ r_k dV`` (n x n x 3).
    C5
        ``int x^T^ x^ dV`` of the axis (3 x 3).
    C6
        ``int x^T^ r_j^ dV`` (n x 3 x 3).
    C7
        ``int x^ r_j dV`` (n x 3).
    C8
        ``int r_j^T^ r_k^ dV`` (n x n x 3 x 3).
    sections
        ``int J' dV`` of the undeformed sections (3 x 3), which makes ``B_10``.
    """

    volume: float
    first: Array
    C1: Array
    C3: Array
    C4: Array
    C5: Array
    C6: Array
    C7: Array
    C8: Array
    sections: Array

    @staticmethod
    def of(body: Elastic) -> ShapeIntegrals:
        """Integrate; made once per body and kept with it."""
        return body.kept.once("gibbs-appell", None, lambda: _integrate(body))


def _integrate(body: Elastic) -> ShapeIntegrals:
    n = body.n_modes + len(body.products)
    # Products of two fields f and g over the volume: of f_b g_c, summed over points and the directions of a section.
    xx, axis = np.zeros((3, 3)), np.zeros((3, 3))
    xr, rr = np.zeros((3, 3, n)), np.zeros((3, 3, n, n))
    volume, first, C1 = 0.0, np.zeros(3), np.zeros((n, 3))
    for field in body.material_fields():
        w, share = field.weight, field.share
        if share:
            volume += share * (w * share)
            first += share * (w * field.x_left)
            C1 += share * (w * field.X_left.T)
        (axis if share else xx)[:] += w * np.outer(field.x_left, field.x_right)
        xr += w * np.einsum("b,cj->bcj", field.x_left, field.X_right)
        rr += w * np.einsum("bj,ck->bcjk", field.X_left, field.X_right)
    size = np.sqrt(np.abs(np.einsum("bbjj->j", rr)))
    rr[np.abs(rr) < 1e-13 * np.outer(size, size)] = 0.0
    return ShapeIntegrals(
        volume=volume,
        first=first,
        C1=C1,
        C3=np.einsum("bbjk->jk", rr),
        C4=np.stack([rr[1, 2] - rr[2, 1], rr[2, 0] - rr[0, 2], rr[0, 1] - rr[1, 0]], axis=-1),
        C5=_turned(axis),
        C6=np.moveaxis(_turned(xr), -1, 0),
        C7=np.stack([xr[1, 2] - xr[2, 1], xr[2, 0] - xr[0, 2], xr[0, 1] - xr[1, 0]], axis=-1),
        C8=np.moveaxis(_turned(rr), (0, 1), (2, 3)),
        sections=_turned(xx),
    )


def _turned(products: Array) -> Array:
    """``int f^T^ g^ dV = int (f.g) 1 - g f^T dV`` from the products ``int f_b g_c dV``."""
    trace = np.einsum("bb...->...", products)
    return np.multiply.outer(_E, trace) - np.swapaxes(products, 0, 1)
