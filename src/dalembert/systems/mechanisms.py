"""Mechanisms that multibody programs are compared on: problems of two public libraries, as machines.

- The benchmark library of the IFToMM Technical Committee for Multibody Dynamics, problems A01 to A05: M. Gonzalez,
  D. Dopico, U. Lugris, J. Cuadrado, "A benchmarking system for MBS simulation software", Multibody System Dynamics 16
  (2006) 179-190.
- The Test Set for IVP Solvers: F. Mazzia, C. Magherini, "Test Set for Initial Value Problem Solvers, release 2.4",
  University of Bari (2008). Andrews' squeezer is also in chapter VII.7 of Hairer and Wanner, "Solving Ordinary
  Differential Equations II".

Data are those of these sources. Springs between points are elastic cables that may push (``bilateral``): their
stiffness ``EA`` is the spring's times its rest length.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dalembert.core.errors import InputError
from dalembert.core.parameter import TIME, sin
from dalembert.model.body import Body, box, point_mass, rod
from dalembert.model.cables import Cable
from dalembert.model.constraints import BallConstraint, LoopConstraint, MotionConstraint
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Frame, Wrench
from dalembert.model.transform import Transform

__all__ = [
    "ANDREWS_START",
    "CAR_AXIS_START",
    "andrews_squeezer",
    "bricard_mechanism",
    "car_axis",
    "flyball_governor",
    "four_bars",
    "point_pendulum",
]

_DOWN = (0.0, -9.81, 0.0)


def _machine(name: str, bodies: Sequence[Body], joints: Sequence[Joint], **parts: Any) -> Machine:
    """Return a machine of lists; the gravity as it is."""
    fields = {key: value if key == "gravity" else tuple(value) for key, value in parts.items()}
    return Machine(name, tuple(bodies), tuple(joints), **fields)


def _vector(x: Iterable[float]) -> tuple[float, float, float]:
    a, b, c = (float(value) for value in x)
    return a, b, c


def point_pendulum() -> Machine:
    """A01: a point mass of 1 kg on a massless bar of 1 m; ``theta`` is zero where the bar points along x.

    Examples
    --------
    >>> point_pendulum().q_names
    ('theta',)
    """
    bob = point_mass("bob", 1.0, (1.0, 0.0, 0.0))
    return _machine(
        "point-pendulum",
        [bob],
        [Joint("theta", "revolute", WORLD, "bob")],
        frames=[Frame("P1", "bob", Transform((1.0, 0.0, 0.0)))],
        gravity=_DOWN,
    )


def four_bars(n: int = 40) -> Machine:
    """A02: a row of ``n`` four-bar linkages of equal links (1 kg, 1 m), cranks upright at the start.

    When the cranks are horizontal all links lie on one line: the mechanism has one degree of freedom and there, for an
    instant, ``n + 1``. The angle of crank ``k`` is ``crank k``, that of the coupler after it relative to it.

    Parameters
    ----------
    n
        Number of linkages.

    Examples
    --------
    >>> four_bars(1).q_names
    ('crank0', 'coupler0', 'crank1')
    """
    if not (isinstance(n, int) and n >= 1):
        raise InputError(f"the number of four-bar linkages must be an integer >= 1, got {n!r}")
    bodies, joints, frames, constraints = [], [], [], []
    for k in range(n + 1):
        bodies.append(rod(f"crank{k}", 1.0, 1.0, axis="y", com=(0.0, 0.5, 0.0)))
        joints.append(Joint(f"crank{k}", "revolute", WORLD, f"crank{k}", Transform((float(k), 0.0, 0.0))))
        frames.append(Frame(f"B{k}", f"crank{k}", Transform((0.0, 1.0, 0.0))))
    for k in range(n):
        bodies.append(rod(f"coupler{k}", 1.0, 1.0, axis="x", com=(0.5, 0.0, 0.0)))
        joints.append(Joint(f"coupler{k}", "revolute", f"crank{k}", f"coupler{k}", Transform((0.0, 1.0, 0.0))))
        frames.append(Frame(f"end{k}", f"coupler{k}", Transform((1.0, 0.0, 0.0))))
        constraints.append(BallConstraint(f"close{k}", f"end{k}", f"B{k + 1}", components="xy"))
    return _machine(f"four-bars-{n}", bodies, joints, frames=frames, constraints=constraints, gravity=_DOWN)


ANDREWS_START = {
    "beta": -0.0617138900142764496358948458001,
    "theta": 0.0,
    "gamma": 0.455279819163070380255912382449,
    "phi": 0.222668390165885884674473185609,
    "delta": 0.487364979543842550225598953530,
    "omega": -0.222668390165885884674473185609,
    "epsilon": 1.23054744454982119249735015568,
}
"""Coordinates of Andrews' squeezer at the start (Test Set for IVP Solvers), at rest."""


