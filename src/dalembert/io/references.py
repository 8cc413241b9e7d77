"""References by name between the entries of a machine file, checked before anything is built."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from dalembert.core.errors import FileFormatError, UnknownNameError
from dalembert.io.source import located
from dalembert.io.yaml_nodes import Document
from dalembert.model.cables import Cable
from dalembert.model.constraints import CONSTRAINT_KINDS
from dalembert.model.kind_fields import Role, kind_fields

__all__ = ["Element", "Unfit", "mentions", "unfit_references", "without_dependants"]

Element = tuple[str, str]  # section and name

_JOINTS = ("joint", ("joints",))
_BODIES = ("body", ("world", "bodies", "sections"))
_FRAMES = ("frame or body", ("world", "bodies", "sections", "frames"))
_Keys = dict[str, tuple[str, tuple[str, ...]]]


def _keys(*kinds: type) -> _Keys:
    """Fields of kinds that hold names of frames and joints."""
    groups = {Role.FRAME: _FRAMES, Role.JOINT: _JOINTS}
    return {f.name: groups[f.role] for kind in kinds for f in kind_fields(kind) if f.role in groups}


# Section, the name of its entries, and by key the kind of name there.
_REFERENCES: dict[str, tuple[str, _Keys]] = {
    "joints": ("joint", {"parent": _BODIES, "child": ("body", ("bodies",))}),
    "frames": ("frame", {"body": _BODIES}),
    "motors": ("motor", {"joint": _JOINTS}),
    "thrusters": ("thruster", {"frame": _FRAMES}),
    "wrenches": ("wrench", {"frame": _FRAMES}),
    "fields": ("force field", {"frame": _FRAMES}),
    "couplings": ("coupling of joint", {"leader": _JOINTS}),
    "cables": ("cable", _keys(Cable)),
    "contacts": ("contact", {"frame": _FRAMES, "on": _FRAMES}),
}


_PATH: _Keys = dict.fromkeys(("anchor", "sheave", "guide", "obstacle"), _FRAMES) | {"drum": _JOINTS, "joint": _JOINTS}


def _references() -> Iterator[tuple[str, tuple[str, _Keys]]]:
    yield from _REFERENCES.items()
    yield "constraints", ("constraint", _keys(*CONSTRAINT_KINDS.values()))


class Unfit(NamedTuple):
    """An element with a missing reference or parent, and the message about it."""

    element: Element
    error: FileFormatError


def unfit_references(document: Document) -> list[Unfit]:
    """Return every name in a machine file that nothing has, and every body that hangs on nothing, twice or on itself.

    Parameters
    ----------
    document
        The file; entries that are not mappings are passed over, other checks speak of them.
    """
    return [*_unknown(document), *_unheld(document)]


def _unknown(document: Document) -> Iterator[Unfit]:
    known = {section: list(_entries(document, section)) for section in ("bodies", "joints", "frames")}
    known["sections"] = [
        name for body, entry in _entries(document, "bodies").items() for name in _sections(body, entry)
    ]
    known["world"] = ["world"]
    for section, (kind, keys) in _references():
        for name, entry in _entries(document, section).items():
            for key, (what, groups) in keys.items():
                target = _target(section, name, entry, key)
                names = [n for group in groups for n in known[group]]
                if isinstance(target, str) and target not in names:
                    error = UnknownNameError(what, target, names)
                    line = document.line((section, name, key))
                    yield Unfit((section, name), located(document.label, line, f"{key} of {kind} '{name}': {error}"))
    for rope in _entries(document, "ropes"):
        for place, key, (what, groups), target in _along(document, rope):
            names = [n for group in groups for n in known[group]]
            if target not in names:
                line, error = document.line(("ropes", rope, "path", place, key)), UnknownNameError(what, target, names)
                message = f"{key} in the path of rope '{rope}': {error}"
                yield Unfit(("ropes", rope), located(document.label, line, message))


def _along(document: Document, rope: str) -> Iterator[tuple[int, str, tuple[str, tuple[str, ...]], str]]:
    """Names in the path of a rope: the element's place, the key, the kind of name, and the name."""
    entry = _entries(document, "ropes")[rope]
    path = entry.get("path") if isinstance(entry, dict) else None
    for place, element in enumerate(path if isinstance(path, list) else ()):
        for key, group in _PATH.items():
            if isinstance(element, dict) and isinstance(element.get(key), str):
                yield place, key, group, element[key]


