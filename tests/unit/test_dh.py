"""Denavit-Hartenberg tables: conversions keep the tool's pose, published tables, machines from tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from dalembert.core.errors import InputError, MachineError
from dalembert.core.parameter import Parameter, nominal
from dalembert.model.body import Body, box
from dalembert.model.from_dh import machine_from_dh
from dalembert.model.machine import Machine
from dalembert.spatial.dh import CONVENTIONS, DHRow, DHTable

PI = np.pi
L = (0.5, 6.4, 7.0, 0.6, 0.7, 0.9)  # l_1 .. l_6, distinct so that no exchange goes unnoticed
D = 0.35

# SPACE, Table A.1, as printed except for theta_1 of the adapted table (see test_published_tables).
CLASSIC = DHTable(
    "classic",
    [
        (0, L[0], 0, PI / 2),
        (0, -D, L[1], 0),
        (0, -D, L[2], 0),
        (0, -D, L[3], -PI / 2),
        (PI / 2, D, L[4], PI / 2),
        (PI, L[5], 0, 0),
    ],
)
MODIFIED = DHTable(
    "modified",
    [
        (0, L[0], 0, 0),
        (0, -D, 0, PI / 2),
        (0, -D, L[1], 0),
        (0, -D, L[2], 0),
        (PI / 2, D, L[3], -PI / 2),
        (PI, 0, L[4], PI / 2),
    ],
    tool=[(0, L[5], 0, 0)],
)
ADAPTED = DHTable(
    "adapted",
    [
        (0, 0, 0, 0),
        (0, L[0], 0, PI / 2),
        (0, -D, L[1], 0),
        (0, -D, L[2], 0),
        (PI / 2, -D, L[3], -PI / 2),
        (PI, D, L[4], PI / 2),
    ],
    tool=[(0, L[5], 0, 0)],
)

angles = st.floats(-3.0, 3.0)
lengths = st.floats(-2.0, 2.0)
rows = st.tuples(angles, lengths, lengths, angles, st.sampled_from(["revolute", "prismatic"]))
tables = st.builds(
    DHTable,
    st.sampled_from(CONVENTIONS),
    st.lists(rows, min_size=1, max_size=5),
    st.lists(rows, max_size=2),
    st.lists(rows, max_size=2),
)


@given(tables, st.sampled_from(CONVENTIONS), st.integers(0, 2**32 - 1))
def test_conversion_keeps_the_pose_of_the_tool(table: DHTable, convention: str, seed: int) -> None:
    other = table.to(convention)
    assert other.convention == convention
    assert other.kinds == table.kinds
    for q in np.random.default_rng(seed).uniform(-2, 2, (3, len(table.rows))):
        assert_allclose(other.pose(q), table.pose(q), atol=1e-12)


@given(tables, st.sampled_from(CONVENTIONS))
def test_conversion_only_moves_entries(table: DHTable, convention: str) -> None:
    def entries(t: DHTable) -> list[float]:
        every = [x for r in (*t.base, *t.rows, *t.tool) for x in (r.theta, r.d, r.a, r.alpha)]
        return sorted(x for x in every if x != 0.0)

    assert entries(table.to(convention)) == entries(table)


@given(st.lists(rows, min_size=1, max_size=5), st.sampled_from(CONVENTIONS), st.sampled_from(CONVENTIONS))
def test_there_and_back_is_the_identity(given_rows: list[tuple[float, ...]], here: str, there: str) -> None:
    table = DHTable(here, given_rows)
    assert table.to(there).to(here) == table


def test_the_joint_moves_about_its_own_axis() -> None:
    """The screw axis of joint i is z before row i (classic), z after row i (modified and adapted)."""
    for table in (CLASSIC, MODIFIED, ADAPTED):
        q = np.linspace(-1, 1, 6)
        h = 1e-6
        for i in range(6):
            step = np.eye(6)[i] * h
            change = (table.pose(q + step) - table.pose(q - step)) / (2 * h) @ np.linalg.inv(table.pose(q))
            frame = table.frames(q)[i if table.convention == "classic" else i + 1]
            axis = np.array([change[2, 1], change[0, 2], change[1, 0]])
            assert_allclose(axis, frame[:3, 2], atol=1e-8)
            assert_allclose(change[:3, 3], -np.cross(axis, frame[:3, 3]), atol=1e-7)


def test_published_equivalence() -> None:
    """SPACE A.1.2 and A.1.3: which entry of the classic table becomes which of the others."""
    modified, adapted = CLASSIC.to("modified"), CLASSIC.to("adapted")
    for i in range(5):
        c, d = CLASSIC.rows[i], CLASSIC.rows[i + 1]
        assert modified.rows[i + 1] == DHRow(d.theta, d.d, c.a, c.alpha)
        assert adapted.rows[i + 1] == DHRow(d.theta, c.d, c.a, c.alpha)


def test_published_tables() -> None:
    """SPACE, Table A.1: the three tables of the Canadarm describe the same arm.

    The classic table converts into the adapted one entry by entry, up to theta_1, printed as -pi/2: neither the
    equivalence of A.1.3 nor the other two tables have it, and with it the tool is turned by -90 degrees about the
    first axis. The modified table has l_6 in the row of the tool where the equivalence puts it in row 6; with
    a_6 = alpha_6 = 0 the tool is the same.
    """
    assert CLASSIC.to("adapted") == ADAPTED
    converted = CLASSIC.to("modified")
    assert converted.rows[:5] == MODIFIED.rows[:5]
    assert converted.rows[5] == DHRow(PI, L[5], L[4], PI / 2)
    q = np.array([0.3, -0.7, 1.1, 0.4, -1.3, 2.0])
    for table in (MODIFIED, ADAPTED):
        assert_allclose(table.pose(q), CLASSIC.pose(q), atol=1e-12)

    printed = DHTable("adapted", [(-PI / 2, 0, 0, 0), *ADAPTED.rows[1:]], tool=ADAPTED.tool)
    turn = np.array([[0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    assert_allclose(printed.pose(q), turn @ CLASSIC.pose(q), atol=1e-12)


def test_prismatic_variable() -> None:
    """A SCARA-like arm: the last joint moves the tool along its own axis in every convention."""
    table = DHTable("classic", [(0, 0, 1, 0), (0, 0, 1, PI), (0, 0.2, 0, 0, "prismatic")])
    for convention in CONVENTIONS:
        other = table.to(convention)
        moved = other.pose([0.4, 0.3, 0.5])[:3, 3] - other.pose([0.4, 0.3, 0.0])[:3, 3]
        assert_allclose(moved, [0, 0, -0.5], atol=1e-15)


def tool_pose(machine: Machine, q: np.ndarray) -> np.ndarray:
    """Pose of the frame "tool", from the tree of the machine."""

    def matrix(transform: object) -> np.ndarray:
        X = np.eye(4)
        X[:3, :3] = [[nominal(x) for x in row] for row in transform.rotation]  # type: ignore[attr-defined]
        X[:3, 3] = [nominal(x) for x in transform.translation]  # type: ignore[attr-defined]
        return X

    poses: list[np.ndarray] = []
    for node in machine.tree.nodes:
        motion = np.eye(4)
        x = q[node.q][0]
        assert node.joint.axis == (0.0, 0.0, 1.0)
        if node.joint.kind == "revolute":
            motion[:2, :2] = [[np.cos(x), -np.sin(x)], [np.sin(x), np.cos(x)]]
        else:
            motion[2, 3] = x
        before = poses[node.parent] if node.parent >= 0 else np.eye(4)
        poses.append(before @ matrix(node.placement) @ motion)
    index, pose = machine.tree.frames["tool"]
    return poses[index] @ matrix(pose)


@given(tables, st.integers(0, 2**32 - 1))
def test_machine_has_the_pose_of_the_table(table: DHTable, seed: int) -> None:
    bodies = [box(f"link{i}", 1.0, (0.1, 0.2, 0.3)) for i in range(len(table.rows))]
    machine = machine_from_dh(table, bodies, name="arm")
    assert machine.q_names == tuple(f"q{i + 1}" for i in range(len(table.rows)))
    assert machine.u_names == machine.q_names
    q = np.random.default_rng(seed).uniform(-2, 2, len(table.rows))
    assert_allclose(tool_pose(machine, q), table.pose(q), atol=1e-12)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_bodies_sit_in_the_frames_of_the_rows(convention: str) -> None:
    table = CLASSIC.to(convention)
    machine = machine_from_dh(table, [box(f"link{i}", 1.0, (0.1, 0.2, 0.3)) for i in range(6)])
    frames = table.frames(np.zeros(6))
    for i in range(6):
        total = np.eye(4)
        node, pose = machine.tree.frames[f"link{i}"]
        for k in reversed(machine.tree.path(node)):
            place = machine.tree.nodes[k].placement
            X = np.eye(4)
            X[:3, :3], X[:3, 3] = np.array(place.rotation), np.array(place.translation)
            total = total @ X
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = np.array(pose.rotation), np.array(pose.translation)
        assert_allclose(total @ X, frames[i + 1], atol=1e-12)


def test_parameters_survive() -> None:
    length = Parameter("l", 0.8)
    table = DHTable("modified", [(0, 0, 0, 0), (0, 0, length, 0)]).to("classic")
    machine = machine_from_dh(table, [box("a", 1, (1, 1, 1)), box("b", 1, (1, 1, 1))], motors=False)
    assert machine.parameters == (length,)
    assert machine.nu == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("khalil", [(0, 0, 0, 0)]),
            "convention of a DH table must be one of classic, modified, adapted, got 'khalil'",
        ),
        (("classic", []), "at least one row"),
        (("classic", [(0, 0, 0)]), r"row 1 in rows .* must be \(theta, d, a, alpha\)"),
        (("classic", [(0, 0, 0, 0), (0, 0, 0, float("nan"))]), "row 2 .* alpha of a DH row must be finite, got nan"),
        (("classic", [(0, 0, 0, 0, "spherical")]), "kind of a DH row must be one of revolute, prismatic"),
        (("classic", "table"), "must be a list of rows, got 'table'"),
        (("classic", [(0, 0, 0, 0)], [], [(1, 2)]), "row 1 in tool"),
    ],
)
def test_bad_tables(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(MachineError, match=message):
        DHTable(*arguments)  # type: ignore[arg-type]


def test_bad_calls() -> None:
    with pytest.raises(MachineError, match="got 'denavit'"):
        CLASSIC.to("denavit")
    with pytest.raises(InputError, match=r"q must have the shape \(6,\), got \(5,\)"):
        CLASSIC.pose(np.zeros(5))
    with pytest.raises(MachineError, match="bodies must be one per row of the DH table, 6, got 1"):
        machine_from_dh(CLASSIC, [Body("link", 1.0)])
    with pytest.raises(MachineError, match="joint_names must be one per row"):
        machine_from_dh(CLASSIC, [Body(f"l{i}", 1.0, inertia=(1, 1, 1)) for i in range(6)], joint_names=["a"])
