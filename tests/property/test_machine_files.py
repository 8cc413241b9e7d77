"""Random machines survive the way to YAML and back, to the bit."""

from __future__ import annotations

import math
import unicodedata
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert.core.parameter import TIME, Parameter, cos, sin
from dalembert.io import load_machine
from dalembert.model.body import Body
from dalembert.model.joint import WORLD, Joint, Limits
from dalembert.model.joints import JOINT_KINDS
from dalembert.model.machine import Machine
from dalembert.model.parts import Coupling, Frame, Motor, Wrench
from dalembert.model.transform import Transform

PARAMETERS = [Parameter("m", 1.5), Parameter("l", 0.25), Parameter("no", 2.0), Parameter("ω_1", 1e-3)]

numbers = st.floats(-1e6, 1e6) | st.sampled_from([-0.0, 0.1, 1e-300, 1e22, -1e-7, 3.0])
positive = st.floats(1e-3, 1e3)
# Names as hard as they come: quotes, colons, keywords of YAML, digits, blanks inside, any script.
names = (
    st.text(min_size=1, max_size=8)
    | st.sampled_from(
        [
            "yes",
            "null",
            "1",
            "1e3",
            "0E0",
            ".5",
            "1:30",
            "a: b",
            "#x",
            "- a",
            "'q'",
            '"',
            "=",
            "<<",
            "*a",
            "&a",
            "{}",
        ]
    )
).filter(lambda s: s == s.strip() and s and s != WORLD and not {unicodedata.category(c) for c in s} & {"Cc", "Cs"})


def combine(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Expressions of expressions; the nominal parameters are positive, so that these have a value."""
    return st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a - b, inner, inner),
        st.builds(lambda a, b: a * b, inner, inner),
        st.builds(lambda a: -a, inner),
        st.builds(lambda a: a**2, inner),
        st.builds(lambda a, b: a / b, inner, st.sampled_from(PARAMETERS)),
        st.builds(sin, inner),
        st.builds(cos, inner),
    )


atoms = st.sampled_from(PARAMETERS) | st.floats(-100, 100)
expressions = st.recursive(atoms, combine, max_leaves=5)
loads = st.recursive(atoms | st.just(TIME), combine, max_leaves=5)
scalars = numbers | expressions
vectors = st.tuples(scalars, scalars, scalars)
masses = positive | st.sampled_from(PARAMETERS) | st.builds(lambda p, x: p * x, st.sampled_from(PARAMETERS), positive)
unit_ball = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: math.hypot(*v) > 0.1)
angles = st.floats(-7, 7) | st.sampled_from([0.0, math.pi / 2, math.pi, -math.pi / 2, math.pi / 4])
rotations = st.one_of(
    st.just(Transform()),
    st.builds(Transform.rpy, angles, angles, angles, vectors),
    st.builds(Transform.about, unit_ball, angles, vectors),
    st.builds(Transform.quaternion, st.tuples(*[st.floats(0.1, 1)] * 4), vectors),
    st.builds(Transform.rpy, st.just(0.0), st.just(0.0), expressions, vectors),
)


@st.composite
def bodies(draw: st.DrawFn, name: str) -> Body:
    """A body whose second moments of mass are positive, so that its inertia is possible and not singular."""
    mass = draw(masses)
    com = draw(st.tuples(*[st.floats(-3, 3)] * 3))
    shape = draw(st.integers(0, 2))
    if shape == 0:
        k = mass * draw(st.floats(0.1, 2.0))
        return Body(name, mass, com, (k, k, k * 1.5))  # type: ignore[arg-type]
    a, b, c = (draw(st.floats(0.1, 2.0)) for _ in range(3))
    e = 0.0 if shape == 1 else draw(st.floats(-0.01, 0.01))
    return Body(name, mass, com, ((b + c, e, 0.0), (e, a + c, -e), (0.0, -e, a + b)))


@st.composite
def joints(draw: st.DrawFn, name: str, parent: str, child: str) -> Joint:
    """A joint of any kind that moves."""
    kind = draw(st.sampled_from([k for k in JOINT_KINDS if k != "fixed"]))
    fields: dict[str, Any] = {"damping": draw(masses), "friction": draw(positive), "rest": draw(scalars)}
    for field in JOINT_KINDS[kind].needs:
        fields[field] = (0.6, 0.0, 0.8) if field == "second_axis" else draw(scalars)
    if JOINT_KINDS[kind].nv == 1:
        low = draw(st.floats(-10, 10))
        limits = st.builds(
            Limits, st.just(low) | st.just(-math.inf), st.just(low + 1), positive, positive | st.just(math.inf)
        )
        fields |= {"stiffness": draw(masses), "limits": draw(st.just(Limits()) | limits)}
        fields["friction_velocity"] = draw(st.just(1e-3) | positive)
    return Joint(name, kind, parent, child, draw(rotations), draw(unit_ball), **fields)


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    """A tree of up to five bodies with everything that can hang on it."""
    n = draw(st.integers(1, 5))
    # The coordinates of a joint are named after it with suffixes; names with those endings could clash.
    safe = names.filter(lambda s: "." not in s and not s.endswith("_dot"))
    body_names = draw(st.lists(names, min_size=n + 1, max_size=n + 1, unique=True))
    joint_names = draw(st.lists(safe, min_size=n, max_size=n, unique=True))
    tip = body_names.pop()
    parts = [draw(bodies(name)) for name in body_names]
    tree = [
        draw(joints(joint_names[i], draw(st.sampled_from([WORLD, *body_names[:i]])), body_names[i])) for i in range(n)
    ]
    single = [j.name for j in tree if j.info.nv == 1]
    couplings = []
    if len(single) > 1 and draw(st.booleans()):
        couplings = [Coupling(single[0], single[1], draw(scalars), draw(scalars))]
    free = [name for name in single if name not in {c.joint for c in couplings}]
    limits = {j.name: j.limits.effort for j in tree}
    motors = [
        Motor(
            draw(names) if i == 0 else joint,
            joint,
            draw(masses) if math.isinf(limits[joint]) else 2.5,  # a joint's effort limit needs a gear of plain numbers
            draw(masses),
            0.1,
            draw(positive | st.just(math.inf)),
        )
        for i, joint in enumerate(free)
    ]
    motors = list({m.name: m for m in motors}.values())
    return Machine(
        draw(names),
        bodies=parts,
        joints=tree,
        frames=[Frame(tip, body_names[-1], draw(rotations))],
        motors=motors,
        wrenches=[Wrench(draw(names), tip, draw(st.tuples(loads, loads, loads)), draw(vectors), "frame")],
        couplings=couplings,
        gravity=draw(vectors),
    )


@settings(max_examples=50)
@given(machines())
def test_to_yaml_and_back_is_the_identity(machine: Machine) -> None:
    text = machine.to_yaml()
    back = load_machine(text)
    assert back == machine
    assert repr(back) == repr(machine)  # repr tells -0.0 from 0.0
    assert back.parameters == machine.parameters
    assert back.to_yaml() == text
