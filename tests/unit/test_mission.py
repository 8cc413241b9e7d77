"""The whole capture with the flexible chaser: a few cases here, all of them in the study."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import plan
from dalembert.systems import fly_capture, random_case


def test_cases_are_drawn_from_what_is_printed() -> None:
    cases = [random_case(seed, 4.0) for seed in range(300)]
    assert np.allclose([np.degrees(np.linalg.norm(c.rate)) for c in cases], 4.0)
    factors = np.array([list(c.factors.values()) for c in cases])
    assert factors.min() > 0.9 and factors.max() < 1.1
    assert factors[:, 0].std() == pytest.approx(0.1 / np.sqrt(3.0), rel=0.15)
    assert np.abs(np.mean([c.quaternion for c in cases], axis=0)).max() < 0.12  # uniform: four sigma
    assert random_case(3) == random_case(3)
    assert random_case(3) != random_case(4)


def test_what_no_plan_can_meet_ends_with_its_reason() -> None:
    tight = fly_capture(camera=None, limits=plan.RobotLimits(base_torque=0.01))
    assert not tight.ok
    assert "no plan" in tight.reason and "base torque" in tight.reason
    with pytest.raises(da.InputError, match="there is no run"):
        _ = tight.whole
    with pytest.raises(da.InputError, match="CaptureCase"):
        fly_capture("first")  # type: ignore[arg-type]


def test_a_capture_with_errors_and_estimated_debris() -> None:
    """Flexible arm and arrays, 10 % errors, noisy sensors, delayed pictures; up to the closing of the grip."""
    outcome = fly_capture(random_case(2), detumble=False)
    assert outcome.ok, str(outcome)
    assert outcome.approach is not None and outcome.plan is not None
    # without the debris the chaser conserves momentum but for its thrusters, which push by torques alone
    eom = da.equations(outcome.approach.machine)
    p = eom.parameter_values(dict(outcome.case.factors))
    q, v = (outcome.approach.array(n)[[0, -1]] for n in (eom.q_names, eom.v_names))
    linear = eom.momentum(q, v, p=p)[:, :3]
    assert np.allclose(linear[0], linear[1], atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 5])
def test_the_stack_comes_to_rest(seed: int) -> None:
    outcome = fly_capture(random_case(seed))
    assert outcome.ok, str(outcome)
    assert outcome.handover is not None and outcome.stack is not None and outcome.approach is not None
    whole = outcome.whole
    assert whole.t[-1] == outcome.stack.t[-1]
    # the grip keeps momentum: last row before, first row after, of the same bodies
    scene = da.equations(whole.machine)
    p = scene.parameter_values(dict(outcome.case.factors))
    k = len(outcome.approach.t)
    q, v = whole.array(scene.q_names), whole.array(scene.v_names)
    h = scene.momentum(q[[k - 1, k]], v[[k - 1, k]], p=p)
    assert np.allclose(h[0], h[1], atol=1e-6 * np.abs(h).max())
    assert np.allclose(q[k - 1], q[k], atol=1e-6)


@pytest.mark.slow
def test_what_is_fed_forward_is_the_decisive_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it the base turns by more than its limit."""
    from dalembert.systems.space_robots import mission

    class Blind(mission.CaptureGuide):
        def __call__(self, t, q, v, s):
            values = super().__call__(t, q, v, s)
            values[12:21] = 0.0
            return values

    monkeypatch.setattr(mission, "CaptureGuide", Blind)
    blind = fly_capture(random_case(0), detumble=False)
    turned = next(r for r in blind.requirements if r.name == "attitude of the base")
    assert turned.value > 3.0 * turned.limit