def _unheld(document: Document) -> Iterator[Unfit]:
    """Bodies that no joint holds, or two, or only each other; nothing while joints without a body may be meant."""
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
            yield Unfit(("bodies", body), located(document.label, document.line(("bodies", body)), message))
        elif len(held) > 1:
            several = f"'{held[0]}' and '{held[1]}'"
            message = f"body '{body}' is the child of two joints, {several}; close loops by constraints"
            yield Unfit(("joints", held[1]), located(document.label, document.line(("joints", held[1])), message))
    parents = {body: _owner(document, joints[held[0]].get("parent")) for body, held in holders.items() if held}
    for loop in _loops(parents):
        first = holders[loop[0]][0]
        message = f"the joints form a cycle through the bodies {', '.join(sorted(loop))}"
        if len(loop) > 1:  # a joint that joins a body to itself is refused as such
            yield Unfit(("joints", first), located(document.label, document.line(("joints", first)), message))


def _loops(parents: dict[str, str]) -> Iterator[list[str]]:
    """Cycles of a map from each body to its parent, each once."""
    done: set[str] = set()
    for body in parents:
        way: list[str] = []
        while body in parents and body not in done:
            done.add(body)
            way.append(body)
            body = parents[body]
        if body in way:
            yield way[way.index(body) :]


def without_dependants(document: Document, wrong: set[Element]) -> set[Element]:
    """Return the elements that are wrong together with all that hang on them, directly or not."""
    lost = set(wrong)
    while True:
        grown = set(lost)
        for section, (_, keys) in _references():
            for name, entry in _entries(document, section).items():
                for key, (_, groups) in keys.items():
                    target = _target(section, name, entry, key)
                    if any((group, _owner(document, target)) in lost for group in groups):
                        grown.add((section, name))
        for rope in _entries(document, "ropes"):
            for _, _, (_, groups), target in _along(document, rope):
                if any((group, _owner(document, target)) in lost for group in groups):
                    grown.add(("ropes", rope))
        joints = _entries(document, "joints")
        held = {_target("joints", name, joints[name], "child") for name in joints if ("joints", name) not in grown}
        grown |= {("bodies", body) for body in _entries(document, "bodies") if body not in held}
        grown |= {("couplings", name) for name in _entries(document, "couplings") if ("joints", name) in grown}
        if grown == lost:
            return lost
        lost = grown


def mentions(entry: object, names: set[str]) -> bool:
    """Whether an entry has one of these names in an expression, or as a key."""
    if isinstance(entry, dict):
        return any(key in names or mentions(value, names) for key, value in entry.items())
    if isinstance(entry, list):
        return any(mentions(value, names) for value in entry)
    return isinstance(entry, str) and not names.isdisjoint(re.findall(r"[^\W\d]\w*", entry))


def _target(section: str, name: str, entry: object, key: str) -> object:
    default = name if section == "motors" else None  # which drive the joint of their own name
    return entry.get(key, default) if isinstance(entry, dict) else None


def _owner(document: Document, target: object) -> str:
    """The element behind a name: the beam of a section, or itself."""
    name = str(target)
    beam = name.rpartition(".")[0]
    return beam if name not in _entries(document, "bodies") and beam in _entries(document, "bodies") else name


def _entries(document: Document, section: str) -> dict[str, Any]:
    entries = document.data.get(section)
    return entries if isinstance(entries, dict) else {}


def _sections(body: str, entry: object) -> Iterator[str]:
    """Frames at the sections of a beam: its tip and its stations."""
    beam = entry.get("beam") if isinstance(entry, dict) else None
    if isinstance(beam, dict):
        stations = beam.get("stations")
        yield from (f"{body}.{s}" for s in ("tip", *(stations if isinstance(stations, dict) else ())))
