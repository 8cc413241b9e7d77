"""Closed forms: what a person reads, that it is right, and that it is what the kernels compute."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.analysis.closed_form.algebra import fraction_of
from dalembert.analysis.closed_form.form import ClosedForm, closed_form
from dalembert.analysis.closed_form.printing import latex_name
from dalembert.model.constraints import BallConstraint
from dalembert.systems import textbook

FORMULATIONS = ("lagrange", "newton-euler")
FUNCTIONS = [n for n in ClosedForm.names if n not in ("christoffel", "equations")]


def S(names: str) -> Any:
    return sp.symbols(names)


# -- ROBOTICS, actuated pendulum --------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", FORMULATIONS)
def test_actuated_pendulum_reads_as_printed(by: str) -> None:
    form = closed_form(textbook.actuated_pendulum(), by=by)
    assert form.text("equations") == (
        "(I_l + m*d**2 + n**2*I_m)*theta_ddot + m*g_0*d*sin(theta)"
        " = n*tau_m - (b_l + n**2*b_m)*theta_dot + l*cos(theta)*F_x"
    )
    assert form.text("kinetic_energy") == "(I_l + m*d**2 + n**2*I_m)*theta_dot**2/2"
    assert form.text("potential_energy") == "-m*g_0*d*cos(theta)"
    assert form.latex("equations") == (
        "\\begin{aligned}\n"
        r"\left(I_{l} + m d^{2} + n^{2} I_{m}\right) \ddot{\theta} + m g_{0} d \sin(\theta)"
        r" &= n \tau_{m} - \left(b_{l} + n^{2} b_{m}\right) \dot{\theta} + l \cos(\theta) F_{x}"
        "\n\\end{aligned}"
    )


@pytest.mark.parametrize("by", FORMULATIONS)
def test_actuated_pendulum_in_the_motor_angle_reads_as_printed(by: str) -> None:
    form = closed_form(textbook.actuated_pendulum(), by=by, coordinates=textbook.motor_side())
    assert form.text("equations") == (
        "(I_l + m*d**2 + n**2*I_m)*theta_m_ddot/n**2 + m*g_0*d*sin(theta_m/n)/n"
        " = tau_m - (b_l + n**2*b_m)*theta_m_dot/n**2 + l*cos(theta_m/n)*F_x/n"
    )
    m, d, I_l, n, I_m, b_l, b_m, l, g_0, F_x = S("m d I_l n I_m b_l b_m l g_0 F_x")
    theta_m, rate, acceleration, tau_m = S("theta_m theta_m_dot theta_m_ddot tau_m")
    I = I_l + m * d**2 + n**2 * I_m
    left = I / n**2 * acceleration + m / n * g_0 * d * sp.sin(theta_m / n)
    right = tau_m - (b_l / n**2 + b_m) * rate + l / n * sp.cos(theta_m / n) * F_x
    (equation,) = form.equations
    assert sp.simplify(equation.lhs - left) == 0
    assert sp.simplify(equation.rhs - right) == 0


# -- ROBOTICS, PR robot -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", FORMULATIONS)
def test_pr_robot_reads_as_printed(by: str) -> None:
    form = closed_form(textbook.pr_robot(), by=by)
    assert form.text("mass_matrix").splitlines() == [
        "[ m_1 + m_2         -m_2*d*sin(q_2)    ]",
        "[ -m_2*d*sin(q_2)   I_c2_zz + m_2*d**2 ]",
    ]
    assert form.text("coriolis_vector").splitlines() == [
        "[ -m_2*d*cos(q_2)*q_2_dot**2 ]",
        "[ 0                          ]",
    ]
    assert form.latex("mass_matrix") == (
        r"\begin{bmatrix} m_{1} + m_{2} & -m_{2} d \sin(q_{2}) \\"
        r" -m_{2} d \sin(q_{2}) & I_{c2,zz} + m_{2} d^{2} \end{bmatrix}"
    )
    assert form.text("kinetic_energy") == (
        "(m_1 + m_2)*q_1_dot**2/2 + (I_c2_zz + m_2*d**2)*q_2_dot**2/2 - m_2*d*sin(q_2)*q_1_dot*q_2_dot"
    )
    m_2, d, q_2 = S("m_2 d q_2")
    C_1, C_2 = form.christoffel
    assert sp.Matrix([[0, 0], [0, -m_2 * d * sp.cos(q_2)]]) == C_1
    assert sp.zeros(2) == C_2


def test_christoffel_matrices_make_a_skew_matrix() -> None:
    form = closed_form(textbook.double_pendulum())
    M, S_matrix = form.mass_matrix, form.coriolis_matrix
    rate = sum((M.diff(q) * v for q, v in zip(form.q, form.v, strict=True)), sp.zeros(2))
    N = (rate - 2 * S_matrix).applyfunc(sp.simplify)
    assert (N + N.T).applyfunc(sp.simplify) == sp.zeros(2)
    v = sp.Matrix(form.v)
    for k, C_k in enumerate(form.christoffel):
        assert sp.simplify((v.T * C_k * v)[0] - form.coriolis_vector[k]) == 0


# -- against an independent derivation --------------------------------------------------------------------------------


def euler_lagrange_double_pendulum() -> tuple[Any, Any, Any]:
    """M, c and g of two rods from energies written by hand, differentiated by SymPy."""
    t = sp.Symbol("t")
    m_1, m_2, l_1, l_2, g = S("m_1 m_2 l_1 l_2 g")
    f = [sp.Function("q_1")(t), sp.Function("q_2")(t)]
    x_1, z_1 = l_1 / 2 * sp.sin(f[0]), -l_1 / 2 * sp.cos(f[0])
    x_2, z_2 = 2 * x_1 + l_2 / 2 * sp.sin(f[0] + f[1]), 2 * z_1 - l_2 / 2 * sp.cos(f[0] + f[1])
    w_1, w_2 = f[0].diff(t), (f[0] + f[1]).diff(t)
    T = (m_1 * (x_1.diff(t) ** 2 + z_1.diff(t) ** 2) + m_2 * (x_2.diff(t) ** 2 + z_2.diff(t) ** 2)) / 2
    T += (m_1 * l_1**2 * w_1**2 + m_2 * l_2**2 * w_2**2) / 24
    U = g * (m_1 * z_1 + m_2 * z_2)
    equations = [sp.diff(T - U, q.diff(t)).diff(t) - sp.diff(T - U, q) for q in f]
    plain = {}
    for q in f:
        name = q.func.__name__
        for order, suffix in ((2, "_ddot"), (1, "_dot")):
            plain[q.diff(t, order)] = sp.Symbol(name + suffix)
    q_plain = {q: sp.Symbol(q.func.__name__) for q in f}
    rows = [e.subs(plain).subs(q_plain) for e in map(sp.expand, equations)]
    a, v = S("q_1_ddot q_2_ddot"), S("q_1_dot q_2_dot")
    M = sp.Matrix(rows).jacobian(sp.Matrix(a))
    rest = sp.Matrix(rows).subs(dict.fromkeys(a, 0))
    g_vector = rest.subs(dict.fromkeys(v, 0))
    return M, rest - g_vector, g_vector


@pytest.mark.parametrize("by", FORMULATIONS)
def test_double_pendulum_equals_an_independent_derivation(by: str) -> None:
    form = closed_form(textbook.double_pendulum(), by=by)
    for ours, theirs in zip(
        (form.mass_matrix, form.coriolis_vector, form.gravity), euler_lagrange_double_pendulum(), strict=True
    ):
        assert (sp.Matrix(ours) - theirs).applyfunc(sp.simplify) == sp.zeros(*theirs.shape)
    assert form.text("gravity").splitlines() == [
        "[ (m_1 + 2*m_2)*g*l_1*sin(q_1)/2 + m_2*g*l_2*sin(q_1 + q_2)/2 ]",
        "[ m_2*g*l_2*sin(q_1 + q_2)/2                                  ]",
    ]
    assert form.text("coriolis_vector").splitlines()[0] == "[ -m_2*l_1*l_2*sin(q_2)*(2*q_1_dot + q_2_dot)*q_2_dot/2 ]"


def test_absolute_angles_give_the_cosine_of_their_difference() -> None:
    absolute = da.CoordinateMap(["alpha", "beta"], lambda y, p: [y[0], y[1] - y[0]])
    form = closed_form(textbook.double_pendulum(), coordinates=absolute)
    assert form.text("mass_matrix").splitlines() == [
        "[ (m_1 + 3*m_2)*l_1**2/3            m_2*l_1*l_2*cos(alpha - beta)/2 ]",
        "[ m_2*l_1*l_2*cos(alpha - beta)/2   m_2*l_2**2/3                    ]",
    ]
    assert form.text("gravity").splitlines() == [
        "[ (m_1 + 2*m_2)*g*l_1*sin(alpha)/2 ]",
        "[ m_2*g*l_2*sin(beta)/2            ]",
    ]


# -- every number a symbol --------------------------------------------------------------------------------------------


def spatial_arm() -> da.Machine:
    """Yaw and pitch, numbers only, everything that acts on a machine."""
    return da.Machine(
        "arm",
        bodies=[
            da.Body("link1", 1.5, (0.02, 0, 0.2), (0.1, 0.11, 0.12)),
            da.Body("link2", 1.1, (0.3, 0, 0), (0.02, 0.05, 0.06)),
        ],
        joints=[
            da.Joint("q1", "revolute", "world", "link1", damping=0.3),
            da.Joint(
                *("q2", "revolute", "link1", "link2", da.Transform((0, 0, 0.4))),
                axis=(0, -1, 0),
                stiffness=2.0,
                rest=0.2,
                friction=0.1,
                friction_velocity=0.05,
            ),
        ],
        frames=[da.Frame("tool", "link2", da.Transform((0.6, 0, 0)))],
        motors=[da.Motor("u1", "q1", 20.0, 1e-3, 1e-2), da.Motor("u2", "q2", -1.0, 0.0, 0.0, effort=1e3)],
        wrenches=[da.Wrench("load", "tool", (1.0, -2.0, 0), (0, 0, 0.5))],
    )


def test_numbers_get_the_names_that_a_reader_expects() -> None:
    form = closed_form(spatial_arm())
    assert form.text("equations").splitlines() == [
        "(I_zz_1 + m_1*c_x_1**2 + n_1**2*I_m_1 + (I_zz_2 + m_2*d_2**2)*cos(q2)**2 + I_xx_2*sin(q2)**2)*q1_ddot"
        " + (I_xx_2 - I_zz_2 - m_2*d_2**2)*sin(2*q2)*q1_dot*q2_dot"
        " = n_1*u1 - (b_1 + n_1**2*b_m_1)*q1_dot + N_z - l_2*cos(q2)*(sin(q1)*F_x + cos(q1)*F_y)",
        "(I_yy_2 + m_2*d_2**2)*q2_ddot + (I_zz_2 + m_2*d_2**2 - I_xx_2)*sin(q2)*cos(q2)*q1_dot**2"
        " + k_2*(q2 - q2_rest) + m_2*g*d_2*cos(q2)"
        " = l_2*sin(q2)*(sin(q1)*F_y - cos(q1)*F_x) - u2 - F_c_2*tanh(q2_dot/v_s_2)",
    ]
    expected = {"m_1", "m_2", "c_x_1", "c_z_1", "d_2", "l_1", "l_2", "k_2", "q2_rest", "b_1", "F_c_2", "v_s_2"}
    expected |= {f"I_{a}{a}_{i}" for a in "xyz" for i in (1, 2)} | {"n_1", "I_m_1", "b_m_1", "F_x", "F_y", "N_z", "g"}
    assert set(form.parameters) == expected
    assert form.parameters["F_y"] == 2.0  # the sign of a number stays outside
    assert form.text("elastic").splitlines()[1] == "[ k_2*(q2 - q2_rest) ]"
    assert form.text("potential_energy") == "m_1*g*c_z_1 + m_2*g*(l_1 + d_2*sin(q2)) + k_2*(q2 - q2_rest)**2/2"


def test_names_of_the_user_win_and_are_never_taken_twice() -> None:
    m = da.Parameter("I_zz", 0.3)  # a mass called like an inertia
    machine = da.Machine(
        "odd",
        bodies=[da.Body("b", m, (0, -0.1, 0), (0.1, 0.1, 0.2))],
        joints=[da.Joint("q", "revolute", "world", "b")],
        gravity=(0, -9.81, 0),
    )
    form = closed_form(machine)
    assert form.text("mass_matrix") == "[ I_zz_2 + I_zz*d**2 ]"
    assert form.parameters["I_zz"] == 0.3
    assert form.parameters["I_zz_2"] == 0.2


def test_numbers_may_stay_numbers() -> None:
    form = closed_form(spatial_arm(), symbols="parameters")
    assert form.parameters == {}
    assert form.text("mass_matrix").splitlines()[1].split() == ["[", "0", "0.149", "]"]
    assert form.text("gravity").splitlines()[1].split() == ["[", "3.2373*cos(q2)", "]"]
    assert form.mass_matrix[1, 1] == sp.Rational(149, 1000)
    m = da.Parameter("m", 2.0)
    mixed = spatial_arm().with_(bodies=[spatial_arm().bodies[0], da.Body("link2", m, (0.3, 0, 0), (0.02, 0.05, 0.06))])
    assert closed_form(mixed, symbols="parameters").text("gravity").splitlines()[1] == "[ 2.943*m*cos(q2) ]"


def test_rotations_are_exact_where_they_can_be() -> None:
    def tilted(angle: float) -> ClosedForm:
        origin = da.Transform.rpy(roll=angle)
        body = da.Body("b", 2.0, (0.3, 0, 0), (0.1, 0.2, 0.25))
        return closed_form(da.Machine("t", [body], [da.Joint("q", "revolute", "world", "b", origin)]))

    assert tilted(math.pi / 4).text("gravity") == "[ sqrt(2)*m*g*d*cos(q)/2 ]"
    assert tilted(math.pi / 6).text("gravity") == "[ m*g*d*cos(q)/2 ]"
    assert tilted(0.3).text("equations") == "(I_zz + m*d**2)*q_ddot + 0.29552*m*g*d*cos(q) = 0"


def test_free_body_gives_the_equations_of_newton_and_euler() -> None:
    machine = da.Machine(
        "body",
        bodies=[da.Body("b", 2.0, (0, 0, 0), (0.1, 0.2, 0.25))],
        joints=[da.Joint("b", "free", "world", "b")],
        gravity=(0, 0, 0),
    )
    form = closed_form(machine)
    assert form.text("equations").splitlines()[3:] == [
        "I_xx*b_wx_dot + (I_zz - I_yy)*b_wy*b_wz = 0",
        "I_yy*b_wy_dot + (I_xx - I_zz)*b_wx*b_wz = 0",
        "I_zz*b_wz_dot + (I_yy - I_xx)*b_wx*b_wy = 0",
    ]
    with pytest.raises(da.InputError, match="no quaternions"):
        _ = form.christoffel


# -- Python source against the kernels --------------------------------------------------------------------------------


def planar_cart() -> da.Machine:
    return da.Machine(
        "cart",
        bodies=[da.Body("cart", 2.0, (0.1, 0, 0), (0.1, 0.1, 0.2)), da.point_mass("bob", 0.5, (0, 0, -0.7))],
        joints=[
            da.Joint("p", "planar", "world", "cart", damping=0.2),
            da.Joint("s", "revolute", "cart", "bob", da.Transform((0.2, 0, 0)), axis=(0, 1, 0), damping=0.1),
        ],
    )


def spinning_top() -> da.Machine:
    return da.Machine(
        "top",
        bodies=[da.Body("top", 0.5, (0, 0, 0.2), (0.02, 0.02, 0.01))],
        joints=[da.Joint("s", "spherical", "world", "top", damping=0.1)],
        wrenches=[da.Wrench("wind", "top", torque=(0.1, 0, 0))],
    )


def coupled_fingers() -> da.Machine:
    fingers = [da.box(f"f{i}", 0.2, (0.1, 0.02, 0.02), (0.05, 0, 0)) for i in (1, 2)]
    return da.Machine(
        "fingers",
        bodies=fingers,
        joints=[
            da.Joint("a", "revolute", "world", "f1", axis=(0, 1, 0)),
            da.Joint("b", "prismatic", "f1", "f2", da.Transform.rpy(0.4, 0.2, 0.1, (0.1, 0, 0)), axis=(1, 0, 0)),
        ],
        couplings=[da.Coupling("b", "a", 0.3, 0.01)],
        wrenches=[da.Wrench("w", "f2", (da.cos(2.0 * da.TIME), 0, 0.4), axes="frame")],
    )


def awkward_names() -> da.Machine:
    """Names that clash with each other, with arguments and with locals of the Python functions."""
    v, result = da.Parameter("v", 0.3), da.Parameter("result", 0.7)
    return da.Machine(
        "awkward",
        bodies=[da.Body("q", 1.0, (v, 0, 0), (0.1, 0.1, 0.2)), da.Body("l-2", result, (0.2, 0.1, 0), (0.1, 0.1, 0.2))],
        joints=[
            da.Joint("q", "revolute", "world", "q", damping=0.1),
            da.Joint("batch", "revolute", "q", "l-2", da.Transform((0.5, 0, 0)), axis=(0, 1, 0), stiffness=1.0),
        ],
        motors=[da.Motor("q", "q", 3.0), da.Motor("batch", "batch")],
    )


MACHINES = {
    "pendulum": (textbook.actuated_pendulum, None),
    "motor side": (textbook.actuated_pendulum, textbook.motor_side()),
    "pr": (textbook.pr_robot, None),
    "double": (textbook.double_pendulum, None),
    "arm": (spatial_arm, None),
    "cart": (planar_cart, None),
    "top": (spinning_top, None),
    "fingers": (coupled_fingers, None),
    "awkward": (awkward_names, None),
}


def load(source: str) -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec(compile(source, "closed_form", "exec"), space)
    return space


@pytest.mark.parametrize("symbols", ["all", "parameters"])
@pytest.mark.parametrize("name", MACHINES)
def test_python_source_equals_the_kernels(name: str, symbols: str, tmp_path: Path) -> None:
    make, coordinates = MACHINES[name]
    machine = make()
    form = closed_form(machine, coordinates=coordinates, symbols=symbols)
    functions = load(form.python())
    eom = da.equations(machine, coordinates=coordinates, backend="vm")
    rng = np.random.default_rng(7)
    batch = 5
    q = np.array([eom.random_configuration(rng) for _ in range(batch)])
    v = rng.normal(size=(batch, eom.nv))
    u = rng.normal(size=(batch, eom.nu))
    T, V = eom.energy(q, v)
    C = eom.coriolis_matrix(q, v)
    force = np.einsum("bij,bj->bi", C, v)
    expected = {
        "mass_matrix": eom.mass_matrix(q),
        "coriolis_vector": force,
        "gravity": eom.gravity(q),
        "elastic": eom.bias(q, v) - force - eom.gravity(q),
        "applied": eom.applied(q, v, u, t=0.7),
        "kinetic_energy": T,
        "potential_energy": V,
        "coordinate_rate": eom.coordinate_rate(q, v),
    }
    arguments = {"q": (q,), "qv": (q, v), "qvut": (q, v, u, 0.7)}
    keys = {"mass_matrix": "q", "gravity": "q", "elastic": "q", "potential_energy": "q", "applied": "qvut"}
    for quantity, value in expected.items():
        got = functions[quantity](*arguments[keys.get(quantity, "qv")])
        assert got.shape == value.shape
        np.testing.assert_allclose(got, value, rtol=1e-11, atol=1e-12, err_msg=quantity)
        single = functions[quantity](
            *(x[0] if isinstance(x, np.ndarray) else x for x in arguments[keys.get(quantity, "qv")])
        )
        np.testing.assert_allclose(single, value[0], rtol=1e-11, atol=1e-12)
    lagrange = da.equations(machine, by="lagrange", coordinates=coordinates, backend="vm")
    np.testing.assert_allclose(
        functions["coriolis_matrix"](q, v), lagrange.coriolis_matrix(q, v), rtol=1e-11, atol=1e-12
    )


def test_parameters_are_keywords_of_the_python_functions() -> None:
    machine = textbook.pr_robot()
    functions = load(closed_form(machine).python("mass_matrix"))
    q = np.array([0.1, 0.7])
    expected = da.equations(machine, backend="vm").mass_matrix(q, p={"m_2": 5.0, "d": 0.9})
    np.testing.assert_allclose(functions["mass_matrix"](q, m_2=5.0, d=0.9), expected, rtol=1e-14)
    assert set(functions) - {"__builtins__", "np"} == {"mass_matrix"}


@pytest.mark.parametrize("name", ["double", "arm", "cart", "top", "fingers"])
def test_both_formulations_lead_to_the_same_expressions(name: str) -> None:
    machine = MACHINES[name][0]()
    one, other = (closed_form(machine, by=by) for by in FORMULATIONS)
    for quantity in FUNCTIONS:
        if quantity == "coriolis_matrix" and name == "top":
            continue  # not unique with quasi-velocities: only C v is
        assert one.text(quantity) == other.text(quantity), quantity


# -- writing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MACHINES)
def test_latex_is_well_formed(name: str) -> None:
    make, coordinates = MACHINES[name]
    form = closed_form(make(), coordinates=coordinates)
    for quantity in form.names:
        if quantity == "christoffel" and name == "top":
            continue
        text = form.latex(quantity)
        assert text.count("{") == text.count("}")
        assert text.count("\\left(") == text.count("\\right)")
        assert "_dot" not in text
        assert "**" not in text
    assert form._repr_latex_().startswith("$\\displaystyle \\begin{aligned}")


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("theta", r"\theta"),
        ("q1", "q_{1}"),
        ("q_12", "q_{12}"),
        ("theta_m", r"\theta_{m}"),
        ("I_c2_zz", "I_{c2,zz}"),
        ("m_forearm", r"m_{\mathrm{forearm}}"),
        ("base_wx", r"\mathrm{base}_{wx}"),
        ("omega_1_theta", r"\omega_{1,\theta}"),
    ],
)
def test_latex_names(name: str, latex: str) -> None:
    assert latex_name(name) == latex


def test_dots_go_over_the_letter() -> None:
    assert latex_name("theta_m", "ddot") == r"\ddot{\theta}_{m}"


@pytest.mark.parametrize(
    ("x", "numerator", "denominator"),
    [(0.1, 1, 10), (1 / 12, 1, 12), (9.81, 981, 100), (0.12345, 2469, 20000), (-2.0, -2, 1)],
)
def test_doubles_become_the_numbers_that_were_meant(x: float, numerator: int, denominator: int) -> None:
    assert fraction_of(x) == sp.Rational(numerator, denominator)


def test_output_does_not_depend_on_the_hash_seed() -> None:
    program = (
        "import dalembert as da; from dalembert.systems import textbook as t;"
        "f = da.closed_form(t.double_pendulum());"
        "print(f, f.text('mass_matrix'), f.latex('kinetic_energy'), f.python())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(da.__file__).parents[1])},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


# -- refusals ---------------------------------------------------------------------------------------------------------


def test_a_machine_that_nobody_could_read_is_refused() -> None:
    links = [da.Body(f"link{i}", 1.0, (0.1, 0.2, 0.3), (0.1, 0.1, 0.1)) for i in range(6)]
    axes = [(0, 0, 1), (0, 1, 0), (1, 0, 0)] * 2
    joints = [
        da.Joint(
            f"q{i}", "revolute", f"link{i - 1}" if i else "world", f"link{i}", da.Transform((0.1, 0, 0.4)), axis=axes[i]
        )
        for i in range(6)
    ]
    machine = da.Machine("six", bodies=links, joints=joints)
    with pytest.raises(da.InputError, match=r"'six' \(6 degrees of freedom\) is too large .* the limit is 500"):
        _ = closed_form(machine, limit=500).mass_matrix


def test_constraints_are_not_left_out_in_silence() -> None:
    machine = textbook.double_pendulum()
    held = machine.with_(constraints=[BallConstraint("hold", "tip")])
    with pytest.raises(da.InputError, match=r"has constraints \(hold\), whose forces a closed form does not include"):
        closed_form(held)


def test_an_input_called_like_its_joint_is_told_apart() -> None:
    form = closed_form(awkward_names())
    assert [str(s) for s in form.u] == ["u_q", "u_batch"]
    assert form.text("applied").splitlines() == ["[ n_q*u_q - b_q*q_dot ]", "[ u_batch             ]"]


def test_names_that_would_be_written_alike_are_refused() -> None:
    links = [da.Body(n, 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1)) for n in ("one", "two")]
    joints = [da.Joint("a-b", "revolute", "world", "one"), da.Joint("a_b", "revolute", "one", "two")]
    with pytest.raises(da.InputError, match="would be written 'a_b' in a closed form"):
        closed_form(da.Machine("twins", links, joints))


def test_wrong_arguments() -> None:
    machine = textbook.pr_robot()
    with pytest.raises(da.InputError, match="symbols must be 'all' or 'parameters', got 'some'"):
        closed_form(machine, symbols="some")
    with pytest.raises(da.InputError, match="needs a Machine, got dict"):
        closed_form({})  # type: ignore[arg-type]
    with pytest.raises(da.UnknownNameError, match=r"known: .*mass_matrix"):
        closed_form(machine).latex("inertia")
    with pytest.raises(da.UnknownNameError, match="no function named 'christoffel'"):
        closed_form(machine).python("christoffel")
    with pytest.raises(da.UnknownNameError, match="formulation"):
        closed_form(machine, by="magic")
    with pytest.raises(da.InputError, match="limit"):
        closed_form(machine, limit=0)
    clash = machine.with_(motors=[da.Motor("m_1", "q_1")])
    with pytest.raises(da.InputError, match="parameter and a coordinate or input named 'm_1'"):
        closed_form(clash)
