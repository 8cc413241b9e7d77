"""Random trees of rigid and flexible bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

import dalembert as da

KINDS = ("revolute", "prismatic", "fixed", "spherical", "planar", "free")


def random_beam(rng: np.random.Generator, name: str, **fields: Any) -> da.Beam:
    """A beam with random section (sometimes stepped), modes, load and elbow."""
    length = float(rng.uniform(0.5, 1.5))
    sections = [_section(rng) for _ in range(2)]
    section: Any = sections[0]
    if rng.random() < 0.25:
        section = ((0.4 * length, sections[0]), (length - 0.4 * length, sections[1]))
    counts = {d: int(rng.integers(0, 3)) for d in ("x", "y", "z", "torsion")}
    modes = {d: min(n, 1) if d in ("x", "torsion") else n for d, n in counts.items() if n} or {"y": 1}
    if "y" in modes and rng.random() < 0.3:
        modes["y"] = (da.Shape.polynomial(length, [0, 0, 1.0, -0.3]),)
    load = da.Load(2.0, (0.1, 0.4, 0.5), 0.3) if rng.random() < 0.5 else None
    given: dict[str, Any] = {
        "E": 5e5,
        "G": 2e5,
        "density": 1500.0,
        "modes": modes,
        "load": load,
        "offset": tuple(rng.normal(size=3) * 0.2),
        "rotary_inertia": "torsion" in modes or rng.random() < 0.7,
        "stiffening": rng.random() < 0.4,
        "stations": {"middle": 0.6 * length},
        "damping": 0.02,
    }
    return da.Beam(name, length, section, **(given | fields))


def _section(rng: np.random.Generator) -> da.Section:
    I_y, I_z = rng.uniform(1e-6, 4e-6, size=2)
    I_yz = float(0.5 * np.sqrt(I_y * I_z) * rng.uniform(-1, 1))
    return da.Section(float(rng.uniform(1e-3, 3e-3)), I_y, I_z, I_yz=I_yz)


def random_flexible_machine(seed: int, bodies: int = 4, base: str | None = None, **fields: Any) -> da.Machine:
    """A tree of beams and rigid bodies (on a free base: one tree); ``fields`` are those of its beams."""
    rng = np.random.default_rng(seed)
    parts: list[da.Body | da.Beam] = []
    joints: list[da.Joint] = []
    places = ["world"]
    for i in range(bodies):
        flexible = i < 2 if bodies > 1 else True
        name = f"{'beam' if flexible else 'body'}{i}"
        kind = base if i == 0 and base else str(rng.choice(KINDS[:3] if rng.random() < 0.8 else KINDS[3:5]))
        if kind == "fixed" and not flexible and i == bodies - 1:
            kind = "revolute"
        Q = rng.normal(size=4)
        origin = da.Transform.quaternion(Q, tuple(rng.normal(size=3) * 0.3))
        parent = "world" if i == 0 else str(rng.choice(places[-3:] if base != "free" else places[1:][-3:]))
        joints.append(da.Joint(f"{chr(97 + int(rng.integers(26)))}{i}", kind, parent, name, origin, axis=_axis(rng)))
        if flexible:
            parts.append(random_beam(rng, name, **fields))
            places += [f"{name}.middle", f"{name}.tip"]
        else:
            parts.append(_body(rng, name))
            places.append(name)
    # A payload makes the mass matrix regular about every axis.
    for i in range(2):
        parts.append(_body(rng, f"payload{i}"))
        joints.append(da.Joint(f"payload{i}", "fixed", f"beam{min(i, bodies - 1)}.tip", f"payload{i}"))
    return da.Machine("random flexible", parts, joints, gravity=tuple(rng.normal(size=3) * 5))


def _axis(rng: np.random.Generator) -> tuple[float, ...]:
    return tuple(np.eye(3)[int(rng.integers(3))]) if rng.random() < 0.5 else tuple(rng.normal(size=3))


def _body(rng: np.random.Generator, name: str) -> da.Body:
    points, masses = rng.normal(size=(6, 3)) * 0.2, rng.uniform(0.1, 0.5, size=6)
    com = masses @ points / masses.sum()
    d = points - com
    I = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, d, strict=True))
    return da.Body(name, float(masses.sum()), tuple(com), I)


def random_flexible_state(eom: da.EquationsOfMotion, seed: int, bend: float = 0.2) -> tuple[np.ndarray, ...]:
    """Random configuration with modal coordinates that bend the beams visibly, velocity, acceleration, force."""
    rng = np.random.default_rng(seed)
    q = eom.random_configuration(rng)
    for node in eom.machine.tree.nodes:
        if node.is_root:
            q[node.modal_q] = bend * rng.normal(size=node.elastic.n_modes)
    return q, rng.normal(size=eom.nv), rng.normal(size=eom.nv), 5.0 * rng.normal(size=eom.nv)