def andrews_squeezer() -> Machine:
    """A03: seven bodies in the plane, three loops, one degree of freedom, driven by 0.033 N m without gravity.

    Coordinates are those of Hairer and Wanner: ``beta`` of the motor arm, ``theta`` of the rod on it, ``gamma`` of the
    plate with the spring, ``delta`` and ``epsilon`` of the levers at A, ``phi`` and ``omega`` of the rods on those. The
    four rods meet in the point E.
    """
    A, B, C = (-0.06934, -0.00227, 0.0), (-0.03635, 0.03273, 0.0), (0.014, 0.072, 0.0)
    d, da, e, ea, rr, ra = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
    ss, sa, sb, sc, sd = 0.035, 0.01874, 0.01043, 0.018, 0.02
    ta, tb, u, ua, ub, zf, zt, fa = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
    stiffness, rest = 4530.0, 0.07785

    def body(name: str, mass: float, com: tuple[float, float], I: float) -> Body:
        return Body(name, mass, (*com, 0.0), inertia=((I, 0.0, 0.0), (0.0, I, 0.0), (0.0, 0.0, I)))

    bodies = [
        body("K1", 0.04325, (ra, 0.0), 2.194e-6),
        body("K2", 0.00365, (-da, 0.0), 4.410e-7),
        body("K3", 0.02373, (sb, -sa), 5.255e-6),
        body("K4", 0.00706, (0.0, ea - e), 5.667e-7),
        body("K5", 0.07050, (ta, tb), 1.169e-5),
        body("K6", 0.00706, (zf - fa, 0.0), 5.667e-7),
        body("K7", 0.05498, (ua, -ub), 1.912e-5),
    ]
    joints = [
        Joint("beta", "revolute", WORLD, "K1"),
        Joint("theta", "revolute", "K1", "K2", Transform((rr, 0.0, 0.0))),
        Joint("gamma", "revolute", WORLD, "K3", Transform(B)),
        Joint("delta", "revolute", WORLD, "K5", Transform(A)),
        Joint("phi", "revolute", "K5", "K4", Transform((zt, 0.0, 0.0))),
        Joint("epsilon", "revolute", WORLD, "K7", Transform(A)),
        Joint("omega", "revolute", "K7", "K6", Transform((0.0, -u, 0.0))),
    ]
    frames = [
        Frame("E", "K2", Transform((-d, 0.0, 0.0))),
        Frame("E3", "K3", Transform((0.0, -ss, 0.0))),
        Frame("E4", "K4", Transform((0.0, -e, 0.0))),
        Frame("E6", "K6", Transform((zf, 0.0, 0.0))),
        Frame("D", "K3", Transform((sd, -sc, 0.0))),
    ]
    return _machine(
        "andrews-squeezer",
        bodies,
        joints,
        frames=frames,
        constraints=[BallConstraint(f"loop{k}", f"E{k}", "E", components="xy") for k in (3, 4, 6)],
        cables=[Cable("spring", "D", exit_at=C, length=rest, stiffness=stiffness * rest, bilateral=True)],
        wrenches=[Wrench("drive", "K1", torque=(0.0, 0.0, 0.033))],
        gravity=(0.0, 0.0, 0.0),
    )


def bricard_mechanism() -> Machine:
    """A04: five rods (1 kg, 1 m, square section of 0.1 m) and the ground along six edges of a cube, joined by hinges.

    Each axis is perpendicular to the rods that it joins. The loop has as many conditions as coordinates, five of which
    four are independent: Gruebler's count says none, and the mechanism moves with one degree of freedom.

    Examples
    --------
    >>> len(bricard_mechanism().q_names)
    5
    """
    corners = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)]
    bodies, joints = [], []
    for k in range(5):
        start, end = corners[k], corners[(k + 1) % 6]
        along = [b - a for a, b in zip(start, end, strict=True)]
        size = [1.0 if x else 0.1 for x in along]
        name, parent = f"rod{k + 1}", WORLD if k == 0 else f"rod{k}"
        offset = start if k == 0 else [a - b for a, b in zip(start, corners[k - 1], strict=True)]
        bodies.append(box(name, 1.0, size, com=[x / 2 for x in along]))
        joints.append(Joint(f"q{k + 1}", "revolute", parent, name, Transform(_vector(offset)), axis=_vector(axes[k])))
    last = [b - a for a, b in zip(corners[4], corners[5], strict=True)]
    frames = [
        Frame("end", "rod5", Transform(_vector(last))),
        Frame("P5", WORLD, Transform((0.0, 0.0, 1.0))),
        Frame("P3", "rod3", Transform((0.0, 0.0, 1.0))),
    ]
    loop = LoopConstraint("close", "end", "P5", kind="revolute", axis=(1.0, 0.0, 0.0))
    return _machine("bricard-mechanism", bodies, joints, frames=frames, constraints=[loop], gravity=_DOWN)


