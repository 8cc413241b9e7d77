"""Rollouts of machines with colliders: members are single runs, to the bit; in the text for a GPU to rounding."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.support.gpu_on_processor import cupy_of_tests, needs_gpp

import dalembert as da
from dalembert.core.errors import InputError
from dalembert.engine.methods.contacts import contact_method
from dalembert.loop.closed_loop import close_loop
from dalembert.simulation.rollout import cuda

pytestmark = pytest.mark.filterwarnings("ignore:machine 'hinged'. restitution would have added energy")
MU = np.array([0.1, 0.4, 0.7, 0.2, 0.5])
SETTINGS: dict[str, Any] = {"duration": 0.35, "contact": "time-stepping", "step": 1e-3, "record": 0.05}


@pytest.fixture(scope="module")
def hinged() -> da.EquationsOfMotion:
    """A box with a flap and a ball, which fall on the ground and touch each other."""
    bodies = [da.box("box", 2.0, (0.3, 0.2, 0.1)), da.box("flap", 0.5, (0.2, 0.1, 0.02)), da.sphere("ball", 0.4, 0.05)]
    joints = [
        da.Joint("box", "free", "world", "box"),
        da.Joint("h", "revolute", "box", "flap", axis=(0, 1, 0), origin=da.Transform(translation=(0.26, 0, 0))),
        da.Joint("ball", "free", "world", "ball"),
    ]
    mu = da.Parameter("mu", 0.5)
    ground = da.Collider("ground", surface=da.HalfSpace(), friction=mu)
    colliders = [da.Collider("all", friction=mu, restitution=0.3, adhesion=2.0), ground]
    return da.equations(da.Machine("hinged", bodies, joints, colliders=colliders))


def starts(which: list[int] | slice = slice(None)) -> dict[str, Any]:
    k = np.arange(5.0)[which]
    q0 = {"box.z": 0.12 + 0.02 * k, "ball.z": 0.3 + 0.03 * k, "ball.x": 0.02 * k, "h": 0.1 * k - 0.2}
    return {"q0": q0, "v0": {"box.wx": k - 2.0, "box.vx": 0.5 * k, "ball.vz": -0.5 - k}, "p": {"mu": MU[which]}}


def test_members_are_single_runs_to_the_bit(hinged: da.EquationsOfMotion) -> None:
    """Whatever runs beside them or before them in their thread; only a member that diverges ends."""
    all_of_them = da.rollout(hinged, threads=1, **starts(), **SETTINGS)
    assert all_of_them["contact.count"].max() >= 5
    for i in (4, 1):
        own = {key: {name: float(v[i]) for name, v in values.items()} for key, values in starts().items()}
        np.testing.assert_array_equal(da.simulate(hinged, **own, **SETTINGS).x, all_of_them.x[i])
    order = [3, 0, 4]
    np.testing.assert_array_equal(da.rollout(hinged, threads=2, **starts(order), **SETTINGS).x, all_of_them.x[order])
    wild = starts()
    wild["v0"]["box.vx"][2] = 1e200
    ended = da.rollout(hinged, **wild, **SETTINGS)
    assert [i for i in range(5) if not ended.ok[i]] == [2]
    np.testing.assert_array_equal(ended.x[[0, 1, 3, 4]], all_of_them.x[[0, 1, 3, 4]])


@needs_gpp
def test_on_a_gpu(hinged: da.EquationsOfMotion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine of single runs as CUDA C: worlds differ, and the arrays that they share stay constant."""
    made: list[Any] = []

    class Worlds(cuda._Worlds):
        def __init__(self, cupy: Any, image: Any, n: int) -> None:
            super().__init__(cupy, image, n)
            made.append((self, image, n))

    monkeypatch.setattr(cuda, "_Worlds", Worlds)
    gpu = cupy_of_tests(tmp_path)
    monkeypatch.setattr(cuda, "import_cupy", lambda: gpu)
    measure = {"deepest": da.Measure("contact.deepest", "min"), "x": da.Measure("ball.x")}
    settings = {**SETTINGS, "measure": measure}
    there, here = (da.rollout(hinged, device=device, **starts(), **settings) for device in ("cuda", "cpu"))
    assert there.metadata["backend"] == "cuda"
    assert gpu.stack > 48_000  # the functions that a thread calls need more than the default
    np.testing.assert_array_equal(there.status, here.status)
    np.testing.assert_array_equal(there["contact.count"], here["contact.count"])
    np.testing.assert_allclose(there["ball.x"], here["ball.x"], atol=1e-7)  # sweeps stop at 1e-8
    for name, values in here.measures.items():
        np.testing.assert_allclose(there.measures[name], values, atol=1e-7)
    order = [3, 0]
    some = da.rollout(hinged, device="cuda", **starts(order), **settings)
    np.testing.assert_array_equal(some.x, there.x[order])
    monkeypatch.setattr(gpu, "empty", _full(gpu.empty))
    monkeypatch.setattr(gpu.cuda, "memory", SimpleNamespace(OutOfMemoryError=MemoryError), raising=False)
    with pytest.raises(InputError, match=r"2 members with colliders need .* GB of GPU memory"):
        da.rollout(hinged, device="cuda", **starts(order), **settings)
    for worlds, image, n in made:
        np.testing.assert_array_equal(worlds._shared.get(), image.shared)
        assert worlds.words.shape == (n, len(image.words))
        assert len(image.shared) > 100 and len(image.inner) > 20 and len(image.outer) > 20


def _full(empty: Any) -> Any:
    """Memory that has no room for worlds."""

    def allocate(shape: tuple[int, ...], dtype: Any) -> Any:
        if dtype is np.int64:
            raise MemoryError("out of memory")
        return empty(shape, dtype=dtype)

    return allocate


def test_what_a_gpu_refuses(hinged: da.EquationsOfMotion) -> None:
    with pytest.raises(InputError, match="machine 'hinged' has colliders, which need double precision, got 'float'"):
        da.rollout(hinged, device="cuda", precision="float", **starts(), **SETTINGS)
    problem = close_loop(hinged, None, limits="ignore", contact=contact_method("time-stepping")).problem
    assert problem.stepping is not None
    many = replace(problem, stepping=replace(problem.stepping, pairs=()))
    with pytest.raises(InputError, match="machine 'hinged' has colliders beside 0 declared contacts"):
        cuda.rollout_source(many, "moreau")
