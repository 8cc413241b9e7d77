"""A run knows its signals by name, audits its energy, and survives files."""

from __future__ import annotations

import copy
import csv
import dataclasses
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

from dalembert.core.errors import FileFormatError, InputError, UnknownNameError
from dalembert.core.version import __version__
from dalembert.io.runs import run_to_dataset
from dalembert.simulation import EndState, EnergyAudit, Run, integrate
from dalembert.view.plots import group_signals
from support.problems import ball, make_problem, oscillator, pendulum, sampled_integrator


@pytest.fixture(scope="module")
def swing() -> Run:
    return integrate(pendulum(), [1.0, 0.0], [9.81], duration=2.0, method="dopri5")


class Square:
    """A controller that switches its sign."""

    period = 0.3
    name = "square wave"

    def __call__(self, t: float, x: np.ndarray) -> list[float]:
        return [1.0 if round(t / self.period) % 2 == 0 else -1.0]


@pytest.fixture(scope="module")
def held() -> Run:
    return integrate(sampled_integrator(), [0.0], duration=1.0, step=0.1, controller=Square())


# --- names ------------------------------------------------------------------------------------------------------------


def test_signals_by_name(swing: Run, held: Run) -> None:
    assert swing.names == ("theta", "theta_dot", "energy.kinetic", "energy.potential")
    assert np.array_equal(swing["theta"], swing.x[:, 0])
    assert swing["energy.kinetic"] == pytest.approx(swing["theta_dot"] ** 2 / 2, rel=1e-15)
    assert swing["energy.potential"] == pytest.approx(-9.81 * np.cos(swing["theta"]), rel=1e-14)
    assert np.array_equal(swing["t"], swing.t)
    assert swing.array(["theta_dot", "theta"]).shape == (len(swing.t), 2)
    assert np.array_equal(swing.array(["theta_dot", "theta"])[:, 1], swing["theta"])
    assert swing.array([]).shape == (len(swing.t), 0)
    assert "theta" in swing
    assert "phi" not in swing
    assert held.names == ("x", "rate")
    # t = 0.3, 0.6, 0.9 show the value that was set there.
    assert held["rate"].tolist() == [1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, -1.0, -1.0]


def test_unknown_name_lists_what_exists(swing: Run) -> None:
    with pytest.raises(UnknownNameError) as caught:
        swing["theta_dott"]
    assert "did you mean 'theta_dot'?" in str(caught.value)
    assert "known: energy.kinetic, energy.potential, theta, theta_dot" in str(caught.value)
    with pytest.raises(UnknownNameError):
        swing.array(["theta", "phi"])


def test_run_cannot_be_changed(swing: Run) -> None:
    with pytest.raises(ValueError, match="read-only"):
        swing["theta"][0] = 3.0
    with pytest.raises(TypeError):
        swing.metadata["method"] = "magic"  # type: ignore[index]


def test_metadata_and_summary(swing: Run, held: Run) -> None:
    meta = swing.metadata
    assert meta["method"] == "dopri5"
    assert meta["machine"] == "pendulum"
    assert meta["version"] == __version__
    assert (meta["rtol"], meta["atol"]) == (1e-8, 1e-10)
    assert meta["steps"] == len(swing.t) - 1
    # Seven stages, of which the last is the first of the next step; two more evaluations choose the first step.
    # What the events cost comes on top.
    assert meta["function_calls"] >= 6 * (meta["steps"] + meta["rejected"]) + 3
    assert meta["wall_time"] > 0.0
    assert held.metadata["step"] == 0.1
    assert held.metadata["controller"] == "square wave"
    assert held.metadata["controller_period"] == 0.3
    text = repr(swing)
    for words in ("Run of 'pendulum': completed", "0 to 2 s", "dopri5", "theta_dot", "drift", "bottom at 0.53"):
        assert words in text
    assert len(text.splitlines()) < 12


# --- energy -----------------------------------------------------------------------------------------------------------


