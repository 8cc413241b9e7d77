"""Loops in step with the clock: the numbers of a simulation, packets, and what happens when nobody answers."""

from __future__ import annotations

import socket
import sys
import time
from typing import Any

import numpy as np
import pytest
from tests.support.hybrid_machines import HYBRID

import dalembert as da
from dalembert.cli.app import run
from dalembert.compile import find_toolchain
from dalembert.core.errors import InputError, SimulationError
from dalembert.io import pack_inputs, unpack_outputs

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or find_toolchain() is None, reason="needs POSIX and a C compiler"
)

CART = da.Machine(
    "cart",
    bodies=[da.point_mass("cart", 2.0), da.point_mass("bob", da.Parameter("mass", 0.8), com=(0, 0, -0.6))],
    joints=[
        da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0)),
        da.Joint("theta", "revolute", "cart", "bob", axis=(0, 1, 0)),
    ],
    motors=[da.Motor("drive", "x", effort=30.0)],
)
LAW = da.PD(kp=(8.0,), kd=(3.0,), reference=np.zeros(1))


def test_numbers_are_those_of_a_simulation() -> None:
    with da.realtime(CART, LAW, period=2e-3, step=2e-3, duration=0.2, q0={"theta": 0.4}, p={"mass": 1.1}) as loop:
        assert loop.wait(20.0)
    rows = loop.read()
    single = da.simulate(CART, duration=0.2, q0={"theta": 0.4}, p={"mass": 1.1}, control=LAW, step=2e-3)
    for name in ("theta", "x_dot", "u.drive", "energy.kinetic"):
        np.testing.assert_allclose(rows[name], single[name], rtol=1e-12, atol=1e-13)
    timing = loop.timing
    assert timing.periods == sum(timing.histogram) == 100
    assert timing.worst >= 0.0


def test_it_keeps_to_the_clock_and_leaves_python_alone() -> None:
    began = time.monotonic()
    with da.realtime(CART, LAW, period=1e-3, duration=0.3, q0={"theta": 0.4}) as loop:
        count = 0
        while loop.running:  # a busy thread beside it
            count += 1
    assert time.monotonic() - began >= 0.3
    assert loop.timing.periods == 300
    assert count > 100


