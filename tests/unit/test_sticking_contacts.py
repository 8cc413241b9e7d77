"""Contacts that stick as constraints: linear models beside closed forms and event-driven runs."""

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import with_sticking_contacts
from dalembert.control.mu import robust_stability
from dalembert.control.uncertain import uncertain

LEG = da.Body("leg", mass=1.0, com=(0, 0, 0.4), inertia=(0.1, 0.1, 0.1))


def _standing(friction=0.6, solid=None) -> da.Machine:
    """A leg on a point, and a bob on its hip."""
    bob = da.point_mass("bob", da.Parameter("mass", 2.0), com=(0, 0, da.Parameter("height", 1.0)))
    hip = da.Joint("hip", "revolute", "leg", "bob", axis="y", origin=da.Transform((0, 0, 0.8)))
    return da.Machine(
        "standing",
        bodies=[LEG, bob],
        joints=[da.Joint("base", "planar", "world", "leg", axis="y"), hip],
        contacts=[da.Contact("foot", "leg", solid, friction=friction)],
        motors=[da.Motor("hip", "hip")],
    )


def test_a_run_with_contact_follows_the_linear_model() -> None:
    rod = da.rod("rod", 2.0, 1.0, axis="z", com=(0, 0, 0.5))
    joint = da.Joint("base", "planar", "world", "rod", axis="y")
    machine = da.Machine("pole", bodies=[rod], joints=[joint], contacts=[da.Contact("foot", "rod", friction=0.6)])
    rate = np.linalg.eigvals(da.linearize(with_sticking_contacts(machine)).A).real.max()
    assert rate == pytest.approx(np.sqrt(3.0 * 9.81 / 2.0), rel=1e-12)
    run = da.simulate(machine, duration=0.3, q0={"base.angle": 1e-5}, method=da.RK4(step=1e-3))
    assert run["base.angle"][-1] == pytest.approx(1e-5 * np.cosh(0.3 * rate), rel=1e-6)  # errors are cubic in 1e-5
    assert np.linalg.eigvals(da.linearize(machine).A).real.max() == pytest.approx(rate, rel=1e-12)


def test_a_guarantee_of_a_balancing_leg_holds_over_its_load() -> None:
    stuck = with_sticking_contacts(_standing())
    middle = da.linearize(stuck)
    K = np.linalg.solve(_controllability(middle), np.eye(4))[-1] @ _polynomial(middle.A, [-4.0, -5.0, -6.0, -7.0])
    for size, guaranteed in ((0.05, True), (1.0, False)):
        model = uncertain(stuck, {"mass": (2 - 0.5 * size, 2 + 0.5 * size), "height": (1 - 0.1 * size, 1 + 0.1 * size)})
        proof = robust_stability(model.lft.feedback(K[None, :], model.lft.outputs, model.lft.inputs), level=1.0)
        assert proof.guaranteed == guaranteed
        values = [{"mass": m, "height": h} for m in model.ranges["mass"] for h in model.ranges["height"]]
        worst = max(np.linalg.eigvals(_closed(stuck, v, K)).real.max() for v in values)
        assert (worst < 0.0) == guaranteed
    with pytest.raises(da.InputError, match="an uncertain linear model does not support contact forces"):
        uncertain(_standing(), model.ranges)


def _closed(machine, values, K):
    plant = da.linearize(machine, p=values)
    return plant.A - plant.B @ K[None, :]


def _controllability(plant):
    return np.hstack([np.linalg.matrix_power(plant.A, k) @ plant.B for k in range(4)])


def _polynomial(A, poles):
    return np.linalg.multi_dot([A - s * np.eye(len(A)) for s in poles])


def _block(friction: float) -> da.Machine:
    """A box on an incline of 4 in 9."""
    return da.Machine(
        "block",
        bodies=[da.Body("box", mass=3.0, inertia=(0.1, 0.1, 0.1))],
        joints=[da.Joint("base", "free", "world", "box")],
        contacts=[da.Contact("sole", "box", da.Box((0.4, 0.4, 0.2)), friction=friction)],
        gravity=(4.0, 0.0, -9.0),
    )


def test_corners_share_the_load_within_their_friction() -> None:
    stuck = with_sticking_contacts(_block(0.45), {"base.z": 0.1})
    assert [c.name for c in stuck.constraints] == [f"sole[{k}]" for k in range(4)]
    with pytest.raises(da.InputError, match=r"'sole\[.\]' of machine 'block' does not stick .* friction is 0\.44"):
        with_sticking_contacts(_block(0.44), {"base.z": 0.1})


def test_refusals() -> None:
    with pytest.raises(da.InputError, match=r"no contact of machine 'standing' is closed there$"):
        with_sticking_contacts(
            da.Machine("standing", bodies=[LEG], joints=[da.Joint("base", "planar", "world", "leg", axis="y")])
        )
    with pytest.raises(da.InputError, match="contact 'foot' of machine 'standing' has a Sphere, which rolls"):
        with_sticking_contacts(_standing(solid=da.Sphere(0.05)), {"base.y": -0.05})
    with pytest.raises(da.InputError, match=r"no contact of machine 'block' is closed there; the least gap is 0.4 m"):
        with_sticking_contacts(_block(0.5), {"base.z": 0.5})
    with pytest.raises(da.InputError, match=r"is 0.05 m inside its surface"):
        with_sticking_contacts(_block(0.5), {"base.z": 0.05})
    with pytest.raises(da.InputError, match="does not rest on its contacts there: a force of"):
        with_sticking_contacts(_standing(), {"base.angle": 0.3})