def test_energy_audit_of_a_driven_damped_oscillator() -> None:
    # x'' = -x - d v + cos t; power of the input is v cos t, of the loss -d v^2.
    d = 0.3
    problem = make_problem(
        ("x", "v", "work.input", "work.loss"),
        lambda t, x, c, p: (x[1], -x[0] - d * x[1] + ca.cos(t), x[1] * ca.cos(t), -d * x[1] ** 2),
        signals=lambda t, x, c, p: {"energy.kinetic": x[1] ** 2 / 2, "energy.potential": x[0] ** 2 / 2},
    )
    run = integrate(problem, [1.0, 0.5, 0.0, 0.0], duration=20.0, method="dopri5", rtol=1e-10, atol=1e-12)
    energy = run.energy
    assert energy.drift < 1e-8
    assert energy.drift == np.max(np.abs(energy.audit))
    assert energy.work_loss[-1] < -1.0 < 1.0 < energy.work_input[-1]
    assert energy.total == pytest.approx(energy.total[0] + energy.work_input + energy.work_loss, abs=1e-7)
    # A continued run counts its works from its own start.
    later = integrate(problem, run.final, duration=5.0, method="dopri5", rtol=1e-10, atol=1e-12)
    assert later["work.input"][0] == run["work.input"][-1]
    assert later.energy.work_input[0] == 0.0
    assert later.energy.drift < 1e-8


def test_energy_audit_sees_what_is_wrong() -> None:
    kinetic, potential, zero = np.array([0.0, 2.0, 1.0]), np.array([10.0, 8.0, 9.5]), np.zeros(3)
    t = np.array([0.0, 1.0, 2.0])
    audit = EnergyAudit.of(t, kinetic, potential, zero, zero)
    assert audit.peak == 4.0
    assert audit.residual.tolist() == [0.0, 0.0, 0.5]
    assert audit.drift == 0.125
    assert EnergyAudit.of(t, zero, potential * 0 + 3, zero, zero).drift == 0.0


def test_energy_audit_of_a_machine_that_stands_still() -> None:
    """Where nothing moves, a residual of rounding is no drift; work that went nowhere is one."""
    t, zero, height = np.array([0.0, 1.0, 2.0]), np.zeros(3), np.full(3, 3.0)
    trembling = EnergyAudit.of(t, zero + 1e-30, height, zero, np.array([0.0, 0.0, 2e-14]))
    assert abs(trembling.residual[-1]) > trembling.rounding and 0.0 < trembling.drift < 1e-8
    assert EnergyAudit.of(t, zero + 1e-30, height, np.array([0.0, 0.0, 1e-3]), zero).drift > 1.0


def test_energy_audit_books_transitions_apart() -> None:
    """Two rows at one instant: half a joule is lost there, of which 0.2 J are booked as a loss."""
    t, potential, zero = np.array([0.0, 1.0, 1.0, 2.0]), np.zeros(4), np.zeros(4)
    kinetic, loss = np.array([2.0, 2.0, 1.5, 1.6]), np.array([0.0, 0.0, -0.2, -0.2])
    audit = EnergyAudit.of(t, kinetic, potential, zero, loss)
    assert audit.transition == pytest.approx([0.0, 0.0, -0.3, -0.3])
    assert audit.residual == pytest.approx([0.0, 0.0, 0.0, 0.1])  # what happens while time passes is not excused


def test_runs_can_be_pickled_and_copied(held: Run) -> None:
    for again in (pickle.loads(pickle.dumps(held)), copy.deepcopy(held)):
        assert np.array_equal(again.x, held.x) and again.names == held.names and again.metadata == held.metadata
        with pytest.raises(ValueError, match="read-only"):
            again.x[0, 0] = 1.0


def test_energy_needs_its_signals(held: Run) -> None:
    with pytest.raises(UnknownNameError, match=r"energy\.kinetic"):
        _ = held.energy


# --- files ------------------------------------------------------------------------------------------------------------


def assert_same(a: Run, b: Run) -> None:
    for field in dataclasses.fields(Run):
        mine, its = getattr(a, field.name), getattr(b, field.name)
        if field.name == "events":
            assert [(e.name, e.t, e.direction) for e in mine] == [(e.name, e.t, e.direction) for e in its]
            assert all(np.array_equal(e.x, f.x) for e, f in zip(mine, its, strict=True))
        elif field.name == "final":
            for part in dataclasses.fields(EndState):
                assert np.array_equal(getattr(mine, part.name), getattr(its, part.name)), part.name
        elif isinstance(mine, np.ndarray):
            assert mine.shape == its.shape
            assert mine.dtype == its.dtype
            assert np.array_equal(mine, its), field.name
        else:
            assert mine == its, field.name


