"""Make the gallery of the page on pictures: ``python docs/figures/picture_figures.py``."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import dalembert as da
from dalembert.systems import SYSTEMS
from dalembert.view import bake_run, build_scene, draw_scene

FOLDER = Path(__file__).resolve().parent
SIZE, DPI = (3.6, 2.8), 90


def picture(name: str, at: float, trace: str, exaggerate: float = 1.0, **settings: Any) -> Image.Image:
    """A ready-made machine at an instant of its default run, with the path of a point up to there."""
    info = SYSTEMS[name]
    machine = info.make()
    run = da.simulate(machine, **{**info.settings(), **settings})
    scene = build_scene(machine)
    baked = bake_run(scene, run, np.linspace(0.0, at, 200), exaggerate=exaggerate)
    title = name if exaggerate == 1.0 else f"{name}, bending x {exaggerate:g}"
    figure, update = draw_scene(scene, baked, title=title, trace=[trace], size=SIZE)
    update(199)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=DPI)
    return Image.open(content).convert("RGB")


def gallery() -> None:
    pictures = [
        picture("spatial-crane", 3.0, "payload", q0={"theta1": 0.35, "phi1": -0.3}, duration=3.0),
        picture("pulley-robot", 2.0, "platform", duration=2.0),
        picture("planar-flexible-arm", 0.4, "payload", 3.0, duration=0.5),
        picture("floating-two-link", 2.5, "tip", duration=2.5),
        picture("delta-robot", 0.45, "platform"),
        picture("six-axis-arm", 1.6, "tool", duration=2.0),
    ]
    width, height = pictures[0].size
    sheet = Image.new("RGB", (3 * width, 2 * height), "white")
    for k, image in enumerate(pictures):
        sheet.paste(image, ((k % 3) * width, (k // 3) * height))
    path = FOLDER / "gallery.png"
    sheet.convert("P", palette=Image.Palette.ADAPTIVE, colors=128).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    gallery()
