"""Optional peers: SymPy's generated functions, and Exudyn."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from dalembert.benchmarks.cases import Case, Contender, Skipped
from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.model.machine import Machine
from dalembert.model.mobility import rotor_inertias
from dalembert.model.tree import central_inertia, place
from dalembert.spatial.rotations import numpy

__all__ = ["more_contenders"]

SYMPY_MOST = 2
"""Degrees of freedom up to which symbolic formulas are written out."""
EXUDYN_STEP = 1e-9


def more_contenders(case: Case) -> Iterator[Contender | Skipped]:
    """SymPy's formulas and Exudyn's integrator."""
    for maker, key, title in (
        (_sympy, "sympy-lambdify", "SymPy, lambdify"),
        (_exudyn, "exudyn", "Exudyn, explicit Euler step"),
    ):
        try:
            yield maker(case, key, title)
        except InputError as reason:
            yield Skipped(key, title, str(reason))


def _sympy(case: Case, key: str, title: str) -> Contender:
    """The closed form of the equations, and its consequences, as a Python function of numbers."""
    eom, quantity = case.eom, case.quantity
    if eom.nv > SYMPY_MOST:
        raise InputError(f"formulas are written out up to {SYMPY_MOST} degrees of freedom")
    import sympy as sp

    from dalembert.analysis.closed_form.form import closed_form

    form = closed_form(eom.machine, symbols="parameters")
    q, v = (list(sp.symbols(names)) for names in (eom.q_names, [f"{name}_dot" for name in eom.q_names]))
    x = list(sp.symbols([f"{quantity.inputs[-1]}_{name}" for name in eom.q_names]))
    M, bias = form.mass_matrix, form.coriolis_vector + form.gravity + form.elastic
    results: list[Any]
    if quantity.key == "mass-matrix":
        results = [M]
    elif quantity.key == "inverse":
        results = [M * sp.Matrix(x) + bias]
    else:
        a = M.LUsolve(sp.Matrix(x) - bias)
        results = [a] if quantity.key == "forward" else [a.jacobian(y) for y in (q, v, x)]
    symbols = [*q, *v, *x][: eom.nv * len(quantity.inputs)]
    function = sp.lambdify(symbols, [y for matrix in results for y in matrix], modules="math", cse=True)
    rows = [np.concatenate(row).tolist() for row in zip(*case.inputs, strict=True)]

    def run() -> None:
        for row in rows:
            function(*row)

    def values() -> Array:
        return np.reshape([function(*row) for row in rows], (case.states, quantity.parts, -1))

    return Contender(key, title, run, values)


def _exudyn(case: Case, key: str, title: str) -> Contender:
    """Steps of an explicit integrator, so short that little moves: one evaluation of the accelerations each."""
    if case.quantity.key != "forward":
        raise InputError("its integrator evaluates accelerations only")
    try:
        exu: ModuleType = import_module("exudyn")
    except ImportError:
        raise InputError("not installed (pip install exudyn)") from None
    mbs, tree = _exudyn_tree(exu, case.eom.machine)
    steps = case.states
    settings = exu.SimulationSettings()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        settings.timeIntegration.verboseMode = 0
        settings.solutionSettings.writeSolutionToFile = False
        settings.timeIntegration.explicitIntegration.computeEndOfStepAccelerations = False
    euler, initial = exu.DynamicSolverType.ExplicitEuler, exu.ConfigurationType.Initial

    def solve(state: tuple[Array, ...], n: int) -> Array:
        q, v, x = state
        mbs.SetObjectParameter(tree, "jointForceVector", x)
        mbs.systemData.SetODE2Coordinates(q, initial)
        mbs.systemData.SetODE2Coordinates_t(v, initial)
        settings.timeIntegration.numberOfSteps = n
        settings.timeIntegration.endTime = EXUDYN_STEP * n
        if not mbs.SolveDynamic(settings, solverType=euler):
            raise InputError("its solver failed")
        done = mbs.sys["dynamicSolver"].it.currentStepIndex - 1
        if done != n:  # it ends early where the end is as close as its tolerance of time
            raise InputError(f"its solver made {done} steps instead of {n}")
        return np.array(mbs.systemData.GetODE2Coordinates_tt())

    def values() -> Array:
        return np.array([solve(row, 1)[None] for row in zip(*case.inputs, strict=True)])

    first, repeats, taken = tuple(x[0] for x in case.inputs), 1, 0.0
    while taken < 5e-3:  # long enough for the start of the solver not to count
        repeats *= 2
        start = time.perf_counter()
        solve(first, repeats * steps)
        taken = time.perf_counter() - start
    return Contender(key, title, lambda: solve(first, repeats * steps), values, repeats, keep=(mbs,))


def _exudyn_tree(exu: ModuleType, machine: Machine) -> tuple[Any, int]:
    items: Any = import_module("exudyn.itemInterface")
    moving_alone = machine.motors or any(rotor_inertias(machine).values())
    if machine.couplings or moving_alone or any(node.elastic is not None for node in machine.tree.nodes):
        raise InputError("its kinematic tree is compared for plain trees of rigid bodies only")
    kinds, parents, masses = [], [], []
    turns, inertias, offsets, centres = exu.Matrix3DList(), exu.Matrix3DList(), exu.Vector3DList(), exu.Vector3DList()
    for node in machine.tree.nodes:
        axis = np.array([nominal(x) for x in node.joint.axis])
        letter = next((c for c, e in zip("XYZ", np.eye(3), strict=True) if np.array_equal(axis, e)), None)
        if node.joint.kind not in ("revolute", "prismatic") or letter is None:
            raise InputError(f"its kinematic tree has no joint like '{node.joint.name}' ({node.joint.kind})")
        kinds.append(getattr(exu.JointType, f"{node.joint.kind.capitalize()}{letter}"))
        parents.append(node.parent)
        R, p = (numpy(x) for x in place(node.placement, nominal))
        turns.Append(R)
        offsets.Append(p)
        mass, c, I = central_inertia(node)
        inertias.Append(I)
        centres.Append(c)
        masses.append(mass)
    n = machine.nv
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    zeros = [0.0] * n
    coordinates = items.NodeGenericODE2(
        numberOfODE2Coordinates=n, referenceCoordinates=zeros, initialCoordinates=zeros, initialCoordinates_t=zeros
    )
    tree = items.ObjectKinematicTree(
        nodeNumber=mbs.AddNode(coordinates),
        jointTypes=kinds,
        linkParents=parents,
        jointTransformations=turns,
        jointOffsets=offsets,
        linkInertiasCOM=inertias,
        linkCOMs=centres,
        linkMasses=masses,
        gravity=[nominal(x) for x in machine.gravity],
        jointForceVector=zeros,
    )
    number = mbs.AddObject(tree)
    mbs.Assemble()
    return mbs, number
