"""Flexible machines against limits, closed forms, finite elements and the literature."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
from dalembert.analysis.modal import frequency_response, machine_modes, modal_reduction
from dalembert.analysis.outboard import outboard_load, with_outboard_loads
from dalembert.model.elastic_joint import elastic_joint
from dalembert.systems.flexible_arms import canadarm, planar_arm
from dalembert.view.mode_shapes import animate_mode, bake_mode, plot_modes, wires
from support.comparison import difference
from support.rotating_beams import rotating_frequencies

TUBE = da.Section.tube(0.02, 0.01)
ALUMINIUM: dict[str, Any] = {"E": 7e10, "G": 2.6e10, "density": 2700.0}
PAYLOAD = da.Body("payload", 2.0, (0.1, 0.05, -0.02), inertia=(0.02, 0.03, 0.04))


def _arm(modes: Any, **fields: Any) -> da.Machine:
    """Two beams in space and a payload."""
    beams = [da.Beam(f"link{i}", 1.0, TUBE, modes=modes, **(ALUMINIUM | fields)) for i in (1, 2)]
    return da.Machine(
        "arm",
        [*beams, PAYLOAD],
        [
            da.Joint("q1", "revolute", "world", "link1", axis=(0, 0, 1)),
            da.Joint("q2", "revolute", "link1.tip", "link2", da.Transform.rpy(0.4, 0, 0), axis=(0, 1, 0)),
            da.Joint("hold", "fixed", "link2.tip", "payload"),
        ],
    )


def _rigid_arm() -> da.Machine:
    bodies = [da.hollow_cylinder(f"link{i}", TUBE.area * 2700.0, 0.02, 0.01, 1.0, com=(0.5, 0, 0)) for i in (1, 2)]
    at_tip = da.Transform((1.0, 0, 0))
    return da.Machine(
        "arm",
        [*bodies, PAYLOAD],
        [
            da.Joint("q1", "revolute", "world", "link1", axis=(0, 0, 1)),
            da.Joint("q2", "revolute", "link1", "link2", at_tip @ da.Transform.rpy(0.4, 0, 0), axis=(0, 1, 0)),
            da.Joint("hold", "fixed", "link2", "payload", at_tip),
        ],
    )


def test_without_modes_a_beam_is_rigid() -> None:
    flexible, rigid = (da.equations(m, backend="vm") for m in (_arm({}), _rigid_arm()))
    q, v, tau = np.random.default_rng(0).normal(size=(3, 2))
    assert flexible.q_names == rigid.q_names
    assert difference(flexible.mass_matrix(q), rigid.mass_matrix(q)) < 1e-12
    assert difference(flexible.bias(q, v), rigid.bias(q, v)) < 1e-12
    assert difference(flexible.forward_dynamics(q, v, tau), rigid.forward_dynamics(q, v, tau)) < 1e-12
    assert_allclose(flexible.pose("payload", q), rigid.pose("payload", q), atol=1e-14)


def test_stiff_beams_move_like_rigid_ones() -> None:
    """The deflection falls with 1/E, and with it the difference of the joint accelerations."""
    rigid = da.equations(_rigid_arm(), backend="vm")
    E = da.Parameter("E", 7e10)
    eom = da.equations(_arm({"y": 2, "z": 2, "torsion": 1}, E=E, G=E / 2.6), backend="vm")
    q, v, tau = np.random.default_rng(1).normal(size=(3, 2))
    joints = [eom.q_names.index(n) for n in ("q1", "q2")]
    modal = [i for i in range(eom.nv) if i not in joints]
    gaps = []
    for value in (7e10, 7e12, 7e14):
        p = {"E": value}
        q_full, v_full = np.zeros(eom.nq), np.zeros(eom.nv)
        q_full[joints], v_full[joints] = q, v
        forces = np.zeros(eom.nv)
        forces[joints] = tau
        # Quasi-static deflection: modal accelerations vanish.
        for _ in range(20):
            a = np.zeros(eom.nv)
            full = eom.inverse_dynamics(q_full, v_full, a, p=p) - forces
            M = eom.mass_matrix(q_full, p=p)
            a[joints] = np.linalg.solve(M[np.ix_(joints, joints)], -full[joints])
            rest = eom.inverse_dynamics(q_full, v_full, a, p=p)[modal]
            bias = eom.bias(q_full, v_full, p=p)
            K = np.array([eom.bias(q_full + 1e-6 * e, v_full, p=p) - bias for e in np.eye(eom.nq)])
            q_full[modal] -= np.linalg.solve(K[np.ix_(modal, modal)].T * 1e6, rest)
        gaps.append(difference(a[joints], rigid.forward_dynamics(q, v, tau)))
    assert gaps[0] < 1e-2 and gaps[1] < 2e-2 * gaps[0] and gaps[2] < 2e-2 * gaps[1]


def _beam_elements(lengths: list[float], n: int, EI: float, m: float, load: float) -> np.ndarray:
    """Frequencies of a chain of collinear planar beams with hinges between them, clamped at the root, tip mass."""

    def matrices(h: float) -> tuple[np.ndarray, np.ndarray]:
        K = [[12, 6 * h, -12, 6 * h], [0, 4 * h * h, -6 * h, 2 * h * h], [0, 0, 12, -6 * h], [0, 0, 0, 4 * h * h]]
        M = [[156, 22 * h, 54, -13 * h], [0, 4 * h * h, 13 * h, -3 * h * h], [0, 0, 156, -22 * h], [0, 0, 0, 4 * h * h]]
        full = [np.triu(X) + np.triu(X, 1).T for X in (np.array(K), np.array(M))]
        return EI / h**3 * full[0], m * h / 420 * full[1]

    nodes = [(0, 1)]
    count = 2
    elements = []
    for k, length in enumerate(lengths):
        for i in range(n):
            start = nodes[-1]
            if k > 0 and i == 0:  # a hinge: same deflection, own slope
                start = (start[0], count)
                count += 1
            end = (count, count + 1)
            count += 2
            elements.append((*start, *end, length / n))
            nodes.append(end)
    K, M = np.zeros((count, count)), np.zeros((count, count))
    for a, b, c, d, h in elements:
        index = np.ix_([a, b, c, d], [a, b, c, d])
        K_e, M_e = matrices(h)
        K[index] += K_e
        M[index] += M_e
    M[nodes[-1][0], nodes[-1][0]] += load
    K, M = K[2:, 2:], M[2:, 2:]
    L = np.linalg.inv(np.linalg.cholesky(M))
    return np.sqrt(np.maximum(np.linalg.eigvalsh(L @ K @ L.T), 0))


@pytest.mark.slow
def test_assembled_arm_converges_to_finite_elements() -> None:
    """Two collinear beams with a free hinge between them and a tip mass, as modes are added."""
    EI, m, load = ALUMINIUM["E"] * TUBE.I_z, ALUMINIUM["density"] * TUBE.area, 1.5
    reference = _beam_elements([1.0, 0.7], 40, EI, m, load)[1:5]
    errors = []
    for count in (2, 4, 8):
        beams = [
            da.Beam(name, h, TUBE, modes={"y": count}, rotary_inertia=False, **ALUMINIUM)
            for name, h in (("b1", 1.0), ("b2", 0.7))
        ]
        machine = da.Machine(
            "arm",
            [*beams, da.point_mass("tip mass", load)],
            [
                da.Joint("wall", "fixed", "world", "b1"),
                da.Joint("hinge", "revolute", "b1.tip", "b2"),
                da.Joint("hold", "fixed", "b2.tip", "tip mass"),
            ],
            gravity=(0, 0, 0),
        )
        loaded = with_outboard_loads(machine)
        errors.append([difference(machine_modes(x).omega[1:5], reference, reference) for x in (machine, loaded)])
    free, with_load = np.array(errors).T
    assert free[0] > free[1] > free[2] and free[2] < 2e-3
    assert with_load[0] > with_load[1] > with_load[2] and with_load[2] < 5e-4


def test_modes_of_a_clamped_loaded_beam_are_those_of_the_beam() -> None:
    """A beam whose assumed modes are its own: the assembled machine has exactly their frequencies."""
    machine = da.Machine(
        "m",
        [da.Beam("boom", 2.0, TUBE, modes={"y": 3, "z": 2, "x": 2}, rotary_inertia=False, **ALUMINIUM), PAYLOAD],
        [da.Joint("wall", "fixed", "world", "boom"), da.Joint("hold", "fixed", "boom.tip", "payload")],
        gravity=(0, 0, 0),
    )
    straight = machine.with_(bodies=(machine.bodies[0], da.Body("payload", 2.0, (0.1, 0, 0), (0.02, 0.03, 0.04))))
    loaded = with_outboard_loads(straight)
    assert_allclose(loaded.body("boom").load.first_moment, 0.2)
    assert_allclose(machine_modes(loaded).omega, np.sort(loaded.body("boom").omega), rtol=1e-9)


def test_loads_of_the_arms_are_those_of_their_files() -> None:
    for arm in (planar_arm(), canadarm()):
        for body in arm.bodies:
            if isinstance(body, da.Beam):
                load = outboard_load(arm, body.name, first_moment=False)
                assert_allclose((load.mass, *load.inertia), (body.load.mass, *body.load.inertia), rtol=1e-9)


def _rotor_frequencies(speed: float, direction: str, modes: int, *, radius: float = 0.0, stiffening: bool) -> Any:
    """Frequencies of a uniform cantilever (l = EI = rho S = 1) on a hub that spins."""
    beam = da.Beam(
        "blade",
        1.0,
        da.Section(1.0, 1.0, 1.0),
        E=1.0,
        density=1.0,
        modes={direction: modes},
        rotary_inertia=False,
        stiffening=stiffening,
        offset=(radius, 0.0, 0.0),
    )
    machine = da.Machine(
        "rotor",
        [beam, da.Body("hub", 1.0, inertia=(1e9, 1e9, 1e9))],
        [da.Joint("spin", "revolute", "world", "blade"), da.Joint("hub", "fixed", "blade", "hub")],
        gravity=(0, 0, 0),
    )
    eom, n, step = da.equations(machine, backend="vm"), modes + 1, 1e-6
    v = np.array([speed, *[0.0] * modes])
    K = np.array([(eom.bias(step * e, v) - eom.bias(-step * e, v))[1:] / (2 * step) for e in np.eye(n)[1:]])
    L = np.linalg.inv(np.linalg.cholesky(eom.mass_matrix(np.zeros(n))[1:, 1:]))
    return np.sqrt(np.linalg.eigvalsh(L @ (K + K.T) / 2 @ L.T))


@pytest.mark.parametrize(
    ("direction", "speed", "radius"), [("z", 1.0, 0.0), ("z", 3.0, 0.5), ("z", 12.0, 0.0), ("y", 3.0, 0.5)]
)
def test_rotating_beam_stiffens(direction: str, speed: float, radius: float) -> None:
    """Flapping (z) and lagging (y) frequencies against finite elements of the rotating-beam equation.

    The first flapping frequencies on a hub of radius zero are known: 3.6816 at a speed of 1, 13.170 at 12 (Wright et
    al., 1982).
    """
    exact = rotating_frequencies(speed, radius=radius, in_plane=direction == "y")[:3]
    found = _rotor_frequencies(speed, direction, 14, radius=radius, stiffening=True)[:3]
    # In the plane the spin takes its square off again, exactly: what the modes have to converge to is the rest.
    softening = speed if direction == "y" else 0.0
    assert_allclose(np.hypot(found, softening), np.hypot(exact, softening), rtol=1e-5)
    if direction == "z":  # without stiffening, flapping does not feel the spin
        plain = _rotor_frequencies(speed, direction, 3, radius=radius, stiffening=False)
        assert_allclose(plain, rotating_frequencies(0.0)[:3], rtol=2e-6)


def test_damping_ratio_is_that_of_the_decay() -> None:
    beam = da.Beam("boom", 1.0, TUBE, modes={"y": 1}, damping=0.03, rotary_inertia=False, **ALUMINIUM)
    machine = da.Machine("m", [beam], [da.Joint("wall", "fixed", "world", "boom")], gravity=(0, 0, 0))
    modes = machine_modes(machine)
    assert_allclose(modes.damping, 0.03)
    w = modes.omega[0]
    run = da.simulate(machine, duration=5 * 2 * np.pi / w, q0=[1e-3], method="dopri5", rtol=1e-10, atol=1e-14)
    expected = (
        1e-3
        * np.exp(-0.03 * w * run.t)
        * (np.cos(w * np.sqrt(1 - 9e-4) * run.t) + 0.03 / np.sqrt(1 - 9e-4) * np.sin(w * np.sqrt(1 - 9e-4) * run.t))
    )
    assert_allclose(run["boom.delta1"], expected, atol=1e-9)
    assert run.energy.drift < 1e-8


CHANGED: dict[str, float] = {"E": 3e10, "G": 5e10, "density": 5000.0, "zeta": 0.05}


def _damped(modes: Any, bodies: tuple[da.Body, ...] = (), **fields: Any) -> tuple[Any, Any, Any]:
    """Modal damping, stiffness and mass, at changed parameters, of a beam that is fixed at its root."""
    given = {name: da.Parameter(name, value) for name, value in ALUMINIUM.items()}
    beam = da.Beam("boom", 1.0, TUBE, modes=modes, damping=da.Parameter("zeta", 0.02), **given, **fields)
    joints = [da.Joint("wall", "fixed", "world", "boom")]
    joints += [da.Joint(body.name, "fixed", "boom.tip", body.name) for body in bodies]
    eom = da.equations(da.Machine("m", [beam, *bodies], joints, gravity=(0, 0, 0)), backend="vm")
    zero, unit = np.zeros(beam.n_modes), np.eye(beam.n_modes)
    c = -np.diag([eom.applied(zero, e, [], p=CHANGED) for e in unit])
    K = np.diag([eom.bias(e, zero, p=CHANGED) for e in unit])
    return c, K, np.diag(eom.mass_matrix(zero, p=CHANGED))


@pytest.mark.parametrize("modes", [{"x": 1, "y": 2, "z": 1}, {"torsion": 2}])
def test_damping_ratio_stays_when_stiffness_and_density_change(modes: dict[str, int]) -> None:
    """Of every mode, with what it carries: ``c = 2 zeta sqrt(K M)`` of the assembled machine."""
    inertia = (0.02, 0.03, 0.04)
    c, K, M = _damped(
        modes, (da.Body("tip", 2.0, inertia=inertia),), load=da.Load(2.0, inertia), rotary_inertia="torsion" in modes
    )
    assert_allclose(c / (2 * np.sqrt(K * M)), 0.05, rtol=1e-9)


def test_damping_ratio_knows_the_springs_of_the_supports() -> None:
    """They are in the frequency alone: ``c = 2 zeta K / w`` with ``w^2 = (K + k phi(0)^2) / M``."""
    supports = (da.Support(slope=True, deflection_spring=1e6), da.Support())
    c, K, M = _damped({"y": 2}, boundary=supports, rotary_inertia=False)
    beam = da.Beam("boom", 1.0, TUBE, modes={"y": 2}, boundary=supports, **ALUMINIUM)
    held = np.array([1e6 * float(mode.shape(0.0)) ** 2 for mode in beam.basis])
    assert_allclose(c, 0.1 * K / np.sqrt((K + held) / M), rtol=1e-9)


def test_given_shapes_keep_their_damping_ratio() -> None:
    c, K, M = _damped({"y": [da.Shape.polynomial(1.0, [0, 0, 1.5, -0.5])]})
    assert_allclose(c / (2 * np.sqrt(K * M)), 0.05, rtol=1e-9)


def test_static_deflection_under_gravity() -> None:
    """Sag of a heavy cantilever, m g l^4 / 8 EI, and its root moment, from the assumed modes."""
    beam = da.Beam("boom", 2.0, TUBE, modes={"z": 8}, rotary_inertia=False, **ALUMINIUM)
    machine = da.Machine("m", [beam], [da.Joint("wall", "fixed", "world", "boom")])
    eom = da.equations(machine, backend="vm")
    K = np.array([eom.bias(e, np.zeros(8)) for e in np.eye(8)]) - eom.bias(np.zeros(8), np.zeros(8))
    delta = np.linalg.solve(K.T, -eom.bias(np.zeros(8), np.zeros(8)))
    m, EI = 2700 * TUBE.area, 7e10 * TUBE.I_y
    assert_allclose(eom.pose("boom.tip", delta)[2, 3], -m * 9.81 * 2.0**4 / (8 * EI), rtol=1e-4)


def test_elastic_joint() -> None:
    """Link and rotor on a spring: frequencies, and the rigid joint as the spring gets hard."""
    link = da.Body("link", 1.0, (0.5, 0, 0), inertia=(0.01, 0.05, 0.05))
    j = elastic_joint("q", "revolute", "world", "link", stiffness=200.0, rotor_inertia=1e-4, ratio=50.0)
    machine = da.Machine("m", [link, j.carrier], j.joints, motors=[j.motor], gravity=(0, 0, 0))
    J_l, J_m = 0.05 + 0.25, 50.0**2 * 1e-4
    assert_allclose(machine_modes(machine).omega, [0, np.sqrt(200 * (1 / J_l + 1 / J_m))], atol=1e-6)
    eom = da.equations(machine, backend="vm")
    a = eom.forward_dynamics([0.3, 0.0], [0.0, 0.0], [1.0, 0.0])
    assert_allclose(a, [1 / J_m, -1 / J_m])  # at first the torque moves the rotor only
    with pytest.raises(da.MachineError, match="stiffness of elastic joint 'q' must be > 0"):
        elastic_joint("q", "revolute", "world", "link", stiffness=0.0, rotor_inertia=1e-4)


def test_modal_reduction_and_frequency_response() -> None:
    arm = planar_arm()
    omega = np.array([0.3, 2.0, 7.0])
    full = frequency_response(arm, omega, inputs=["theta1"], outputs=["payload.y"])
    reduced = modal_reduction(arm, 5, inputs=["theta1"], outputs=["payload.y"])
    nearly = np.array([np.asarray(reduced(1j * w)).ravel()[0] for w in omega])
    assert full.shape == (1, 1, 3)
    assert_allclose(nearly, full[0, 0], rtol=1e-3)
    everything = modal_reduction(arm, 6, inputs=["theta1"], outputs=["payload.y"])
    assert_allclose([np.asarray(everything(1j * w)).ravel()[0] for w in omega], full[0, 0], rtol=1e-8)
    with pytest.raises(da.InputError, match="between 1 and 6"):
        modal_reduction(arm, 7)


def test_mode_shape_pictures(tmp_path: Any) -> None:
    arm = planar_arm()
    modes = machine_modes(arm.lock({"theta1": 0.0, "theta2": 0.0}))
    figure = plot_modes(modes)
    assert len(figure.axes) == 4
    # The tip of each picture is where the Jacobian says that the mode takes it, and no point goes farther than asked.
    eom = modes.equations
    scene, baked = bake_mode(modes, 0, [0.0, 0.5, -1.0], size=0.1)
    tip = baked.points[:, scene.index("link2.tip")]
    assert_allclose(tip[0], eom.pose("link2.tip", modes.q)[:3, 3], atol=1e-14)
    way = eom.jacobian("link2.tip", modes.q, axes="world")[:3] @ modes.shapes[:, 0]
    assert_allclose((tip[1] - tip[0]) / np.linalg.norm(tip[1] - tip[0]), way / np.linalg.norm(way), atol=1e-4)
    assert_allclose(tip[2] - tip[0], -2 * (tip[1] - tip[0]), atol=1e-12)
    assert np.linalg.norm(baked.points[2] - baked.points[0], axis=1).max() == pytest.approx(0.1, rel=1e-9)  # of 1 m
    assert any(np.array_equal(line[:, -1], tip) for line in wires(scene, baked))
    assert animate_mode(modes, 0, tmp_path / "mode.gif", frames=3).stat().st_size > 1000


def test_inverse_kinematics_moves_joints_and_leaves_the_beams_bent() -> None:
    arm = planar_arm()
    bent = [0.1, 0.05, 0.0, 0.4, 0.1, 0.0]
    found = da.inverse_kinematics(arm, "payload", [0.8, 0.1, 0.0], q0=bent)
    assert found.converged
    assert_allclose(found.q[[1, 2, 4, 5]], np.array(bent)[[1, 2, 4, 5]])
    assert_allclose(da.equations(arm, backend="vm").pose("payload", found.q)[:3, 3], [0.8, 0.1, 0.0], atol=1e-9)


def test_flexible_arm_under_a_law_reaches_its_reference() -> None:
    # The second joint sees the light tip of link 1 on one side: 2.3e-4 kg m2, hence the small damping gain.
    law = da.PD(kp=[5.0, 0.5], kd=[3.0, 0.2], reference=[0.5, 0.3])
    run = da.simulate(planar_arm(), duration=20.0, control=law, step=5e-4, record=0.01)
    assert_allclose([run["theta1"][-1], run["theta2"][-1]], [0.5, 0.3], atol=2e-2)
    assert run.energy.drift < 1e-5


def _followers(coupling: da.Coupling | None) -> da.Machine:
    """Two beams and a payload; one joint may follow the first."""
    beams = [da.Beam("link1", 1.0, TUBE, modes={"y": 1}, **ALUMINIUM)]
    beams.append(da.Beam("link2", 1.0, TUBE, modes={"y": 1, "z": 1}, **ALUMINIUM))
    return da.Machine(
        "followers",
        [*beams, PAYLOAD],
        [
            da.Joint("q1", "revolute", "world", "link1"),
            da.Joint("q2", "revolute", "link1.tip", "link2", axis=(0, 1, 0)),
            da.Joint("q3", "revolute", "link2.tip", "payload", axis=(1, 0, 0)),
        ],
        couplings=[coupling] if coupling else [],
    )


@pytest.mark.parametrize("joint", ["q2", pytest.param("q3", marks=pytest.mark.slow)])
def test_joints_that_follow_others_beside_beams(joint: str) -> None:
    """A beam, or what hangs on it, on a joint that follows another: the machine without the coupling, projected."""
    rule = da.Coupling(joint, "q1", -1.5, 0.2)
    machine, free = _followers(rule), _followers(None)
    assert machine.q_names == tuple(name for name in free.q_names if name != joint)

    def full(q: np.ndarray) -> np.ndarray:
        values = dict(zip(machine.q_names, q, strict=True))
        values[joint] = -1.5 * values["q1"] + 0.2
        return np.array([values[name] for name in free.q_names])

    E = np.column_stack([full(e) - full(0 * e) for e in np.eye(machine.nv)])
    q, v = np.random.default_rng(3).normal(size=(2, machine.nv)) * 0.1
    eom, whole = (da.equations(m, backend="vm") for m in (machine, free))
    assert_allclose(eom.mass_matrix(q), E.T @ whole.mass_matrix(full(q)) @ E, atol=1e-13)
    assert_allclose(eom.bias(q, v), E.T @ whole.bias(full(q), E @ v), rtol=1e-9, atol=1e-9)
    assert_allclose(eom.pose("payload", q), whole.pose("payload", full(q)), atol=1e-13)
    assert da.verify(machine, samples=2, seed=0).ok
    run = da.simulate(machine, duration=0.05, q0=0.1 * q, method="dopri5", rtol=1e-9, atol=1e-11)
    assert run.energy.drift < 1e-6
    assert machine.lock({"q1": 0.1}).nv == machine.nv - 1
    # Loads and pictures follow too.
    loads = [outboard_load(machine, "link1", {"q1": 0.4}), outboard_load(free, "link1", {"q1": 0.4, joint: -0.4})]
    assert_allclose(*[(load.mass, *load.inertia, load.first_moment) for load in loads])
    assert outboard_load(machine, "link1", [0.4, 0.0]) == loads[0]
    loaded = with_outboard_loads(machine, {"q1": 0.4}).with_(gravity=(0, 0, 0))
    assert plot_modes(machine_modes(loaded)).axes


def test_modes_are_not_drawn_in_mapped_coordinates() -> None:
    arm = planar_arm()
    names = [f"y{i}" for i in range(6)]
    eom = da.equations(arm, coordinates=da.CoordinateMap(names, lambda y, p: y), backend="vm")
    modes = dataclasses.replace(machine_modes(arm.lock({"theta1": 0.0, "theta2": 0.0})), equations=eom)
    with pytest.raises(da.InputError, match=r"'planar-flexible-arm' are drawn in its own coordinates, got .*y0, y1"):
        bake_mode(modes, 0, [1.0])


@pytest.mark.parametrize(
    "joint", [{"damping": 0.3}, {"friction": 0.2}, {"stiffness": 5.0}], ids=lambda x: next(iter(x))
)
def test_losses_and_motors_beside_a_beam(joint: dict[str, float]) -> None:
    """Friction, damping and springs of the joint that carries a beam, geared motors with losses: the audit closes."""
    machine = _followers(None)
    first = da.Joint("q1", "revolute", "world", "link1", **joint)  # type: ignore[arg-type]
    machine = machine.with_(
        joints=(first, *machine.joints[1:]),
        motors=(da.Motor("drive", "q1", ratio=20.0, rotor_inertia=1e-4, damping=0.01), da.Motor("wrist", "q3")),
        gravity=(0, 0, 0),
    )
    run = da.simulate(machine, duration=0.05, v0={"q1_dot": 1.0}, method="dopri5", rtol=1e-9, atol=1e-10)
    assert run["work.loss"][-1] < -1e-3
    assert run.energy.drift < 1e-7
    eom = da.equations(machine, backend="vm")
    bare = da.equations(machine.with_(motors=()), backend="vm")
    q = np.full(machine.nv, 0.01)
    rotor = eom.mass_matrix(q) - bare.mass_matrix(q)
    assert_allclose(rotor, np.diag([20.0**2 * 1e-4, *[0.0] * (machine.nv - 1)]), atol=1e-12)
