"""Quantities and sensors of a loop: expressions by name, held values, and the updates that set them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import casadi as ca
import numpy as np

from dalembert.control.cascade import Known
from dalembert.core.errors import DalembertError, InputError, UnknownNameError
from dalembert.core.types import Array, Expression, ExpressionLike
from dalembert.engine.sampling import Update
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.named import derived_quantity, text_expression
from dalembert.model.signals import Sensor, Signal, check_meaning, check_signals, signal_groups
from dalembert.spatial.rotations import quaternion_exp, quaternion_of, quaternion_product

__all__ = ["Quantities", "Slots", "measured_names", "sensor_readings", "sensor_updates", "update_function"]

_WHOLE = 1e-9  # part of a period that a delay may miss a whole number of periods by


class Slots:
    """The held values of a loop: their names, symbols and initial values; unrecorded ones come last."""

    def __init__(self) -> None:
        self._shown: dict[str, tuple[Any, float]] = {}
        self._hidden: dict[str, tuple[Any, float]] = {}

    def add(
        self, name: str, initial: float = 0.0, *, symbol: Expression | None = None, shown: bool = True
    ) -> Expression:
        """Add a value; return its symbol."""
        if name in self._shown or name in self._hidden:
            raise InputError(f"two held values of the loop are named {name!r}; rename one")
        value = ca.SX.sym(name) if symbol is None else symbol
        (self._shown if shown else self._hidden)[name] = (value, initial)
        return value

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all."""
        return (*self._shown, *self._hidden)

    @property
    def unrecorded(self) -> int:
        """How many of them are not recorded."""
        return len(self._hidden)

    @property
    def symbols(self) -> Expression:
        """Symbols of all."""
        return ca.vertcat(ca.SX(0, 1), *[symbol for symbol, _ in (self._shown | self._hidden).values()])

    @property
    def initial(self) -> Array:
        """Initial values of all."""
        return np.array([value for _, value in (self._shown | self._hidden).values()])

    @property
    def by_name(self) -> dict[str, Any]:
        """Symbols of the recorded ones, by name."""
        return {name: symbol for name, (symbol, _) in self._shown.items()}

    def rows(self, names: Iterable[str]) -> tuple[int, ...]:
        """Where values are."""
        order = {name: k for k, name in enumerate(self.names)}
        return tuple(order[name] for name in names)


