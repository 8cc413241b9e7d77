"""Figures of the page on the grip: fingers that close on a bar, 5 mm beside it, and fingers that are too weak."""

from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import dalembert as da
from dalembert.plan import RobotLimits
from dalembert.systems import space_robots
from dalembert.systems.space_robots.gripping import pad_history
from dalembert.view import draw_machine

HERE = Path(__file__).parent

case = space_robots.random_case(0)
chaser, debris, gripper = space_robots.with_gripper(space_robots.uncertain_chaser(), space_robots.debris())


def flown(hand: space_robots.Gripper) -> space_robots.CaptureOutcome:
    """The capture with a hand whose camera is 5 mm beside its place."""
    start = replace(case.start, target="handle", gripper=hand)
    settings = {"gains": space_robots.CaptureGains(), "limits": RobotLimits(), "hand_error": (0.003, 0.004, 0.0)}
    return space_robots.fly_capture(chaser, debris, start=start, **settings)


figure, axes = plt.subplots(3, 2, figsize=(9.0, 6.0), sharex=True, layout="constrained")
hands = ((gripper, "20 N per finger: locked"), (replace(gripper, force=0.5), "0.5 N: slips"))
for column, (hand, title) in enumerate(hands):
    outcome = flown(hand)
    print(outcome)
    run = outcome.grip
    pads, t = pad_history(run, hand), run.t - run.t[0]
    tip, target = (run.array([f"{n}.{x}" for x in "xyz"]) for n in ("hand", "target"))
    for k, pad in enumerate(hand.pads):
        axes[0, column].plot(t, pads.normal[:, k], label=pad.name)
        axes[1, column].semilogy(t, np.where(pads.normal[:, k] > 0.0, 1e3 * pads.slip[:, k], np.nan))
    axes[2, column].plot(t, 1e3 * np.linalg.norm(tip - target, axis=1), color="k")
    axes[0, column].set_title(title)
    for row in axes[:, column]:
        row.axvline(hand.close, color="0.6", linewidth=0.8)
        for event in run.events:
            if event.name == "lost":
                row.axvline(event.t - run.t[0], color="tab:red", linewidth=0.8)
    axes[2, column].set_xlabel("time since the fingers began to close [s]")
for row, label in zip(axes[:, 0], ("normal force [N]", "slip speed [mm/s]", "tip from target [mm]"), strict=True):
    row.set_ylabel(label)
axes[0, 0].legend()
figure.savefig(HERE / "grip.png", dpi=90)

palm = da.Machine(
    "hand",
    [da.box("palm", 5.0, (0.12, 0.12, 0.06))],
    [da.Joint("palm", "free", "world", "palm")],
    frames=[da.Frame("tip", "palm", (0.0, 0.0, 0.1))],
)
rock = da.Machine(
    "rock",
    [da.box("rock", 10.0, (0.2, 0.2, 0.1))],
    [da.Joint("rock", "free", "world", "rock")],
    frames=[da.Frame("target", "rock", (0.0, 0.0, 0.05))],
)
hand, stone, _ = space_robots.with_gripper(palm, rock)
scene = hand.with_(bodies=(*hand.bodies, *stone.bodies), joints=(*hand.joints, *stone.joints))
q = {"rock.z": 0.1 + 0.05 + 0.12, "rock.qw": 0.0, "rock.qx": 1.0, "finger1": 0.03, "finger2": 0.03, "finger3": 0.03}
values = [q.get(name, x) for name, x in zip(scene.q_names, scene.q_neutral, strict=True)]
draw_machine(scene, np.array(values), view=(-60.0, 18.0), size=(5.0, 4.0)).savefig(HERE / "grip_hand.png", dpi=90)
