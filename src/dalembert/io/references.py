"""What the entries of a machine file refer to by name, looked up before anything is built."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dalembert.core.errors import FileFormatError, UnknownNameError
from dalembert.io.source import located
from dalembert.io.yaml_nodes import Document

__all__ = ["unknown_references"]

_JOINTS = ("joint", ("joints",))
_BODIES = ("body", ("bodies", "sections"))
_FRAMES = ("frame or body", ("bodies", "sections", "frames"))
_WORLD = ("parent", "frame", "other", "anchor", "exit", "body")

# Section, what its entries are called, and by key what a name there must be.
_REFERENCES: dict[str, tuple[str, dict[str, tuple[str, tuple[str, ...]]]]] = {
    "joints": ("joint", {"parent": _BODIES, "child": ("body", ("bodies",))}),
    "frames": ("frame", {"body": _BODIES}),
    "motors": ("motor", {"joint": _JOINTS}),
    "thrusters": ("thruster", {"frame": _FRAMES}),
    "wrenches": ("wrench", {"frame": _FRAMES}),
    "fields": ("force field", {"frame": _FRAMES}),
    "couplings": ("coupling of joint", {"leader": _JOINTS}),
    "constraints": ("constraint", {"frame": _FRAMES, "other": _FRAMES, "joint": _JOINTS}),
    "cables": ("cable", {"anchor": _FRAMES, "exit": _FRAMES, "winch": _JOINTS}),
}


def unknown_references(document: Document) -> list[FileFormatError]:
    """Return an error for every name in a machine file that nothing has, and for every body that hangs on nothing.

    Parameters
    ----------
    document
        The file; entries that are not mappings are passed over, other checks speak of them.
    """
    return [*_unknown(document), *_unheld(document)]


def _unknown(document: Document) -> Iterator[FileFormatError]:
    known = {section: list(_entries(document, section)) for section in ("bodies", "joints", "frames")}
    known["sections"] = [
        name for body, entry in _entries(document, "bodies").items() for name in _sections(body, entry)
    ]
    for section, (kind, keys) in _REFERENCES.items():
        for name, entry in _entries(document, section).items():
            for key, (what, groups) in keys.items():
                target = entry.get(key, name if section == "motors" else None) if isinstance(entry, dict) else None
                names = [*(["world"] if key in _WORLD else []), *(n for group in groups for n in known[group])]
                if isinstance(target, str) and target not in names:
                    error = UnknownNameError(what, target, names)
                    yield located(
                        document.label, document.line((section, name, key)), f"{key} of {kind} '{name}': {error}"
                    )


def _unheld(document: Document) -> Iterator[FileFormatError]:
    """Bodies that no joint holds, or two; nothing while joints without a body may be meant for them."""
    bodies, joints = _entries(document, "bodies"), _entries(document, "joints")
    children = [entry.get("child") if isinstance(entry, dict) else None for entry in joints.values()]
    if not all(isinstance(child, str) and child in bodies for child in children):
        return
    holders: dict[str, list[str]] = {body: [] for body in bodies}
    for joint, child in zip(joints, children, strict=True):
        holders[str(child)].append(joint)
    for body, held in holders.items():
        if not held:
            message = f"body '{body}' is not connected to the world; give it a joint (a free one if it floats)"
            yield located(document.label, document.line(("bodies", body)), message)
        elif len(held) > 1:
            several = f"'{held[0]}' and '{held[1]}'"
            message = f"body '{body}' is the child of two joints, {several}; close loops by constraints"
            yield located(document.label, document.line(("joints", held[1])), message)


def _entries(document: Document, section: str) -> dict[str, Any]:
    entries = document.data.get(section)
    return entries if isinstance(entries, dict) else {}


def _sections(body: str, entry: Any) -> Iterator[str]:
    """Frames at the sections of a beam: its tip and its stations."""
    beam = entry.get("beam") if isinstance(entry, dict) else None
    if isinstance(beam, dict):
        stations = beam.get("stations")
        yield from (f"{body}.{s}" for s in ("tip", *(stations if isinstance(stations, dict) else ())))
