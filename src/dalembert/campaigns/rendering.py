"""Pictures of the members of an environment, as Gymnasium asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.stepper import Stepper

__all__ = ["RENDER_MODES", "Rendering", "check_rendering"]

RENDER_MODES = ("rgb_array",)
_FAR = 1e9  # coordinates beyond this, or not finite, cannot be drawn
_OPTIONS = ("size", "plane", "view", "frames", "exaggerate")


def check_rendering(mode: str | None, picture: Mapping[str, Any] | None) -> None:
    """Refuse unknown modes, and unknown options of pictures."""
    if mode == "human":
        raise InputError(
            "an environment has no window: create it with render_mode='rgb_array' and "
            "wrap it in gymnasium.wrappers.HumanRendering"
        )
    if mode is not None and mode not in RENDER_MODES:
        raise UnknownNameError("render mode", mode, RENDER_MODES)
    for name in picture or {}:
        if name not in _OPTIONS:
            raise UnknownNameError("option of a picture", name, _OPTIONS)
    if picture and mode is None:
        raise InputError("picture sets how environments are drawn, and needs render_mode='rgb_array'")


class Rendering:
    """Draws the members of a stepper, all in one frame; each that leaves it is followed.

    Parameters
    ----------
    eom
        Equations of the members.
    stepper
        The members.
    picture
        Options of `dalembert.view.animate`: ``size`` in pixels, ``plane``, ``view``, ``frames``, ``exaggerate``.
    """

    def __init__(self, eom: EquationsOfMotion, stepper: Stepper, picture: Mapping[str, Any] | None) -> None:
        self._eom, self._stepper, self._options = eom, stepper, dict(picture or {})
        self._picture: Any = None
        self._last: list[NDArray[np.uint8] | None] = [None] * len(stepper)

    def of(self, member: int) -> NDArray[np.uint8]:
        """Picture (height, width, 3) of a member; of one that flew apart, the last one before."""
        eom, stepper = self._eom, self._stepper
        x = stepper.x[member]
        if not np.abs(x[: eom.nq]).max() < _FAR and (last := self._last[member]) is not None:
            return last.copy()
        values = stepper.p[member] if stepper.p.ndim == 2 else stepper.p
        p = dict(zip(eom.p_names, values.tolist(), strict=False))
        q, _ = eom.to_machine(x[: eom.nq], x[eom.nq : eom.nq + eom.nv], p=p)
        if self._picture is None:
            from dalembert.view import LivePicture

            self._picture = LivePicture(eom.machine, q, p, **self._options)
        prefix = "length0."
        named = zip(stepper.state_names, x.tolist(), strict=True)
        lengths = {name.removeprefix(prefix): value for name, value in named if name.startswith(prefix)}
        who = f" {member}" if len(stepper) > 1 else ""
        t = float(stepper.t[member])
        label = f"{eom.machine.name}{who}  t = {t:.2f} s"
        taken: NDArray[np.uint8] = self._picture.pixels(q, t, p, label=label, measured=lengths, member=member)
        self._last[member] = taken
        return taken.copy()
