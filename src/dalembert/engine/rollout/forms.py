"""The forms of tapes with the time loops of many members around them."""

from __future__ import annotations

from dataclasses import replace

from dalembert.compile.forms import CUDA, LANES, Form
from dalembert.engine.sources import GENERIC

__all__ = ["CUDA_ROLLOUT", "LANES_ROLLOUT", "LANES_STEPPING"]


def _own(*names: str) -> tuple[str, ...]:
    return tuple(f"{__package__}:{name}" for name in names)


_STEPPING = tuple(f"dalembert.engine.stepping:{name}" for name in GENERIC)

_STEPS = (
    "dalembert.engine.constraints:projection.h",
    *_own("constraints.h"),
    "dalembert.engine.loop:runge_kutta.h",
    *_own("rollout.h", "midpoint_steps.h", "measures.h", "adaptive.h", "contacts.h"),
    *_STEPPING,
    *_own("contact_steps.h", "noise.h"),
)

LANES_ROLLOUT = Form(
    "lanes-rollout",
    (*LANES.prelude, "lanes_exact.h"),
    (*_STEPS, "transpose.h", *_own("lanes_rollout.c")),
    units="separate",
)
"""Whole simulations of as many members at a time as a vector register holds."""

LANES_STEPPING = replace(LANES_ROLLOUT, name="lanes-stepping", level="-O3")
"""Those with time-stepping: its sweeps gain up to a twentieth from -O3. Other loops are as fast without it, and are
compiled in a third to a half of the time."""

CUDA_ROLLOUT = Form(
    "cuda-rollout",
    CUDA.prelude,
    (*_STEPS, *_own("collider_steps.h", "cuda_rollout.cu")),
    chunk=CUDA.chunk,
    units="one",
    whole=True,
)
"""One simulation per thread of a GPU."""
