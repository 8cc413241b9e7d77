"""Four laws carry a load over a stack: input shaping, partial feedback linearisation, LQR, predictive control.

All of them see the true state and the payload, move the same crane, and receive the same kick at 3 s: the load gains
0.15 rad/s of swing, forward or back, next to the stack. The first three follow a lift, a travel and a lowering that
were timed by hand; the predictive controller has the goal and the stack.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import crane_over_a_stack as stack
import numpy as np

import dalembert as da
from dalembert import control
from dalembert.plan import SCurve, zv

LIFT, TRAVEL, LOWER = 2.5, 6.0, 2.5  # s
HIGH = stack.REACH - stack.SLING - 0.25  # length of the rope above the stack [m]
SETTLED = 0.1  # m


def machine() -> da.Machine:
    """The crane of the model, with the kick of the plant."""
    model, kick, t = stack.model(), da.Parameter("kick", 0.0), da.TIME
    pulse = (da.smoothstep((t - 3.0) / 0.05) - da.smoothstep((t - 3.2) / 0.05)) / 0.2
    force = kick * stack.REACH * stack.NOMINAL * pulse
    return model.with_(
        sensors=[],
        frames=[da.Frame("eye", "load", da.Transform((0, 0, -stack.SLING)))],
        wrenches=[da.Wrench("gust", "eye", force=(force, 0, 0))],
    )


def path(shaped: bool) -> Any:
    """Trolley and rope: up, across, down, each a smooth step; the travel may be shaped for the pendulum up there."""
    start, goal = stack.START, stack.GOAL
    shaper = zv(float(np.sqrt(9.81 / (HIGH + stack.SLING))))
    smooth = da.Quintic([0.0], [goal], TRAVEL)
    across = shaper(SCurve.timed([0.0], [goal], TRAVEL - shaper.duration)) if shaped else smooth
    up, down = da.Quintic([start], [HIGH], LIFT), da.Quintic([HIGH], [start], LOWER)
    begin = LIFT - 1.0  # the travel begins while the load is still lifted

    def positions(t: Any) -> Any:
        late = t - begin
        x = ca.if_else(late > 0, across(ca.fmax(late, 0)), 0.0)
        low = t - (begin + TRAVEL - (0.0 if shaped else 1.5))  # a shaped travel is for one length of the rope
        rope = ca.if_else(low > 0, down(ca.fmax(low, 0)), up(t))
        return ca.vertcat(x, rope)

    return positions


def laws(crane: da.Machine) -> dict[str, Any]:
    """Laws by name; weights of regulator and predictive controller are those of the campaign."""
    weights = {"x": 1.0, "swing": 10.0, "length": 10.0, "x_dot": 0.1, "swing_dot": 1.0, "length_dot": 0.1}
    gains: dict[str, Any] = {"kp": 9.0, "kd": 6.0}
    settings: dict[str, Any] = {
        "horizon": 4.0, "intervals": 40, "reference": {"x": stack.GOAL, "length": stack.START},
        "cost": da.Cost(
            states=weights, inputs={"drive": stack.DRIVE, "winch": stack.WINCH}, rates=3e-8, terminal="lqr"
        ),
        "limits": {
            "drive": (-1000, 1000), "winch": (-15000, 0), "swing": da.soft(-0.12, 0.12, linear=1e3),
            "length": da.soft(0.4, 4.2, linear=1e3), "x_dot": da.soft(-1.5, 1.5, linear=1e3),
            "length_dot": da.soft(-1.0, 1.0, linear=1e3),
        },
        "keep": {"above": (stack.clearance, da.soft(0, np.inf, linear=1e3))},
        "margin": stack.margins(stack.estimator(stack.model())), "known": ["payload", "kick"], "period": 0.05,
    }  # fmt: skip
    at = {"x": 3.0, "length": HIGH}
    return {
        "shaping": control.PartialFeedbackLinearization(**gains, reference=path(shaped=True)),
        "linearisation": control.PartialFeedbackLinearization(
            kp=25.0, kd=10.0, reference=path(shaped=False), sway_gain=(-6.0, 0.0), frame="eye"
        ),
        "LQR": control.design_lqr(
            crane, at, Q=weights, R={"drive": stack.DRIVE, "winch": stack.WINCH}, reference=path(shaped=False)
        ),
        "predictive": da.mpc(crane, **settings),
    }


def main() -> None:
    """Run all laws without a kick and with one in either direction, and print their figures."""
    crane = machine()
    print("law            kick   settled  swing  clearance   swing after 14 s")
    for name, law in laws(crane).items():
        for kick in (0.0, stack.KICK, -stack.KICK):
            run = da.simulate(
                crane, duration=16.0, q0={"length": stack.START}, p={"kick": kick}, control=law, step=5e-3, record=0.02
            )
            reach = run["length"] + stack.SLING
            x, z = run["x"] - reach * np.sin(run["swing"]), -reach * np.cos(run["swing"])
            height = np.array(stack.stack(ca.DM(x))).ravel()
            off = np.hypot(x - stack.GOAL, z + stack.START + stack.SLING) > SETTLED
            over = height > -4.0
            left = np.abs(run["swing"][run.t > 14.0]).max()
            print(
                f"{name:14} {kick:5.2f}  {run.t[off][-1]:6.1f} s {np.abs(run['swing']).max():6.3f} "
                f"{(z - height)[over].min():8.2f} m {left:12.4f} rad"
            )


if __name__ == "__main__":
    main()
