"""Screens of the studio and a picture per ready-made machine: ``python docs/figures/studio_figures.py [NAME ...]``.

Taken in chromium with software WebGL; without names, all of them.
"""

from __future__ import annotations

import io
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

import dalembert as da
from dalembert.benchmarks import launch_browser
from dalembert.systems import SYSTEMS
from dalembert.view import Studio, player_html
from dalembert.view.studio.opening import open_system

FOLDER = Path(__file__).resolve().parent
ARM = {"theta2": -0.7, "theta3": 1.3, "theta4": -0.5}

GALLERY = """# Gallery

The pictures show all ready-made machines, each in its default run. `dalembert studio NAME` opens one,
`dalembert simulate NAME` runs it, and `dalembert systems --yaml NAME` prints it as a machine file that you can edit.
The script `docs/figures/studio_figures.py` makes the page and its pictures.

"""


@dataclass(frozen=True)
class Screen:
    """A machine in the studio: its start, the instant as a part of the run, the exaggeration, the window."""

    machine: str
    start: dict[str, Any] = field(default_factory=dict)
    part: float = 0.4
    bending: float = 1.0
    window: tuple[int, int] = (1280, 800)
    scheme: str = "light"


SCREENS = {
    "studio_crane": Screen("spatial-crane", {"q0": {"theta1": 0.35, "phi1": -0.3}}, 0.62),
    "studio_tower_crane": Screen("tower-crane", part=0.6),
    "studio_spreader": Screen("container-spreader"),
    "studio_cable_robot": Screen("eight-cable-robot", {"v0": {"platform.vx": 0.5, "platform.wz": 2.0}}, 0.73),
    "studio_flexible_arm": Screen("canadarm", {"q0": ARM, "v0": {"theta2_dot": 0.12, "theta3_dot": -0.2}}, 0.35, 8.0),
    "studio_arm": Screen("six-axis-arm"),
    "studio_delta_robot": Screen("delta-robot", part=0.45),
    "studio_chaser": Screen("space-chaser", part=0.55, bending=4.0),
    "studio_quadruped": Screen("quadruped", part=0.31),
    "studio_incline": Screen("box-on-incline", part=0.15),
    "studio_phone": Screen("canadarm", {"q0": ARM}, 0.3, 5.0, (390, 780)),
    "studio_dark": Screen("tower-crane", part=0.6, scheme="dark"),
}

# Starts in which a machine is easier to tell than in its default one, and the instant as a part of the run.
STARTS: dict[str, dict[str, Any]] = {
    "canadarm": {"q0": ARM},
    "mda-arm": {"q0": {"theta2": -0.7, "theta3": 1.3, "theta4": -0.5}},
    "spatial-crane": {"q0": {"theta1": 0.35, "phi1": -0.3}},
    "overhead-crane": {"q0": {"theta1": 0.4}},
    "eight-cable-robot": {"v0": {"platform.vx": 0.5, "platform.wz": 2.0}},
}
INSTANTS = {"andrews-squeezer": 0.3, "planar-flexible-arm": 0.15, "double-pendulum": 0.3, "delta-robot": 0.45}
BENDING = {"planar-flexible-arm": 4.0, "canadarm": 5.0, "mda-arm": 5.0, "space-chaser": 4.0}


def save(picture: bytes, path: Path, colours: int = 0) -> None:
    """Write a picture, if asked with few colours: a third of its size."""
    path.parent.mkdir(exist_ok=True)
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    if colours:
        image = image.quantize(colours, dither=Image.Dither.NONE)
    image.save(path, optimize=True)
    print(path.name, f"{path.stat().st_size / 1e3:.0f} kB")


def place(page: Any, player: str, part: float, bending: float) -> None:
    """Stop the player at a part of its run."""
    page.evaluate(
        """([path, part, bending]) => { const p = eval(path); p.pause();
             if (bending > 1 && p.scene.bending > 1) p.bendBy(Math.min(bending, p.scene.bending));
             p.seek(p.film.start + part * (p.film.end - p.film.start)); }""",
        [player, part, bending],
    )
    drawn(page, player)


def drawn(page: Any, player: str) -> None:
    """Wait for the last, sharp picture of a player."""
    page.wait_for_function(f"() => !{player}.stage.dirty && !{player}.stage.unsharp")
    page.evaluate("() => document.fonts.ready")


def screen(browser: Any, name: str, folder: Path = FOLDER) -> Path:
    """Open a machine in the studio, start it as somebody would, and take a picture of the page; tests do it too."""
    shot = SCREENS[name]
    width, height = shot.window
    size = {"width": width, "height": height}
    context = browser.new_context(viewport=size, color_scheme=shot.scheme, bypass_csp=True)
    page = context.new_page()
    page.set_default_timeout(200_000)
    with Studio(open_system(shot.machine)) as studio:
        page.goto(studio.url)
        page.wait_for_selector(f"body[data-machine='{shot.machine}'][data-run='']")
        page.evaluate("() => studioPage.pane('settings')")
        for key, values in shot.start.items():
            page.evaluate("(id) => (document.getElementById(id).open = true)", f"section-{key}")
            for coordinate, value in values.items():
                at = f"#section-{key} input[data-name='{coordinate}']"
                page.fill(at, str(value))
                page.press(at, "Enter")
            page.evaluate("(id) => (document.getElementById(id).open = id === 'section-q0')", f"section-{key}")
        page.evaluate("() => studioPage.pane('view')")
        page.click("#run")
        page.wait_for_selector("body[data-run='1']:not([data-status='running'])")
        place(page, "studioPage.player", shot.part, shot.bending)
        save(page.screenshot(), folder / f"{name}.png")
    context.close()
    return folder / f"{name}.png"


