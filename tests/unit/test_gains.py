"""Gains that are parameters: inputs of runs, rollouts, campaigns, derivatives and FMUs as the others are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.campaigns import optimise, sensitivities
from dalembert.core.errors import FileFormatError, InputError, MachineError

KP, KD = da.Parameter("kp", 20.0), da.Parameter("kd", 6.0)
PARTS: dict[str, Any] = {
    "bodies": [
        da.cylinder("link", mass=2.0, radius=0.05, length=0.5, com=(0.25, 0, 0)),
        da.cylinder("tip", mass=1.0, radius=0.05, length=0.4, com=(0.2, 0, 0)),
    ],
    "joints": [
        da.Joint("a", "revolute", "world", "link", axis=(0, -1, 0)),
        da.Joint("b", "revolute", "link", "tip", da.Transform((0.5, 0, 0)), axis=(0, -1, 0)),
    ],
    "motors": [da.Motor("a", "a", effort=12.0), da.Motor("b", "b")],
}
ARM = da.Machine("arm", gains=[KP, KD], **PARTS)
PLAIN = da.Machine("arm", **PARTS)
LAWS = {
    "pd": lambda kp, kd: da.PD(kp=(kp, 0.5 * kp), kd=kd, reference=[0.3, 0.1], gravity=True),
    "pid": lambda kp, kd: da.PID(kp=kp, ki=(kp, kp), kd={"a": kd, "b": 0.5 * kd}, reference=[0.3, 0.1]),
    "computed": lambda kp, kd: da.ComputedTorque(
        kp=kp, kd=kd, reference=da.Quintic([0.0, 0.0], [0.3, 0.1], duration=0.5)
    ),
    "led": lambda kp, kd: da.GravityCompensation(damping=kd),
}


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n != "pid")) for n in LAWS])
def test_a_parameter_is_its_number(name: str) -> None:
    p = {"kp": 33.0, "kd": 4.0}
    symbolic = da.simulate(ARM, duration=0.5, control=LAWS[name](KP, KD), p=p)
    plain = da.simulate(PLAIN, duration=0.5, control=LAWS[name](33.0, 4.0))
    np.testing.assert_allclose(symbolic.array(["a", "b"]), plain.array(["a", "b"]), rtol=1e-11, atol=1e-12)
    natural = da.simulate(da.equations(ARM, by="natural"), duration=0.1, control=LAWS[name](KP, KD), p=p)
    np.testing.assert_allclose(natural["a"][-1], plain["a"][np.searchsorted(plain.t, 0.1 - 1e-9)], atol=1e-7)


def test_rollouts_and_campaigns_vary_gains() -> None:
    law = LAWS["pd"](KP, KD)
    members = da.rollout(ARM, duration=0.5, p={"kp": np.array([10.0, 40.0]), "kd": 4.0}, control=law, record=0.5)
    for k, kp in enumerate((10.0, 40.0)):
        single = da.simulate(ARM, duration=0.5, p={"kp": kp, "kd": 4.0}, control=law)
        np.testing.assert_allclose(members["a"][k, -1], single["a"][-1], rtol=1e-10)
    measure = {"miss": da.Measure(lambda s: abs(s["a"] - 0.3), "final")}
    table = da.campaign(
        ARM, vary={"kp": (5.0, 50.0)}, n=20, measure=measure, control=law, duration=1.0, step=2e-3
    ).table
    assert table["miss"].nunique() == 20


def test_gains_are_tuned_with_exact_derivatives() -> None:
    law = LAWS["pd"](KP, KD)
    found = sensitivities(ARM, of=["a"], wrt=["kp"], control=law, duration=0.5)
    h = 1e-4
    ends = [da.simulate(ARM, duration=0.5, control=law, p={"kp": 20.0 + s * h})["a"] for s in (1, -1)]
    np.testing.assert_allclose(found["a"][:, 0], (ends[0] - ends[1]) / (2 * h), atol=1e-8)
    cost = {"integral": lambda s: (s["a"] - 0.3) ** 2 + (s["b"] - 0.1) ** 2 + 1e-4 * (s["u.a"] ** 2 + s["u.b"] ** 2)}
    best = optimise(
        ARM, vary={"kp": (5.0, 200.0), "kd": (1.0, 40.0)}, control=law, duration=1.0, step=2e-3,
        scenarios=[{}, {"q0": {"a": 0.6}}], **cost,
    )  # fmt: skip
    assert best.ok
    assert best.cost < best.history[0]


def test_machine_file() -> None:
    text = """
name: slider
parameters: {m: 2.0, k: 30.0}
gains: [k]
bodies: {block: {mass: m}}
joints: {x: {kind: prismatic, parent: world, child: block, axis: x}}
motors: {x: {}}
simulation:
  duration: 1.0
  control: {law: pd, kp: k, kd: 2 * sqrt(k), reference: [0.5]}
"""
    machine, settings = da.load_simulation(text)
    assert [p.name for p in machine.parameters] == ["m", "k"]
    assert da.load_machine(machine.to_yaml()) == machine
    stiff = da.simulate(machine, **settings, p={"k": 120.0})
    soft = da.simulate(machine, **settings)
    assert stiff["x"][100] > 1.5 * soft["x"][100] > 0.0
    with pytest.raises(FileFormatError, match=r"<text>:4: gains: no parameter named 'kk'"):
        da.load_machine(text.replace("gains: [k]", "gains: [kk]"))


def test_refusals() -> None:
    with pytest.raises(InputError, match="name it among the machine's gains"):
        da.simulate(PLAIN, duration=0.1, control=LAWS["pd"](KP, KD))
    with pytest.raises(MachineError, match="must be Parameter objects"):
        da.Machine("arm", gains=[3.0], **PARTS)  # type: ignore[list-item]
    with pytest.raises(InputError, match="one per motor"):
        da.simulate(ARM, duration=0.1, control=da.PD(kp=(KP, KP, KP), kd=1.0, reference=[0.0, 0.0]))
