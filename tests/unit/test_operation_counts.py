"""Operation counts, the chains that they are made for, and the methods that are counted."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import count_operations, operation_count
from dalembert.core.errors import InputError, MachineError
from dalembert.formulations.tree.gibbs_appell.formulation import GibbsAppell
from dalembert.studies.operation_counts.counts import METHODS, chain_count
from dalembert.studies.operation_counts.printed import printed_counts
from dalembert.studies.operation_counts.transforms import Transforms
from dalembert.systems.falling_chains import falling_chain
from support.comparison import difference


def test_counts_of_a_known_expression() -> None:
    x = ca.SX.sym("x", 2)
    product = x[0] * x[1]
    again = x[0] * x[1]
    outputs = [product + 2.0 * x[0], ca.sin(again) / x[1] - x[0] ** 2, -x[0]]
    shared, written = (count_operations([x], outputs, shared=s) for s in (True, False))
    assert (shared.additions, shared.divisions, shared.functions) == (2, 1, 1)
    assert shared.multiplications == 3  # x0 x1, 2 x0, x0^2
    assert written.multiplications == 4
    assert written.total == shared.total + 1


def test_one_half_of_the_mass_matrix_is_counted() -> None:
    eom = da.equations(falling_chain(2, 1))
    x = eom.symbolic
    whole = count_operations([x.q, x.v], [x.mass_matrix, x.bias], shared=False)
    assert operation_count(eom, shared=False).total <= whole.total
    forward = operation_count(eom, "forward_dynamics")
    assert forward.divisions >= eom.nv
    with pytest.raises(InputError, match="equations of motion, got Machine"):
        operation_count(eom.machine)  # type: ignore[arg-type]


def test_rotations_need_fewer_operations_than_transforms() -> None:
    """The claim of IMPACT, Table 2, and the order of the methods."""
    made = {method: chain_count(method, 4, 2) for method in (*METHODS, "newton-euler", "forward dynamics")}
    total = {method: count.written.additions + count.written.multiplications for method, count in made.items()}
    assert total["gibbs-appell"] < total["3x3, matrices kept"] < total["3x3, as written"]
    assert total["gibbs-appell"] < total["4x4"]
    assert total["gibbs-appell"] < sum(printed_counts("3x3", 4, 2)) < total["3x3, as written"]
    assert total["forward dynamics"] < total["newton-euler"] < total["gibbs-appell"]
    for count in made.values():
        assert count.shared.total <= count.written.total


def test_transforms_give_the_equations_of_chains_in_space() -> None:
    section = da.Section(2e-3, I_y=3e-6, I_z=1e-6)
    beams = [da.Beam(f"b{i}", 1.0, section, 1e9, 4e8, 1500.0, modes={"y": 1, "z": 1, "torsion": 1}) for i in range(2)]
    machine = da.Machine(
        "spatial",
        [*beams, da.Body("end", 1.0, (0.1, 0.2, 0.3), np.diag([0.2, 0.3, 0.4]))],
        [
            da.Joint("base", "planar", "world", "b0", axis=(0, 0, 1)),
            da.Joint("q1", "revolute", "b0.tip", "b1", da.Transform((0.1, 0.2, 0.3)), axis=(1, 2, 3)),
            da.Joint("q2", "prismatic", "b1.tip", "end", axis=(0, 1, 0)),
        ],
        gravity=(1.0, 2.0, -9.81),
    )
    equations = GibbsAppell(machine)
    transforms, x = Transforms(equations), equations.variables
    f = ca.Function("f", [x.q, x.v], [transforms.inertia_matrix(), transforms.right_side()])
    rng = np.random.default_rng(0)
    eom = da.equations(machine, backend="vm")
    q, v = 0.2 * rng.normal(size=eom.nq), rng.normal(size=eom.nv)
    M, bias = (np.array(y.full()) for y in f(q, v))
    assert difference(M, np.triu(eom.mass_matrix(q))) < 1e-12
    assert difference(bias[:, 0], eom.bias(q, v)) < 1e-12


def test_a_falling_chain_has_the_data_of_the_document() -> None:
    chain = falling_chain(3, 2)
    beam = chain.bodies[0]
    assert isinstance(beam, da.Beam)
    assert isinstance(beam.section, da.Section)
    assert beam.E * beam.section.I_z == pytest.approx(1000.0, rel=1e-12)
    assert beam.density * beam.section.area == pytest.approx(1.0, rel=1e-12)
    assert beam.density * beam.section.I_z == pytest.approx(2.94e-5, rel=1e-12)
    eom = da.equations(chain, backend="vm")
    assert eom.nv == 3 + 3 * 2 + 2  # n + n m + 2 of the document
    a = eom.forward_dynamics(np.zeros(eom.nq), np.zeros(eom.nv), np.zeros(eom.nv))
    assert difference(a, -9.81 * np.eye(eom.nv)[1]) < 1e-9  # it falls as a whole
    for arguments in ((0, 1), (2, -1), (1.5, 1), (True, 1)):
        with pytest.raises(MachineError, match="falling chain must be a whole number"):
            falling_chain(*arguments)  # type: ignore[arg-type]
