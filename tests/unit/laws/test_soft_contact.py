"""Compliant contacts against formulas, with numbers of their own."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.laws import evaluated, law

import dalembert as da
from dalembert.model import CylindricalSurface, SoftContact


def _pair(contact: SoftContact) -> da.Machine:
    """A ball and a bar, both floating; the axis of the bar is z of its frame."""
    bodies = [da.Body("ball", 2.0, inertia=(0.1, 0.1, 0.1)), da.Body("bar", 5.0, inertia=(0.2, 0.3, 0.4))]
    joints = [da.Joint("a", "free", "world", "ball"), da.Joint("b", "free", "world", "bar")]
    return da.Machine("pair", bodies, joints, fields=[contact], gravity=(0, 0, 0))


@law(
    "SoftContact.radius", "SoftContact.stiffness", "SoftContact.damping", "SoftContact.friction", "SoftContact.creep"
)  # fmt: skip
def test_a_ball_is_pushed_off_a_bar_and_rubs_along_it() -> None:
    """N = k d (1 + c d'), friction mu N v / sqrt(v^2 + s^2); both bodies get opposite forces on one line."""
    pad = SoftContact("pad", "ball", radius=0.02, surface=CylindricalSurface(0.03), on="bar", stiffness=4e3,
                      damping=7.0, friction=0.6, creep=2e-3)  # fmt: skip
    q = [0.048, 0.0, 0.3, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]  # 2 mm deep
    v = [-0.01, 0.0, 0.005, 0, 0, 0, 0, 0, 0, 0, 0, 0]  # into the bar, and along it
    f = evaluated(_pair(pad), "applied", q=q, v=v)
    N = 4e3 * 2e-3 * (1.0 + 7.0 * 0.01)
    T = 0.6 * N * 0.005 / np.hypot(0.005, 2e-3)
    assert f[:3] == pytest.approx([N, 0.0, -T], rel=1e-12, abs=1e-12)
    assert f[6:9] == pytest.approx([-N, 0.0, T], rel=1e-12, abs=1e-12)
    # the force acts at the deepest point of the ball, 28 mm from the axis and 300 mm up: lever of ball and bar
    assert f[3:6] == pytest.approx([0.0, -0.02 * T, 0.0], rel=1e-12, abs=1e-12)
    assert f[9:] == pytest.approx([0.0, 0.3 * -N - 0.028 * T, 0.0], rel=1e-12, abs=1e-12)
    # apart, or torn off faster than 1/c, it does not pull
    assert not evaluated(_pair(pad), "applied", q=[0.0501, *q[1:]], v=v).any()
    assert not evaluated(_pair(pad), "applied", q=q, v=[0.2, *v[1:]]).any()


def test_what_a_soft_contact_cannot_be() -> None:
    with pytest.raises(da.MachineError, match="the stiffness of soft contact 'pad' must be > 0, got 0"):
        SoftContact("pad", "ball", stiffness=0.0)
    with pytest.raises(da.MachineError, match="the creep of soft contact 'pad' must be > 0, got 0"):
        SoftContact("pad", "ball", creep=0.0)
    with pytest.raises(da.MachineError, match="surface of soft contact 'pad' must be a surface"):
        SoftContact("pad", "ball", surface=0.1)  # type: ignore[arg-type]
    with pytest.raises(da.MachineError, match=r"soft contact 'pad': .*no frame named 'rail'"):
        _pair(SoftContact("pad", "ball", on="rail"))


def test_soft_contacts_in_machine_files(tmp_path) -> None:
    """Numbers with units and parameters, surfaces and their carriers: read, written and read again."""
    path = tmp_path / "pads.yaml"
    path.write_text(
        "name: pads\nparameters: {k: 20 kN/m}\n"
        "bodies: {ball: {sphere: {mass: 2 kg, radius: 0.1}}, plate: {box: {mass: 1 kg, size: [1, 1, 0.1]}}}\n"
        "joints: {b: {kind: free, parent: world, child: ball}, p: {kind: prismatic, parent: world, child: plate}}\n"
        "fields:\n"
        "  floor: {type: soft-contact, frame: ball, radius: 100 mm, stiffness: k, damping: 0.5, friction: 0.4}\n"
        "  dent: {type: soft-contact, frame: ball, on: plate, creep: 2 mm/s,\n"
        "         spherical: {radius: 2, centre: [0, 0, 1], inside: true}}\n"
    )
    machine = da.load_machine(path)
    floor, dent = machine.fields
    assert isinstance(floor, SoftContact) and isinstance(dent, SoftContact)
    assert (floor.radius, floor.on, dent.creep, dent.on) == (0.1, "world", 2e-3, "plate")
    assert dent.surface == da.SphericalSurface(2.0, (0, 0, 1), inside=True)
    depth = 2.0 * 9.81 / 3e4  # m g / k
    alone, start = machine.with_(fields=[floor]), {"b.z": 0.1 - depth}
    run = da.simulate(alone, duration=0.05, q0=start, step=1e-3, backend="vm", p={"k": 3e4})
    assert run["b.z"][-1] == pytest.approx(0.1 - depth, abs=1e-12)
    again = tmp_path / "again.yaml"
    again.write_text(machine.to_yaml())
    assert da.load_machine(again).fields == machine.fields
    path.write_text(path.read_text().replace("damping: 0.5", "area: 0.5"))
    with pytest.raises(da.DalembertError, match=r"a force field of type 'soft-contact' takes .*, got 'area'"):
        da.load_machine(path)