def flyball_governor() -> Machine:
    """A05: Watt's governor, whose lower rods are replaced by stiff springs with dampers.

    A shaft (``spin``) carries two rods (``swing1``, ``swing2``, from the horizontal, downwards) with 5 kg at their ends
    and a slider (``s``, height above the foot of the shaft). A spring of 8e5 N/m and 4e4 N s/m joins the middle of each
    rod to the slider. At the start the rods hang 30 degrees below the horizontal, s = 0.5 m, and the shaft turns at
    2 pi rad/s.

    Examples
    --------
    >>> flyball_governor().q_names
    ('spin', 's', 'swing1', 'swing2')
    """
    bar, block, ball, half = 3000.0 * 1e-4, 3000.0 * 1e-3, 5.0, 0.05
    stiffness, damping, rest = 8e5, 4e4, 0.5
    bodies = [box("shaft", bar, (0.01, 0.01, 1.0), com=(0.0, 0.0, 0.5)), box("slider", block, (0.1, 0.1, 0.1))]
    joints = [
        Joint("spin", "revolute", WORLD, "shaft"),
        Joint("s", "prismatic", "shaft", "slider"),
    ]
    frames, cables = [], []
    for k, side in ((1, 1.0), (2, -1.0)):
        name = f"rod{k}"
        bodies += [
            box(name, bar, (1.0, 0.01, 0.01), com=(side * 0.5, 0.0, 0.0)),
            point_mass(f"ball{k}", ball, (side * 1.0, 0.0, 0.0)),
        ]
        hinge = Transform((side * half, 0.0, 1.0))
        joints += [
            Joint(f"swing{k}", "revolute", "shaft", name, hinge, axis=(0.0, side, 0.0)),
            Joint(f"ball{k}", "fixed", name, f"ball{k}"),
        ]
        frames += [
            Frame(f"middle{k}", name, Transform((side * 0.5, 0.0, 0.0))),
            Frame(f"lug{k}", "slider", Transform((side * half, 0.0, 0.0))),
        ]
        law: dict[str, Any] = {
            "length": rest,
            "stiffness": stiffness * rest,
            "damping": damping * rest,
            "bilateral": True,
        }
        cables.append(Cable(f"spring{k}", f"middle{k}", f"lug{k}", **law))
    return _machine("flyball-governor", bodies, joints, frames=frames, cables=cables)


def car_axis() -> Machine:
    """Car axis of the Test Set for IVP Solvers: a wheel rides a bumpy road, a rod carries two masses on two springs.

    The left wheel stays at the origin, the right one, 1 m away, has the height ``0.1 sin(10 t)``. The left spring stays
    perpendicular to the line of the wheels: the left mass (5 kg) slides (``left``) on a guide that turns with the line.
    The rod of 1 m (``lean``, relative to the guide) carries the right mass. Springs have 1e4 N/m and a rest length of
    0.5 m; gravity is 1 m/s2.

    Examples
    --------
    >>> car_axis().q_names
    ('line', 'left', 'lean')
    """
    return _machine(
        "car-axis",
        [Body("guide"), point_mass("left", 5.0), point_mass("right", 5.0, (1.0, 0.0, 0.0))],
        [
            Joint("line", "revolute", WORLD, "guide"),
            Joint("left", "prismatic", "guide", "left", axis=(0.0, 1.0, 0.0)),
            Joint("lean", "revolute", "left", "right"),
        ],
        frames=[Frame("wheel", "guide", Transform((1.0, 0.0, 0.0))), Frame("tip", "right", Transform((1.0, 0.0, 0.0)))],
        cables=[
            Cable("spring1", "left", length=0.5, stiffness=5e3, bilateral=True),
            Cable("spring2", "tip", "wheel", length=0.5, stiffness=5e3, bilateral=True),
        ],
        constraints=[MotionConstraint("road", frame="wheel", component="y", value=0.1 * sin(10.0 * TIME))],
        gravity=(0.0, -1.0, 0.0),
    )


CAR_AXIS_START = (
    {"line": 0.0, "left": 0.5, "lean": 0.0},
    {"line_dot": 1.0, "left_dot": 0.0, "lean_dot": -1.0},
)
"""Coordinates and velocities of the car axis at the start: level, both masses at -0.5 m/s along x.

The guide turns at 1 rad/s, which moves the left mass, 0.5 m up; the rod keeps level, so that its angle relative to the
guide falls at the same rate.
"""