def client(port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.settimeout(5.0)
    made.connect(("127.0.0.1", port))
    return made


def test_lockstep_is_a_sampled_controller() -> None:
    """A client that closes the loop, packet by packet, gets what the same controller gets in a simulation."""

    def law(t: float, q: Any, v: Any) -> Any:
        return [-8.0 * q[0] - 3.0 * v[0]]

    with da.realtime(
        CART, period=0.01, step=0.01, duration=0.5, port=0, lockstep=True, speed=0.0, q0={"x": 0.3, "theta": 0.2}
    ) as loop:
        assert loop.port
        names = loop.outputs
        place = [names.index(n) for n in ("x", "theta", "x_dot", "theta_dot")]
        x = np.array([0.3, 0.2, 0.0, 0.0])
        with client(loop.port) as peer:
            for k in range(50):
                peer.send(pack_inputs(law(0.01 * k, x[:2], x[2:]), k))
                count, t, values = unpack_outputs(peer.recv(4096))
                assert count == k + 1
                assert t == pytest.approx(0.01 * (k + 1))
                x = values[place]
        assert loop.wait(5.0)
    loop.check()
    single = da.simulate(
        CART, duration=0.5, q0={"x": 0.3, "theta": 0.2}, control=da.SampledController(law, 0.01), step=0.01
    )
    np.testing.assert_allclose(loop.read()["theta"][-1], single["theta"][-1], rtol=1e-10)


def test_bad_packets_are_left_alone() -> None:
    with da.realtime(CART, period=1e-3, port=0, duration=5.0) as loop:
        assert loop.port
        with client(loop.port) as peer:
            for wrong in (
                b"",
                b"hello",
                pack_inputs([np.nan]),
                pack_inputs([1.0, 2.0]),
                b"XXXX" + pack_inputs([1.0])[4:],
            ):
                peer.send(wrong)
            peer.send(pack_inputs([3.0]))
            unpack_outputs(peer.recv(4096))
    assert loop.timing.refused == 5
    assert loop.timing.received == 1
    assert loop.read()["command.drive"][-1] == 3.0


def test_nobody_answers() -> None:
    with da.realtime(CART, period=0.01, duration=1.0, port=0, lockstep=True, patience=0.1) as loop:
        with pytest.raises(SimulationError, match="no input arrived in lockstep mode"):
            loop.wait(10.0)
        with pytest.raises(SimulationError, match="no input arrived in lockstep mode"):
            loop.check()
    with (
        pytest.raises(SimulationError, match="no input arrived in lockstep mode"),
        da.realtime(CART, period=0.01, duration=1.0, port=0, lockstep=True, patience=0.05) as loop,
    ):
        while loop.running:
            time.sleep(0.01)


@pytest.mark.parametrize("value", [1e308, -1e308, 1.7e308, 1e31, 1e200])
def test_inputs_without_bounds_are_refused(value: float) -> None:
    """The motor would saturate at 30 N; the loop goes on with the inputs that it has."""
    with da.realtime(CART, period=1e-3, port=0, duration=60.0) as loop:
        assert loop.port
        with client(loop.port) as peer:
            peer.send(pack_inputs([2.0]))
            unpack_outputs(peer.recv(4096))
            peer.send(pack_inputs([value]))
            while loop.timing.refused < 1:
                assert loop.running
            at = loop.timing.periods
            while loop.timing.periods < at + 5:
                assert loop.running
    assert loop.timing.received == 1
    assert set(loop.read()["command.drive"]) <= {0.0, 2.0}
    assert np.isfinite(loop.read()["x_dot"]).all()


def test_inputs_with_which_it_cannot_go_on_are_refused() -> None:
    """Without limits of the motor, a pendulum that turns at 1e25 rad/s within a step is not finite after it."""
    arm = da.Machine(
        "arm",
        [da.point_mass("a", 1.0, com=(1, 0, 0)), da.point_mass("b", 1.0, com=(1, 0, 0))],
        [
            da.Joint("p", "revolute", "world", "a", axis="y"),
            da.Joint("q", "revolute", "a", "b", da.Transform((1, 0, 0)), axis="y"),
        ],
        motors=[da.Motor("drive", "p")],
    )
    options: dict[str, Any] = {"period": 0.02, "step": 1e-3, "duration": 0.2, "speed": 0.0}
    with da.realtime(arm, port=0, lockstep=True, **options) as loop:
        assert loop.port
        with client(loop.port) as peer:
            for k in range(10):
                peer.send(pack_inputs([1e29 if k in (3, 4, 8) else 0.5]))
                count, t, _ = unpack_outputs(peer.recv(4096))
                assert (count, t) == (k + 1, pytest.approx(0.02 * (k + 1)))
        assert loop.wait(10.0)
    assert (loop.timing.received, loop.timing.refused) == (7, 3)
    exact = da.simulate(arm, duration=0.2, step=1e-3, control=[0.5], record=0.02)
    np.testing.assert_allclose(loop.read()["q"], exact["q"], rtol=1e-9, atol=1e-12)


def test_bad_packets_do_not_end_lockstep() -> None:
    with da.realtime(CART, period=0.01, duration=0.02, port=0, lockstep=True, speed=0.0) as loop:
        assert loop.port
        with client(loop.port) as peer:
            for packet in (b"hello", pack_inputs([1.0]), pack_inputs([np.inf]), pack_inputs([2.0])):
                peer.send(packet)
                time.sleep(0.02)
            assert loop.wait(10.0)
    assert (loop.timing.periods, loop.timing.received, loop.timing.refused) == (2, 2, 2)


def test_port_is_taken() -> None:
    with da.realtime(CART, period=0.01, port=0) as loop, pytest.raises(InputError, match="cannot be opened"):
        da.realtime(CART, period=0.01, port=loop.port)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"period": 0.0}, "period"),
        ({"period": 0.1, "duration": 0.01}, "at least one period"),
        ({"lockstep": True}, "give a port"),
        ({"port": 99999}, "port must be"),
        ({"control": da.SampledController(lambda t, q, v: [0.0], 0.1)}, "'controller' is a Python controller"),
    ],
)
def test_refusals(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        da.realtime(CART, **options)


@pytest.mark.parametrize("name", ["sampled", "slack", "ball", "grip", "sticks", "sampled-sticks", "stepped"])
def test_constraints_events_and_contacts(name: str) -> None:
    """The numbers of a simulation, and its events."""
    made = HYBRID[name]
    with da.realtime(made.make(), period=0.01, step=1e-3, duration=made.duration, speed=0.0, **made.settings) as loop:
        assert loop.wait(20.0)
    loop.check()
    rows = loop.read()
    here = da.simulate(made.make(), duration=made.duration, record=0.01, **made.settings)
    last = [int(np.flatnonzero(here.t <= t + 1e-12)[-1]) for t in rows["t"]]
    first = int("sticks" in name)  # the first row is told before anyone knows which joints stick
    for n in here.state_names:
        np.testing.assert_allclose(
            rows[n][first:], here[n][last][first:], atol=1e-9 * max(1.0, np.abs(here[n]).max()), err_msg=n
        )
    if made.events:
        assert rows["events.count"][-1] == len(here.events)


def test_lockstep_with_cables_that_slacken() -> None:
    """A client winds a bob on two cables up and lets it fall into them: as the same controller in a simulation."""
    made = HYBRID["slack"]

    def law(t: float, q: Any, v: Any) -> Any:
        return [-2.0 * np.sign(v[0])]

    settings = {k: made.settings[k] for k in ("q0", "v0")}
    with da.realtime(
        made.make(), period=0.01, step=1e-3, duration=1.5, port=0, lockstep=True, speed=0.0, **settings
    ) as loop:
        assert loop.port
        place = [loop.outputs.index(n) for n in ("x", "z", "x_dot", "z_dot")]
        x = np.array([0.0, -1.0, 5.8, 0.0])
        with client(loop.port) as peer:
            for k in range(150):
                peer.send(pack_inputs(law(0.01 * k, x[:2], x[2:]), k))
                _, _, values = unpack_outputs(peer.recv(4096))
                x = values[place]
        assert loop.wait(5.0)
    loop.check()
    here = da.simulate(made.make(), duration=1.5, control=da.SampledController(law, 0.01), record=0.01, **settings)
    assert {e.name for e in here.events} >= {"one.slack", "one.taut"}
    rows = loop.read()
    last = [int(np.flatnonzero(here.t <= t + 1e-12)[-1]) for t in rows["t"]]
    for n in here.state_names:
        np.testing.assert_allclose(rows[n], here[n][last], atol=1e-8 * max(1.0, np.abs(here[n]).max()), err_msg=n)
    assert rows["events.count"][-1] == len(here.events)


def test_it_ends_at_a_hard_stop() -> None:
    made = HYBRID["flap"]
    with da.realtime(made.make(), period=0.01, duration=1.0, speed=0.0, q0={"hinge": 0.0}, limits="stop") as loop:
        assert loop.wait(20.0)
    loop.check()
    assert loop.read()["hinge"][-1] == pytest.approx(0.3, abs=1e-9)
    assert loop.timing.periods < 100


def test_what_cannot_go_on_says_why() -> None:
    """A weld with a pose of its own cannot close over a gap."""
    grip = da.WeldConstraint("grip", "two", "one", switchable=True, active=False, offset=da.Transform())
    machine = HYBRID["grip"].make().with_(constraints=(grip,))
    switches = [da.Switch(at=0.025, on="grip")]
    with (
        pytest.raises(SimulationError, match="a gap is open after 2 periods"),
        da.realtime(machine, period=0.01, duration=0.1, speed=0.0, q0={"x2": 1.0}, switches=switches) as loop,
    ):
        loop.wait(20.0)
    with pytest.raises(SimulationError, match="a gap is open after 2 periods"):
        loop.check()


@pytest.mark.parametrize("name", ["bouncing-ball", pytest.param("quadruped", marks=pytest.mark.slow)])
def test_command_with_contacts(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What a machine file says of its simulation counts: the quadruped is stepped through its contacts."""
    assert run(["realtime", name, "--duration", "0.05", "--period", "0.01", "--speed", "0"]) == 0
    assert "5 periods" in capsys.readouterr().out


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["realtime", "six-axis-arm", "--duration", "0.1", "--port", "0"]) == 0
    text = capsys.readouterr().out
    assert "127.0.0.1:" in text and "100 periods" in text
