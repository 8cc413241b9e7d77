"""Campaign files: a campaign as a YAML text.

::

    machine: crane.yaml                 # a machine file beside this one, or the name of a ready-made machine
    vary:
      load: {uniform: [100, 400]}       # parameters of the machine,
      q0.swing: {normal: [0, 0.05]}     # initial coordinates and velocities
      length: {choice: [3, 4, 5]}       # or any distribution of scipy.stats: {lognorm: {s: 0.1, scale: 4}}
    n: 10000
    seed: 1
    sampling: sobol                     # random, latin, sobol, grid, saltelli, morris
    measure:
      peak: {of: swing, by: max abs}    # by: final, max, min, max abs, mean, integral, rms, first, last
      miss: {of: hypot(x - 5, y - 1), by: final, since: 2.0}
    success: peak < 0.1 and miss < 0.01
    simulation: {duration: 20, step: 0.005}    # over what the machine file says
    runner: local                       # local, dask, cuda
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from dalembert.campaigns.expressions import SignalExpression
from dalembert.core.errors import FileFormatError, InputError
from dalembert.core.files import read_bytes
from dalembert.io.experiment_files import load_experiment
from dalembert.io.schema_errors import describe
from dalembert.io.source import located, locating
from dalembert.io.yaml_nodes import parse_yaml
from dalembert.loop.experiment import Experiment
from dalembert.loop.signals import Measure
from dalembert.systems import SYSTEMS

__all__ = ["CampaignFile", "load_campaign"]


class _MeasureEntry(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    of: str
    by: str = "final"
    since: float | int | None = None
    until: float | int | None = None


class _File(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    machine: str
    vary: dict[str, dict[str, Any]]
    measure: dict[str, _MeasureEntry]
    n: int | None = None
    seed: int = 0
    sampling: str = "random"
    success: str | None = None
    simulation: dict[str, Any] = {}
    runner: str = "local"
    chunk: int | None = None
    keep: int = 0


@dataclass(frozen=True, eq=False)
class CampaignFile:
    """A campaign that a file describes.

    Parameters
    ----------
    experiment
        Settings for all members.
    options
        Further arguments of `dalembert.campaign`.
    success
        Condition of success, or None.
    texts
        Names and contents of the files that it consists of, to keep them with the results.
    """

    experiment: Experiment
    options: dict[str, Any]
    success: str | None
    texts: dict[str, str]


def load_campaign(path: str | Path) -> CampaignFile:
    """Read a campaign file.

    Raises
    ------
    FileFormatError
        With file, line, the value and the expected values.
    """
    path = Path(path)
    text = read_bytes(path, "campaign", 2**20)
    document = parse_yaml(text, str(path))
    if not isinstance(document.data, dict):
        raise located(document.label, 1, f"must be a mapping with the keys {', '.join(_File.model_fields)}")
    try:
        file = _File.model_validate(document.data)
    except ValidationError as error:
        raise describe(error, _File, document) from None
    texts = {"campaign.yaml": text.decode("utf-8")}
    if file.machine in SYSTEMS:
        experiment = SYSTEMS[file.machine].experiment()
    else:
        beside = path.parent / file.machine
        with locating(document.label, document.line(("machine",))):
            if not beside.exists():
                raise InputError(
                    f"machine: {file.machine!r} is neither a file next to this one nor a ready-made machine"
                )
        experiment = load_experiment(beside)
        texts[Path(file.machine).name] = beside.read_text(encoding="utf-8")
    measure = {}
    for name, entry in file.measure.items():
        with locating(document.label, document.line(("measure", name)), owner=f"measure '{name}'"):
            window = {k: float(v) for k in ("since", "until") if (v := getattr(entry, k)) is not None}
            measure[name] = Measure(SignalExpression(entry.of), entry.by, **window)
    with locating(document.label, document.line(("simulation",))):
        experiment = experiment.replace(**file.simulation)
    if experiment.duration is None:
        raise FileFormatError(f"{path}: neither this file nor the machine file gives a duration")
    options = {
        "vary": file.vary, "n": file.n, "seed": file.seed, "sampling": file.sampling, "measure": measure,
        "runner": file.runner, "chunk": file.chunk, "keep": file.keep,
    }  # fmt: skip
    return CampaignFile(experiment, options, file.success, texts)