class Quantities:
    """Quantities by name: as they are, and as laws see them.

    Parameters
    ----------
    eom
        The equations.
    signals, sensors
        Those of the machine, and more.
    slots
        Held values.
    estimates
        Coordinates, velocities and ``parameter.NAME`` in whose place laws see held values, and the names of these.
    """

    def __init__(
        self,
        eom: EquationsOfMotion,
        signals: Sequence[Signal],
        sensors: Sequence[Sensor],
        slots: Slots,
        estimates: Mapping[str, str] | None = None,
    ) -> None:
        self.eom, self.slots = eom, slots
        machine, s = eom.machine, eom.symbolic
        check_signals(machine, signals, sensors, slots.names)
        q, v = s.to_machine
        self.true: dict[str, Any] = {"t": s.t}
        for names, values in ((machine.q_names, q), (machine.v_names, v), (eom.p_names, s.p)):
            self.true |= dict(zip(names, ca.vertsplit(ca.densify(values)) if names else [], strict=True))
        self.true |= slots.by_name
        self.recorded: list[tuple[str, Any]] = []
        for signal in signals:
            components = list(zip(signal.components, self._components(signal), strict=True))
            self.recorded += components
            self.true |= dict(components)
        self.seen = dict(self.true)
        used = [sensor for sensor in sensors if sensor.feedback]
        measured = {name: f"{sensor.name}.{name}" for sensor in used for name in measured_names(eom, signals, sensor)}
        measured |= estimates or {}
        for name, reading in measured.items():
            self.seen[name] = slots.by_name[reading]
        self.q, self.v = self._state(measured)

    def _state(self, measured: Mapping[str, str]) -> tuple[Any, Any]:
        """Coordinates and velocities of the equations as laws see them."""
        s, machine = self.eom.symbolic, self.eom.machine
        replaced = [name for name in measured if name in (*machine.q_names, *machine.v_names)]
        if not replaced:
            return s.q, s.v
        if not self.eom.formulation.machine_coordinates:
            raise InputError(
                f"measurements of {', '.join(replaced)} cannot replace the state of machine '{machine.name}'"
                ": these equations have their own coordinates; give feedback=False and read them by name"
            )
        q, v = (ca.vertcat(*[self.seen[name] for name in names]) for names in (machine.q_names, machine.v_names))
        return q, v

    def _components(self, signal: Signal) -> list[Any]:
        s, owner = self.eom.symbolic, f"signal '{signal.name}'"
        if signal.frame is not None:
            X = s.pose(signal.frame)
            twist = s.jacobian(signal.frame, "world") @ s.v
            return ca.vertsplit(ca.densify(ca.vertcat(X[:3, 3], quaternion_of(X[:3, :3]), twist)))
        if isinstance(signal.expression, str):
            return [self.text(signal.expression, owner)]
        try:
            function: Any = signal.expression
            value = ca.SX(function(Known(self.eom, s.t, s.q, s.v, s.p)))
        except DalembertError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
            raise InputError(f"{owner} fails on CasADi symbols: {reason}") from error
        if value.shape != (1, 1):
            raise InputError(f"{owner} must be one expression, got {value.shape[0]} x {value.shape[1]}")
        return [self.bind(value, owner, seen=False)]

    def text(self, expression: str, owner: str, *, seen: bool = False) -> Expression:
        """Return the expression that a text of quantities stands for.

        Parameters
        ----------
        expression
            The text.
        owner
            Whose it is, in messages.
        seen
            Whether it sees measurements in place of true values.
        """

        def value(name: str) -> Expression:
            check_meaning(self.eom.machine, name, owner)
            quantity = self._lookup(name, seen=seen)
            if quantity is None:
                raise UnknownNameError("quantity", name, sorted(self.true), owner)
            return quantity

        return text_expression(expression, owner, value)

    def _lookup(self, name: str, *, seen: bool = False) -> Expression | None:
        """The meaning of a name, or None."""
        table = self.seen if seen else self.true
        if name in table:
            return table[name]
        quantity, s = derived_quantity(self.eom, name), self.eom.symbolic
        if quantity is None or not seen or self.q is s.q:
            return quantity
        return ca.substitute(quantity, ca.vertcat(s.q, s.v), ca.vertcat(self.q, self.v))

    def bind(
        self, expression: Expression, owner: str, *, seen: bool = True, symbols: Sequence[Expression] = ()
    ) -> Expression:
        """Put quantities where an expression holds symbols of their names.

        Parameters
        ----------
        expression
            The expression.
        owner
            Whose it is, in messages.
        seen
            Whether it sees measurements in place of true values.
        symbols
            Symbols that it may hold.
        """
        s, table = self.eom.symbolic, self.seen if seen else self.true
        known = [s.t, s.q, s.v, s.p, s.u, *symbols, self.slots.symbols]
        free = ca.Function("bind", _once(known), [expression], {"allow_free": True}).free_sx()
        if not free:
            return expression
        values = [self._lookup(str(x), seen=seen) for x in free]
        unknown = [str(x) for x, value in zip(free, values, strict=True) if value is None]
        if unknown:
            where = f"{owner} or its reference" if owner.startswith("the law") else owner
            raise InputError(
                f"{where} contains unknown symbols: {', '.join(unknown)}; known are t, q, v, z, p, and by "
                f"name {', '.join(sorted(table))}"
            )
        return ca.substitute(expression, ca.vertcat(*free), ca.vertcat(*(x for x in values if x is not None)))


def _once(symbols: Sequence[Expression]) -> list[Expression]:
    """Symbols without repetition: inputs of a function must differ."""
    kept: dict[int, Any] = {}
    for vector in symbols:
        for x in ca.symvar(ca.SX(vector)):
            kept.setdefault(x.element_hash(), x)
    return [ca.vertcat(*kept.values())]


def measured_names(eom: EquationsOfMotion, signals: Sequence[Signal], sensor: Sensor) -> tuple[str, ...]:
    """Names of all scalars that a sensor measures."""
    groups = signal_groups(eom.machine, signals)
    return tuple(component for name in sensor.of for component in groups[name])


def sensor_readings(eom: EquationsOfMotion, signals: Sequence[Signal], sensors: Sequence[Sensor], slots: Slots) -> None:
    """Add the held values of sensors: their readings, and the memory of their delays."""
    check_signals(eom.machine, signals, sensors, [*slots.names, *_held_names(signals)])
    for sensor in sensors:
        names = measured_names(eom, signals, sensor)
        for name in names:
            slots.add(f"{sensor.name}.{name}", 1.0 if name.endswith(".qw") else 0.0)
        whole, rest = _delay(sensor)
        stages = whole + (rest > 0.0)
        if stages:
            slots.add(f"{sensor.name}~started", shown=False)
        for k in range(stages):
            for name in names:
                slots.add(f"{sensor.name}.{name}~{k}", shown=False)