def running(browser: Any) -> None:
    """Take a picture of a run that goes on."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    with Studio(open_system("quadruped")) as studio:
        page.goto(studio.url)
        page.wait_for_selector("body[data-machine='quadruped'][data-run='']")
        page.fill("#set-duration", "2000")
        page.press("#set-duration", "Enter")
        page.click("#run")
        page.wait_for_function("() => studioPage.signals?.t.at(-1) > 300", timeout=200_000)
        save(page.screenshot(), FOLDER / "studio_running.png")
    page.close()


def members(browser: Any) -> None:
    """Take a picture of a campaign that is followed: half of its members are there."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    given = SYSTEMS["overhead-crane"].experiment().replace(duration=10.0)
    sway = {"travel": da.Measure("x"), "sway": da.Measure("theta1", "max abs")}
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "sways"
        da.campaign(
            given, vary={"v0.x_dot": (-1.0, 1.0), "q0.theta1": (0.0, 0.5)}, n=400, chunk=10, sampling="sobol",
            measure=sway, workers=1, store=folder,
        )  # fmt: skip
        for path in sorted((folder / "rows").glob("*"))[26:]:
            path.unlink()
        with Studio(given, campaign=da.open_campaign(folder)) as studio:
            page.goto(studio.url)
            page.wait_for_selector("body[data-members='260']")
            page.click("#section-campaign button:has-text('largest')")
            page.click("#take")
            page.click("#run")
            page.wait_for_selector("body[data-run='1'][data-status='completed']")
            page.evaluate("() => (document.getElementById('section-runs').open = false)")
            place(page, "studioPage.player", 0.1, 1.0)
            save(page.screenshot(), FOLDER / "studio_campaign.png")
    page.close()


def editor(browser: Any) -> None:
    """Take a picture of the editor, which marks a mistake."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    with Studio(open_system("overhead-crane")) as studio:
        page.goto(studio.url)
        page.wait_for_selector("body[data-machine='overhead-crane'][data-run='']")
        page.click("#edit")
        page.wait_for_selector("body[data-faults='0']")
        page.evaluate("() => (studioPage.editor.text = studioPage.editor.text.replace('mass: ', 'mass: -'))")
        page.wait_for_selector("body[data-faults]:not([data-faults='0'])")
        drawn(page, "studioPage.player")
        save(page.screenshot(), FOLDER / "studio_editor.png")
    page.close()


def derived(browser: Any) -> None:
    """Take a picture of a derivation sheet."""
    page = browser.new_page(viewport={"width": 860, "height": 900})
    with tempfile.TemporaryDirectory() as folder:
        page.goto(da.write_derivation(SYSTEMS["pr-robot"].make(), Path(folder) / "sheet.html").as_uri())
        page.evaluate(
            """() => [...document.querySelectorAll('h2')].find((h) => h.textContent.includes('Energies'))
                 .scrollIntoView()"""
        )
        save(page.screenshot(), FOLDER / "derivation.png", 32)
    page.close()


def portrait(browser: Any, name: str) -> None:
    info = SYSTEMS[name]
    settings = {**info.settings()}
    for key, value in STARTS.get(name, {}).items():
        settings[key] = {**settings.get(key, {}), **value}
    run = da.simulate(info.make(), **settings, check=False)
    page = browser.new_page(viewport={"width": 640, "height": 400})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(f"<!doctype html><meta charset='utf-8'><body style='margin:0'>{player_html(run, height=460)}")
        page.goto(path.as_uri())
        page.wait_for_selector(".da-player[data-loaded]")
        place(page, "document.querySelector('.da-player').player", INSTANTS.get(name, 0.4), BENDING.get(name, 1.0))
        save(page.locator(".da-view").screenshot(), FOLDER / "systems" / f"{name}.png", 96)
    page.close()


def gallery() -> None:
    """The page of all machines, three in a row."""
    cells = [
        f"![{info.description}](figures/systems/{name}.png) **{name}**: {info.description} ({info.source})"
        for name, info in SYSTEMS.items()
    ]
    cells += [""] * (-len(cells) % 3)
    rows = [f"| {' | '.join(cells[k : k + 3])} |" for k in range(0, len(cells), 3)]
    text = GALLERY + "\n".join(["| | | |", "| --- | --- | --- |", *rows]) + "\n"
    (FOLDER.parent / "gallery.md").write_text(text, encoding="utf-8")


def main() -> None:
    gallery()
    others = {"studio_running": running, "studio_editor": editor, "studio_campaign": members, "derivation": derived}
    wanted = sys.argv[1:] or [*others, *SCREENS, *SYSTEMS]
    with launch_browser() as browser:
        for name in wanted:
            if name in others:
                others[name](browser)
            else:
                (screen if name in SCREENS else portrait)(browser, name)


if __name__ == "__main__":
    main()