def awkward() -> Run:
    """Names that a file format might stumble over, a state at the limits of its numbers, a run that failed."""
    problem = make_problem(
        ("arm/joint 1", "event_t", "state", "Größe [m]"),
        lambda t, x, c, p: (x[0], 0, 0, 0),
        signals=lambda t, x, c, p: {"arm|joint 1": 2 * x[0], "held": x[2], "final_x": x[3]},
        name='quote " and ü',
    )
    run = integrate(problem, [1e307, 5e-324, -0.0, 0.1 + 0.2], duration=20.0, step=0.01)
    assert run.status == "diverged"
    return run


@pytest.mark.parametrize("case", ["events", "held", "bounces", "awkward", "interrupted"])
def test_save_and_load_is_the_identity(case: str, swing: Run, held: Run, tmp_path: Path) -> None:
    bounce = integrate(ball(), [1.0, 0.0], duration=2.0, on_event=lambda t, x, names: [0.0, -x[1]], record=0.05)
    interrupted = dataclasses.replace(held, status="interrupted", message="stopped by the user at t = 0.4 s")
    runs = {"events": swing, "held": held, "bounces": bounce, "interrupted": interrupted}
    run = runs[case] if case in runs else awkward()
    path = run.save(tmp_path / "run.nc")
    loaded = Run.load(path)
    assert_same(run, loaded)
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]
    if case == "held":
        more = [
            integrate(sampled_integrator(), r.final, duration=0.5, step=0.1, controller=Square()) for r in (run, loaded)
        ]
        assert np.array_equal(more[0].x, more[1].x)


