"""A machine on an orbit: the residual gravity that weightlessness leaves out acts on all its masses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.validation import Matrix
from dalembert.model.beam import Beam
from dalembert.model.body import Body
from dalembert.model.celestial import J2000
from dalembert.model.elastic.contract import Elastic
from dalembert.model.far_fields import ThirdBody
from dalembert.model.fields import ForceField, OrbitalGravity
from dalembert.model.harmonics import GravityModel
from dalembert.model.orbit import EARTH_J2, Orbit
from dalembert.model.parts import Frame
from dalembert.model.transform import Transform

if TYPE_CHECKING:
    from dalembert.model.machine import Machine

__all__ = ["in_orbit"]

_NONE = ((0.0, 0.0, 0.0),) * 3


def in_orbit(
    machine: Machine,
    orbit: Orbit,
    *,
    oblate: bool = False,
    harmonics: GravityModel | None = None,
    moon: bool = False,
    sun: bool = False,
    epoch: float = J2000,
) -> Machine:
    """Return a machine in orbit: the tide and the gravity gradient act on its bodies, in place of weightlessness.

    Every body with mass gets a frame ``NAME.mass`` at its centre and an `OrbitalGravity` there. On a beam they act in
    two stations, ``NAME.gravity1`` and ``NAME.gravity2``, the points of Gauss: exact for the tide on a straight beam.

    Parameters
    ----------
    machine
        A machine without gravity.
    orbit
        The orbit of the world's origin.
    oblate
        Whether the Earth is oblate (J2).
    harmonics
        Harmonics of the Earth in place of that, such as `earth_zonals` or `read_gfc` give.
    moon, sun
        Whether they attract it (`ThirdBody`).
    epoch
        Julian date of time zero, for Moon, Sun and the turn of the Earth.
    """
    if any(nominal(x) != 0.0 for x in machine.gravity):
        raise MachineError(
            f"machine '{machine.name}' has gravity {machine.gravity}; in orbit it is weightless: (0, 0, 0)"
        )
    if oblate and harmonics is not None:
        raise MachineError("harmonics include the oblate Earth: give one of oblate and harmonics")
    J2 = EARTH_J2 if oblate else 0.0
    far = [name for name, wanted in (("moon", moon), ("sun", sun)) if wanted]
    bodies: list[Body | Elastic] = []
    frames: list[Frame] = []
    fields: list[ForceField] = []

    def feel(name: str, frame: str, mass: Scalar, inertia: Matrix = _NONE) -> None:
        fields.append(OrbitalGravity(name, frame, orbit, mass, inertia, J2, harmonics, epoch))
        fields.extend(ThirdBody(f"{name}.{x}", frame, orbit, x, mass, epoch) for x in far)

    for body in machine.bodies:
        if isinstance(body, Beam):
            away = body.size / (2.0 * 3.0**0.5)
            places = {f"gravity{k}": body.size / 2 + s * away for k, s in ((1, -1.0), (2, 1.0))}
            bodies.append(replace(body, stations={**dict(body.stations), **places}))  # type: ignore[arg-type]
            for k in places:
                feel(f"{body.name}.{k}", f"{body.name}.{k}", 0.5 * body.mass)
            continue
        if isinstance(body, Elastic):
            raise MachineError(
                f"the gravity gradient of {body.kind} '{body.name}' is not available: in orbit the only flexible "
                "bodies are beams"
            )
        bodies.append(body)
        if any(x != 0.0 for x in (body.mass, *(x for row in body.inertia for x in row))):
            frames.append(Frame(f"{body.name}.mass", body.name, Transform(body.com)))
            feel(f"{body.name}.gravity", f"{body.name}.mass", body.mass, body.inertia)
    return replace(machine, bodies=tuple(bodies), frames=(*machine.frames, *frames), fields=(*machine.fields, *fields))
