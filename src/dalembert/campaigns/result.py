"""The result of a campaign: the table of its members, and its evaluation."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.campaigns.statistics import Proportion, morris_effects, sobol_indices, wilson
from dalembert.campaigns.store import Store
from dalembert.campaigns.tasks import RolloutTask, SimulationTask, Task
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.files import target_file, write_file
from dalembert.core.types import Array
from dalembert.core.validation import check_index, check_level
from dalembert.simulation.run import Run

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["Campaign"]


class Campaign:
    """The members of a campaign.

    Attributes
    ----------
    question
        The question: quantities, how they vary, seed, number of members and so on.
    values
        Values of the members (members, quantities).
    store
        The folder, or None.
    """

    def __init__(self, question: Mapping[str, Any], values: Array, task: Task | None, store: Store | None) -> None:
        self.question, self.values, self.store = dict(question), values, store
        self._task = task
        self._chunks: dict[int, Mapping[str, Any]] = {}

    def add(self, chunk: int, columns: Mapping[str, Any]) -> None:
        """Take the rows of a chunk."""
        self._chunks[chunk] = columns

    @property
    def table(self) -> pandas.DataFrame:
        """A row per finished member: its values, its measures, ``status`` and the ``reason`` if it failed."""
        import pandas

        if self.store is not None:
            return self.store.table()
        size, names = self.question["chunk"], self.question["quantities"]
        parts = []
        for chunk in sorted(self._chunks):
            rows = self.values[chunk * size : (chunk + 1) * size]
            quantities = {name: rows[:, k] for k, name in enumerate(names)}
            index = pandas.RangeIndex(chunk * size, chunk * size + len(rows), name="member")
            parts.append(pandas.DataFrame({**quantities, **self._chunks[chunk]}, index=index))
        return pandas.concat(parts) if parts else pandas.DataFrame()

    @property
    def quantities(self) -> list[str]:
        """Names of the varied quantities."""
        return list(self.question["quantities"])

    @property
    def measures(self) -> list[str]:
        """Names of the measures."""
        return [name for name in self.table.columns if name not in (*self.quantities, "status", "reason")]

    @property
    def complete(self) -> bool:
        """Whether all members are done."""
        return len(self.table) == len(self.values)

    def failures(self) -> pandas.DataFrame:
        """Members that have no result, with their reasons."""
        table = self.table
        return table[table["status"].isin(("failed", "diverged"))]

    def summary(self, level: float = 0.95) -> pandas.DataFrame:
        """Mean with its confidence interval, deviation, quantiles and extremes of each measure.

        Parameters
        ----------
        level
            Level of the confidence interval of the mean (Student's t).
        """
        import pandas
        from scipy import stats

        check_level(level)
        table, rows = self.table, {}
        for name in self.measures:
            x = table[name].to_numpy(dtype=float)
            x = x[np.isfinite(x)]
            if not len(x):
                continue
            spread = float(x.std(ddof=1)) if len(x) > 1 else np.nan
            half = float(stats.t.ppf(0.5 + level / 2, len(x) - 1)) * spread / np.sqrt(len(x)) if len(x) > 1 else np.nan
            q05, q50, q95 = np.quantile(x, [0.05, 0.5, 0.95])
            rows[name] = {
                "members": len(x), "mean": x.mean(), "mean.low": x.mean() - half, "mean.high": x.mean() + half,
                "deviation": spread, "min": x.min(), "q05": q05, "median": q50, "q95": q95, "max": x.max(),
            }  # fmt: skip
        return pandas.DataFrame.from_dict(rows, orient="index")

    def probability(self, condition: str, level: float = 0.95) -> Proportion:
        """Probability that a condition holds, with Wilson's interval; members that failed do not meet it.

        Parameters
        ----------
        condition
            On columns of the table, as pandas evaluates it: ``"peak < 0.01 and effort <= 5"``. Names with other
            characters than letters, digits and underscores go between backticks.
        level
            Level of the interval.
        """
        table = self.table
        try:
            holds = table.eval(condition)
        except Exception as error:
            raise InputError(
                f"the condition {condition!r} cannot be evaluated: {error}; columns: {', '.join(table.columns)}"
            ) from None
        if str(getattr(holds, "dtype", "")) != "bool" or len(holds) != len(table):
            raise InputError(f"the condition {condition!r} must be true or false for each member")
        good = table["status"].isin(("completed", "stopped"))
        return wilson(int((holds & good).sum()), len(table), level)

    def quantile(self, measure: str, probability: float | Sequence[float]) -> Array:
        """Value below which a measure is with a probability, over the members that have one."""
        x = self._column(measure)
        x = x[np.isfinite(x)]
        try:
            p = np.asarray(probability, dtype=float)
            if not ((p >= 0.0) & (p <= 1.0)).all():
                raise ValueError
        except (TypeError, ValueError):
            raise InputError(f"a probability must be a number from 0 to 1, got {probability!r}") from None
        if not len(x):
            raise InputError(f"no member of this campaign has the measure {measure!r}")
        return np.asarray(np.quantile(x, p))

    def worst(self, measure: str, count: int = 5, *, largest: bool = True) -> pandas.DataFrame:
        """Members with the largest (or smallest) values of a measure."""
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise InputError(f"count must be a number of members >= 0, got {count!r}")
        self._column(measure)
        table = self.table
        return table.sort_values(measure, ascending=not largest, kind="stable").head(count)

    def rerun(self, member: int, **settings: Any) -> Run:
        """Simulate one member again, to look at it.

        Parameters
        ----------
        member
            Its number.
        settings
            Settings of `dalembert.simulate` to override, such as ``record``.
        """
        if self._task is None or not isinstance(self._task, RolloutTask | SimulationTask):
            raise InputError(
                "only campaigns of machines can simulate a member again, and only if the machine is available"
            )
        member = check_index(member, len(self.values), "member")
        task = self._task
        alone = SimulationTask(task.experiment.replace(**settings), task.quantities, task.measure)
        return alone.simulated(self.values[member], member)

    def sobol(self, measure: str, *, seed: int = 0) -> pandas.DataFrame:
        """First-order and total Sobol indices with 95 % confidence, by SALib; needs ``sampling="saltelli"``."""
        self._require("saltelli", "Sobol indices")
        return sobol_indices(self.quantities, self._column(measure), seed)

    def morris(self, measure: str) -> pandas.DataFrame:
        """Mean, mean size and deviation of elementary effects, by SALib; needs ``sampling="morris"``."""
        self._require("morris", "elementary effects")
        return morris_effects(self.quantities, self.values, self._column(measure))

    def plot(self, measure: str | None = None, path: str | os.PathLike[str] | None = None) -> Figure:
        """Draw a measure over each quantity, and its distribution; into a file at ``path``."""
        from dalembert.view.campaigns import plot_scatter

        return plot_scatter(self, measure or self.measures[0], path)

    def plot_parallel(self, measure: str | None = None, path: str | os.PathLike[str] | None = None) -> Figure:
        """Draw each member as a line through its values and measures, coloured by a measure."""
        from dalembert.view.campaigns import plot_parallel

        return plot_parallel(self, measure or self.measures[0], path)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write question, summary, plots, worst cases and failures as one HTML file."""
        from dalembert.view.campaigns import write_report

        return write_report(self, path)

    def export(self, path: str | os.PathLike[str]) -> Path:
        """Write the table as .csv or .parquet."""
        target = target_file(path, (".csv", ".parquet"))
        if target.suffix.lower() == ".csv":
            return write_file(target, self.table.to_csv())
        buffer = io.BytesIO()
        self.table.to_parquet(buffer)
        return write_file(target, buffer.getvalue())

    def _column(self, measure: str) -> Array:
        table = self.table
        if measure not in table.columns or measure in ("status", "reason"):
            raise UnknownNameError("measure", measure, self.measures, "this campaign")
        return np.asarray(table[measure].to_numpy(dtype=float))

    def _require(self, sampling: str, what: str) -> None:
        if self.question["sampling"] != sampling:
            raise InputError(f"{what} need sampling={sampling!r}, this campaign has {self.question['sampling']!r}")
        if not self.complete:
            raise InputError(f"{what} need all members: {len(self.table)} of {len(self.values)} are done")

    def __repr__(self) -> str:
        table = self.table
        counts = table["status"].value_counts() if len(table) else {}
        tally = ", ".join(f"{count} {status}" for status, count in sorted(dict(counts).items()))
        lines = [f"Campaign of {self.question['what']!r}: {len(table)} of {len(self.values)} members done ({tally})"]
        lines.append(
            f"  varies    {', '.join(self.quantities)} ({self.question['sampling']}, seed {self.question['seed']})"
        )
        summary = self.summary()
        for name, row in summary.iterrows():
            lines.append(
                f"  {name}: mean {row['mean']:.4g}, median {row['median']:.4g}, {row['min']:.4g} to {row['max']:.4g}"
            )
        return "\n".join(lines)