def _held_names(signals: Sequence[Signal]) -> list[str]:
    """Names in the texts of signals; unknown ones are found once all held values are known."""
    return [name for signal in signals for name in signal.names]


def _delay(sensor: Sensor) -> tuple[int, float]:
    """Whole periods of a delay, and the rest."""
    whole = math.floor(sensor.delay / sensor.period + _WHOLE)
    rest = sensor.delay - whole * sensor.period
    return whole, rest if rest > _WHOLE * sensor.period else 0.0


def sensor_updates(
    known: Quantities, signals: Sequence[Signal], sensor: Sensor, arguments: Sequence[Any]
) -> list[Update]:
    """Return the updates of a sensor: sampling, and the end of its delay where that falls between samples.

    Parameters
    ----------
    known
        Quantities by name.
    signals
        Quantities of the loop.
    sensor
        The sensor.
    arguments
        Symbols (t, x, c, p).
    """
    eom, slots = known.eom, known.slots
    names = measured_names(eom, signals, sensor)
    quaternions = [k for k, name in enumerate(names) if names[k : k + 4] == _quaternion(name)]
    inside = {k + i for k in quaternions for i in range(4)}
    n = len(names) - len(quaternions)
    noise, bias, quantum = (sensor.per_value(x, n) for x in ("noise", "bias", "quantum"))
    w = ca.SX.sym("w", n if any(noise) else 0)
    values: list[Any] = []
    k = row = 0
    while k < len(names):
        if k in quaternions:
            if any(quantum[row : row + 3]) and isinstance(sensor.quantum, tuple):
                raise InputError(f"sensor '{sensor.name}' cannot round an attitude: its quantum there must be 0")
            turn = ca.vertcat(*[_error(bias[row + i], noise[row + i], w, row + i) for i in range(3)])
            Q = ca.vertcat(*[known.true[name] for name in names[k : k + 4]])
            exact = not any((*noise[row : row + 3], *bias[row : row + 3]))
            values += ca.vertsplit(ca.SX(Q if exact else quaternion_product(Q, quaternion_exp(turn))))
            k, row = k + 4, row + 3
            continue
        x = known.true[names[k]] + _error(bias[row], noise[row], w, row)
        if quantum[row] and k not in inside:
            x = ca.floor(x / quantum[row] + 0.5) * quantum[row]
        values.append(ca.SX(x))
        k, row = k + 1, row + 1
    readings = [f"{sensor.name}.{name}" for name in names]
    whole, rest = _delay(sensor)
    stages = whole + (rest > 0.0)
    now = ca.vertcat(*values)

    def update(outputs: Sequence[str], expression: Expression, *, random: Expression, offset: float = 0.0) -> Update:
        function = update_function(arguments, random, expression)
        return Update(sensor.name, sensor.period, slots.rows(outputs), function, random.numel(), offset)

    if not stages:
        return [update(readings, now, random=w)]
    lines = [[f"{r}~{k}" for r in readings] for k in range(stages)]
    symbols = dict(zip(slots.names, ca.vertsplit(slots.symbols), strict=True))
    line = [ca.vertcat(*[symbols[name] for name in names_k]) for names_k in lines]
    started = symbols[f"{sensor.name}~started"]
    old = [ca.if_else(started > 0, x, now) for x in line]
    shifted = ca.vertcat(now, *old[:-1], 1)
    memory = [*(name for names_k in lines for name in names_k), f"{sensor.name}~started"]
    held = ca.vertcat(*[symbols[r] for r in readings])
    out = old[-1] if not rest else ca.if_else(started > 0, held, now)
    updates = [update([*readings, *memory], ca.vertcat(out, shifted), random=w)]
    if rest:
        updates.append(update(readings, line[-1], random=ca.SX.sym("w", 0), offset=rest))
    return updates


def update_function(arguments: Sequence[Any], w: Expression, expression: ExpressionLike) -> ca.Function:
    """Return the function of an update of held values."""
    inputs = ["t", "x", "c", "p", "w"]
    return ca.Function("update", [*arguments, w], [ca.cse(ca.densify(ca.SX(expression)))], inputs, ["out"])


def _quaternion(name: str) -> tuple[str, ...]:
    owner = name.removesuffix(".qw")
    return tuple(f"{owner}.{x}" for x in ("qw", "qx", "qy", "qz"))


def _error(bias: float, noise: float, w: Expression, row: int) -> Expression | float:
    return bias + (noise * w[row] if noise else 0.0)
