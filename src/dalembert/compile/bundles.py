"""Bundles of a tape: equal operations on different values that one instruction on short vectors can do.

Machines repeat themselves beside each other as well as one behind the other: two arms, four legs, eight cables. Their
operations come at different places of the tape and with different numbers, but they are the same. A bundle is a
group of values, one for each repetition, that are computed by the same operation from bundles, from values that all
share, or from constants.

Values are coloured by the operations that lead to them, up to some depth, whatever the constants and the elements of
the inputs (``compile/colours.py``). A colour that exactly two (four, eight) values have is a seed; from a bundle one
descends to its operands, which are bundles in turn where they match, and ascends to values that are made of bundles
only. The result shows which inputs are twins, such as the angles of the left and of the right knee; with these told
from others, the search starts again. Bundles that do not pay for moving numbers into vectors and out of them are
dissolved in the end. (Superword-level parallelism after S. Larsen and S. Amarasinghe, 2000, except for the seeds, which
are taken from all of the tape instead of from neighbouring places in memory.)
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass

import numpy as np

from dalembert.compile.colours import bits, colours, common, cones, input_values
from dalembert.compile.tape import COMMUTATIVE, Tape

__all__ = ["Bundle", "Statements", "find_bundles", "is_angle"]

Bundle = tuple[int, ...]
"""Values on a tape that are computed together, in the order of the lanes; a single one is a scalar."""

_OPERATIONS = frozenset(("ADD", "SUB", "MUL", "DIV", "NEG", "SQ", "TWICE", "INV"))
"""Operations that bundles may have, beside sines and cosines of inputs."""
_WIDTHS = (8, 4, 2)
"""Numbers of lanes."""
_DEPTHS = (24, 16, 12, 8, 6)
"""Levels of operations that the colours of seeds know of, one after the other."""
_LEAST, _MOST = 100, 20_000
"""Operations from which on, and up to which, the search for bundles runs: more would take longer than compiling."""
_COVERED = 0.15
"""Share of the values that seeds must hold."""
_WORTHWHILE = 0.9
"""Share of the statements that bundles must leave at most."""
_ROUNDS = 10
"""How often bundles that do not pay are dissolved."""


@dataclass(frozen=True, slots=True)
class Statements:
    """Computed values of a tape in an order of evaluation.

    Parameters
    ----------
    tape
        The tape.
    order
        All values that are computed, those that go together as bundles.
    swapped
        Values in bundles whose operands have changed places.
    """

    tape: Tape
    order: tuple[Bundle, ...]
    swapped: frozenset[int] = frozenset()

    def operands(self, bundle: Bundle) -> list[Bundle]:
        """The one or two operands of a bundle."""
        return _operands(self.tape, bundle, self.swapped)


def find_bundles(tape: Tape) -> Statements:
    """Find what can be computed together; where nothing is worth it, the statements are the tape's, in its order."""
    computed = [i for i, op in enumerate(tape.operations) if op not in ("CONST", "INPUT")]
    alone = Statements(tape, tuple((i,) for i in computed))
    if not _LEAST <= len(computed) <= _MOST:
        return alone
    search = _Search(tape, {})
    covered = {width: width * len(search.seeds(width, _DEPTHS[0])) for width in _WIDTHS}
    if sum(covered.values()) < _COVERED * len(computed):
        return alone
    widths = [width for width in _WIDTHS if width <= max(covered, key=lambda w: covered[w])]
    search.grow(widths)
    twins = search.twins()
    if twins:
        search = _Search(tape, twins)
        search.grow(widths)
    search.order()
    search.prune()
    if search.cost() > _WORTHWHILE * len(computed):
        return alone
    return Statements(tape, tuple(search.order()), frozenset(search.swapped))


def is_angle(tape: Tape, i: int) -> bool:
    """Whether a value is the sine or cosine of an input."""
    return tape.operations[i] in ("SIN", "COS") and tape.operations[tape.left[i]] == "INPUT"


