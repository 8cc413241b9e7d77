"""Data with labels go by their labels, in whatever order they stand; where nothing has a name they are refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import dalembert as da
from dalembert.core.errors import DalembertError, InputError
from dalembert.core.labels import as_numbers, by_name

NAMES = ("x", "swing")
CART = da.Machine(
    "cart",
    bodies=[
        da.Body("cart", mass=da.Parameter("M", 2.0)),
        da.Body("bob", mass=da.Parameter("m", 1.0), com=(0, 0, -0.5)),
    ],
    joints=[
        da.Joint("x", "prismatic", "world", "cart", axis="x"),
        da.Joint("swing", "revolute", "cart", "bob", axis="y"),
    ],
    motors=[da.Motor("push", "x"), da.Motor("turn", "swing")],
)
EOM = da.equations(CART, backend="vm")
RUN = {"duration": 0.02, "step": 5e-3}


def labelled(values: dict[str, Any]) -> dict[str, Any]:
    """The same numbers by name, backwards, as everything that has labels."""
    back = dict(reversed(values.items()))
    dtype = [(name, float, np.shape(value)) for name, value in back.items()]
    structured = np.array([tuple(back.values())], dtype=dtype)[0]
    return {
        "series": pd.Series(back),
        "xarray": xr.DataArray(list(back.values()), dims="name", coords={"name": list(back)}),
        "dataset": xr.Dataset({name: ((), value) for name, value in back.items()}),
        "structured": structured,
    }


def tables(columns: dict[str, Any]) -> dict[str, Any]:
    """The same for members: a column by name."""
    back = dict(reversed(columns.items()))
    rows = list(zip(*back.values(), strict=True))
    return {
        "frame": pd.DataFrame(back),
        "xarray": xr.DataArray(list(back.values()), dims=("name", "member"), coords={"name": list(back)}),
        "transposed": xr.DataArray(rows, dims=("member", "name"), coords={"name": list(back)}),
        "dataset": xr.Dataset({name: ("member", column) for name, column in back.items()}),
        "structured": np.array(rows, dtype=[(name, float) for name in back]),
    }


Q, V, P, U = (
    {"x": 0.1, "swing": 0.4},
    {"x_dot": 0.3, "swing_dot": -0.2},
    {"M": 3.0, "m": 0.5},
    {"push": 1.0, "turn": 2.0},
)


@pytest.mark.parametrize("kind", labelled(Q))
def test_starts_parameters_inputs_and_laws(kind: str) -> None:
    """simulate takes them as it takes mappings: q0, v0, p, constant inputs, gains and references."""
    expected = da.simulate(EOM, q0=Q, v0=V, p=P, control=list(U.values()), **RUN)
    got = {name: labelled(values)[kind] for name, values in {"q0": Q, "v0": V, "p": P, "control": U}.items()}
    run = da.simulate(EOM, **got, **RUN)
    assert np.array_equal(run.x, expected.x) and run.experiment == expected.experiment
    start = da.Start(q=labelled(Q)[kind], v=labelled(V)[kind])
    assert start == da.Start(q=Q, v=V)
    gains, aim = {"push": 3.0, "turn": 7.0}, {"push": 0.2, "turn": -0.1}
    law = da.PD(kp=labelled(gains)[kind], kd=1.0, reference=labelled(aim)[kind])
    same = da.PD(kp=(3.0, 7.0), kd=1.0, reference=(0.2, -0.1))
    assert np.array_equal(da.simulate(EOM, control=law, **RUN).x, da.simulate(EOM, control=same, **RUN).x)
    p, q = labelled(P)[kind], [0.1, 0.4]
    assert np.array_equal(EOM.mass_matrix(q, p=p), EOM.mass_matrix(q, p=P))
    np.testing.assert_array_equal(
        da.linearize(EOM, at=labelled(Q)[kind], u=[0.0, 0.0], require_equilibrium=False).A,
        da.linearize(EOM, at=Q, u=[0.0, 0.0], require_equilibrium=False).A,
    )
    seen = da.SampledController(lambda t, q, v: labelled(U)[kind], 5e-3)
    assert np.array_equal(da.simulate(EOM, control=seen, **RUN).array(["u.push", "u.turn"])[0], [1.0, 2.0])


@pytest.mark.parametrize("kind", tables({"x": [0.0]}))
def test_batches_and_steppers(kind: str) -> None:
    q0 = {"x": [0.1, 0.2, 0.3], "swing": [0.4, 0.5, 0.6]}
    p = {"M": [2.0, 3.0, 4.0], "m": [1.0, 0.5, 0.25]}
    expected = da.rollout(EOM, q0=q0, p=p, control=[0.0, 0.0], **RUN)
    got = da.rollout(EOM, q0=tables(q0)[kind], p=tables(p)[kind], control=[0.0, 0.0], **RUN)
    assert np.array_equal(got.x, expected.x)
    vary = {"q0.x": q0["x"], "m": p["m"]}
    same = da.rollout(EOM, vary=vary, control=[0.0, 0.0], **RUN)
    assert np.array_equal(da.rollout(EOM, vary=tables(vary)[kind], control=[0.0, 0.0], **RUN).x, same.x)
    stepper = da.stepper(EOM, period=5e-3, members=3, q0=tables(q0)[kind])
    u = {"push": [1.0, 2.0, 3.0], "turn": [0.1, 0.2, 0.3]}
    first = stepper.step(tables(u)[kind])
    stepper.reset(q0=tables(q0)[kind])
    assert np.array_equal(first, stepper.step(np.array(list(u.values())).T))
    with pytest.raises(DalembertError, match="turn"):
        stepper.step(tables({"push": [1.0, 2.0, 3.0], "trun": [0.1, 0.2, 0.3]})[kind])
    with pytest.raises(InputError, match="'turn' is missing"):
        stepper.step(tables({"push": [1.0, 2.0, 3.0]})[kind])


def test_measured_data() -> None:
    """identify finds columns and time by name, in tables, Datasets and structured arrays alike."""
    run = da.simulate(EOM, q0=Q, p={"m": 0.8}, control=[0.0, 0.0], duration=0.2, step=5e-3, record=1e-2)
    data = {"swing": run["swing"], "t": run.t, "x": run["x"], "note": np.full(len(run.t), 7.0)}
    frame = pd.DataFrame(data)
    structured = np.array(list(zip(*data.values(), strict=True)), dtype=[(name, float) for name in data])
    records = [data, frame, frame.set_index("t"), structured, run.to_xarray(), frame.iloc[10:].reset_index(drop=True)]
    for record in records[:5]:
        found = da.identify(EOM, record, unknown=["m"], measured=["x", "swing"], q0=Q, control=[0.0, 0.0], step=5e-3)
        assert found.values["m"] == pytest.approx(0.8, rel=1e-4)
    with pytest.raises(InputError, match="needs the time"):
        da.identify(EOM, frame.drop(columns="t"), unknown=["m"], measured=["x", "swing"], q0=Q, control=[0.0, 0.0])
    with pytest.raises(InputError, match="'x' more than once"):
        twice = pd.concat([frame, frame[["x"]]], axis=1)
        da.identify(EOM, twice, unknown=["m"], measured=["x"], q0=Q, control=[0.0, 0.0])


WRONG: dict[str, Any] = {
    "masked": np.ma.array([0.1, 0.4], mask=[False, True]),
    "masked, nothing masked": np.ma.array([0.1, 0.4]),
    "complex": np.array([0.1 + 0j, 0.4]),
    "complex list": [0.1, 0.4 + 1e-30j],
    "dates": np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
    "time spans": np.array([1, 2], dtype="timedelta64[s]"),
    "series of other labels": pd.Series({"x": 0.1, "sving": 0.4}),
    "series of numbers out of order": pd.Series([0.1, 0.4], index=[1, 0]),
    "series of dates": pd.Series([0.1, 0.4], index=pd.date_range("2020-01-01", periods=2)),
    "series twice": pd.Series([0.1, 0.4], index=["x", "x"]),
    "series of text": pd.Series({"x": "0.1", "swing": "0.4"}),
    "series of complex": pd.Series({"x": 0.1 + 1j, "swing": 0.4}),
    "frame without names": pd.DataFrame([[0.1, 0.4]]),
    "frame of some rows": pd.DataFrame({"x": [0.1, 0.2], "swing": [0.4, 0.3]}).iloc[1:],
    "several levels": pd.DataFrame([[0.1, 0.4]], columns=pd.MultiIndex.from_tuples([("x", 1), ("swing", 1)])),
    "xarray without names": xr.DataArray([0.1, 0.4], dims="name"),
    "xarray of numbers": xr.DataArray([0.1, 0.4], dims="name", coords={"name": [1, 0]}),
    "index": pd.Index([0.1, 0.4]),
    "list of series": [pd.Series({"swing": 0.4, "x": 0.1})],
    "unit": type("Quantity", (), {"magnitude": 1.0, "__array__": lambda self, *a, **k: np.array([0.1, 0.4])})(),
}
VERBS: dict[str, Callable[[Any], Any]] = {
    "simulate q0": lambda q: da.simulate(EOM, q0=q, control=[0.0, 0.0], **RUN),
    "simulate v0": lambda v: da.simulate(EOM, v0=v, control=[0.0, 0.0], **RUN),
    "simulate p": lambda p: da.simulate(EOM, p=p, control=[0.0, 0.0], **RUN),
    "simulate control": lambda u: da.simulate(EOM, control=u, **RUN),
    "rollout q0": lambda q: da.rollout(EOM, q0=q, control=[0.0, 0.0], **RUN),
    "stepper": lambda q: da.stepper(EOM, period=5e-3, q0=q),
    "step": lambda u: da.stepper(EOM, period=5e-3).step(u),
    "gains": lambda k: da.simulate(EOM, control=da.PD(kp=k, kd=1.0, reference=(0.0, 0.0)), **RUN),
    "reference": lambda r: da.simulate(EOM, control=da.PD(kp=1.0, kd=1.0, reference=r), **RUN),
    "mass_matrix": lambda q: EOM.mass_matrix(q),
    "forward_dynamics": lambda tau: EOM.forward_dynamics([0.0, 0.0], [0.0, 0.0], tau),
    "linearize": lambda q: da.linearize(EOM, at=q, u=[0.0, 0.0], require_equilibrium=False),
}


@pytest.mark.parametrize("verb", VERBS)
def test_what_has_no_plain_numbers_is_refused(verb: str) -> None:
    for name, wrong in WRONG.items():
        if name == "index" and verb == "mass_matrix":
            continue
        with pytest.raises(DalembertError):
            VERBS[verb](wrong)
            pytest.fail(f"{verb} takes {name}")


@pytest.mark.parametrize("kind", labelled(Q))
def test_where_nothing_has_a_name_labels_are_refused(kind: str) -> None:
    """Arguments of kernels and fields of machines are numbers in order: labels there would be taken by position."""
    swapped = labelled(Q)[kind]
    with pytest.raises(InputError, match="label"):
        EOM.mass_matrix(swapped)
    with pytest.raises(InputError, match="label"):
        EOM.forward_dynamics([0.0, 0.0], [0.0, 0.0], swapped)
    with pytest.raises(DalembertError):
        da.Body("b", mass=1.0, com=labelled({"x": 1.0, "y": 2.0, "z": 3.0})[kind])
    with pytest.raises(DalembertError):
        da.Machine("m", bodies=[da.Body("b", mass=1.0)], gravity=np.ma.array([0.0, 0.0, -9.81]))


def test_series_that_only_count_are_arrays() -> None:
    assert np.array_equal(as_numbers(pd.Series([1.0, 2.0])), [1.0, 2.0])
    column = pd.DataFrame({"x": [0.1, 0.2]})["x"]
    assert np.array_equal(da.rollout(EOM, q0={"x": column}, control=[0.0, 0.0], **RUN)["x"][:, 0], [0.1, 0.2])
    assert by_name([1.0], "q") == [1.0] and by_name(None, "q") is None


def test_no_package_is_loaded_for_labels() -> None:
    script = (
        "import sys; from dalembert.core.labels import as_numbers, by_name; as_numbers([1.0]); by_name((1.0,), 'q');"
        "print([name for name in ('pandas', 'xarray') if name in sys.modules])"
    )
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"


def test_plans_pictures_and_mu_refuse_labels() -> None:
    """Times, distances, frequencies and matrices are numbers in order, too."""
    from dalembert.control.mu import mu
    from dalembert.control.uncertain.blocks import DeltaBlock
    from dalembert.plan import box_distance
    from dalembert.view.robust import plot_singular_values
    from dalembert.view.scene_builder import build_scene

    sizes, times = pd.Series({"z": 1.0, "y": 1.0, "x": 1.0}), pd.Series({"late": 1.0, "soon": 0.5})
    blocks, names = [DeltaBlock("a", 1), DeltaBlock("b", 1)], ["b", "a"]
    calls: list[Callable[[], Any]] = [
        lambda: mu(pd.DataFrame(np.diag([2.0, 0.5]), index=names, columns=names), blocks),
        lambda: mu(np.ma.masked_array(np.eye(2), mask=[[True, False], [False, False]]), blocks),
        lambda: mu([["2", "0"], ["0", "1"]], blocks),
        lambda: box_distance(np.eye(4), np.eye(4), sizes, (1.0, 1.0, 1.0)),
        lambda: build_scene(CART).bake(np.zeros((2, 2)), times),
        lambda: plot_singular_values(da.linearize(CART), omega=times),
    ]
    for call in calls:
        with pytest.raises(DalembertError):
            call()
    plain = mu([[2.0j, 0.0], [0.0, 0.5]], [DeltaBlock("a", 1, "complex"), blocks[1]])
    assert plain.upper == pytest.approx(2.0, rel=1e-3)
