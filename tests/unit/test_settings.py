"""The settings of a simulation are stated once: verbs, files, command line and runs take the same ones."""

from __future__ import annotations

import inspect
import pydoc

import numpy as np
import pytest

import dalembert as da
from dalembert import campaigns
from dalembert.cli.simulate import simulate as command
from dalembert.core.errors import InputError
from dalembert.io.machine_schema import SimulationEntry
from dalembert.loop.experiment_keywords import KEYWORD_DEFAULTS, ExperimentKeywords

PENDULUM = """
name: pendulum
parameters: {m: 1.0}
bodies:
  bob: {point_mass: {mass: m, com: [0, 0, -1]}}
joints:
  theta: {kind: revolute, parent: world, child: bob, axis: [0, 1, 0]}
simulation:
  duration: 0.2
"""


VERBS = [
    da.simulate, da.rollout, da.stepper, da.campaign, da.identify, da.export_fmu, da.realtime, campaigns.sensitivities,
    campaigns.gradient, campaigns.optimise, campaigns.environment, campaigns.vector_environment,
]  # fmt: skip


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.__name__)
def test_the_verbs_take_the_keywords_of_an_experiment(verb) -> None:
    """Each keyword is a parameter with the same type and the same default everywhere, and is listed by help()."""
    parameters = inspect.signature(verb).parameters
    for name, annotation in ExperimentKeywords.__annotations__.items():
        assert parameters[name].default == KEYWORD_DEFAULTS[name], name
        assert parameters[name].annotation == annotation.__forward_arg__, name
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
    assert "limits" not in verb.__own_parameters__
    assert "max_step" in pydoc.render_doc(verb)


def test_files_and_the_command_line_take_the_keywords() -> None:
    options, keywords = set(inspect.signature(command).parameters), set(ExperimentKeywords.__annotations__)
    python = {"on_event", "start", "sensors", "signals", "events", "switches", "control"}
    assert keywords - python <= set(SimulationEntry.model_fields)
    assert keywords - python <= options
    assert set(SimulationEntry.model_fields) <= keywords


def test_a_run_says_with_which_settings_it_can_be_done_again(tmp_path) -> None:
    machine = da.load_machine(PENDULUM)
    first = {"duration": 0.3, "method": "dopri5", "rtol": 1e-6, "atol": [1e-8] * 4, "record": 0.1, "t0": 1.0}
    run = da.simulate(machine, q0=[0.3], **first)
    assert run.metadata["settings"] == first
    loaded = da.load_run(run.save(tmp_path / "run.nc"))
    again = da.simulate(machine, q0=[0.3], **loaded.metadata["settings"])
    assert np.array_equal(again.x, run.x)


def test_settings_of_constraint_methods_are_plain_data() -> None:
    machine = da.load_machine(PENDULUM)
    experiment = da.Experiment(machine, duration=1.0, constraints=da.Penalty(penalty=1e7))
    assert experiment.plain_settings() == {
        "duration": 1.0,
        "constraints": {"name": "penalty", "penalty": 1e7},
    }
    assert da.Experiment(machine).replace(**experiment.keywords()) == experiment


