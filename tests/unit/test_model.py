"""The model room: shapes, transforms, parameters, the tree, locking, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from dalembert.core.errors import DalembertWarning, InputError, MachineError, UnknownNameError
from dalembert.core.parameter import (
    TIME,
    Operation,
    Parameter,
    Scalar,
    cos,
    depends_on_time,
    evaluate,
    nominal,
    parameters_of,
    sin,
    sqrt,
    to_text,
)
from dalembert.core.scalar_text import parse_scalar
from dalembert.model.body import Body, box, cylinder, hollow_cylinder, point_mass, rod, sphere
from dalembert.model.checks import check_parameter_values, inertia_fault
from dalembert.model.joint import Joint, Limits
from dalembert.model.machine import Machine
from dalembert.model.parts import Coupling, Frame, Motor, Wrench
from dalembert.model.transform import Transform
from dalembert.model.tree import merged_inertia
from dalembert.spatial.rotations import numpy, quaternion_matrix, rotation_about, rotation_euler321

Array = NDArray[np.float64]


# --- shapes against the integral of the density -----------------------------------------------------------------------


def gauss(a: float, b: float, n: int = 6) -> tuple[Array, Array]:
    """Nodes and weights of a quadrature on [a, b] that is exact up to degree 11."""
    x, w = np.polynomial.legendre.leggauss(n)
    return (a + b) / 2 + (b - a) / 2 * x, (b - a) / 2 * w


def periodic(n: int = 16) -> tuple[Array, Array]:
    """Nodes and weights on the circle, exact for trigonometric polynomials up to degree 15."""
    return np.arange(n) * 2 * np.pi / n, np.full(n, 2 * np.pi / n)


def inertia_of(points: Array, weights: Array, mass: float) -> Array:
    """Integral of r^2 1 - r r^T over a homogeneous body of the given mass."""
    dm = mass * weights / weights.sum()
    return np.einsum(
        "n,nij->ij", dm, (points**2).sum(1)[:, None, None] * np.eye(3) - np.einsum("ni,nj->nij", points, points)
    )


def grid(*axes: tuple[Array, Array]) -> tuple[Array, Array]:
    points = np.stack([m.ravel() for m in np.meshgrid(*[a[0] for a in axes], indexing="ij")], axis=1)
    weights = np.prod([m.ravel() for m in np.meshgrid(*[a[1] for a in axes], indexing="ij")], axis=0)
    return points, weights


def tube_integral(inner: float, outer: float, length: float) -> tuple[Array, Array]:
    """Points and weights of a tube about x."""
    points, weights = grid(gauss(-length / 2, length / 2), gauss(inner, outer), periodic())
    x, r, phi = points.T
    return np.stack([x, r * np.cos(phi), r * np.sin(phi)], axis=1), weights * r


def test_box() -> None:
    a, b, c = 0.3, 0.7, 1.1
    points, weights = grid(gauss(-a / 2, a / 2), gauss(-b / 2, b / 2), gauss(-c / 2, c / 2))
    assert_allclose(np.array(box("b", 2.5, (a, b, c)).inertia), inertia_of(points, weights, 2.5), atol=1e-14)


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_round_shapes(axis: str) -> None:
    turn = {"x": [0, 1, 2], "y": [2, 0, 1], "z": [1, 2, 0]}[axis]  # column of x, y, z in a body about x
    points, weights = tube_integral(0.2, 0.5, 1.3)
    expected = inertia_of(points[:, turn], weights, 2.0)
    assert_allclose(np.array(hollow_cylinder("h", 2.0, 0.5, 0.2, 1.3, axis).inertia), expected, atol=1e-14)
    points, weights = tube_integral(0.0, 0.5, 1.3)
    expected = inertia_of(points[:, turn], weights, 2.0)
    assert_allclose(np.array(cylinder("c", 2.0, 0.5, 1.3, axis).inertia), expected, atol=1e-14)
    points, weights = grid(gauss(-0.65, 0.65), (np.zeros(1), np.ones(1)), (np.zeros(1), np.ones(1)))
    expected = inertia_of(points[:, turn], weights, 2.0)
    assert_allclose(np.array(rod("r", 2.0, 1.3, axis).inertia), expected, atol=1e-14)


def test_sphere() -> None:
    points, weights = grid(gauss(0, 0.8), gauss(-1, 1), periodic())
    r, z, phi = points.T
    s = np.sqrt(1 - z**2)
    points = np.stack([r * s * np.cos(phi), r * s * np.sin(phi), r * z], axis=1)
    assert_allclose(np.array(sphere("s", 3.0, 0.8).inertia), inertia_of(points, weights * r**2, 3.0), atol=1e-14)


def test_shapes_keep_parameters() -> None:
    m, l = Parameter("m", 3.0), Parameter("l", 2.0)
    link = rod("r", m, l, "z", (0, 0, -l / 2.0))
    assert parameters_of(link.inertia[0][0]) == (m, l)
    assert nominal(link.inertia[0][0]) == 1.0
    assert evaluate(link.inertia[0][0], {"m": 6.0, "l": 1.0}) == 0.5
    assert link.inertia[2][2] == 0.0
    assert point_mass("p", m).inertia == ((0.0, 0.0, 0.0),) * 3


def test_inertia_forms() -> None:
    full = ((1.0, 0.1, 0.2), (0.1, 1.1, 0.3), (0.2, 0.3, 1.2))
    assert Body("b", 1.0, inertia=(1.0, 1.1, 1.2, 0.1, 0.2, 0.3)).inertia == full  # type: ignore[arg-type]
    assert Body("b", 1.0, inertia=np.array(full)).inertia == full  # type: ignore[arg-type]
    assert Body("b", 1.0, inertia=(1, 2, 3)).inertia[1] == (0.0, 2.0, 0.0)  # type: ignore[arg-type]


# --- transforms -------------------------------------------------------------------------------------------------------


def matrix(X: Transform) -> Array:
    result = np.eye(4)
    result[:3, :3] = [[nominal(x) for x in row] for row in X.rotation]
    result[:3, 3] = [nominal(x) for x in X.translation]
    return result


angle = st.floats(-7, 7)
position = st.tuples(*[st.floats(-5, 5)] * 3)
axis = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: math.hypot(*v) > 0.1)
transforms = st.builds(Transform.rpy, angle, angle, angle, position) | st.builds(Transform.about, axis, angle, position)


@given(transforms, transforms)
def test_transforms_multiply_like_matrices(A: Transform, B: Transform) -> None:
    assert_allclose(matrix(A @ B), matrix(A) @ matrix(B), atol=1e-13)
    assert_allclose(matrix(A.inverse()), np.linalg.inv(matrix(A)), atol=1e-13)


@given(angle, angle, angle, axis)
def test_rotations_agree_with_the_spatial_room(x: float, y: float, z: float, a: tuple[float, float, float]) -> None:
    unit = np.array(a) / np.linalg.norm(a)
    assert_allclose(matrix(Transform.rpy(x, y, z))[:3, :3], numpy(rotation_euler321([x, y, z])), atol=1e-14)
    assert_allclose(matrix(Transform.about(a, x))[:3, :3], numpy(rotation_about(unit, x)), atol=1e-14)
    Q = np.array([math.cos(x / 2), *(math.sin(x / 2) * unit)])
    assert_allclose(numpy(quaternion_matrix(Q)), numpy(rotation_about(unit, x)), atol=1e-14)
    assert_allclose(matrix(Transform.quaternion(3 * Q))[:3, :3], numpy(rotation_about(unit, x)), atol=1e-14)


def test_right_angles_are_exact() -> None:
    X = Transform.rpy(math.pi / 2, 0, -math.pi / 2)
    assert X.rotation == ((0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


@given(angle, angle)
def test_parameters_in_transforms(x: float, y: float) -> None:
    a, b = Parameter("a", x), Parameter("b", y)
    X = Transform.rpy(a, 0, b, (a, 0, 1)) @ Transform.about((0, 1, 0), b)
    Y = Transform.rpy(x, 0, y, (x, 0, 1)) @ Transform.about((0, 1, 0), y)
    assert_allclose(matrix(X), matrix(Y), atol=1e-13)
    assert not X.is_constant
    assert Y.is_constant


# --- parameters and expressions ---------------------------------------------------------------------------------------

PARAMETERS = {name: Parameter(name, value) for name, value in (("a", 1.3), ("b", 0.7), ("c_1", 2.1))}
atoms = st.sampled_from([*PARAMETERS.values(), TIME]) | st.floats(-50, 50)


def combine(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.builds(lambda x, y: x + y, inner, inner),
        st.builds(lambda x, y: x - y, inner, inner),
        st.builds(lambda x, y: x * y, inner, inner),
        st.builds(lambda x: -x, inner),
        st.builds(lambda x, y: x / y, inner, st.sampled_from(list(PARAMETERS.values()))),
        st.builds(lambda x, n: x**n, inner, st.integers(1, 3)),
        st.builds(lambda x, y: x**y, st.sampled_from(list(PARAMETERS.values())), inner.filter(small)),
        st.builds(sin, inner),
        st.builds(cos, inner),
    )


def small(x: Any) -> bool:
    """Whether a power with this exponent stays finite."""
    return abs(evaluate(x, {p.name: p.value for p in PARAMETERS.values()}, 0.5)) < 50


expressions = st.recursive(atoms, combine, max_leaves=12)


@given(expressions)
def test_text_reads_back_to_an_equal_expression(x: Scalar) -> None:
    text = to_text(x)
    back = parse_scalar(text, PARAMETERS)
    assert back == x
    assert repr(back) == repr(x)


@given(expressions, st.floats(-2, 2))
def test_text_means_what_python_means(x: Scalar, t: float) -> None:
    """The text of an expression, evaluated by Python, is the value of the expression."""
    values = {p.name: p.value for p in PARAMETERS.values()}
    try:
        ours = evaluate(x, values, t)
    except (OverflowError, ZeroDivisionError):
        return
    scope = {**values, "t": t, "sin": math.sin, "cos": math.cos, "__builtins__": {}}
    with np.errstate(all="ignore"):
        if np.isfinite(ours):
            assert_allclose(eval(to_text(x), scope), ours, rtol=1e-12)


def test_folding() -> None:
    a = PARAMETERS["a"]
    assert a * 0 == 0.0
    assert a * 1 is a and 1 * a is a and a + 0 is a and 0 + a is a and a - 0 is a and a / 1 is a and a**1 is a
    assert Operation("*", (2.0, TIME)) == 2 * TIME
    assert nominal(2**a) == 2**1.3
    assert nominal(sqrt(a)) == math.sqrt(1.3)
    assert depends_on_time(sin(2 * TIME)) and not depends_on_time(sin(a))
    assert parameters_of(a * PARAMETERS["b"] + a) == (a, PARAMETERS["b"])


def test_negative_zero_keeps_its_place() -> None:
    x = (-0.0) ** PARAMETERS["a"]
    assert repr(parse_scalar(to_text(x), PARAMETERS)) == repr(x)


@pytest.mark.parametrize("name", ["", "1a", "a b", "t", "pi", "sin", "lambda", "None", "a-b", 3, None, "\ufb01"])
def test_parameter_names(name: Any) -> None:
    with pytest.raises(InputError, match="a parameter's name must be an identifier"):
        Parameter(name, 1.0)


@pytest.mark.parametrize("value", [math.nan, math.inf, "1", None, True, 1j, [1.0], 10**400])
def test_parameter_values(value: Any) -> None:
    with pytest.raises(InputError, match="the value of parameter 'm' must be"):
        Parameter("m", value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cannot read ''"),
        ("a +", "cannot read 'a \\+'"),
        ("x", "no parameter named 'x' in the expression 'x'; known: a, b, c_1"),
        ("a.real", "cannot use 'a.real'"),
        ("a[0]", "cannot use"),
        ("a if b else 1", "cannot use"),
        ("lambda: 1", "cannot use"),
        ("open('x')", "cannot use"),
        ("sin(a, b)", "cannot use"),
        ("'a'", "cannot use"),
        ("1j", "no unit named 'j'"),
        ("True", "cannot use"),
        ("a // b", "cannot use"),
        ("a @ b", "cannot use"),
        ("a, b", "cannot use"),
        ("a := 1", "cannot read"),
        ("1e999", "must be finite"),
        ("1 / 0", "has no value"),
        ("9 ** 9 ** 9", "has no value"),
        ("sqrt(0 - 1)", "must be a real, finite number"),
        ("(-8) ** 0.5", "must be a real, finite number"),
        ("a\x00", "cannot read"),
        ("9" * 5000, "(cannot read|has no value|finite)"),
        ("-" * 2000 + "a", "(cannot read|nested too deeply)"),
    ],
)
def test_bad_expressions(text: str, message: str) -> None:
    with pytest.raises((InputError, UnknownNameError), match=message):
        parse_scalar(text, PARAMETERS)


def test_an_expression_has_no_truth() -> None:
    with pytest.raises(InputError, match="depends on its parameters"):
        bool(PARAMETERS["a"] + 1)


# --- the tree ---------------------------------------------------------------------------------------------------------


def solid(name: str) -> Body:
    return box(name, 1.0, (0.1, 0.2, 0.3))


def test_depth_first_by_joint_name() -> None:
    """Joints are ordered as Pinocchio orders them: depth first, children by joint name, whatever the order given."""
    machine = Machine(
        "tree",
        bodies=[solid(n) for n in "abcdef"],
        joints=[
            Joint("z", "revolute", "world", "a"),
            Joint("m", "prismatic", "a", "b"),
            Joint("k", "fixed", "a", "c"),
            Joint("n", "revolute", "c", "d"),
            Joint("a", "revolute", "b", "e"),
            Joint("B", "spherical", "world", "f"),
        ],
    )
    # capitals come before small letters; below the fixed joint k its children come first, as k < m
    assert [n.joint.name for n in machine.tree.nodes] == ["B", "z", "n", "m", "a"]
    assert machine.q_names == ("B.qw", "B.qx", "B.qy", "B.qz", "z", "n", "m", "a")
    assert machine.v_names == ("B.wx", "B.wy", "B.wz", "z_dot", "n_dot", "m_dot", "a_dot")
    assert (machine.nq, machine.nv) == (8, 7)
    assert machine.q_neutral.tolist() == [1, 0, 0, 0, 0, 0, 0, 0]
    assert [n.parent for n in machine.tree.nodes] == [-1, -1, 1, 1, 3]
    assert [n.q for n in machine.tree.nodes][:2] == [slice(0, 4), slice(4, 5)]
    assert machine.tree.path(4) == [4, 3, 1]
    assert machine.tree.children(1) == [2, 3]
    assert sum(n.joint.info.nq for n in machine.tree.nodes) == machine.tree.nq


def test_fixed_joints_are_merged() -> None:
    pose = Transform.rpy(0.3, 0.4, 0.5, (1, 2, 3))
    tilt = Transform.rpy(0.1, -0.2, 0.3, (0.5, 0, 0))
    first, second = Body("a", 2.0, (0.1, 0, 0), (1, 2, 2.5)), Body("b", 3.0, (0, 0.2, 0), (2, 1, 1.5))  # type: ignore[arg-type]
    machine = Machine(
        "merged",
        bodies=[first, second, solid("c")],
        joints=[
            Joint("j", "revolute", "world", "a", pose),
            Joint("f", "fixed", "a", "b", tilt),
            Joint("k", "revolute", "b", "c", pose),
        ],
        frames=[Frame("tip", "b", pose)],
    )
    node, last = machine.tree.nodes
    assert [b.name for b, _ in node.bodies] == ["a", "b"]
    assert_allclose(matrix(last.placement), matrix(tilt) @ matrix(pose), atol=1e-15)
    assert machine.tree.frames["tip"][0] == 0
    assert_allclose(matrix(machine.tree.frames["tip"][1]), matrix(tilt) @ matrix(pose), atol=1e-15)

    mass, moment, inertia = merged_inertia(node, nominal)
    X = matrix(tilt)
    expected = np.zeros((3, 3))
    total = np.zeros(3)
    for body, P in ((first, np.eye(4)), (second, X)):
        c = P[:3, :3] @ np.array(body.com) + P[:3, 3]
        I = P[:3, :3] @ np.array(body.inertia) @ P[:3, :3].T
        expected += I + nominal(body.mass) * (c @ c * np.eye(3) - np.outer(c, c))
        total += nominal(body.mass) * c
    assert float(mass) == 5.0
    assert_allclose(numpy(moment), total, rtol=1e-14)
    assert_allclose(numpy(inertia), expected, rtol=1e-13)


def frame_pose(machine: Machine, q: dict[str, float], frame: str) -> Array:
    """Pose of a frame of a machine with revolute and prismatic joints."""
    ratio = {c.joint: c for c in machine.couplings}
    poses: list[Array] = []
    for node in machine.tree.nodes:
        joint = node.joint
        c = ratio.get(joint.name)
        x = nominal(c.ratio) * q[c.leader] + nominal(c.offset) if c else q[joint.name]
        motion = np.eye(4)
        a = np.array([nominal(v) for v in joint.axis])
        if joint.kind == "revolute":
            motion[:3, :3] = numpy(rotation_about(a, x))
        else:
            motion[:3, 3] = a * x
        before = poses[node.parent] if node.parent >= 0 else np.eye(4)
        poses.append(before @ matrix(node.placement) @ motion)
    index, pose = machine.tree.frames[frame]
    return (poses[index] if index >= 0 else np.eye(4)) @ matrix(pose)


def chain() -> Machine:
    place = Transform.rpy(0.2, -0.4, 0.6, (0.1, 0.2, 0.3))
    return Machine(
        "chain",
        bodies=[solid(n) for n in "abcd"],
        joints=[
            Joint("j1", "revolute", "world", "a", place, axis=(1, 2, 3)),
            Joint("j2", "prismatic", "a", "b", place, axis=(1, -1, 0), damping=0.1, limits=Limits(-1, 1)),
            Joint("j3", "revolute", "b", "c", place, axis=(0, 1, 0)),
            Joint("j4", "revolute", "c", "d", place, axis=(0, 0, 1)),
        ],
        frames=[Frame("tip", "d", place)],
        motors=[Motor("m1", "j1"), Motor("m2", "j2")],
        couplings=[Coupling("j4", "j3", -2.0, 0.5)],
    )


@pytest.mark.parametrize("lock", [{"j1": 0.3}, {"j2": -0.4}, {"j3": 0.7}, {"j1": 0.3, "j2": -0.4}])
def test_locked_joints_stay_where_they_were(lock: dict[str, float]) -> None:
    machine = chain()
    locked = machine.lock(lock)
    q = {"j1": 0.3, "j2": -0.4, "j3": 0.7}
    assert_allclose(frame_pose(locked, q, "tip"), frame_pose(machine, q, "tip"), atol=1e-14)
    assert set(locked.q_names) == set(q) - set(lock)
    assert set(locked.u_names) == {m.name for m in machine.motors if m.joint not in lock}
    if "j3" in lock:
        assert locked.joint("j4").kind == "fixed" and not locked.couplings


def test_lock_refusals() -> None:
    machine = chain()
    with pytest.raises(UnknownNameError, match=r"no moving joint named 'j9' in machine 'chain'; known: j1"):
        machine.lock({"j9": 0.0})
    for position in (math.nan, math.inf, "a", None):
        with pytest.raises(InputError, match="position of locked joint 'j1' must be a finite number"):
            machine.lock({"j1": position})  # type: ignore[dict-item]
    with pytest.raises(InputError, match="joint 'j4' follows 'j3' and cannot be locked alone"):
        machine.lock({"j4": 0.0})
    with pytest.raises(InputError, match=r"joint 'j4' cannot be locked at 1: it follows 'j3', which takes it to 0\.5"):
        machine.lock({"j4": 1.0, "j3": 0.0})
    with pytest.raises(MachineError, match="no moving joint"):
        machine.lock({"j1": 0, "j2": 0, "j3": 0})


def test_machine_is_a_value() -> None:
    assert chain() == chain()
    assert chain().with_(name="other") != chain()
    assert chain().with_(gravity=(0, 0, 0)).gravity == (0.0, 0.0, 0.0)
    with pytest.raises(UnknownNameError, match="no field named 'color'"):
        chain().with_(color="red")
    with pytest.raises(UnknownNameError, match="no body named 'x' in machine 'chain'; known: a, b, c, d"):
        chain().body("x")
    with pytest.raises(UnknownNameError, match="no joint named 'x'"):
        chain().joint("x")
    assert str(chain()) == "machine 'chain': 4 bodies (4 kg), 3 degrees of freedom, 2 motors, 0 parameters"


# --- parameters of a machine ------------------------------------------------------------------------------------------


def pendulum(**fields: Any) -> Machine:
    m, l = Parameter("m", 2.0), Parameter("l", 1.0)
    b = Parameter("b", 0.1)
    return Machine(
        "pendulum",
        bodies=[rod("link", m, l, "z", (0, 0, -l / 2.0))],
        joints=[Joint("theta", "revolute", "world", "link", axis=(0, 1, 0), damping=b)],
        **fields,
    )


def test_parameter_vector() -> None:
    machine = pendulum()
    assert [p.name for p in machine.parameters] == ["m", "l", "b"]
    assert machine.p_nominal.tolist() == [2.0, 1.0, 0.1]
    assert machine.parameter_vector({"l": 3.0}).tolist() == [2.0, 3.0, 0.1]
    assert machine.parameter_vector({"l": np.ones(4)}).shape == (4, 3)
    with pytest.raises(UnknownNameError, match="no parameter named 'k' in machine 'pendulum'; known: b, l, m"):
        machine.parameter_vector({"k": 1.0})
    with pytest.raises(InputError, match="parameter values must be numbers"):
        machine.parameter_vector({"l": "long"})  # type: ignore[dict-item]
    with pytest.raises(InputError, match=r"do not broadcast: l \(2,\), b \(3,\)"):
        machine.parameter_vector({"l": [1.0, 2.0], "b": [1.0, 2.0, 3.0]})  # type: ignore[dict-item]


def test_parameter_values_inherit_the_bounds_of_their_fields() -> None:
    machine = pendulum()
    check_parameter_values(machine, np.array([0.0, 1.0, 0.0]))
    with pytest.raises(InputError, match=r"mass of body 'link' must be >= 0, got -1 \(parameter 'm'\)"):
        check_parameter_values(machine, np.array([[1.0, 1.0, 0.1], [-1.0, 1.0, 0.1]]))
    for wrong in (math.nan, math.inf):
        with pytest.raises(InputError, match=f"parameter 'b' must be finite, got {wrong}"):
            check_parameter_values(machine, np.array([1.0, 1.0, wrong]))
    jz = Parameter("jz", 1.0)
    top = Machine(
        "top",
        bodies=[Body("rotor", 1.0, inertia=(1.0, 1.0, jz))],  # type: ignore[arg-type]
        joints=[Joint("spin", "spherical", "world", "rotor")],
    )
    with pytest.raises(InputError, match=r"inertia of body 'rotor' is impossible with these parameters.*triangle"):
        check_parameter_values(top, np.array([3.0]))
    check_parameter_values(top, np.linspace(0.1, 2.0, 12).reshape(3, 4, 1))
    with pytest.raises(InputError, match=r"principal moments 1, 1, 2\.5: the largest"):
        check_parameter_values(top, np.array([[1.0], [2.5], [3.0]]))


def test_a_parameter_has_one_value() -> None:
    with pytest.raises(MachineError, match=r"parameter 'b' has two values, 0.1 and 0.2"):
        pendulum(motors=[Motor("u", "theta", damping=Parameter("b", 0.2))])


# --- physics ----------------------------------------------------------------------------------------------------------


@given(st.tuples(*[st.floats(1e-6, 1e3)] * 3), axis, angle)
def test_inertias_of_mass_distributions_are_possible(s: tuple[float, float, float], a: Any, x: float) -> None:
    """I = tr(S) 1 - S is possible for every S that is positive definite, and not if a moment is added to one axis."""
    R = matrix(Transform.about(a, x))[:3, :3]
    S = R @ np.diag(s) @ R.T
    I = np.trace(S) * np.eye(3) - S
    assert inertia_fault(I) is None
    assert "triangle" in (inertia_fault(I + 2.1 * sum(s) * np.outer(R[:, 0], R[:, 0])) or "")
    assert "negative" in (inertia_fault(-I) or "")


def test_rounding_is_no_fault() -> None:
    """A link of iCub has moments of the order of 1e-20: rounding, for a mass of half a kilogram."""
    tiny = Body("tiny", 0.526, (0.1, 0, 0), (-5.4e-20, -5.4e-20, 0.0))  # type: ignore[arg-type]
    Machine("m", [tiny], [Joint("j", "revolute", "world", "tiny")])


def test_impossible_together_or_alone() -> None:
    tag = Body("tag", 0.1, inertia=(1e-6, 1e-6, 1e-3))  # type: ignore[arg-type]
    joints = [Joint("j", "revolute", "world", "link"), Joint("glue", "fixed", "link", "tag")]
    with pytest.warns(DalembertWarning, match=r"possible together with the bodies fixed to them: 'tag' \(principal"):
        Machine("m", [box("link", 5.0, (1, 1, 1)), tag], joints)
    with pytest.raises(MachineError, match=r"inertia of body 'tag' is impossible: .*with the bodies fixed to it"):
        Machine("m", [point_mass("link", 5.0), tag], joints)


J = Joint
B = solid


def machine(bodies: Any, joints: Any, **fields: Any) -> Machine:
    return Machine("m", bodies, joints, **fields)


REFUSALS: dict[str, tuple[Callable[[], Any], str]] = {
    "negative mass": (lambda: Body("b", -1.0), "mass of body 'b' must be >= 0, got -1"),
    "nan mass": (lambda: Body("b", math.nan), "mass of body 'b' must be finite, got nan"),
    "text mass": (lambda: Body("b", "heavy"), "mass of body 'b' must be a number, got 'heavy'"),  # type: ignore[arg-type]
    "boolean mass": (lambda: Body("b", True), "mass of body 'b' must be a number, got True"),
    "mass in time": (lambda: Body("b", 1 + TIME), "mass of body 'b' must not depend on time"),
    "mass without value": (lambda: Body("b", 1 / (Parameter("a", 1.0) - 1)), "mass of body 'b': .*no value"),
    "com": (lambda: Body("b", 1.0, (0, 0)), "centre of mass of body 'b' must have 3 components"),  # type: ignore[arg-type]
    "nan com": (lambda: Body("b", 1.0, (0, 0, math.nan)), "component z of centre of mass of body 'b' must be finite"),
    "inertia shape": (lambda: Body("b", 1.0, inertia=(1, 2)), "inertia of body 'b' must be 3 numbers"),  # type: ignore[arg-type]
    "inertia symmetry": (
        lambda: Body("b", 1.0, inertia=((1, 0.1, 0), (0.2, 1, 0), (0, 0, 1))),
        r"inertia of body 'b' must be symmetric, got 0.1 at \(0, 1\) and 0.2",
    ),
    "triangle": (
        lambda: machine([Body("b", 1.0, inertia=(1, 1, 3))], [J("j", "free", "world", "b")]),  # type: ignore[arg-type]
        "inertia of body 'b' is impossible: principal moments 1, 1, 3: .*triangle",
    ),
    "negative moment": (
        lambda: machine([Body("b", 1.0, inertia=(-1, 1, 1))], [J("j", "free", "world", "b")]),  # type: ignore[arg-type]
        "none may be negative",
    ),
    "empty name": (lambda: Body(""), "name of a body must be a non-empty string"),
    "name with blanks": (lambda: Body(" b"), "non-empty string"),
    "name of another type": (lambda: Joint(3, "revolute", "world", "b"), "name of a joint"),  # type: ignore[arg-type]
    "box size": (lambda: box("b", 1.0, (1, 0, 1)), "the width of box 'b' must be > 0, got 0"),
    "tube radii": (lambda: hollow_cylinder("b", 1.0, 0.1, 0.2, 1.0), "inner radius .* must not exceed the outer one"),
    "rod length": (lambda: rod("b", 1.0, -1.0), "the length of rod 'b' must be > 0"),
    "shape mass": (lambda: sphere("b", -1.0, 1.0), "the mass of sphere 'b' must be >= 0"),
    "shape axis": (lambda: rod("b", 1.0, 1.0, "w"), "axis of a shape must be 'x', 'y' or 'z', got 'w'"),
    "rotation": (lambda: Transform(rotation=((2, 0, 0), (0, 1, 0), (0, 0, 1))), "right-handed rotation matrix"),
    "mirror": (lambda: Transform(rotation=((-1, 0, 0), (0, 1, 0), (0, 0, 1))), "right-handed rotation matrix"),
    "rotation axis": (lambda: Transform.about((0, 0, 0), 1.0), "axis of a rotation must not be zero"),
    "quaternion": (lambda: Transform.quaternion((0, 0, 0, 0)), "quaternion must be 4 finite numbers"),
    "quaternion text": (lambda: Transform.quaternion("wxyz"), "quaternion must be 4 finite numbers"),
    "quaternion none": (lambda: Transform.quaternion(None), "quaternion must be 4 finite numbers"),
    "kind": (lambda: J("j", "hinge", "world", "b"), "joint 'j' has the kind 'hinge'; known kinds: revolute, prismatic"),
    "joint to itself": (lambda: J("j", "free", "b", "b"), "joint 'j' joins body 'b' to itself"),
    "world as child": (lambda: J("j", "free", "b", "world"), "joint 'j': the world cannot be a child"),
    "origin": (lambda: J("j", "free", "world", "b", (0, 1)), "origin must be a Transform"),  # type: ignore[arg-type]
    "axis": (lambda: J("j", "revolute", "world", "b", axis=(0, 0, 0)), "axis of joint 'j' must not be zero"),
    "axis parameter": (
        lambda: J("j", "revolute", "world", "b", axis=(Parameter("a", 1.0), 0, 0)),
        "axis of joint 'j' must be plain numbers",
    ),
    "limits": (lambda: Limits(1, 0), "lower limit 1 must not exceed the upper limit 0"),
    "limits nan": (lambda: Limits(math.nan), "the limit 'lower' must be a number"),
    "limits velocity": (lambda: Limits(velocity=0), "the limit 'velocity' must be > 0, got 0; lock a joint"),
    "limits effort": (lambda: Limits(effort=-1), "the limit 'effort' must be a number >= 0"),
    "limits type": (lambda: J("j", "revolute", "world", "b", limits=(0, 1)), "limits must be Limits"),  # type: ignore[arg-type]
    "negative damping": (lambda: J("j", "revolute", "world", "b", damping=-1), "damping of joint 'j' must be >= 0"),
    "negative stiffness": (lambda: J("j", "revolute", "world", "b", stiffness=-1), "stiffness of joint 'j'"),
    "friction velocity": (
        lambda: J("j", "revolute", "world", "b", friction_velocity=0),
        "friction velocity of joint 'j' must be > 0",
    ),
    "spring on a free joint": (lambda: J("j", "free", "world", "b", stiffness=1), "a free joint takes no spring"),
    "losses of a fixed joint": (lambda: J("j", "fixed", "world", "b", damping=1), "a fixed joint has no losses"),
    "gear ratio": (lambda: Motor("u", "j", 0.0), "gear ratio of motor 'u' must not be zero"),
    "rotor": (lambda: Motor("u", "j", rotor_inertia=-1), "rotor inertia of motor 'u' must be >= 0"),
    "effort": (lambda: Motor("u", "j", effort=-1), "effort limit of motor 'u' must be >= 0"),
    "effort nan": (lambda: Motor("u", "j", effort=math.nan), "effort limit of motor 'u' must be >= 0"),
    "wrench axes": (lambda: Wrench("w", "b", axes="body"), "axes of wrench 'w' must be 'world' or 'frame'"),
    "wrench force": (lambda: Wrench("w", "b", (1, 2)), "force of wrench 'w' must have 3 components"),  # type: ignore[arg-type]
    "no bodies": (lambda: machine([], []), "machine 'm' has no bodies"),
    "bodies not a list": (lambda: machine("b", []), "bodies of machine 'm' must be a list of Body"),
    "not a body": (lambda: machine(["b"], []), "must be a list of Body, got the element 'b'"),
    "gravity": (lambda: machine([B("b")], [J("j", "free", "world", "b")], gravity=9.81), "gravity of machine 'm'"),
    "no moving joint": (lambda: machine([B("b")], [J("j", "fixed", "world", "b")]), "no moving joint"),
    "unconnected": (lambda: machine([B("b"), B("c")], [J("j", "free", "world", "b")]), "body 'c' is not connected"),
    "missing parent": (
        lambda: machine([B("b")], [J("j", "free", "a", "b")]),
        "parent of joint 'j': no body named 'a' in machine 'm'; known: b, world",
    ),
    "missing child": (
        lambda: machine([B("b")], [J("j", "free", "world", "c")]),
        "child of joint 'j': no body named 'c'",
    ),
    "two parents": (
        lambda: machine([B("b")], [J("j", "free", "world", "b"), J("k", "free", "world", "b")]),
        "body 'b' is the child of two joints, 'j' and 'k'",
    ),
    "cycle": (
        lambda: machine([B("b"), B("c")], [J("j", "revolute", "b", "c"), J("k", "revolute", "c", "b")]),
        "the joints form a cycle through the bodies b, c",
    ),
    "body twice": (
        lambda: machine([B("b"), B("b")], [J("j", "free", "world", "b")]),
        "2 of the body or frame name 'b'",
    ),
    "joint twice": (
        lambda: machine([B("b"), B("c")], [J("j", "free", "world", "b"), J("j", "free", "world", "c")]),
        "2 of the joint name 'j'",
    ),
    "frame like a body": (
        lambda: machine([B("b")], [J("j", "free", "world", "b")], frames=[Frame("b", "b")]),
        "2 of the body or frame name 'b'",
    ),
    "body named world": (lambda: machine([B("world")], [J("j", "free", "world", "x")]), "'world' is the name of"),
    "coordinate names": (
        lambda: machine([B("b"), B("c")], [J("x", "revolute", "world", "b"), J("x_dot", "revolute", "b", "c")]),
        "2 coordinates named 'x_dot'",
    ),
    "motor twice": (
        lambda: machine([B("b")], [J("j", "revolute", "world", "b")], motors=[Motor("u", "j"), Motor("u", "j")]),
        "2 of the motor or thruster name 'u'",
    ),
    "motor joint": (
        lambda: machine([B("b")], [J("j", "revolute", "world", "b")], motors=[Motor("u", "k")]),
        "motor 'u': no joint named 'k' in machine 'm'; known: j",
    ),
    "motor on a free joint": (
        lambda: machine([B("b")], [J("j", "free", "world", "b")], motors=[Motor("u", "j")]),
        "motor 'u' must drive a joint with one coordinate, but 'j' is free",
    ),
    "frame body": (
        lambda: machine([B("b")], [J("j", "free", "world", "b")], frames=[Frame("f", "c")]),
        "frame 'f': no body named 'c'",
    ),
    "wrench frame": (
        lambda: machine([B("b")], [J("j", "free", "world", "b")], wrenches=[Wrench("w", "tip")]),
        "wrench 'w': no frame named 'tip'.*known: b, world",
    ),
    "coupling": (
        lambda: machine([B("b")], [J("j", "revolute", "world", "b")], couplings=[Coupling("j", "k")]),
        "coupling of joint 'j': no joint with one coordinate named 'k'",
    ),
    "coupling to itself": (
        lambda: machine([B("b")], [J("j", "revolute", "world", "b")], couplings=[Coupling("j", "j")]),
        "which is itself coupled",
    ),
    "motor on a follower": (
        lambda: machine(
            [B("b"), B("c")],
            [J("j", "revolute", "world", "b"), J("k", "revolute", "b", "c")],
            couplings=[Coupling("k", "j")],
            motors=[Motor("u", "k")],
        ),
        "motor 'u' drives joint 'k', which follows another joint",
    ),
    "moves nothing": (
        lambda: machine([Body("b"), B("c")], [J("j", "revolute", "world", "b"), J("k", "free", "world", "c")]),
        "joint 'j' moves nothing",
    ),
    "point on its axis": (
        lambda: machine([point_mass("b", 1.0)], [J("j", "revolute", "world", "b")]),
        r"joint 'j' \(revolute\): body 'b' has no inertia about its axis",
    ),
    "rod about itself": (
        lambda: machine([rod("b", 1.0, 1.0, "z")], [J("j", "revolute", "world", "b")]),
        "body 'b' has no inertia about its axis",
    ),
    "free point": (
        lambda: machine([point_mass("b", 1.0)], [J("j", "free", "world", "b")]),
        "body 'b' has no inertia about one of the axes",
    ),
    "spherical pendulum of a point": (
        lambda: machine([point_mass("b", 1.0, (0, 0, -1))], [J("j", "spherical", "world", "b")]),
        "body 'b' has no inertia about one of the axes",
    ),
    "pushed without mass": (
        lambda: machine([Body("b", 0.0, inertia=(1, 1, 1))], [J("j", "prismatic", "world", "b")]),  # type: ignore[arg-type]
        "body 'b' has no mass",
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals(case: str) -> None:
    build, message = REFUSALS[case]
    with pytest.raises(MachineError, match=message):
        build()


def test_a_rotor_makes_a_massless_link_movable() -> None:
    Machine(
        "motor only",
        bodies=[Body("b")],
        joints=[Joint("j", "revolute", "world", "b")],
        motors=[Motor("u", "j", 10.0, 1e-4)],
    )


def test_a_follower_needs_no_inertia_of_its_own() -> None:
    Machine(
        "gripper",
        bodies=[solid("a"), Body("b")],
        joints=[Joint("lead", "prismatic", "world", "a"), Joint("follow", "prismatic", "world", "b")],
        couplings=[Coupling("follow", "lead", -1.0)],
    )


def two_hinges(kind: str, axis: Any, second: Any, offset: Any, **fields: Any) -> Machine:
    """A massless body between two joints, and a body with mass behind them."""
    return Machine(
        "hinges",
        bodies=[Body("ring"), Body("rotor", 2.0, (0.1, 0.2, 0.3), (0.2, 0.3, 0.4)), sphere("ball", 1.0, 0.1)],
        joints=[
            Joint("outer", kind, "world", "ring", Transform.rpy(0.3, 0.2, 0.1), axis),
            Joint("inner", kind, "ring", "rotor", Transform.about(axis, 0.7, offset), second),
            Joint("wrist", "spherical", "rotor", "ball", Transform((0.0, 0.0, 1.0))),
        ],
        **fields,
    )


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@given(axis, st.floats(-3.0, 3.0))
@settings(max_examples=30)
def test_joints_that_undo_each_other_are_refused(kind: str, a: Any, x: float) -> None:
    """Two hinges on one axis, two slides in one direction: the body between them needs inertia."""
    along = tuple(x * u for u in np.asarray(a) / np.linalg.norm(a))
    with pytest.raises(MachineError, match=rf"joint 'outer' \({kind}\) moves no inertia .* give body 'ring' mass"):
        two_hinges(kind, a, a, along)
    # Its own rotor makes the outer joint an equation of motion; so does another direction.
    two_hinges(kind, a, a, along, motors=[Motor("m", "outer", ratio=10.0, rotor_inertia=1e-6)])
    across = np.cross(a, np.eye(3)[np.argmin(np.abs(a))])
    two_hinges(kind, a, across, along)


def test_light_links_below_a_heavy_load_are_not_refused() -> None:
    n, links = 60, []
    for i in range(n):
        origin = Transform((0.0, 0.0, -0.2 if i else 0.0))
        links.append(Joint(f"q{i:02}", "revolute", f"b{i - 1}" if i else "world", f"b{i}", origin, (0, 1, 0)))
    bodies = [Body(f"b{i}", 1e-4 if i < n - 1 else 1e4, (0, 0, -0.2)) for i in range(n)]
    assert Machine("cable", bodies, links).nv == n
