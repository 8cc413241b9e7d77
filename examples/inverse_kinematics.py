"""A four-joint arm reaches for points: within reach, against its limits, and out of reach."""

import numpy as np

import dalembert as da

axes = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 1, 0)]
lengths = [0.3, 0.4, 0.4, 0.1]
arm = da.Machine(
    "arm",
    bodies=[
        da.cylinder(f"link{i}", mass=1.0, radius=0.04, length=length, axis="z", com=(0, 0, length / 2))
        for i, length in enumerate(lengths)
    ],
    joints=[
        da.Joint(
            f"joint{i}",
            "revolute",
            parent="world" if i == 0 else f"link{i - 1}",
            child=f"link{i}",
            origin=da.Transform((0, 0, 0 if i == 0 else lengths[i - 1])),
            axis=axis,
            limits=da.Limits(-2.5, 2.5),
        )
        for i, axis in enumerate(axes)
    ],
    frames=[da.Frame("tool", "link3", da.Transform((0, 0, lengths[3])))],
)

eom = da.equations(arm)
for target in [(0.5, 0.2, 0.5), (-0.3, 0.3, 0.9), (1.5, 0.0, 0.3)]:
    result = eom.inverse_kinematics("tool", target)
    reached = eom.pose("tool", result.q)[:3, 3]
    print(f"target {target}: {result.message}")
    print(f"    joint angles {np.round(np.degrees(result.q), 2)} deg, tool at {np.round(reached, 4)}")
