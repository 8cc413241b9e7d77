"""Make the pictures of the reference of machine files: ``python docs/figures/key_figures.py [NAME ...]``.

Poses come from the library itself: a picture cannot show another direction than the one that a joint has.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Arc, Circle, FancyArrowPatch, Polygon, Rectangle
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection
from style import BLUE, GREEN, GREY, PURPLE, RED, SAND, use_style

import dalembert as da
from dalembert.model.joints import JOINT_KINDS
from dalembert.spatial.alignment import plane_axes

FOLDER = Path(__file__).resolve().parent

use_style()


def save(figure: Any, name: str) -> None:
    path = FOLDER / f"{name}.png"
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)
    print(f"{path.name}: {path.stat().st_size / 1024:.0f} kB")


def box_faces(size: tuple[float, float, float], R: Any, p: Any) -> list[Any]:
    """Faces of a box that stands on the origin of a frame."""
    a, b, c = size
    corners = np.array([[x, y, z] for x in (-a, a) for y in (-b, b) for z in (-c, c)]) / 2
    corners = corners @ np.asarray(R).T + np.asarray(p).ravel()
    sides = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))
    return [corners[list(side)] for side in sides]


def arrow(
    axes: Any, start: Any, vector: Any, colour: str, text: str = "", width: float = 1.6, shift: Any = (0, 0, 0)
) -> None:
    start, vector = np.asarray(start, float).ravel(), np.asarray(vector, float).ravel()
    axes.quiver(*start, *vector, color=colour, lw=width, arrow_length_ratio=0.16)
    if text:
        axes.text(
            *(start + 1.16 * vector + np.asarray(shift)), text, color=colour, fontsize=8, ha="center", va="center"
        )


def panel(axes: Any, title: str, middle: float = 0.0) -> None:
    """Axes of a joint frame; what is shown is around ``middle`` of each of them."""
    for k, label in enumerate("xyz"):
        arrow(axes, (0, 0, 0), 0.7 * np.eye(3)[k], GREY, label, 0.9)
    low, high = middle - 0.5, middle + 0.75
    axes.set(xlim=(low, high), ylim=(low, high), zlim=(low - 0.1, high - 0.1))
    axes.set_box_aspect((1, 1, 1), zoom=1.28)
    axes.view_init(elev=22, azim=-58)
    axes.set_axis_off()
    axes.text2D(0.5, 0.02, title, transform=axes.transAxes, ha="center", va="bottom", fontsize=9)


def child(axes: Any, R: Any, p: Any, colour: str = BLUE, alpha: float = 0.35) -> None:
    size = (0.5, 0.3, 0.16)
    axes.add_collection3d(
        Poly3DCollection(box_faces(size, R, p), facecolor=colour, alpha=alpha, edgecolor=colour, lw=0.6)
    )


def joint_kinds() -> None:
    """Each kind of joint with its axes and positive coordinates; a planar one for three normals."""
    cases: list[tuple[str, str, tuple[float, ...], tuple[float, float, float]]] = [
        ("revolute", "kind: revolute, axis: z\nq = 0.6 rad", (0.6,), (0, 0, 1)),
        ("prismatic", "kind: prismatic, axis: x\nq = 0.5 m", (0.5,), (1, 0, 0)),
        ("screw", "kind: screw, axis: z, pitch: 0.4\nq = 1 rad moves by 0.4 m", (1.0,), (0, 0, 1)),
        ("cylindrical", "kind: cylindrical, axis: z\nangle = 0.6 rad, slide = 0.4 m", (0.6, 0.4), (0, 0, 1)),
        ("universal", "kind: universal, axis: z,\nsecond_axis: x; 0.6 rad, 0.5 rad", (0.6, 0.5), (0, 0, 1)),
        ("planar", "kind: planar, axis: z\nx along +x, y along +y", (0.45, 0.3, 0.2), (0, 0, 1)),
        ("planar", "kind: planar, axis: y\nx along +x, y along -z", (0.45, 0.3, 0.2), (0, 1, 0)),
        ("planar", "kind: planar, axis: x\nx along -z, y along +y", (0.45, 0.3, 0.2), (1, 0, 0)),
    ]
    figure = plt.figure(figsize=(10.2, 5.4))
    for i, (name, title, q, axis) in enumerate(cases):
        axes = figure.add_subplot(2, 4, i + 1, projection="3d")
        panel(axes, title)
        kind = JOINT_KINDS[name]
        joint = da.Joint(
            "j", name, "world", "b", axis=axis, pitch=0.4 if name == "screw" else None,
            second_axis=(1, 0, 0) if name == "universal" else None,
        )  # fmt: skip
        machine = da.Machine("m", bodies=[da.box("b", 1.0, (0.5, 0.3, 0.16))], joints=[joint])
        pose = np.asarray(da.equations(machine, backend="vm").pose("b", list(q)))
        child(axes, np.eye(3), np.zeros(3), GREY, 0.10)
        child(axes, pose[:3, :3], pose[:3, 3])
        arrow(axes, (0, 0, 0), 0.55 * np.asarray(axis), RED, "axis", 2.2, (0.0, -0.12, 0.04))
        if name == "universal":
            turned = np.asarray(da.equations(machine, backend="vm").pose("b", [q[0], 0.0]))[:3, :3]
            arrow(axes, (0, 0, 0), 0.6 * turned[:, 0], PURPLE, "second_axis", 2.0)
        if name == "planar":
            E = plane_axes(axis)
            arrow(axes, (0, 0, 0), q[0] * E[:, 0], GREEN, "x", 2.0)
            arrow(axes, q[0] * E[:, 0], q[1] * E[:, 1], SAND, "y", 2.0)
            assert np.allclose(pose[:3, 3], E[:, :2] @ np.array(q[:2]))
        assert kind.name == name
    figure.subplots_adjust(left=0, right=1, bottom=0, top=1.0, wspace=0, hspace=0.0)
    save(figure, "joint_kinds")


def origin_keys() -> None:
    """Position, then rotations about the fixed axes x, y, z."""
    figure = plt.figure(figsize=(8.4, 2.9))
    steps = [("xyz: [0.5, 0.3, 0.2]", (0, 0, 0)), ("roll 40 deg about x", (40, 0, 0)),
             ("then pitch 30 deg about y", (40, 30, 0)), ("then yaw 50 deg about z", (40, 30, 50))]  # fmt: skip
    for i, (title, angles) in enumerate(steps):
        axes = figure.add_subplot(1, 4, i + 1, projection="3d")
        panel(axes, title, 0.15)
        place = da.Transform.rpy(*(np.radians(a) for a in angles), (0.5, 0.3, 0.2))
        R, p = np.asarray(place.rotation, float), np.asarray(place.translation, float)
        axes.add_collection3d(Line3DCollection([[(0, 0, 0), p]], colors=GREY, linestyles="dotted"))
        for k, (label, colour) in enumerate(zip("xyz", (RED, GREEN, BLUE), strict=True)):
            arrow(axes, p, 0.45 * R[:, k], colour, label, 1.8)
    figure.subplots_adjust(left=0, right=1, bottom=0, top=1.0, wspace=0)
    save(figure, "origin_keys")


def plane(axes: Any, title: str) -> None:
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_title(title, fontsize=9)


def dimension(axes: Any, a: Any, b: Any, text: str, shift: tuple[float, float] = (0, 0.08)) -> None:
    axes.add_patch(FancyArrowPatch(a, b, arrowstyle="<->", mutation_scale=8, color=GREY, lw=0.9, shrinkA=0, shrinkB=0))
    middle = (np.asarray(a) + np.asarray(b)) / 2 + np.asarray(shift)
    axes.text(*middle, text, ha="center", va="center", fontsize=8)


def flat_arrow(axes: Any, a: Any, b: Any, colour: str, text: str = "", at: tuple[float, float] = (0, 0)) -> None:
    axes.add_patch(
        FancyArrowPatch(a, b, arrowstyle="-|>", mutation_scale=10, color=colour, lw=1.5, shrinkA=0, shrinkB=0)
    )
    axes.text(b[0] + at[0], b[1] + at[1], text, color=colour, fontsize=8, ha="center", va="center")


def beam_keys() -> None:
    """The beam along x with offset, station and tip; its sections in the y-z plane."""
    figure, (beam, tube, rectangle) = plt.subplots(1, 3, figsize=(9.6, 2.9), width_ratios=[2.6, 1, 1])
    plane(beam, "bodies: {boom: {beam: ...}}")
    x = np.linspace(0.5, 4.0, 60)
    w = 0.55 * ((x - 0.5) / 3.5) ** 2
    beam.plot([0, 0.5], [0, 0], color=GREY, lw=5, solid_capstyle="butt")
    beam.plot([0.5, 4.0], [0, 0], color=BLUE, lw=4, alpha=0.25)
    beam.plot(x, w, color=BLUE, lw=4)
    flat_arrow(beam, (0, 0), (0.0, 0.75), GREY, "z", (0, 0.1))
    flat_arrow(beam, (0.0, 0), (4.7, 0), GREY, "x", (0.12, 0))
    dimension(beam, (0, -0.3), (0.5, -0.3), "offset", (0, -0.14))
    dimension(beam, (0.5, -0.3), (4.0, -0.3), "length", (0, -0.14))
    beam.plot([2.5], [0.55 * (2 / 3.5) ** 2], "o", color=RED, ms=5)
    beam.text(1.6, 0.5, "boom.camera (stations: {camera: 2.0})", ha="center", fontsize=8, color=RED)
    beam.plot([4.0], [0.55], "o", color=RED, ms=5)
    beam.text(4.0, 0.72, "boom.tip", ha="center", fontsize=8, color=RED)
    beam.text(3.4, -0.13, "bending mode along z", fontsize=8, color=BLUE, ha="center")
    beam.set(xlim=(-0.3, 5.0), ylim=(-0.65, 1.0))
    for axes, title in ((tube, "section: {outer, inner}"), (rectangle, "section: {width, height}")):
        plane(axes, title)
        flat_arrow(axes, (0, 0), (1.45, 0), GREY, "y", (0.12, 0))
        flat_arrow(axes, (0, 0), (0, 1.45), GREY, "z", (0, 0.14))
        axes.set(xlim=(-1.5, 1.75), ylim=(-1.6, 1.8))
    tube.add_patch(Circle((0, 0), 1.0, color=BLUE, alpha=0.4))
    tube.add_patch(Circle((0, 0), 0.7, color="white"))
    dimension(tube, (0, 0), (-0.866, 0.5), "outer", (-0.35, 0.42))
    dimension(tube, (0, 0), (-0.606, -0.35), "inner", (0.12, -0.2))
    rectangle.add_patch(Rectangle((-0.6, -0.95), 1.2, 1.9, color=BLUE, alpha=0.4))
    dimension(rectangle, (-0.6, -1.15), (0.6, -1.15), "width", (0, -0.22))
    dimension(rectangle, (-0.8, -0.95), (-0.8, 0.95), "height", (-0.45, 0))
    figure.tight_layout()
    save(figure, "beam_keys")


def cable_keys() -> None:
    """A cable from a winch over an exit point, and over a pulley."""
    figure, (point, pulley) = plt.subplots(1, 2, figsize=(8.6, 3.2))
    for axes, title, (x, z) in ((point, "exit point", (-1.5, 0.6)), (pulley, "pulley at the exit", (-0.2, -1.0))):
        plane(axes, title)
        axes.add_patch(Circle((x, z), 0.35, color=SAND, alpha=0.6))
        axes.text(x - 0.3, z - 0.5, "winch: joint of the drum", ha="center", fontsize=8)
        axes.plot([x, x + 0.35], [z, z], color=GREY, lw=0.9)
        axes.text(x + 0.16, z + 0.08, "drum", fontsize=8, ha="center")
        axes.add_patch(Polygon([(1.3, -1.6), (2.1, -1.6), (2.1, -1.15), (1.3, -1.15)], color=BLUE, alpha=0.4))
        axes.text(1.7, -1.39, "anchor", ha="center", fontsize=8)
        axes.plot([1.4], [-1.15], "o", color=RED, ms=5)
        axes.text(1.3, -1.05, "anchor_at", ha="right", fontsize=8, color=RED)
        axes.set(xlim=(-2.2, 2.4), ylim=(-1.8, 1.7))
    point.plot([-1.5, 0.2], [0.95, 0.95], color=PURPLE, lw=1, ls="dashed")
    point.plot([0.2, 1.4], [0.95, -1.15], color=PURPLE, lw=2)
    point.plot([0.2], [0.95], "o", color=RED, ms=5)
    point.text(0.25, 1.08, "exit_at, in the frame of exit", fontsize=8, color=RED)
    point.text(0.95, 0.2, "length + drum q", fontsize=8, color=PURPLE)
    c, r = np.array([0.6, 0.95 - 0.45]), 0.45
    end = np.array([1.4, -1.15])
    d = end - c
    distance = np.hypot(*d)
    turn = np.arctan2(d[1], d[0]) + np.arccos(r / distance)
    leave = c + r * np.array([np.cos(turn), np.sin(turn)])
    assert abs((end - leave) @ (leave - c)) < 1e-12  # the free span is a tangent
    entry = c + np.array([-r, 0.0])
    pulley.add_patch(Circle(tuple(c), r, color=SAND, alpha=0.5))
    pulley.plot([entry[0], entry[0]], [-1.0, entry[1]], color=PURPLE, lw=1, ls="dashed")
    angles = np.linspace(np.pi, turn, 40)
    pulley.plot(c[0] + r * np.cos(angles), c[1] + r * np.sin(angles), color=PURPLE, lw=2)
    pulley.plot(*np.array([leave, end]).T, color=PURPLE, lw=2)
    pulley.plot(*entry, "o", color=RED, ms=5)
    pulley.text(entry[0] - 0.08, entry[1] - 0.2, "exit_at", fontsize=8, color=RED, ha="right")
    flat_arrow(pulley, entry, entry + (0, 0.75), GREY, "z of exit", (-0.05, 0.1))
    flat_arrow(pulley, entry, entry + (1.5, 0), GREY, "x", (0.1, 0))
    pulley.plot(*np.array([c, c + r * np.array([0.6, -0.8])]).T, color=GREY, lw=0.9)
    pulley.text(c[0] - 0.02, c[1] - 0.3, "pulley", fontsize=8, ha="center")
    pulley.text(1.25, -0.35, "length + drum q\n(arc and span)", fontsize=8, color=PURPLE)
    pulley.add_patch(Arc(tuple(entry), 0.5, 0.16, theta1=200, theta2=520, color=GREY, lw=1))
    figure.tight_layout()
    save(figure, "cable_keys")


def contact_keys() -> None:
    """The solid in its frame, the surface in its frame."""
    figure, (ground, wall) = plt.subplots(1, 2, figsize=(8.2, 2.9))
    plane(ground, "sphere on a half-space")
    ground.add_patch(Rectangle((-2, -1.2), 4, 0.6, color=SAND, alpha=0.5))
    ground.text(-1.2, -0.95, "half_space, carried by on", fontsize=8, ha="center")
    flat_arrow(ground, (-1.4, -0.6), (-1.4, 0.1), RED, "normal", (0, 0.12))
    ground.plot([-1.4], [-0.6], "o", color=RED, ms=4)
    ground.text(-1.32, -0.5, "point", fontsize=8, color=RED)
    ground.add_patch(Polygon([(0.2, 0.3), (0.9, 1.2), (1.2, 1.0), (0.5, 0.1)], color=BLUE, alpha=0.3))
    ground.add_patch(Circle((0.4, 0.05), 0.35, color=BLUE, alpha=0.5))
    flat_arrow(ground, (1.05, 1.1), (0.4, 0.05), GREY, "", (0, 0))
    ground.text(1.0, 0.45, "origin", fontsize=8)
    ground.text(1.1, 1.2, "frame", fontsize=8)
    dimension(ground, (0.4, 0.05), (0.05, 0.05), "radius", (-0.1, 0.18))
    dimension(ground, (0.4, -0.3), (0.4, -0.6), "gap", (0.22, 0))
    ground.set(xlim=(-2.1, 2.1), ylim=(-1.3, 1.5))
    plane(wall, "inside of a cylinder: {radius, axis, point, inside: true}")
    wall.add_patch(Circle((0, 0), 1.25, fill=False, color=SAND, lw=9, alpha=0.6))
    wall.add_patch(Circle((0.62, -0.62), 0.32, color=BLUE, alpha=0.5))
    wall.plot([0], [0], "o", color=RED, ms=4)
    wall.text(0.06, 0.08, "point on the axis", fontsize=8, color=RED)
    dimension(wall, (0, 0), (-1.2, 0.1), "radius", (0, 0.14))
    wall.text(0.62, -0.62, "solid", fontsize=8, ha="center", va="center")
    wall.set(xlim=(-1.6, 1.6), ylim=(-1.45, 1.5))
    figure.tight_layout()
    save(figure, "contact_keys")


PICTURES: dict[str, Callable[[], None]] = {
    f.__name__: f for f in (joint_kinds, origin_keys, beam_keys, cable_keys, contact_keys)
}

if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        PICTURES[name]()