def test_saving_replaces_only_when_complete(swing: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = swing.save(tmp_path / "run.nc")
    before = path.read_bytes()
    import xarray

    def fail(*_: Any, **__: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(xarray.Dataset, "to_netcdf", fail)
    with pytest.raises(OSError, match="disk full"):
        swing.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


def test_files_that_are_not_runs(tmp_path: Path, swing: Run) -> None:
    import xarray

    with pytest.raises(FileFormatError, match=r"nothing\.nc: no such file"):
        Run.load(tmp_path / "nothing.nc")
    (tmp_path / "text.nc").write_text("t,x\n0,1\n")
    with pytest.raises(FileFormatError, match=r"text\.nc: cannot be read as a run"):
        Run.load(tmp_path / "text.nc")
    xarray.Dataset({"x": ("t", [1.0])}).to_netcdf(tmp_path / "other.nc", engine="h5netcdf")
    with pytest.raises(FileFormatError, match=r"other\.nc: not a run: its format is None"):
        Run.load(tmp_path / "other.nc")
    run_to_dataset(swing).drop_vars("final_x").to_netcdf(tmp_path / "part.nc", engine="h5netcdf")
    with pytest.raises(FileFormatError, match=r"part\.nc: cannot be read as a run"):
        Run.load(tmp_path / "part.nc")


def test_xarray(swing: Run) -> None:
    dataset = swing.to_xarray()
    assert np.array_equal(dataset["theta"].values, swing["theta"])
    assert dataset["theta"].dims == ("t",)
    assert dataset["theta"].attrs["role"] == "state"
    assert dataset["energy.kinetic"].attrs["role"] == "signal"
    assert float(dataset["theta"].sel(t=swing.t[7])) == swing["theta"][7]
    assert dataset.attrs["status"] == "completed"


def test_tables_have_a_row_per_time(swing: Run, held: Run) -> None:
    for run in (swing, held):
        for table in (run.to_pandas(), run.to_xarray().to_dataframe()):
            assert len(table) == len(run.t)
            assert np.array_equal(table.index, run.t)
            assert np.array_equal(table[run.names[0]], run[run.names[0]])
        assert tuple(run.to_pandas().columns) == run.names


def test_tables_without_pandas(swing: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="pandas, which is not installed"):
        swing.to_pandas()


def test_csv_restores_every_digit(held: Run, swing: Run, tmp_path: Path) -> None:
    for run in (held, swing):
        path = run.to_csv(tmp_path / "run.csv")
        with open(path, newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        assert header == ["t", *run.names]
        table = np.array(rows, dtype=float)
        assert np.array_equal(table[:, 0], run.t)
        assert np.array_equal(table[:, 1:], run.array(run.names))


@pytest.mark.parametrize("name", ["run.nc", "run.csv"])
def test_a_run_that_cannot_be_written_is_rescued(
    swing: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    write = swing.save if name == "run.nc" else swing.to_csv
    with pytest.raises(InputError, match=rf"no such folder: .*missing; the run was rescued to .*{name}") as refusal:
        write(tmp_path / "missing" / name)
    rescued = Path(str(refusal.value).rpartition(" ")[2])
    assert rescued.read_bytes() == write(tmp_path / name).read_bytes()


# --- plots ------------------------------------------------------------------------------------------------------------


def test_plot_draws_every_signal_and_the_audit(swing: Run, tmp_path: Path) -> None:
    figure = swing.plot(path=tmp_path / "run.png")
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")
    panels = {panel.get_title("left"): panel for panel in figure.axes if panel.get_visible()}
    balance = f"energy balance: drift {swing.energy.drift:.1e} of the peak"
    assert set(panels) == {"coordinates", "velocities", "energies since the start", balance}
    drawn = panels["velocities"].lines[0]
    assert np.array_equal(drawn.get_ydata(), swing["theta_dot"])
    assert np.array_equal(drawn.get_xdata(), swing.t)
    audit = panels[balance].lines[0]
    assert np.array_equal(audit.get_ydata(), swing.energy.audit)
    energies = {line.get_label(): line.get_ydata() for line in panels["energies since the start"].lines}
    assert all(values[0] == 0.0 for values in energies.values())
    assert panels["energies since the start"].get_ylabel() == "[J]"


def test_plot_of_chosen_signals(swing: Run, held: Run) -> None:
    figure = swing.plot(["energy.kinetic", "theta"])
    assert [panel.get_title("left") for panel in figure.axes] == ["energy", "coordinates"]
    assert len(held.plot("rate").axes) == 1
    assert np.array_equal(swing.plot("theta*").axes[1].lines[0].get_ydata(), swing["theta_dot"])
    assert len(swing.plot("theta", "theta_dot").axes) == 2
    with pytest.raises(InputError, match=r"no signal matches 'psi\*'"):
        swing.plot("psi*")
    with pytest.raises(UnknownNameError, match="'phi'"):
        swing.plot(["theta", "phi"])
    with pytest.raises(InputError, match="must not be empty"):
        swing.plot([])
    for path, message in {
        "no such folder/run.png": "no such folder",
        "run.doc": r"must end in .*\.pdf.*\.png",
        "run": r"must end in",
        ".": "it is a folder",
    }.items():
        with pytest.raises(InputError, match=message):
            swing.plot(path=path)


def test_names_are_drawn_as_they_are(tmp_path: Path) -> None:
    """A dollar sign is no formula, and an underscore in front hides nothing."""
    names = ["_hidden", r"$\frac$", "θ_1"]
    run = integrate(make_problem(names, lambda t, x, c, p: [x[k] for k in range(3)]), np.ones(3), duration=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = run.plot(path=tmp_path / "run.png")
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == names


def test_panels_do_not_overflow() -> None:
    names = [f"q{k}" for k in range(20)]
    run = integrate(make_problem(names, lambda t, x, c, p: [x[k] for k in range(20)]), np.ones(20), duration=0.1)
    panels = group_signals(run)
    assert [panel.title for panel in panels] == [f"coordinates ({k} of 3)" for k in (1, 2, 3)]
    assert [name for panel in panels for name in panel.names] == names
    assert [len(panel.names) for panel in panels] == [7, 7, 6]


def test_run_refuses_an_unknown_status(swing: Run) -> None:
    with pytest.raises(InputError, match="status of a run must be one of completed"):
        dataclasses.replace(swing, status="fine")


def test_oscillator_energy_peak() -> None:
    exact = oscillator()
    run = integrate(exact.problem, exact.x0, duration=exact.duration, step=1e-3)
    assert run.energy.peak == pytest.approx(1.0, rel=1e-6)  # T = |V - V(0)| = 1/2 at the middle
