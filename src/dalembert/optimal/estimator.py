"""An estimator in a loop: its tapes, its memory, its C, and replays of recorded runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array
from dalembert.core.validation import check_number
from dalembert.engine.horizon.sources import horizon_text, table
from dalembert.model.signals import signal_groups
from dalembert.optimal.estimator_settings import EstimatorSettings
from dalembert.optimal.limits import bounds_of
from dalembert.optimal.model import PredictionModel, padded, rk4_tape
from dalembert.optimal.quantities import STATE, quantity
from dalembert.optimal.stage import StageCode, StageView, columns, run_stage

__all__ = ["WHOLE", "Estimator"]

WHOLE = 1e-6
"""How far a number of periods may be from a whole one."""


@dataclass(frozen=True, eq=False)
class Estimator:
    """An estimator (made by `ekf` or `mhe`): a stage of a `dalembert.control.Cascade` whose laws see its estimates.

    Parameters
    ----------
    model
        How the machine is predicted, with the estimated parameters as inputs.
    sensors
        Names of the sensors that it reads.
    period
        Seconds between samples.
    noise, uncertainty
        Standard deviations of the noise that drives each state [per square root of a second], and of the start.
    window
        Periods of the moving horizon; 0: a Kalman filter.
    settings
        Further settings.
    """

    model: PredictionModel
    sensors: tuple[str, ...]
    period: float
    noise: Array
    uncertainty: Array
    window: int
    settings: EstimatorSettings
    commands: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """Its name."""
        return self.settings.name or ("mhe" if self.window else "ekf")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the estimated states and parameters."""
        return (*self.model.names, *self.model.free)

    @property
    def feedback(self) -> Mapping[str, str]:
        """States and parameters whose place its estimates take for laws."""
        own = {name: f"{self.name}.{name}" for name in self.model.names}
        return own | {f"parameter.{name}": f"{self.name}.{name}" for name in self.model.free}

    @cached_property
    def first(self) -> Array:
        """First estimates."""
        machine, eom = self.model.eom.machine, self.model.eom
        nominal = dict(zip(eom.p_names, eom.parameter_values(None).tolist(), strict=True))
        rest = dict(zip(self.model.names, [*machine.q_neutral, *np.zeros(machine.nv)], strict=True))
        known = rest | {name: nominal[name] for name in self.model.free}
        for name, value in self.settings.start.items():
            if name not in known:
                raise UnknownNameError("start", name, known, f"estimator '{self.name}'")
            known[name] = check_number(f"start of '{name}' of estimator '{self.name}'", value, positive=False)
        return np.array([known[name] for name in self.names])

    @property
    def shown(self) -> Mapping[str, float]:
        """Names of its recorded values and their first values."""
        shown = {f"{self.name}.{name}": float(x) for name, x in zip(self.names, self.first, strict=True)}
        if self.window:
            return shown | {f"{self.name}.{x}": 0.0 for x in ("status", "iterations", "window")}
        shown |= {f"{self.name}.deviation.{n}": float(d) for n, d in zip(self.names, self.uncertainty, strict=True)}
        return shown | {f"{self.name}.status": 0.0, f"{self.name}.surprise": 0.0}

    @property
    def memory(self) -> Array:
        """First values of its memory."""
        nx, ni = len(self.names), self.model.eom.nu
        if self.window:
            return np.zeros(1 + nx + nx**2 + (self.window + 1) * (nx + ni + 2 * self._n_readings))
        return np.zeros(1 + nx + nx**2 + (self._lag + 1) * (ni + 2 * self._n_readings))

    @cached_property
    def _sensors(self) -> list[tuple[Any, tuple[str, ...]]]:
        """Sensors of the model's machine, and the quantities that each measures."""
        machine = self.model.eom.machine
        by_name = {sensor.name: sensor for sensor in machine.sensors}
        groups = signal_groups(machine, machine.signals)
        found = []
        for name in self.sensors:
            if name not in by_name:
                raise UnknownNameError("sensor", name, by_name, f"machine '{machine.name}'")
            found.append((by_name[name], tuple(c for of in by_name[name].of for c in groups[of])))
        return found

    @property
    def _seen_attitudes(self) -> list[tuple[int, int]]:
        """Where readings of all four components of an attitude begin, and where the attitude begins in the state."""
        eom = self.model.eom
        seen = [name for _, names in self._sensors for name in names]
        places = {eom.q_names[i : i + 4]: i for _, i in eom.layout.quaternions}
        return [(m, places[four]) for m in range(len(seen)) if (four := tuple(seen[m : m + 4])) in places]

    @property
    def readings(self) -> tuple[str, ...]:
        """Names of its readings, ``SENSOR.QUANTITY``."""
        return tuple(f"{sensor.name}.{name}" for sensor, names in self._sensors for name in names)

    @property
    def _n_readings(self) -> int:
        return len(self.readings)

    @property
    def _lag(self) -> int:
        return max(self._whole(sensor.delay, f"delay of sensor '{sensor.name}'") for sensor, _ in self._sensors)

    def _whole(self, seconds: float, what: str) -> int:
        periods = seconds / self.period
        if abs(periods - round(periods)) > WHOLE:
            raise InputError(
                f"{what} must be a whole number of periods of estimator '{self.name}' ({self.period:g} s), got "
                f"{seconds:g} s"
            )
        return round(periods)

    @cached_property
    def tapes(self) -> Mapping[str, ca.Function]:
        """Steps and readings with their derivatives."""
        model, nx = self.model, len(self.names)
        x, u, par, t = model.symbols
        z, none, d = ca.SX.sym("z", nx), ca.SX.sym("none", 0), ca.SX.sym("d", model.eom.nu)
        rate = ca.vertcat(model.rate(z[: model.nx], d, z[model.nx :], t), ca.SX.zeros(nx - model.nx))
        step = rk4_tape(ca.Function("rate", [z, none, d, t], [rate]), self.period, self.settings.steps)
        owner = f"estimator '{self.name}'"
        measured = [name for _, names in self._sensors for name in names]
        # a motor may have the name of the coordinate that a sensor measures
        texts = [f"{STATE}{name}" if name in model.names else name for name in measured]
        seen = [model.at(quantity(model.eom, text, owner).expression) for text in texts]
        h = ca.substitute(ca.vertcat(*seen), ca.vertcat(x, par), z)
        if ca.depends_on(h, u):
            raise InputError(f"{owner}: sensors that measure inputs are not supported")
        H = ca.jacobian(h, z)
        H = ca.horzcat(H, ca.SX(H.shape[0], padded(nx) - nx))
        return {
            "STEP_TAPE": ca.Function("step", [z, d, t], step.call([z, none, d, t])),
            "SEE_TAPE": ca.Function("see", [z, t], [ca.densify(h), H]),
        }

    def stationary_deviation(self, state: Mapping[str, float], inputs: Mapping[str, float]) -> dict[str, float]:
        """Return the standard deviations of the estimates that readings at a fixed state lead to.

        They solve the filter's algebraic Riccati equation at this state (Anderson and Moore, Optimal Filtering, 1979,
        section 4.4), with the noise of the estimator. A reading that comes every n periods has n times its variance.

        Parameters
        ----------
        state, inputs
            States, parameters and inputs by name; others have their first estimates, and are zero.
        """
        from scipy.linalg import LinAlgError, solve_discrete_are

        owner = f"stationary_deviation of estimator '{self.name}'"
        for kind, given, known in (("state", state, self.names), ("input", inputs, self.model.eom.u_names)):
            for name in given:
                if name not in known:
                    raise UnknownNameError(kind, name, known, owner)
        x = np.array([float(state.get(name, value)) for name, value in zip(self.names, self.first, strict=True)])
        u = np.array([float(inputs.get(name, 0.0)) for name in self.model.eom.u_names])
        nx = len(self.names)
        A = np.array(self.tapes["STEP_TAPE"](x, u, 0.0)[1], dtype=float)[:, :nx]
        H = np.array(self.tapes["SEE_TAPE"](x, 0.0)[1], dtype=float)[:, :nx]
        every = [max(1.0, s.period / self.period) for s, names in self._sensors for _ in names]
        R = np.diag(self.deviations**2 * np.array(every))
        try:
            P = solve_discrete_are(A.T, H.T, np.diag(self.noise**2 * self.period), R)
        except (LinAlgError, ValueError) as error:
            raise InputError(
                f"{owner}: there is no stationary covariance at this state ({error}); a state is not observed, or "
                "has no noise"
            ) from None
        P = P - P @ H.T @ np.linalg.solve(H @ P @ H.T + R, H @ P)
        return {name: float(np.sqrt(max(0.0, P[k, k]))) for k, name in enumerate(self.names)}

    @cached_property
    def deviations(self) -> Array:
        """Standard deviations of all readings."""
        values: list[float] = []
        for sensor, names in self._sensors:
            given = self.settings.deviation.get(sensor.name)
            noise = np.broadcast_to(
                np.asarray(sensor.per_value("noise", len(names)) if given is None else given), len(names)
            )
            quantum = np.asarray(sensor.per_value("quantum", len(names)))
            both = np.sqrt(noise.astype(float) ** 2 + quantum**2 / 12.0)
            if not (both > 0.0).all():
                raise InputError(
                    f"sensor '{sensor.name}' has no noise to weigh its readings by: give its standard deviation in "
                    f"deviation={{'{sensor.name}': ...}} of estimator '{self.name}'"
                )
            values += both.tolist()
        return np.array(values)

    @property
    def text(self) -> str:
        """C text of the estimator."""
        nx, bounds = len(self.names), bounds_of(self.settings.limits)
        low, high = np.full(nx, -np.inf), np.full(nx, np.inf)
        for bound in bounds:
            if bound.quantity not in self.names:
                raise UnknownNameError("limit", bound.quantity, self.names, f"estimator '{self.name}'")
            if bound.soft:
                raise InputError(
                    f"limit '{bound.quantity}' of estimator '{self.name}' must be hard: give (lower, upper)"
                )
            low[self.names.index(bound.quantity)], high[self.names.index(bound.quantity)] = bound.lower, bound.upper
        every = [self._whole(s.period, f"period of sensor '{s.name}'") for s, names in self._sensors for _ in names]
        if min(every) < 1:
            raise InputError(
                f"estimator '{self.name}' must sample as often as its sensors: period {self.period:g} s is longer"
            )
        delays = [self._whole(s.delay, f"delay of sensor '{s.name}'") for s, names in self._sensors for _ in names]
        variance = self.noise**2 * self.period
        noisy = [k for k, v in enumerate(variance) if v > 0.0]
        boxes = [k for k in range(nx) if np.isfinite(low[k]) or np.isfinite(high[k])]
        macros: dict[str, object] = {"NX": nx, "NM": self._n_readings, "PERIOD": repr(self.period)}
        tables = [
            table("reading_variance", self.deviations**2), table("noise_variance", variance),
            table("start_state", self.first), table("start_variance", self.uncertainty**2),
            table("lower", low), table("upper", high), table("delay", np.array(delays, dtype=float)),
            table("every", np.array(every, dtype=float)),
        ]  # fmt: skip
        attitudes, seen = [i for _, i in self.model.eom.layout.quaternions], self._seen_attitudes
        macros |= {"N_ATTITUDES": len(attitudes), "N_SEEN": len(seen)}
        tables += [
            table("attitude_at", attitudes, "int"), table("seen_at", [m for m, _ in seen], "int"),
            table("seen_attitude", [i for _, i in seen], "int"),
        ]  # fmt: skip
        if not self.window:
            macros |= {"NU": self.model.eom.nu, "LAG": self._lag, "ONLY_FILTER": 1}
            return horizon_text(("filter.h", "ekf.c"), macros, tables)
        if self._lag > self.window:
            raise InputError(f"the window of estimator '{self.name}' is shorter than the delay of its sensors")
        macros |= {
            "NU": len(noisy), "NI": self.model.eom.nu, "NN": self.window, "NB": len(boxes), "NG": 0, "DENSE_COST": 1,
            "SOFT_ROWS": 0, "FREE_START": 1, "ROUNDS": self.settings.rounds,
            "MOST_ITERATIONS": self.settings.iterations,
        }  # fmt: skip
        tables += [table("noisy", noisy, "int"), table("box_entry", boxes, "int")]
        return horizon_text(("quadratic.h", "filter.h", "mhe.c"), macros, tables)

    def check_start(self, values: Mapping[str, float]) -> None:
        """Accept any start."""

    def compose(self, view: StageView) -> StageCode:
        """Return its code in a loop."""
        owner, eom = f"estimator '{self.name}'", self.model.eom
        if tuple(view.inputs) != tuple(eom.u_names):
            raise InputError(f"{owner} was made for the inputs {', '.join(eom.u_names)}, got {', '.join(view.inputs)}")
        readings, valid = [], []
        for sensor, names in self._sensors:
            there, measured = view.sensor(sensor.name, owner)
            if (there.period, there.delay, measured) != (sensor.period, sensor.delay, names):
                raise InputError(f"{owner}: sensor '{sensor.name}' of the loop differs from that of the model")
            readings += [view.reading(f"{sensor.name}.{name}") for name in names]
            there = self.settings.valid.get(sensor.name)
            valid += [ca.SX(1.0) if there is None else view.quantity(there, owner)] * len(names)
        for name in self.settings.valid:
            if name not in self.sensors:
                raise UnknownNameError("sensor", name, self.sensors, f"valid of {owner}")
        commands = [view.command(name) for name in eom.u_names]
        return StageCode(ca.vertcat(*commands, *readings, *valid), self.tapes, self.text)

    def replay(
        self,
        readings: Mapping[str, ArrayLike],
        inputs: Mapping[str, ArrayLike],
        valid: Mapping[str, ArrayLike] | None = None,
        *,
        t0: float = 0.0,
    ) -> dict[str, Array]:
        """Return the estimates from recorded readings and inputs, by the code that runs in a loop.

        Parameters
        ----------
        readings
            ``{"SENSOR.QUANTITY": values}``, one value per period: as the sensor gave them, delays included.
        inputs
            Values of all inputs by name; the value of an instant is held until the next one.
        valid
            ``{"SENSOR": values}``: readings count where they are above one half; others always count.
        t0
            Time of the first readings.

        Returns
        -------
        dict[str, Array]
            The recorded values of a run: ``mhe.STATE``, ``mhe.status`` and so on, without the name of the estimator.

        Examples
        --------
        >>> import dalembert as da
        >>> cart = da.Machine(
        ...     "cart",
        ...     bodies=[da.point_mass("cart", 2.0)],
        ...     joints=[da.Joint("x", "prismatic", "world", "cart", axis="x")],
        ...     motors=[da.Motor("push", "x")],
        ...     sensors=[da.Sensor("encoder", "x", period=0.1, noise=1e-3, feedback=False)],
        ... )
        >>> seen = da.ekf(cart, period=0.1, noise={"x_dot": 0.01}, uncertainty={"x": 0.1, "x_dot": 1.0})
        >>> estimates = seen.replay({"encoder.x": [0.00, 0.05, 0.10, 0.15]}, {"push": [0.0, 0.0, 0.0, 0.0]})
        >>> bool(abs(estimates["x_dot"][-1] - 0.5) < 0.01)
        True
        """
        owner, eom = f"replay of estimator '{self.name}'", self.model.eom
        y = columns(readings, list(self.readings), None, f"readings of {owner}")
        u = columns(inputs, list(eom.u_names), len(y), f"inputs of {owner}")
        given = dict(valid or {})
        ones = {name: np.ones(len(y)) for name in self.sensors if name not in given}
        by_sensor = columns(given | ones, list(self.sensors), len(y), f"valid of {owner}")
        each = np.repeat(np.arange(len(self.sensors)), [len(seen) for _, seen in self._sensors])
        before = np.vstack([np.zeros(eom.nu), u[:-1]])  # the inputs of the period that ends
        reads = np.hstack([before, y, by_sensor[:, each]])
        values = run_stage(self.name, self.tapes, self.text, len(self.shown), self.memory, reads, self.period, t0)
        return {name.removeprefix(f"{self.name}."): values[:, k] for k, name in enumerate(self.shown)}
