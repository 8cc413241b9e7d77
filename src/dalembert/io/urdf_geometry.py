"""The shapes of a URDF file: <visual> and <collision> elements as the geometry of bodies."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dalembert.core.errors import InputError, MachineError
from dalembert.core.warn import warn
from dalembert.io.geometry_entries import mesh_path
from dalembert.io.source import locating
from dalembert.io.urdf_parts import read_origin
from dalembert.io.urdf_xml import Element
from dalembert.model.geometry import Box, Capsule, Cylinder, Geometry, Mesh, Solid, Sphere

__all__ = ["Finder", "read_colours", "read_geometry"]

Colours = Mapping[str, str]


class Finder:
    """Finds the mesh files that a URDF file names.

    The search for ``package://NAME/..`` covers the given package folders, the folders of the environment variable
    ``ROS_PACKAGE_PATH``, and the folders above the file; other paths begin at the folder of the file. A mesh that is
    not found keeps its name: an error follows only when the mesh is used.

    Parameters
    ----------
    folder
        Folder of the file; None where its text was given.
    packages
        Folders of packages by name.
    """

    def __init__(self, folder: Path | None, packages: Mapping[str, str | os.PathLike[str]] | None = None) -> None:
        if packages is not None and not isinstance(packages, Mapping):
            raise InputError(f"packages must map names of packages to their folders, got {packages!r}")
        self.folder = None if folder is None else folder.resolve()
        self.packages = {name: Path(path) for name, path in (packages or {}).items()}

    def __call__(self, file: str) -> str:
        """Return the path of a mesh."""
        if not file.startswith("package://"):
            return mesh_path(file.removeprefix("file://"), self.folder)
        package, _, inner = file.removeprefix("package://").partition("/")
        for root in self._roots(package):
            if (root / inner).is_file():
                return str(root / inner)
        return file

    def _roots(self, package: str) -> list[Path]:
        roots = [self.packages[package]] if package in self.packages else []
        for entry in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep):
            roots += _places(Path(entry), package) if entry else []
        for above in () if self.folder is None else (self.folder, *self.folder.parents):
            roots += _places(above, package)
        return roots


def _places(folder: Path, package: str) -> list[Path]:
    return [folder] if folder.name == package else [folder / package]


def read_colours(robot: Element) -> dict[str, str]:
    """Colours of the materials that a file defines, by name; also those defined within a <visual>."""
    colours: dict[str, str] = {}
    visuals = [v for link in robot.all("link") for v in link.all("visual")]
    for material in [*robot.all("material"), *(m for v in visuals for m in v.all("material"))]:
        if (colour := _colour(material)) is not None:
            colours.setdefault(material.attributes.get("name", ""), colour)
    return colours


def _colour(material: Element) -> str | None:
    element = material.one("color")
    if element is None:
        return None
    red, green, blue, _ = element.numbers("rgba", 4)
    levels = (round(255 * min(max(x, 0.0), 1.0)) for x in (red, green, blue))
    return "#" + "".join(f"{level:02x}" for level in levels)


def read_geometry(link: Element, find: Finder, colours: Colours) -> tuple[Geometry, ...]:
    """Geometry of a link; a shape that is both seen and touched occurs once.

    Geometry that cannot be read is left out with a warning: it does not affect the equations.
    """
    seen = [g for e in link.all("visual") if (g := _read(e, find, colours)) is not None]
    for element in link.all("collision"):
        geometry = _read(element, find, colours)
        if geometry is None:
            continue
        same = next((k for k, g in enumerate(seen) if (g.solid, g.origin) == (geometry.solid, geometry.origin)), None)
        if same is None:
            seen.append(geometry)
        else:
            seen[same] = replace(seen[same], collision=True)
    return tuple(seen)


def _read(element: Element, find: Finder, colours: Colours) -> Geometry | None:
    visual = element.tag == "visual"
    try:
        with locating(element.label, element.line):
            solid = _solid(element.needed("geometry"), find)
            colour = None
            if visual and (material := element.one("material")) is not None:
                colour = _colour(material) or colours.get(material.attributes.get("name", ""))
            return Geometry(solid, read_origin(element), colour, visual=visual, collision=not visual)
    except MachineError as error:
        warn(f"{error}; the shape is left out")
        return None


def _solid(geometry: Element, find: Finder) -> Solid:
    for child in geometry.children:
        match child.tag:
            case "box":
                return Box(_three(child, "size"))
            case "sphere":
                return Sphere(child.number("radius"))
            case "cylinder":
                return Cylinder(child.number("radius"), child.number("length"))
            case "capsule":
                return Capsule(child.number("radius"), child.number("length"))
            case "mesh":
                return Mesh(find(child.text("filename")), _three(child, "scale", (1.0, 1.0, 1.0)))
    tags = ", ".join(f"<{child.tag}>" for child in geometry.children) or "nothing"
    raise geometry.error(f"<geometry> holds {tags}, expected <box>, <cylinder>, <sphere>, <capsule> or <mesh>")


def _three(element: Element, name: str, default: tuple[float, ...] | None = None) -> Any:
    return element.numbers(name, 3, default)