def _operands(tape: Tape, bundle: Bundle, swapped: Set[int]) -> list[Bundle]:
    left, right = tape.left, tape.right
    if right[bundle[0]] < 0:
        return [tuple([left[i] for i in bundle])]
    if swapped.isdisjoint(bundle):
        return [tuple([left[i] for i in bundle]), tuple([right[i] for i in bundle])]
    pairs = [(right[i], left[i]) if i in swapped else (left[i], right[i]) for i in bundle]
    return list(zip(*pairs, strict=True))


class _Search:
    """Bundles as they are found.

    Parameters
    ----------
    tape
        The tape.
    twins
        Inputs that change places when repetitions do: for each, the first of them. Without any, all inputs are alike.
    """

    def __init__(self, tape: Tape, twins: Mapping[int, int]) -> None:
        self.tape = tape
        self.colours = colours(tape, twins, _DEPTHS[0])
        self.shades = self.colours.T.tolist()
        self.cones = cones(tape)
        self.home: dict[int, Bundle] = {}
        self.swapped: set[int] = set()
        groups: dict[int, list[int]] = {}
        for place, i in enumerate(input_values(tape)):
            if i in twins:
                groups.setdefault(twins[i], []).append(place)
        self.orbits = {place: tuple(group) for group in groups.values() for place in group}
        values = input_values(tape)
        self.input_bundles = {values[k]: tuple(values[j] for j in orbit) for k, orbit in self.orbits.items()}

    def grow(self, widths: list[int]) -> None:
        """Make bundles of so many lanes: from seeds, the first values of the tape first."""
        for width in widths:
            for depth in _DEPTHS:
                for seed in self.seeds(width, depth):
                    self._descend(seed)
                self._ascend(width)

    def seeds(self, width: int, depth: int) -> list[Bundle]:
        """Free values whose colour exactly `width` of them have."""
        free = np.array([i for i in range(len(self.tape)) if i not in self.home and self._usable(i)], dtype=np.int64)
        colour = self.colours[depth][free]
        order = np.argsort(colour, kind="stable")
        starts = np.flatnonzero(np.diff(colour[order], prepend=colour[order[:1]] - 1))
        lengths = np.diff(np.append(starts, len(order)))
        return sorted(tuple(free[order[k : k + width]].tolist()) for k in starts[lengths == width])

    def _usable(self, i: int) -> bool:
        return self.tape.operations[i] in _OPERATIONS or is_angle(self.tape, i)

    def _descend(self, seed: Bundle) -> None:
        """Make a bundle of a seed, and of its operands as far down as they match."""
        pending = [self._in_lanes(seed)]
        while pending:
            bundle = pending.pop()
            if self._matches(bundle):
                self._make(bundle)
                pending += _operands(self.tape, bundle, self.swapped)

    def _in_lanes(self, seed: Bundle) -> Bundle:
        """Sort the values of a seed: by the lanes of their operands, or by the inputs that they depend on."""

        def lanes(i: int) -> tuple[list[int], int]:
            operands = [o for o in (self.tape.left[i], self.tape.right[i]) if o in self.home]
            return [self.home[o].index(o) for o in operands], self.cones[i]

        return tuple(sorted(seed, key=lanes))

    def _matches(self, lanes: Bundle) -> bool:
        """Whether values can be a bundle."""
        ops = self.tape.operations
        alike = len(set(lanes)) == len(lanes) and all(ops[i] == ops[lanes[0]] and self._usable(i) for i in lanes)
        return alike and self.home.keys().isdisjoint(lanes) and self._turns(lanes)

    def _turns(self, lanes: Bundle) -> bool:
        """Whether the values change places with each other when the twins among the inputs do."""
        if not self.orbits:
            return True
        shared, others = common([self.cones[i] for i in lanes])
        if any(others):
            orbits = [{self.orbits.get(place) for place in bits(mask)} for mask in others]
            return None not in orbits[0] and all(f == orbits[0] for f in orbits)
        return all(shared >> place & 1 for k in bits(shared) for place in self.orbits.get(k, ()))

    def _make(self, bundle: Bundle) -> None:
        """Make a bundle; operands of commutative operations find their lanes."""
        self.home.update(dict.fromkeys(bundle, bundle))
        left, right, first = self.tape.left, self.tape.right, bundle[0]
        if self.tape.operations[first] not in COMMUTATIVE:
            return
        for i in bundle[1:]:
            straight = self._likeness(left[first], left[i]) + self._likeness(right[first], right[i])
            crossed = self._likeness(left[first], right[i]) + self._likeness(right[first], left[i])
            if crossed > straight:
                self.swapped.add(i)

    def _likeness(self, i: int, j: int) -> int:
        """How well two values go together."""
        if i == j or j in self.home.get(i, ()):
            return 2 * _DEPTHS[0]
        pairs = zip(self.shades[i], self.shades[j], strict=True)
        return next((depth for depth, (a, b) in enumerate(pairs) if a != b), _DEPTHS[0])

    def _ascend(self, width: int) -> None:
        """Bundle values with the same operation on the same bundles, shared values, and constants of one size."""
        tape = self.tape
        waiting: dict[object, dict[int, list[int]]] = {}
        for i, (op, a, b) in enumerate(zip(tape.operations, tape.left, tape.right, strict=True)):
            if i in self.home or not self._usable(i):
                continue
            lanes: set[int] = set()
            known: list[tuple[int, float]] = []
            for o in (a, b) if b >= 0 else (a,):
                bundle = self.home.get(o) or self.input_bundles.get(o, ())
                if len(bundle) == width:
                    lanes.add(bundle.index(o))
                    known.append((0, bundle[0]))
                else:
                    constant = tape.operations[o] == "CONST"
                    known.append((1, abs(tape.constants[tape.left[o]])) if constant else (2, o))
            if len(lanes) != 1:
                continue
            by_lane = waiting.setdefault((op, *(sorted(known) if op in COMMUTATIVE else known)), {})
            by_lane.setdefault(lanes.pop(), []).append(i)
            if len(by_lane) == width and all(by_lane.values()):
                self._make(tuple(by_lane[lane].pop(0) for lane in range(width)))

    def twins(self) -> dict[int, int]:
        """Inputs that change places with each other, for each the first of them, by the votes of all bundles."""
        votes = Counter[Bundle]()
        for bundle in self.bundles():
            places_of = [bits(mask) for mask in common([self.cones[i] for i in bundle])[1]]
            if places_of[0] and len({len(places) for places in places_of}) == 1:
                votes.update(tuple(sorted(lanes)) for lanes in zip(*places_of, strict=True))
        inputs, result = input_values(self.tape), dict[int, int]()
        for places, _ in votes.most_common():
            lanes = [inputs[k] for k in places]
            if result.keys().isdisjoint(lanes):
                result.update(dict.fromkeys(lanes, lanes[0]))
        return result

    def bundles(self) -> list[Bundle]:
        """All bundles."""
        return list(dict.fromkeys(self.home.values()))

    def _dissolve(self, bundle: Bundle) -> None:
        for i in bundle:
            del self.home[i]
            self.swapped.discard(i)

    def order(self) -> list[Bundle]:
        """Statements in an order of evaluation; bundles that wait for each other are dissolved."""
        tape = self.tape
        computed = [i for i, op in enumerate(tape.operations) if op not in ("CONST", "INPUT")]
        waits = dict.fromkeys(computed, 0)
        users: dict[int, list[int]] = {i: [] for i in computed}
        for i in computed:
            for operand in {tape.left[i], tape.right[i]} & waits.keys():
                users[operand].append(i)
                waits[i] += 1
        open_lanes = Counter[Bundle]()
        ready: list[Bundle] = []
        done: set[int] = set()
        result: list[Bundle] = []

        def opened(i: int) -> None:
            bundle = self.home.get(i, (i,))
            open_lanes[bundle] += 1
            if open_lanes[bundle] == len(bundle):
                heapq.heappush(ready, bundle)

        for i in computed:
            if not waits[i]:
                opened(i)
        first = 0
        while len(done) < len(computed):
            if not ready:
                while computed[first] in done:
                    first += 1
                knot = self._knot(computed[first], waits.keys() - done)
                self._dissolve(knot)
                for i in knot:
                    if not waits[i]:
                        opened(i)
                continue
            bundle = heapq.heappop(ready)
            result.append(bundle)
            done.update(bundle)
            for user in (user for i in bundle for user in users[i]):
                waits[user] -= 1
                if not waits[user]:
                    opened(user)
        return result

    def _knot(self, i: int, waiting: Set[int]) -> Bundle:
        """The bundle with the most distant values in a circle of bundles that wait for each other."""
        circle: list[Bundle] = []
        bundle = self.home[i]
        while bundle not in circle:
            circle.append(bundle)
            operand = next(o for k in bundle for o in (self.tape.left[k], self.tape.right[k]) if o in waiting)
            bundle = self.home.get(operand, (operand,))
        return max(circle[circle.index(bundle) :], key=lambda b: (max(b) - min(b), len(b)))

    def _moves(self) -> tuple[dict[Bundle, list[Bundle]], set[int]]:
        """Lanes that have to be put together, with the bundles that need them; and values taken out of bundles."""
        gathered: dict[Bundle, list[Bundle]] = {}
        taken: set[int] = set()
        ops, home, tape = self.tape.operations, self.home, self.tape
        for i, op in enumerate(ops):
            if i not in home and op not in ("CONST", "INPUT"):
                taken |= {tape.left[i], tape.right[i]} & home.keys()
        for bundle in self.bundles():
            for lanes in _operands(tape, bundle, self.swapped):
                if home.get(lanes[0]) != lanes and not all(ops[i] == "CONST" for i in lanes):
                    gathered.setdefault(lanes, []).append(bundle)
                    taken |= home.keys() & set(lanes)
        return gathered, taken

    def prune(self) -> None:
        """Dissolve bundles that cost more than they save: one by one, then those that hang together."""
        for _ in range(_ROUNDS):
            gathered, taken = self._moves()
            operands = {bundle: _operands(self.tape, bundle, self.swapped) for bundle in self.bundles()}
            read = {lanes for pair in operands.values() for lanes in pair}
            # Without the bundle: more operations, operands taken out of bundles, lanes put together for others.
            loss = {b: len(b) - 1 + (_gathering(b) if b in read else 0) for b in operands}
            for bundle, pair in operands.items():
                loss[bundle] += len({i for lanes in pair if lanes in operands for i in lanes} - taken)
            for lanes, needed in gathered.items():
                loss[needed[0]] -= _gathering(lanes) * (len(needed) == 1)
            for i in taken:
                loss[self.home[i]] -= 1
            losing = [bundle for bundle, change in loss.items() if change < 0]
            if not losing:
                break
            for bundle in losing:
                self._dissolve(bundle)
        gathered, taken = self._moves()
        root = self._roots()
        gain = Counter[Bundle]()
        for bundle, top in root.items():
            gain[top] += len(bundle) - 1
        for lanes, needed in gathered.items():
            gain.subtract(dict.fromkeys((root[bundle] for bundle in needed), _gathering(lanes)))
        gain.subtract(root[self.home[i]] for i in taken)
        for bundle, top in root.items():
            if gain[top] <= 0:
                self._dissolve(bundle)

    def _roots(self) -> dict[Bundle, Bundle]:
        """For each bundle one of those that it hangs together with, the same for all of them."""
        root: dict[Bundle, Bundle] = {bundle: bundle for bundle in self.bundles()}

        def top(bundle: Bundle) -> Bundle:
            while root[bundle] != bundle:
                root[bundle] = bundle = root[root[bundle]]
            return bundle

        for bundle in root:
            for lanes in _operands(self.tape, bundle, self.swapped):
                if lanes in root:
                    root[top(lanes)] = top(bundle)
        return {bundle: top(bundle) for bundle in root}

    def cost(self) -> int:
        """Number of instructions, about."""
        gathered, taken = self._moves()
        saved = sum(len(bundle) - 1 for bundle in self.bundles())
        return self.tape.n_operations - saved + sum(map(_gathering, gathered)) + len(taken)


def _gathering(lanes: Bundle) -> int:
    """Instructions that put numbers together."""
    return 1 if len(set(lanes)) == 1 else len(lanes) - 1
