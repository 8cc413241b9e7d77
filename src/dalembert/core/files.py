"""Files that are about to be written."""

from __future__ import annotations

import os
from pathlib import Path

from dalembert.core.errors import InputError

__all__ = ["target_file"]


def target_file(path: str | os.PathLike[str], endings: tuple[str, ...] = ()) -> Path:
    """Return the path of a file to write, or say why it cannot be one.

    Parameters
    ----------
    path
        The file; its folder must exist.
    endings
        Endings that it may have, such as ``".png"``; any if empty.
    """
    target = Path(path)
    if target.is_dir():
        raise InputError(f"cannot write {target}: it is a folder")
    if not target.parent.is_dir():
        raise InputError(f"cannot write {target}: there is no folder {target.parent}")
    if endings and target.suffix.lower() not in endings:
        raise InputError(f"cannot write {target}: its name must end in {', '.join(endings)}")
    return target
