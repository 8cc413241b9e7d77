"""The folder in which a studio keeps its address and its sessions, readable by its owner only.

::

    WORKSPACE/address.json            port and token
    WORKSPACE/sessions/NAME/session.json   machines, runs and the state of the page
    WORKSPACE/sessions/NAME/runs/N.nc      runs

A studio that is started again serves the same address from the same folder, so that a page that was open continues.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from dalembert.core.errors import InputError, WriteError
from dalembert.core.files import write_file
from dalembert.core.warn import warn
from dalembert.simulation.run import Run

__all__ = ["SessionStore", "Workspace", "default_workspace"]

FORMAT = 1
_SLOTS = 100  # studios that one user serves at the same time
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def default_workspace() -> Path:
    """Return the folder of the studios of this user: ``DALEMBERT_STUDIO``, or a folder of the user's state."""
    own = os.environ.get("DALEMBERT_STUDIO", "")
    state = os.environ.get("XDG_STATE_HOME", "")
    return Path(own).expanduser() if own else Path(state or "~/.local/state").expanduser() / "dalembert" / "studio"


class Workspace:
    """A folder that one studio holds while it is served.

    Parameters
    ----------
    root
        The folder. A second studio at the same time takes the first free one of its folders ``2``, ``3``, ...
    """

    def __init__(self, root: Path) -> None:
        for number in range(1, _SLOTS):
            folder = _private(root if number == 1 else root / str(number))
            lock = _locked(folder / "lock")
            if lock is not None:
                self.folder, self._lock = folder, lock
                break
        else:
            raise InputError(f"{root}: {_SLOTS - 1} studios are being served already")
        self.port, self.token = self._address()

    def _address(self) -> tuple[int, str]:
        """Port and token of the last time; a new token where others could have read the old one."""
        path = self.folder / "address.json"
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            readable = bool(path.stat().st_mode & _OTHERS) and sys.platform != "win32"
            address = json.loads(path.read_text(encoding="utf-8"))
            port, token = int(address["port"]), str(address["token"])
            if readable:
                warn(f"{path} could be read by other users: the studio has a new token")
            elif len(token) >= 32 and 0 < port < 65536:
                return port, token
        return 0, secrets.token_urlsafe(24)

    def keep_address(self, port: int) -> None:
        """Store port and token for the next time."""
        self.port = port
        _write(self.folder / "address.json", json.dumps({"port": port, "token": self.token}))

    def session(self, name: str) -> SessionStore:
        """The store of a session."""
        return SessionStore(self.folder / "sessions" / name)

    def close(self) -> None:
        """Give the folder back."""
        self._lock.close()


class SessionStore:
    """The files of a session.

    Parameters
    ----------
    folder
        Its folder, which is made when something is stored.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self) -> dict[str, Any]:
        """The stored session; empty if there is none, or a damaged one, which is put aside."""
        path = self.folder / "session.json"
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(data, dict) and data.get("format") == FORMAT:
                return data
            raise ValueError("it has another format")
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            aside = path.with_suffix(".damaged.json")
            with contextlib.suppress(OSError):
                os.replace(path, aside)
            warn(f"{path} cannot be read ({error}); it is kept as {aside.name}, and the session starts empty")
            return {}

    def write(self, data: Mapping[str, Any]) -> None:
        """Store the session."""
        _private(self.folder)
        _write(self.folder / "session.json", json.dumps({"format": FORMAT, **data}))

    def save_run(self, number: int, run: Run) -> None:
        """Store a run."""
        path = _private(self.folder / "runs") / f"{number}.nc"
        run.save(path)
        _restrict(path)

    def load_run(self, number: int) -> Run:
        """Load a run."""
        return Run.load(self.folder / "runs" / f"{number}.nc")

    def remove_run(self, number: int) -> None:
        """Remove a run."""
        with contextlib.suppress(OSError):
            (self.folder / "runs" / f"{number}.nc").unlink()


def _private(folder: Path) -> Path:
    """Make a folder that only its owner can enter; refuse one that belongs to another user."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if sys.platform != "win32":
            status = folder.lstat()
            if status.st_uid != os.getuid() or not stat.S_ISDIR(status.st_mode):
                raise InputError(f"{folder} must be a folder of this user; give another with --workspace")
            if status.st_mode & _OTHERS:
                os.chmod(folder, 0o700)
    except OSError as error:
        raise WriteError(f"cannot use the folder {folder}: {error.strerror}; give another with --workspace") from error
    return folder


def _restrict(path: Path) -> None:
    if sys.platform != "win32":
        os.chmod(path, 0o600)


def _write(path: Path, text: str) -> None:
    """Write a file that only its owner can read, also while it is written."""
    if not path.exists():
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    _restrict(path)
    write_file(path, text)
    _restrict(path)


def _locked(path: Path) -> IO[str] | None:
    """The lock of a folder; None while another process has it."""
    file = open(path, "a+", encoding="utf-8")  # noqa: SIM115 -- open as long as the studio
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file
