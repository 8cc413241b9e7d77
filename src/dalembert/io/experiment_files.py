"""Experiments as machine files: the machine, and in the block ``simulation`` everything about its run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dalembert.control.law_blocks import law_block
from dalembert.core.errors import InputError
from dalembert.io.machine_files import load_simulation
from dalembert.io.machine_writer import data_to_yaml, machine_to_data, sensor_to_data, signal_to_data
from dalembert.loop.events import Event
from dalembert.loop.experiment import Experiment, experiment_of
from dalembert.loop.switches import Switch

__all__ = ["experiment_to_yaml", "load_experiment"]


def load_experiment(source: str | Path) -> Experiment:
    """Read an experiment from a machine file: the machine, and the settings of its block ``simulation``.

    Parameters
    ----------
    source
        Path of the file, or the YAML text itself.

    Examples
    --------
    >>> swing = load_experiment('''
    ... name: pendulum
    ... bodies:
    ...   bob: {point_mass: {mass: 1.0, com: [0, 0, -1.0]}}
    ... joints:
    ...   theta: {kind: revolute, parent: world, child: bob, axis: [0, 1, 0]}
    ... simulation:
    ...   duration: 2.0
    ...   q0: {theta: 20 deg}
    ...   events: [{name: bottom, expression: theta}]
    ... ''')
    >>> swing.duration, swing.events[0].name, load_experiment(swing.to_yaml()) == swing
    (2.0, 'bottom', True)
    """
    machine, settings = load_simulation(source)
    return experiment_of(machine, settings)  # type: ignore[arg-type]  # what the file says, by keyword


def experiment_to_yaml(experiment: Experiment, path: str | os.PathLike[str] | None = None) -> str:
    """Return the machine file of an experiment, and write it to ``path`` if one is given.

    Raises
    ------
    InputError
        If a part of it is Python code, an earlier run or a coordinate map, which no file holds; it is named.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.systems.textbook import double_pendulum
    >>> swing = da.Experiment(double_pendulum(), start=da.Start(q={"q_1": 0.3}))
    >>> print(experiment_to_yaml(swing).splitlines()[0])
    name: double-pendulum
    """
    data = machine_to_data(experiment.machine)
    block = _block(experiment)
    return data_to_yaml(data | ({"simulation": block} if block else {}), None if path is None else Path(path))


def _block(experiment: Experiment) -> dict[str, Any]:
    keywords = experiment.keywords()
    for name, what in (("start", "an earlier run"), ("on_event", "a Python function")):
        if name in keywords:
            raise InputError(f"{name} of this experiment is {what}, which machine files cannot store")
    if experiment.equations.variant[0] or experiment.equations.variant[1] is not None:
        raise InputError("the equations of this experiment have options or coordinates that machine files cannot store")
    data: dict[str, Any] = {}
    for name, value in keywords.items():
        if name in ("q0", "v0", "p"):
            data[name] = list(value) if isinstance(value, tuple) else {key: float(x) for key, x in value.items()}
        elif name == "branch":
            data[name] = dict(value) if isinstance(value, Mapping) else value
        elif name == "control":
            data[name] = _control(value)
        elif name == "events":
            data[name] = [_event(event) for event in value]
        elif name == "switches":
            data[name] = [_switch(switch) for switch in value]
        elif name == "signals":
            data[name] = {signal.name: signal_to_data(signal) for signal in value}
        elif name == "sensors":
            data[name] = {sensor.name: sensor_to_data(sensor) for sensor in value}
        else:
            data[name] = value
    if isinstance(data.get("p"), list):
        names = [parameter.name for parameter in experiment.machine.parameters]
        data["p"] = dict(zip(names, data["p"], strict=True))
    return data


def _control(control: object) -> dict[str, Any] | list[float]:
    if isinstance(control, tuple):
        return [float(x) for x in control]
    block = law_block(control)
    if not isinstance(block, dict):
        raise InputError(f"the law {block} of this experiment is Python code, which machine files cannot store")
    return block


def _event(event: Event) -> dict[str, Any]:
    if not isinstance(event.expression, str):
        raise InputError(
            f"event '{event.name}' is a Python function, which machine files cannot store; write it as a string"
        )
    data: dict[str, Any] = {"name": event.name, "expression": event.expression}
    data |= {"terminal": True} if event.terminal else {}
    return data | ({"direction": event.direction} if event.direction else {})


def _switch(switch: Switch) -> dict[str, Any]:
    data: dict[str, Any] = {"at": switch.at} if switch.event is None else {"event": switch.event}
    return data | {side: list(names) for side in ("on", "off") if (names := getattr(switch, side))}
