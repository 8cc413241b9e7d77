"""Shell completion: names of machines, studies and starters, and files that the command accepts."""

from __future__ import annotations

from pathlib import Path

__all__ = ["machine_names", "machine_or_run_names", "run_files", "starter_names", "study_names", "system_names"]

_MACHINES = (".yaml", ".yml", ".urdf", ".xml")


def system_names(incomplete: str) -> list[str]:
    """Ready-made machines."""
    from dalembert.systems import SYSTEMS

    return [name for name in SYSTEMS if name.startswith(incomplete)]


def machine_names(incomplete: str) -> list[str]:
    """Ready-made machines, and files that may hold one."""
    return system_names(incomplete) + _files(incomplete, _MACHINES)


def machine_or_run_names(incomplete: str) -> list[str]:
    """Machines and files that the studio can open."""
    return system_names(incomplete) + _files(incomplete, (*_MACHINES, ".nc"))


def run_files(incomplete: str) -> list[str]:
    """Files of runs."""
    return _files(incomplete, (".nc",))


def starter_names(incomplete: str) -> list[str]:
    """Kinds of machines to begin with."""
    from dalembert.io.starter_files import STARTERS

    return [name for name in STARTERS if name.startswith(incomplete)]


def study_names(incomplete: str) -> list[str]:
    """Studies."""
    from dalembert.studies import studies

    return [name for name in studies() if name.startswith(incomplete)]


def _files(incomplete: str, endings: tuple[str, ...]) -> list[str]:
    """Folders, and files with one of the given endings, that start with the typed text."""
    typed = incomplete.rpartition("/")
    folder = Path(typed[0] + typed[1]) if typed[1] else Path()
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return []
    fitting = [p for p in entries if p.name.startswith(typed[2]) and (p.is_dir() or p.suffix.lower() in endings)]
    shown = [p for p in fitting if typed[2].startswith(".") or not p.name.startswith(".")]
    return [f"{typed[0]}{typed[1]}{p.name}{'/' * p.is_dir()}" for p in shown]
