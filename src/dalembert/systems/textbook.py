"""Machines of the textbook: the actuated pendulum and the PR robot of ROBOTICS, and two that every engine is tried on.

Their numbers are parameters with the names of the source, so that closed forms read like it. The source gives no
values; the defaults are plausible ones.
"""

from __future__ import annotations

from dalembert.core.parameter import Parameter
from dalembert.formulations.mapped import CoordinateMap
from dalembert.model.body import Body, box, rod
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Frame, Motor, Wrench
from dalembert.model.transform import Transform

__all__ = ["actuated_pendulum", "double_pendulum", "floating_two_link", "motor_side", "pr_robot"]


def actuated_pendulum(
    *,
    m: float = 1.2,
    d: float = 0.4,
    I_l: float = 0.05,
    l: float = 0.8,
    n: float = 50.0,
    I_m: float = 1e-4,
    b_l: float = 0.05,
    b_m: float = 2e-4,
    F_x: float = 0.0,
    g_0: float = 9.81,
) -> Machine:
    """Pendulum driven by a motor through a gear (ROBOTICS, dynamics of actuated pendulum).

    ``theta`` is the angle from the hanging position, counted so that the tip moves towards +x; the input is ``tau_m``.

    Parameters
    ----------
    m, d, I_l
        Mass of the link, distance of its centre of mass from the axis, its inertia about that centre.
    l
        Distance of the tip, where the horizontal force acts.
    n
        Reduction, ``theta_m = n theta``.
    I_m
        Inertia of the motor about its own axis.
    b_l, b_m
        Viscous losses on the link side and on the motor side.
    F_x
        Horizontal force at the tip.
    g_0
        Acceleration of gravity.
    """
    p = {k: Parameter(k, x) for k, x in locals().items()}
    link = Body("link", p["m"], (0.0, 0.0, -p["d"]), (p["I_l"], p["I_l"], 0.0))  # type: ignore[arg-type]
    return Machine(
        "actuated-pendulum",
        bodies=(link,),
        joints=(Joint("theta", "revolute", WORLD, "link", axis=(0.0, -1.0, 0.0), damping=p["b_l"]),),
        frames=(Frame("tip", "link", Transform((0.0, 0.0, -p["l"]))),),
        motors=(Motor("tau_m", "theta", p["n"], p["I_m"], p["b_m"]),),
        wrenches=(Wrench("push", "tip", (p["F_x"], 0.0, 0.0)),),
        gravity=(0.0, 0.0, -p["g_0"]),
    )


def motor_side() -> CoordinateMap:
    """Return the other choice of coordinate for the actuated pendulum: the angle ``theta_m = n theta`` of its motor."""
    return CoordinateMap(
        ("theta_m",),
        to_machine=lambda y, p: [y[0] / p["n"]],
        from_machine=lambda q, p: [q[0] * p["n"]],
    )


def pr_robot(
    *,
    m_1: float = 3.0,
    m_2: float = 2.0,
    d_c1: float = 0.2,
    d: float = 0.35,
    I_c2_zz: float = 0.08,
) -> Machine:
    """Robot with a prismatic and a revolute joint in the horizontal plane (ROBOTICS, dynamic model of a PR robot).

    Parameters
    ----------
    m_1, m_2
        Masses of the links.
    d_c1
        Distance of the centre of mass of link 1 behind the axis of joint 2; it has no influence.
    d
        Distance of the centre of mass of link 2 from the axis of joint 2.
    I_c2_zz
        Inertia of link 2 about its centre of mass.
    """
    p = {k: Parameter(k, x) for k, x in locals().items()}
    return Machine(
        "pr-robot",
        bodies=(
            Body("link1", p["m_1"], (-p["d_c1"], 0.0, 0.0)),
            Body("link2", p["m_2"], (p["d"], 0.0, 0.0), (0.0, p["I_c2_zz"], p["I_c2_zz"])),  # type: ignore[arg-type]
        ),
        joints=(
            Joint("q_1", "prismatic", WORLD, "link1", axis=(1.0, 0.0, 0.0)),
            Joint("q_2", "revolute", "link1", "link2", axis=(0.0, 0.0, 1.0)),
        ),
        motors=(Motor("u_1", "q_1"), Motor("u_2", "q_2")),
        gravity=(0.0, 0.0, 0.0),
    )


def double_pendulum(
    *, m_1: float = 1.0, m_2: float = 1.0, l_1: float = 1.0, l_2: float = 1.0, g: float = 9.81
) -> Machine:
    """Two homogeneous rods in a vertical plane, hanging from each other without friction.

    Parameters
    ----------
    m_1, m_2, l_1, l_2
        Masses and lengths of the rods.
    g
        Acceleration of gravity.

    Examples
    --------
    >>> double_pendulum(m_2=3.0).q_names
    ('q_1', 'q_2')
    """
    p = {k: Parameter(k, x) for k, x in locals().items()}
    rods = [rod(f"rod{i}", p[f"m_{i}"], p[f"l_{i}"], "z", (0.0, 0.0, -0.5 * p[f"l_{i}"])) for i in (1, 2)]
    axis = (0.0, -1.0, 0.0)
    return Machine(
        "double-pendulum",
        bodies=tuple(rods),
        joints=(
            Joint("q_1", "revolute", WORLD, "rod1", axis=axis),
            Joint("q_2", "revolute", "rod1", "rod2", Transform((0.0, 0.0, -p["l_1"])), axis=axis),
        ),
        frames=(Frame("tip", "rod2", Transform((0.0, 0.0, -p["l_2"]))),),
        gravity=(0.0, 0.0, -p["g"]),
    )


def floating_two_link(*, base_mass: float = 20.0, link_mass: float = 2.0, link_length: float = 1.0) -> Machine:
    """Free-floating box that carries an arm of two links with crossed axes, without gravity.

    Linear and angular momentum are conserved, whatever the arm does.

    Parameters
    ----------
    base_mass
        Mass of the box, which is 0.6 x 0.5 x 0.4 m.
    link_mass, link_length
        Mass and length of each link.

    Examples
    --------
    >>> floating_two_link().v_names
    ('base.vx', 'base.vy', 'base.vz', 'base.wx', 'base.wy', 'base.wz', 'q1_dot', 'q2_dot')
    """
    half = link_length / 2.0
    links = [rod(f"link{i}", link_mass, link_length, "x", (half, 0.0, 0.0)) for i in (1, 2)]
    return Machine(
        "floating-two-link",
        bodies=(box("base", base_mass, (0.6, 0.5, 0.4)), *links),
        joints=(
            Joint("base", "free", WORLD, "base"),
            Joint("q1", "revolute", "base", "link1", Transform((0.3, 0.0, 0.1)), axis=(0.0, 0.0, 1.0)),
            Joint("q2", "revolute", "link1", "link2", Transform((link_length, 0.0, 0.0)), axis=(0.0, 1.0, 0.0)),
        ),
        frames=(Frame("tip", "link2", Transform((link_length, 0.0, 0.0))),),
        motors=(Motor("tau1", "q1"), Motor("tau2", "q2")),
        gravity=(0.0, 0.0, 0.0),
    )
