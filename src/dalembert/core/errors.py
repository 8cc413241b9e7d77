"""Every failure that dalembert raises on purpose.

Bad input raises a subclass of `DalembertError` that names the element, the value and the expected values.
A numerical failure is reported as a status of the result first, and raised at the top level only.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "BuildError",
    "ConvergenceError",
    "DalembertError",
    "DalembertWarning",
    "FileFormatError",
    "InputError",
    "MachineError",
    "NoCompilerWarning",
    "SimulationError",
    "UnknownNameError",
    "WriteError",
    "did_you_mean",
]


class DalembertError(Exception):
    """Base class of all errors raised by dalembert."""


class InputError(DalembertError, ValueError):
    """An argument of a call has the wrong shape, type, range or value."""


class MachineError(DalembertError, ValueError):
    """A machine description is inconsistent or physically impossible."""


class FileFormatError(MachineError):
    """A machine file or run file cannot be read; the message carries the file and, where known, the line."""


class UnknownNameError(DalembertError, LookupError):
    """A name does not exist; the message lists the names that do.

    Parameters
    ----------
    kind
        Kind of the missing name, such as ``"frame"``.
    name
        The name that was not found.
    known
        The names that exist.
    where
        The owner of the names, such as ``"machine 'ur5'"``.
    """

    def __init__(self, kind: str, name: object, known: Iterable[str], where: str = "") -> None:
        names = sorted(map(str, known))
        place = f" in {where}" if where else ""
        listed = ", ".join(names) or "(none)"
        super().__init__(f"no {kind} named {name!r}{place}{did_you_mean(name, names)}; known: {listed}")


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return ``" (did you mean 'theta'?)"`` with the known name that is nearest to one that is not, if any is near.

    Names that differ by capitals only are near, too.
    """
    folded = {k.casefold(): k for k in known}
    close = difflib.get_close_matches(str(name).casefold(), folded, n=1)
    return f" (did you mean {folded[close[0]]!r}?)" if close else ""


class BuildError(DalembertError, RuntimeError):
    """The compiler failed on a generated source; the message contains its log."""


class WriteError(DalembertError, OSError):
    """A file cannot be written; the message carries its path and the reason. The previous content is unchanged."""


class PlanError(DalembertError, RuntimeError):
    """There is no plan of the requested kind; the message gives the reason.

    Parameters
    ----------
    message
        The reason.
    plan
        The best iterate of the solver, if there is one.
    """

    def __init__(self, message: str, plan: object | None = None) -> None:
        super().__init__(message)
        self.plan = plan


class ConvergenceError(DalembertError, RuntimeError):
    """An iteration ended without an answer; the message says how far it came and why it stopped."""


class SimulationError(DalembertError, RuntimeError):
    """A simulation stopped before its end; ``run`` holds the run up to that point.

    Parameters
    ----------
    message
        The failure, with time and signal name.
    run
        The run up to the failure.
    """

    def __init__(self, message: str, run: object | None = None) -> None:
        super().__init__(message)
        self.run = run


class DalembertWarning(UserWarning):
    """A condition that the user should know about, but that is not an error."""


class NoCompilerWarning(DalembertWarning):
    """No C compiler was found: kernels run on the CasADi virtual machine."""
