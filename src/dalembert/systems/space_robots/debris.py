"""The debris of SPACE D.2.2: a satellite of 1060 kg that tumbles."""

from __future__ import annotations

from dataclasses import replace

from numpy.typing import ArrayLike

from dalembert.core.parameter import Scalar
from dalembert.core.renamed import renamed_keywords
from dalembert.model.appendages import ModalAppendage
from dalembert.model.body import Body
from dalembert.model.geometry import Box, Geometry
from dalembert.model.joint import Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Frame
from dalembert.model.transform import Transform
from dalembert.plan.tumbling import TumblingBody
from dalembert.systems.space_robots.chaser import solar_array

__all__ = ["debris", "flexible_debris", "tumbling_debris"]

# The document prints J_xy = -64, J_yz = 18, J_xz = 24 and not whether they are entries of the matrix: here they are.
INERTIA = ((1440.0, -64.0, 24.0), (-64.0, 1120.0, 18.0), (24.0, 18.0, 2250.0))
SIZE = (1.5, 3.77, 1.5)
CORNER = (0.75, 1.885, 0.75)


def debris(point: tuple[float, float, float] = CORNER) -> Machine:
    """Debris of 1060 kg with the inertia of SPACE D.2.2, floating freely; its target point is the frame ``target``.

    Parameters
    ----------
    point
        The target point ``p_t`` in body axes, which the document does not give: here a corner of the box.
    """
    body = Body("debris", 1060.0, inertia=INERTIA, geometry=(Geometry(Box(SIZE), colour="#8a6d3b"),))
    return Machine(
        "debris",
        (body,),
        (Joint("debris", "free", "world", "debris"),),
        frames=(Frame("target", "debris", Transform(point)),),
        gravity=(0.0, 0.0, 0.0),
    )


@renamed_keywords("rad/s", frequencies="omega")
def flexible_debris(
    point: tuple[float, float, float] = CORNER, *, omega: tuple[float, float, float] = (2.0, 3.75, 5.0),
    damping: Scalar = 0.005,
) -> Machine:  # fmt: skip
    """The `debris` with two flexible solar arrays of 40 kg on its sides at +x and -x, which are not controlled.

    Chosen here: a fifth of the arrays of SPACE D.2.1 with a quarter of their frequencies, normal to y.

    Parameters
    ----------
    point
        As in `debris`.
    omega, damping
        Natural frequencies of the modes of each array with its root held [rad/s]: in its plane, out of it, about its
        length.
    """

    def array(name: str, sign: float) -> ModalAppendage:
        mount = Transform((sign * SIZE[0] / 2, 0.0, 0.0), ((sign, 0.0, 0.0), (0.0, 0.0, -sign), (0.0, 1.0, 0.0)))
        wing = solar_array("left", "debris", damping=damping, scale=0.2)
        return replace(wing, name=name, origin=mount, omega=omega)

    return debris(point).with_(name="flexible-debris").with_parts(array("wing1", 1.0), array("wing2", -1.0))


def tumbling_debris(
    rate: ArrayLike,
    *,
    quaternion: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    position: ArrayLike = (0.0, 0.0, 0.0),
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    point: ArrayLike = CORNER,
) -> TumblingBody:
    """Free tumbling of the debris in closed form, for planning.

    Parameters
    ----------
    rate, quaternion, position, velocity
        State at time zero; the rate in body axes.
    point
        The target point in body axes.
    """
    return TumblingBody(INERTIA, rate, quaternion, position, velocity, point)
