"""Sections of inextensible ropes, from which their rows are made.

A rope over sheaves is slack as a whole or not at all, between its ends and its fixed points (a clamp, teeth, a drum):
such a part is a section. Its spans, separated by sheaves with friction, have tensions ``T_i`` and lengthen at the rates
``u_i`` against the rope that is in them. Rows are sums of these from the first span on,

    W_k = u_1 + ... + u_k,    sum_i T_i u_i = sum_k (T_k - T_{k+1}) W_k + T_n W_n

so that the last one is the rate of the opening of the whole section, which only pulls (its multiplier is the tension of
the last span), and each of the others the slip at a sheave (``-W_k`` runs from span k to span k + 1; its multiplier is
the change of the tension by the friction of the sheave).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from dalembert.core.types import Expression

__all__ = ["RopeSection"]


@dataclass(frozen=True, eq=False)
class RopeSection:
    """A section of a rope, with n spans and n - 1 sheaves with friction between them.

    Parameters
    ----------
    name, rope
        Its name, and that of the rope; they differ where a rope has several sections.
    opening
        ``Phi``: the length of its way less the length of rope that is in it.
    rates
        ``u_i`` (n), functions of q and v: how fast each span lengthens against the rope that is in it. Their sum is the
        rate of ``opening``. Spans on both sides of a sheave without friction are one.
    lengths
        Lengths of the spans (n), the metric in which indeterminate tensions stay nearest to their last values.
    sheaves
        Names of the sheaves with friction (n - 1).
    kappa
        The largest ``|ln(T_{k+1} / T_k)|`` of each sheave, a function of the configuration and the parameters.
    spans
        The span here to which each span of the path in this section belongs; empty: they are the same.
    places
        Places in the rope's path of these spans; empty: they are numbered from 0 on.
    """

    name: str
    rope: str
    opening: Expression
    rates: Expression
    lengths: Expression
    sheaves: tuple[str, ...] = ()
    kappa: Expression = field(default_factory=lambda: ca.SX(0, 1))
    spans: tuple[int, ...] = ()
    places: tuple[int, ...] = ()

    @property
    def slips(self) -> Expression:
        """``W_k`` of the sheaves (n - 1)."""
        return ca.densify(ca.SX(np.tril(np.ones((len(self.sheaves), len(self.sheaves) + 1)))) @ self.rates)

    @property
    def sheave_names(self) -> tuple[str, ...]:
        """Names of the sheaves after their rope."""
        return tuple(f"{self.rope}.{sheave}" for sheave in self.sheaves)

    @property
    def tensions(self) -> tuple[tuple[str, int], ...]:
        """Names of the tensions along the path, and the span here to which each of them belongs."""
        spans = self.spans or tuple(range(len(self.sheaves) + 1))
        places = self.places or tuple(range(len(spans)))
        return tuple((f"{self.rope}[{i}]", span) for i, span in zip(places, spans, strict=True))
