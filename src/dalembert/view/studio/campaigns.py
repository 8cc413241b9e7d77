"""A campaign for the page of the studio: its finished members, also while others are being simulated."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any

from dalembert.core.errors import InputError

if TYPE_CHECKING:
    from pandas import DataFrame

    from dalembert.campaigns import Campaign

__all__ = ["FollowedCampaign"]

_MOST = 20_000  # members that a page shows


class FollowedCampaign:
    """The rows of a campaign, read once each, as its folder gets them.

    Parameters
    ----------
    campaign
        A finished one, or one of a folder that another process fills (`dalembert.open_campaign`).
    """

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self._lock = threading.Lock()
        self._stride = max(1, math.ceil(len(campaign.values) / _MOST))
        self._rows: list[list[Any]] = []
        self._read: set[int] = set()
        self._done = self._failed = 0
        self._measures = list(campaign.question["measures"])

    def rows(self, since: object) -> dict[str, Any]:
        """Answer a page that has some rows: the others, and how far the campaign is.

        Parameters
        ----------
        since
            How many rows the page has.
        """
        if not isinstance(since, int) or isinstance(since, bool) or since < 0:
            raise InputError(f"since must be a number of rows, got {since!r}")
        with self._lock:
            for table in self._new():
                self._take(table)
            return {
                "name": str(self.campaign.question["what"]),
                "members": len(self.campaign.values),
                "done": self._done,
                "failed": self._failed,
                "quantities": self.campaign.quantities,
                "measures": self._measures,
                "since": since,
                "rows": self._rows[since:],
            }

    def _new(self) -> list[DataFrame]:
        store = self.campaign.store
        if store is None:
            tables = [] if self._read else [self.campaign.table]
            self._read.add(0)
            return tables
        new = [chunk for chunk in store.done() if chunk not in self._read]
        self._read.update(new)
        return [store.chunk(chunk) for chunk in new]

    def _take(self, table: DataFrame) -> None:
        """Add members: number, values, measures; numbers that are not finite are None."""
        if not self._measures:  # of a function, which names them with its first result
            others = (*self.campaign.quantities, "status", "reason")
            self._measures = [str(name) for name in table.columns if name not in others]
        self._done += len(table)
        self._failed += int(table["status"].isin(("failed", "diverged")).sum())
        names = [*self.campaign.quantities, *self._measures]
        shown = table[table.index % self._stride == 0]
        columns = [_numbers(shown[name]) if name in shown else [None] * len(shown) for name in names]
        self._rows += [[int(member), *values] for member, *values in zip(shown.index, *columns, strict=True)]


def _numbers(column: Any) -> list[float | None]:
    return [float(x) if isinstance(x, int | float) and math.isfinite(x) else None for x in column.tolist()]
