"""A linear policy that balances a pole, found by the cross-entropy method: 512 carts step together, each with its own.

Every call of the stepper advances all carts by one period; what is learnt from them is NumPy.
"""

from __future__ import annotations

import numpy as np

import dalembert as da

MEMBERS, ELITE = 512, 40
PERIOD, HORIZON = 0.04, 100


def make_cart() -> da.Machine:
    """Return a cart with a pole that stands on it."""
    return da.Machine(
        "cart with pole",
        bodies=[da.point_mass("cart", 1.0), da.rod("pole", 0.2, 1.0, axis="z", com=(0, 0, 0.5))],
        joints=[
            da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0), damping=0.1),
            da.Joint("theta", "revolute", "cart", "pole", axis=(0, 1, 0)),
        ],
        motors=[da.Motor("drive", "x", effort=15.0)],
    )


def main() -> None:
    """Learn, and print how long the poles stand."""
    rng = np.random.default_rng(0)
    carts = da.stepper(make_cart(), period=PERIOD, members=MEMBERS, step=0.01)
    print(carts)
    mean, spread = np.zeros(4), np.full(4, 20.0)
    for generation in range(8):
        gains = mean + spread * rng.normal(size=(MEMBERS, 4))
        seen = carts.reset(q0={"theta": rng.normal(scale=0.05, size=MEMBERS)})
        up, cost = np.ones(MEMBERS, dtype=bool), np.zeros(MEMBERS)
        for _ in range(HORIZON):
            seen = carts.step(np.sum(gains * seen, axis=1, keepdims=True))
            up &= (np.abs(seen[:, 1]) < 0.5) & (np.abs(seen[:, 0]) < 2.0)
            cost += np.where(up, seen[:, 0] ** 2 + seen[:, 1] ** 2, 5.0)
            carts.reset(~up)  # a cart that lost its pole begins again, and its time is not counted
        best = np.argsort(cost)[:ELITE]
        mean, spread = gains[best].mean(axis=0), gains[best].std(axis=0) + 0.1
        print(f"generation {generation}: {np.mean(up):4.0%} of the poles stand for {HORIZON * PERIOD:g} s")
    print("gains", ", ".join(f"{name} {gain:.1f}" for name, gain in zip(carts.observed, mean, strict=True)))


if __name__ == "__main__":
    main()
