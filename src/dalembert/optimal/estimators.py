"""Estimators of states and parameters from the sensors of a machine: extended Kalman filter and moving horizon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.keywords import field_defaults, flat_keywords, grouped
from dalembert.core.types import Array
from dalembert.core.validation import check_names, check_number
from dalembert.core.warn import warn
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.machine import Machine
from dalembert.optimal.estimator import WHOLE, Estimator
from dalembert.optimal.estimator_settings import EstimatorKeywords, EstimatorSettings
from dalembert.optimal.model import check_rk4, prediction_model

__all__ = ["ekf", "mhe"]


def _make(
    machine: Machine | EquationsOfMotion,
    sensors: Sequence[str] | str | None,
    estimate: Sequence[str],
    noise: Mapping[str, float],
    uncertainty: Mapping[str, float],
    period: float,
    window: int,
    settings: EstimatorSettings,
) -> Estimator:
    kind = "mhe" if window else "ekf"
    owner = f"{kind} '{settings.name or kind}'"
    what = machine if isinstance(machine, Machine) else machine.machine
    free = tuple(check_names(estimate, f"estimate of {owner}"))
    names = [sensor.name for sensor in what.sensors] if sensors is None else check_names(sensors, f"sensors of {owner}")
    if not names:
        raise InputError(f"{owner}: machine '{what.name}' declares no sensors")
    unbounded = {m.name: (-m.effort, m.effort) for m in what.limited_motors}
    unbounded |= {x.name: (0.0 if x.one_sided else -x.effort, x.effort) for x in what.thrusters}
    model = prediction_model(machine, free, unbounded, owner, attitudes=True)
    unknown = [p.name for p in what.parameters if p.name not in (*free, *settings.known)]
    if unknown:
        warn(
            f"{owner} takes the nominal values of {', '.join(unknown)} of machine '{what.name}': they are "
            f"neither known "
            "nor estimated; name them in known=... or estimate=..."
        )
    all_names = (*model.names, *free)
    values: list[Array] = []
    for label, given in (("noise", noise), ("uncertainty", uncertainty)):
        if not isinstance(given, Mapping):
            raise InputError(f"{label} of {owner} must map names to standard deviations, got {given!r}")
        for name, value in given.items():
            if name not in all_names:
                raise UnknownNameError(label, name, all_names, owner)
            if check_number(f"{label} of '{name}' of {owner}", value, positive=False) < 0.0:
                raise InputError(f"{label} of '{name}' of {owner} must not be negative, got {value!r}")
        values.append(np.array([float(given.get(name, 0.0)) for name in all_names]))
    missing = [name for name, value in zip(all_names, values[1], strict=True) if not value > 0.0]
    if missing:
        raise InputError(
            f"{owner} needs the uncertainty of all states and parameters; there is none for {', '.join(missing)}"
        )
    if window and not (values[0] > 0.0).any():
        raise InputError(f"{owner} needs the noise of at least one state")
    period = check_number(f"period of {owner}", period, unit="s")
    estimator = Estimator(model, tuple(names), period, values[0], values[1], window, settings)
    x, par, u = estimator.first[: model.nx], estimator.first[model.nx :], np.zeros(model.eom.nu)
    check_rk4(model, x, u, par, period / settings.steps, owner)
    assert estimator.text and estimator.tapes
    return estimator


@flat_keywords(EstimatorKeywords, defaults=field_defaults(EstimatorSettings))
def ekf(
    machine: Machine | EquationsOfMotion,
    /,
    *,
    period: float,
    noise: Mapping[str, float],
    uncertainty: Mapping[str, float],
    sensors: Sequence[str] | str | None = None,
    estimate: Sequence[str] = (),
    **keywords: Unpack[EstimatorKeywords],
) -> Estimator:
    """Return an extended Kalman filter of a machine's states and parameters.

    Use it as a stage of a `dalembert.control.Cascade`: the laws behind it then see its estimates in place of the state,
    and parameters that are ``known`` to `mpc`. Quaternions of free and spherical joints keep their unit norm and have
    no uncertainty along themselves; of readings of all four components the nearer sign counts. The loop records
    ``ekf.STATE``, ``ekf.deviation.STATE``, ``ekf.status``
    and ``ekf.surprise`` (mean squared innovation over its variance).

    Parameters
    ----------
    machine
        The model of the prediction, with its sensors.
    period
        Seconds between samples: sensors have whole multiples of it as periods and delays.
    noise
        Standard deviations of the white noise that drives states and parameters, per square root of a second.
    uncertainty
        Standard deviations of all first estimates.
    sensors
        Names of the sensors; None: all of the machine.
    estimate
        Names of the estimated parameters.
    **keywords
        Fields of `EstimatorSettings`.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert import control
    >>> cart = da.Machine(
    ...     "cart",
    ...     bodies=[da.point_mass("cart", 2.0)],
    ...     joints=[da.Joint("x", "prismatic", "world", "cart", axis="x")],
    ...     motors=[da.Motor("push", "x")],
    ...     sensors=[da.Sensor("encoder", "x", period=0.01, noise=1e-3, feedback=False)],
    ... )
    >>> seen = da.ekf(cart, period=0.01, noise={"x_dot": 0.01}, uncertainty={"x": 0.1, "x_dot": 0.1})
    >>> law = control.Sampled(da.PD(kp=4.0, kd=4.0, reference=[1.0]), 0.01)
    >>> run = da.simulate(cart, duration=8.0, control=control.Cascade(law, [seen]))
    >>> bool(abs(run["ekf.x"][-1] - run["x"][-1]) < 3e-3)
    True
    """
    return _make(machine, sensors, estimate, noise, uncertainty, period, 0, grouped(EstimatorSettings, None, keywords))


@flat_keywords(EstimatorKeywords, defaults=field_defaults(EstimatorSettings))
def mhe(
    machine: Machine | EquationsOfMotion,
    /,
    *,
    horizon: float,
    period: float,
    noise: Mapping[str, float],
    uncertainty: Mapping[str, float],
    sensors: Sequence[str] | str | None = None,
    estimate: Sequence[str] = (),
    **keywords: Unpack[EstimatorKeywords],
) -> Estimator:
    """Return a moving-horizon estimator of a machine's states and parameters.

    It finds the most probable motion of the last seconds within the limits, and knows of older readings by the arrival
    cost of a Kalman filter. It is used as `ekf` is; the loop records ``mhe.STATE``, ``mhe.status``, ``mhe.iterations``
    and ``mhe.window`` (the periods that it has seen). Quaternions keep their unit norm, as in `ekf`.

    Parameters
    ----------
    machine
        The model of the prediction, with its sensors.
    horizon
        Seconds of the window, a whole number of periods.
    period, noise, uncertainty, sensors, estimate
        As in `ekf`; at least one state has noise.
    **keywords
        Fields of `EstimatorSettings`.

    Examples
    --------
    As `ekf`, with a window of 0.1 s and a limit of the estimates:

    >>> import dalembert as da
    >>> cart = da.Machine(
    ...     "cart",
    ...     bodies=[da.point_mass("cart", 2.0)],
    ...     joints=[da.Joint("x", "prismatic", "world", "cart", axis="x")],
    ...     motors=[da.Motor("push", "x")],
    ...     sensors=[da.Sensor("encoder", "x", period=0.02, noise=1e-3, feedback=False)],
    ... )
    >>> seen = da.mhe(cart, horizon=0.1, period=0.02, noise={"x_dot": 0.01}, uncertainty={"x": 0.1, "x_dot": 0.1})
    >>> seen.period
    0.02
    """
    settings = grouped(EstimatorSettings, None, keywords)
    check_number("horizon of mhe", horizon, unit="s")
    check_number("period of mhe", period, unit="s")
    window = round(horizon / period)
    if window < 1 or abs(horizon / period - window) > WHOLE:
        raise InputError(f"horizon of mhe must be a whole number of periods of {period:g} s, got {horizon:g} s")
    return _make(machine, sensors, estimate, noise, uncertainty, period, window, settings)
