"""Estimators in C for a target: alone and joined with a controller, equal to the loop of the library."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert import control

H = 0.05


def cart() -> da.Machine:
    return da.Machine(
        "cart",
        [da.point_mass("cart", da.Parameter("mass", 2.0)), da.point_mass("bob", 0.5, com=(0, 0, -1.0))],
        [da.Joint("x", "prismatic", "world", "cart", axis="x"), da.Joint("swing", "revolute", "cart", "bob", axis="y")],
        motors=[da.Motor("push", "x")],
        sensors=[
            da.Sensor("encoder", "x", period=H, noise=1e-3, feedback=False),
            da.Sensor("camera", "swing", period=2 * H, delay=H, noise=1e-2, feedback=False),
        ],
    )


def estimator(machine: da.Machine, horizon: float) -> Any:
    settings: dict[str, Any] = {
        "period": H, "estimate": ["mass"], "noise": {"x_dot": 0.05, "swing_dot": 0.05, "mass": 0.1},
        "uncertainty": dict.fromkeys((*machine.q_names, *machine.v_names), 0.1) | {"mass": 0.5},
        "limits": {"mass": (0.5, 5.0)},
    }  # fmt: skip
    return da.mhe(machine, horizon=horizon, **settings) if horizon else da.ekf(machine, **settings)


@pytest.mark.parametrize(("horizon", "plain"), [(0.0, ["-DPLAIN_HORIZON"]), (4 * H, [])])
def test_the_joined_loop_on_a_target_is_that_of_the_library(tmp_path: Path, horizon: float, plain: list[str]) -> None:
    """Estimates and inputs from recorded readings alone, in strict C without allocation, to 1e-12."""
    machine = cart()
    seen = estimator(machine, horizon)
    cost = da.Cost(states={"x": 1.0, "swing": 1.0, "x_dot": 0.1}, inputs=1e-2)
    law = da.mpc(machine, horizon=1.0, intervals=10, period=H, cost=cost, reference={"x": 0.5}, known=["mass"])
    loop = control.Cascade(law, [seen])
    run = da.simulate(machine, duration=1.0, control=loop, q0={"swing": 0.1}, p={"mass": 2.4}, step=0.01, record=H)
    folder = da.export_controller(loop, tmp_path / "target", name="cart")
    flags = "-std=c99 -O1 -fPIC -Wall -Wextra -pedantic -Werror -DPLAIN_TAPES".split() + plain
    subprocess.run(["make", "-s", "-C", folder, f"CFLAGS={' '.join(flags)}"], check=True)
    lines = subprocess.run([folder / "example"], check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(lines) == 10 and all(line.split()[1] == "0" for line in lines)
    objects = [str(path) for path in folder.glob("*.o") if path.name != "example.o"]
    library = folder / "cart.so"
    subprocess.run(["cc", "-shared", *objects, "-lm", "-o", library], check=True)
    symbols = subprocess.run(["nm", "-u", str(library)], capture_output=True, text=True, check=True).stdout
    assert "alloc" not in symbols
    native = ctypes.CDLL(str(library))
    estimates, info, u, more = np.zeros(5), np.zeros(8), np.zeros(1), np.zeros(8)
    for k in range(20):
        y = np.array([run[name][k] for name in seen.readings])
        sampled = [ctypes.c_void_p(a.ctypes.data) for a in (u, y)]
        status = getattr(native, f"cart_{seen.name}_step")(
            ctypes.c_double(run.t[k]), *sampled, None, *(ctypes.c_void_p(a.ctypes.data) for a in (estimates, more))
        )
        assert status == run[f"{seen.name}.status"][k] == 0.0
        expected = [run[f"{seen.name}.{name}"][k] for name in seen.names]
        np.testing.assert_allclose(estimates, expected, rtol=1e-12, atol=1e-12)
        x, mass = estimates[:4].copy(), estimates[4:].copy()
        native.cart_step(ctypes.c_double(run.t[k]), *(ctypes.c_void_p(a.ctypes.data) for a in (x, mass, u, info)))
        np.testing.assert_allclose(u, run["command.push"][k], rtol=1e-12, atol=1e-12)
    assert abs(estimates[4] - 2.0) > 0.01  # the mass was estimated


def test_what_cannot_be_exported_is_refused_by_name(tmp_path: Path) -> None:
    seen = estimator(cart(), 0.0)
    sampled = control.Sampled(da.PD(kp=4.0, kd=4.0, reference=[1.0, 0.0]), H)
    for law, message in (
        (sampled, "estimators of dalembert.ekf and dalembert.mhe"),
        (control.Cascade(sampled, [seen]), r"needs an inner law of dalembert\.mpc"),
    ):
        with pytest.raises(da.InputError, match=message):
            da.export_controller(law, tmp_path)  # type: ignore[arg-type]
    alone = da.export_controller(seen, tmp_path / "alone", name="seen")
    assert "readings: encoder.x, camera.swing" in (alone / "seen.h").read_text()
