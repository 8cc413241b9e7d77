"""Monte-Carlo of a crane's cart: 2,000 loads and initial angles at once, in SIMD lanes and threads.

A law tuned for one load meets others. How far does the load still swing after ten seconds?
"""

from __future__ import annotations

import numpy as np

import dalembert as da

MEMBERS = 2000


def make_cart() -> da.Machine:
    """Return a cart on rails with a load on a rod; the load is a parameter."""
    load = da.Parameter("load", 1.0)
    return da.Machine(
        "cart with load",
        bodies=[da.point_mass("cart", 2.0), da.point_mass("load", load, com=(0, 0, -0.8))],
        joints=[
            da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0)),
            da.Joint("theta", "revolute", "cart", "load", axis=(0, 1, 0), damping=0.05),
        ],
        motors=[da.Motor("drive", "x", effort=40.0)],
    )


def main() -> None:
    """Simulate all members and print what became of them."""
    rng = np.random.default_rng(1)
    cart = make_cart()
    loads = rng.uniform(0.2, 8.0, MEMBERS)
    law = da.PD(kp=(6.0,), kd=(6.0,), reference=np.array([1.0]))
    result = da.rollout(
        cart,
        duration=10.0,
        q0={"theta": rng.normal(scale=0.3, size=MEMBERS)},
        p={"load": loads},
        control=law,
        step=5e-3,
        record=0.05,
    )
    print(result)
    late = result.t > 8.0
    swing = np.abs(result["theta"][:, late]).max(axis=1)
    error = np.abs(result["x"][:, -1] - 1.0)
    print("load in kg      swing in the last 2 s (median, 95 %)      distance to the goal (median)")
    for low, high in ((0.2, 1.0), (1.0, 2.0), (2.0, 4.0), (4.0, 8.0)):
        chosen = (loads >= low) & (loads < high)
        a, b = np.degrees(np.quantile(swing[chosen], [0.5, 0.95]))
        print(f"{low:4.1f} to {high:3.1f}      {a:6.2f} deg, {b:6.2f} deg {'':20} {np.median(error[chosen]):.4f} m")
    worst = int(np.argmax(swing))
    run = result.member(worst)
    print(f"worst member: {worst}, load {loads[worst]:.2f} kg, energy drift {run.energy.drift:.1e}")


if __name__ == "__main__":
    main()