def test_every_setting_is_a_key_of_a_machine_file() -> None:
    """What a file says arrives as it was said, expressions as numbers."""
    text = """  t0: 1/2
  method: dopri5
  rtol: 1e-6
  atol: [1e-8, 1e-8, 1e-8, 2e-8]
  max_step: 0.1
  max_steps: 1000
  record: 0.1
  reach: 0.2
  branch: {theta: 1/4}
  limits: ignore
  seed: 5
  member: 2
  constraints: {name: penalty, penalty: 10**7}
  contact: {name: time-stepping, margin: 10**-7}
  by: lagrange
  backend: vm
  q0: {theta: pi/4}
  v0: {theta_dot: 2*m}
  p: {m: 3}
"""
    machine, settings = da.load_simulation(PENDULUM + text)
    assert settings == {
        "duration": 0.2, "t0": 0.5, "method": "dopri5", "rtol": 1e-6, "atol": [1e-8, 1e-8, 1e-8, 2e-8],
        "max_step": 0.1, "max_steps": 1000, "record": 0.1, "reach": 0.2, "branch": {"theta": 0.25},
        "limits": "ignore", "seed": 5, "member": 2,
        "constraints": {"name": "penalty", "penalty": 1e7}, "by": "lagrange", "backend": "vm",
        "contact": {"name": "time-stepping", "margin": 1e-7},
        "q0": {"theta": np.pi / 4}, "v0": {"theta_dot": 2.0}, "p": {"m": 3.0},
    }  # fmt: skip
    lists = {"switches", "events", "signals", "sensors"}
    assert set(settings) == set(SimulationEntry.model_fields) - lists - {"step", "control"}
    del settings["contact"], settings["constraints"], settings["branch"]  # the pendulum touches nothing
    run = da.simulate(machine, **settings)
    assert run.t[0] == 0.5 and run.metadata["parameters"] == {"m": 3.0}


def test_switches_of_a_machine_file() -> None:
    text = """
name: rail
bodies: {one: {mass: 1.0}}
joints: {x: {kind: prismatic, parent: world, child: one, axis: [1, 0, 0]}}
constraints: {hold: {type: motion, joint: x, switchable: true}}
simulation:
  duration: 1.0
  switches: [{at: 1/4, off: [hold]}]
"""
    machine, settings = da.load_simulation(text)
    assert settings["switches"] == (da.Switch(at=0.25, off="hold"),)
    run = da.simulate(machine, **settings)
    assert [event.t for event in run.events] == pytest.approx([0.25])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("  step: -1", "step must be a finite number > 0 s, got -1"),
        ("  rtol: 2", "rtol must be between"),
        ("  max_steps: 0", "max_steps must be a whole number >= 1"),
        ("  method: rk5", "unknown method 'rk5' (did you mean 'rk4'?)"),
        ("  constraints: projektion", "unknown constraint method 'projektion'"),
        ("  constraints: {name: penalty, radius: 0.5}", "no setting named 'radius'"),
        ("  limits: never", "limits must be one of record, stop, ignore, contact"),
        ("  reach: 0", "reach must be a finite number > 0"),
        ("  by: hamilton", "no formulation named 'hamilton'"),
        ("  backend: fortran", "no backend named 'fortran'"),
        ("  p: {k: 1.0}", "no parameter named 'k'"),
        ("  q0: {phi: 1.0}", "no coordinate named 'phi'"),
        ("  record: t", "'record' of the simulation must not depend on time"),
        ("  switches: [{at: 1.0}]", "a Switch turns nothing on or off"),
        ("  tolerance: 1e-3", "unknown key 'tolerance'"),
    ],
)
def test_mistakes_in_a_file_have_its_line(line, words) -> None:
    with pytest.raises(da.FileFormatError) as caught:
        da.load_simulation(PENDULUM + line + "\n")
    assert str(caught.value).startswith("<text>:10: ")
    assert words in str(caught.value)


def test_an_option_that_chooses_another_method_leaves_its_tuning_behind() -> None:
    file = da.Experiment(da.load_machine(PENDULUM), duration=1.0, method=da.RK4(step=1e-2))
    assert file.replace(method="dopri5").method == da.DormandPrince()
    assert file.replace(method="heun").method == da.Heun(step=1e-2)
    assert file.replace(step=1e-3).method == da.RK4(step=1e-3)
    assert file.replace(constraints="idas").integrator.name == "idas"
    assert file.replace(constraints="baumgarte").integrator == da.RK4(step=1e-2)
    stepped = file.replace(contact="time-stepping")
    assert (stepped.integrator.name, stepped.integrator.step) == ("moreau", 1e-2)
    assert stepped.replace(contact=None).integrator == da.RK4(step=1e-2)
    with pytest.raises(InputError, match=r"step is for euler, heun, rk4, .*; method 'dopri5' has none"):
        file.replace(method=da.DormandPrince(), step=1e-3)
