"""The folder of a campaign: the question, and the finished rows, in chunks that are either complete or missing.

::

    campaign.json         the question; written first
    samples.parquet       values of all members
    rows/000012.parquet   rows of chunk 12, written to a temporary file and renamed
    kept/000345.nc        trajectory of member 345, if requested

Only the process that leads the campaign writes, and it holds a lock that ends with it. Whatever kills it, the existing
chunks are right, and the others are run again: the same rows, since a member depends on its values only.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.core.errors import FileFormatError, InputError
from dalembert.core.files import checked_path, make_folder, write_file
from dalembert.core.types import Array

if TYPE_CHECKING:
    import pandas

    from dalembert.simulation.run import Run

__all__ = ["FORMAT", "Store", "needs"]

FORMAT = 1


def needs(package: str, what: str) -> None:
    """Refuse operations that need a missing optional package, with the command to install it."""
    import importlib.util

    if importlib.util.find_spec(package) is None:
        raise InputError(f'{what} needs the package {package}: pip install "dalembert[campaign]"')


class Store:
    """A campaign's folder.

    Parameters
    ----------
    folder
        The folder; it is made by `create`.

    Examples
    --------
    >>> Store("payloads").folder.name
    'payloads'
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        needs("pyarrow", "a campaign with a store")
        self.folder = checked_path(folder)

    @property
    def exists(self) -> bool:
        """Whether a campaign is there."""
        return (self.folder / "campaign.json").is_file()

    def create(self, question: Mapping[str, Any], values: Array) -> None:
        """Write the question and the values of the members."""
        make_folder(self.folder / "rows")
        names = question["quantities"]
        self._write_table("samples.parquet", {name: values[:, k] for k, name in enumerate(names)})
        text = json.dumps({"format": FORMAT, **question}, indent=2)
        write_file(self.folder / "campaign.json", text + "\n")

    @property
    def question(self) -> dict[str, Any]:
        """The question."""
        path = self.folder / "campaign.json"
        try:
            question = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise FileFormatError(f"{self.folder}: there is no campaign in this folder (no campaign.json)") from None
        except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise FileFormatError(f"{path}: cannot be read: {error}") from None
        if not isinstance(question, dict) or question.get("format") != FORMAT:
            raise FileFormatError(f"{path}: is not a campaign of format {FORMAT}")
        return question

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from working on the same campaign; the lock ends with this process, however it ends."""
        make_folder(self.folder)
        with open(self.folder / "lock", "a+", encoding="utf-8") as file:
            if sys.platform != "win32":
                import fcntl

                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    file.seek(0)
                    who = file.read().strip() or "unknown"
                    raise InputError(f"{self.folder}: another process (PID {who}) is running this campaign") from None
            file.truncate(0)
            file.write(f"{os.getpid()}\n")
            file.flush()
            yield

    def done(self) -> list[int]:
        """Existing chunks."""
        rows = self.folder / "rows"
        return sorted(int(path.stem) for path in rows.glob("*.parquet") if path.stem.isdigit()) if rows.is_dir() else []

    def commit(self, chunk: int, columns: Mapping[str, Any]) -> None:
        """Write the rows of a chunk: all of them, or nothing and a `WriteError`."""
        self._write_table(f"rows/{chunk:06d}.parquet", columns)

    def table(self) -> pandas.DataFrame:
        """Rows of all chunks that are done, in the order of the members; the index is the member's number."""
        import pandas

        parts = [self.chunk(number) for number in self.done()]
        return pandas.concat(parts) if parts else pandas.DataFrame()

    def chunk(self, number: int) -> pandas.DataFrame:
        """Rows of a chunk that is done; the index is the member's number."""
        import pyarrow.parquet as pq

        path = self.folder / "rows" / f"{number:06d}.parquet"
        try:
            return pq.read_table(path).to_pandas().set_index("member")
        except Exception as error:
            raise FileFormatError(f"{path}: is damaged ({error}); remove it and resume the campaign") from None

    def values(self) -> Array:
        """Values of all members (members, quantities)."""
        import pyarrow.parquet as pq

        try:
            table = pq.read_table(self.folder / "samples.parquet")
        except Exception as error:
            raise FileFormatError(f"{self.folder / 'samples.parquet'}: cannot be read: {error}") from None
        columns = [np.asarray(column) for column in table.columns]
        return np.column_stack(columns) if columns else np.zeros((self.question["members"], 0))

    def keep(self, member: int, run: Run) -> None:
        """Write the trajectory of a member."""
        make_folder(self.folder / "kept")
        run.save(self.folder / "kept" / f"{member:06d}.nc")

    def _write_table(self, name: str, columns: Mapping[str, Any]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        buffer = io.BytesIO()
        pq.write_table(pa.table(dict(columns)), buffer)
        write_file(self.folder / name, buffer.getvalue())
