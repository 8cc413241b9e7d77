"""Figure of the page on environments: python docs/figures/environment_figures.py"""

from pathlib import Path

import numpy as np
from PIL import Image

HERE = Path(__file__).parent

if __name__ == "__main__":
    text = (HERE.parent / "environments.md").read_text(encoding="utf-8")
    scope: dict = {}
    for block in text.split("```python\n")[1:4]:  # the examples of the page itself, up to the frames
        exec(block.split("```")[0], scope)
    rows = [np.concatenate([frame[member] for frame in scope["frames"]], axis=1) for member in (0, 1)]
    Image.fromarray(np.concatenate(rows)).quantize(64).save(HERE / "environment.png", optimize=True)
