"""Any number of a machine file may be an expression, and a wrong one is reported at its line."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

import dalembert as da
from dalembert.io.schema_keys import schema_keys
from dalembert.io.yaml_nodes import Path, parse_yaml

SHAPES = """
name: shapes
gravity: [0, 0, -9.81]
parameters: {m: 1.5}
gains: [m]
bodies:
  a: {mass: 1.0, com: [0.1, 0, 0], inertia: [0.2, 0.3, 0.4, 0.01, 0.02, 0.03],
      geometry: [{box: {size: [0.1, 0.2, 0.3]}, origin: {xyz: [0, 0, 1], rpy: [0.1, 0.2, 0.3]}},
                 {cylinder: {radius: 0.1, length: 0.2}}, {capsule: {radius: 0.1, length: 0.2}},
                 {sphere: {radius: 0.1}}, {mesh: {file: none.stl, scale: [1, 2, 3]}},
                 {cone: {radius: 0.1, length: 0.2}}, {height_field: {heights: [[0.1, 0.2], [0.3, 0.4]], size: [1, 2]}}]}
  b: {box: {mass: 1.0, size: [0.1, 0.2, 0.3], com: [0.1, 0, 0]}}
  c: {cylinder: {mass: 1.0, radius: 0.1, length: 0.3, com: [0.1, 0, 0]}}
  d: {hollow_cylinder: {mass: 1.0, outer: 0.1, inner: 0.05, length: 0.3, com: [0.1, 0, 0]}}
  e: {rod: {mass: 1.0, length: 0.3, com: [0.1, 0, 0]}}
  f: {sphere: {mass: 1.0, radius: 0.3, com: [0.1, 0, 0]}}
  g: {point_mass: {mass: 1.0, com: [0.1, 0.2, 0.3]}}
joints:
  ja: {kind: revolute, parent: world, child: a, axis: [0, 1, 0], stiffness: 3.0, rest: 0.1, damping: 0.2, friction: 0.3,
       friction_velocity: 0.01, armature: 0.05, limits: {lower: -1.0, upper: 1.0, velocity: 5.0, effort: 8.0,
       restitution: 0.3}}
  jb: {kind: universal, parent: world, child: b, axis: x, second_axis: [0, 1, 0], origin: {quaternion: [1, 0, 0, 0]}}
  jc: {kind: screw, parent: world, child: c, pitch: 0.01, origin: {matrix: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}
  jd: {kind: prismatic, parent: world, child: d, friction: {coulomb: 5.0, static: 7.0, stribeck: 0.05, viscous: 0.1,
       bristle_stiffness: 1.0e+5, bristle_damping: 300.0, law: lugre}}
  je: {kind: revolute, parent: world, child: e, axis: y}
  jf: {kind: free, parent: world, child: f}
  jg: {kind: prismatic, parent: world, child: g}
frames:
  tool: {body: a, origin: {xyz: [0, 0, 1]}}
motors:
  ja: {ratio: 2.0, rotor_inertia: 0.01, damping: 0.1, effort: 5.0, speed: 30.0}
  jd: {efficiency: 0.85, back_efficiency: 0.8}
thrusters:
  jet: {frame: f, force: [1, 0, 0], torque: [0, 0, 0.1], effort: 3.0}
  stay: {frame: f, toward: [0.5, 1.5, 2.5]}
wrenches:
  wind: {frame: tool, force: [1, 2, 3], torque: [0.1, 0, 0]}
couplings:
  je: {leader: ja, ratio: 0.5, offset: 0.1}
colliders:
  balls: {bodies: [f], friction: 0.4, restitution: 0.1, rolling: 0.01, spinning: 0.02}
  sticky: {half_space: {point: [0, 0, -90]}, adhesion: 3.0, ignores: [ground]}
  ground: {half_space: {}, belt: [0.1, 0.2, 0.3], grain: [1, 0, 0], across: 0.3, stiffness: 2.0e4, damping: 0.5}
signals: {double: {expression: 2 * ja}}
sensors:
  encoder: {of: [ja, jd], period: 0.001, noise: [0.1, 0.1], bias: 0.01, quantum: 0.001, delay: 0.002}
simulation:
  duration: 1.0
  t0: 0.5
  method: {name: dopri5, rtol: 1.0e-7}
  atol: 1.0e-9
  max_step: 0.1
  record: 0.02
  reach: 0.001
  q0: {ja: 0.1}
  v0: {ja_dot: 0.2}
  p: {m: 2.0}
  sensors: {gyro: {of: ja_dot, period: 0.01}}
  control: {law: pd, kp: [m, 3.0], kd: 2.0, reference: {ja: {start: 0.0, end: 1.0, duration: 2.0, delay: 0.5},
            jd: {center: 0.0, amplitude: 0.1, frequency: 2.0, phase: 0.5}}}
"""
BEAMS = """
name: beams
bodies:
  tube: {beam: {length: 2.0, section: {outer: 0.05, inner: 0.04}, E: 7.0e+10, G: 2.6e+10, density: 2700.0,
                modes: {y: [{polynomial: [0, 0, 1]}], z: [{nodes: [0, 1.0, 2.0], values: [0, 0.3, 1.0],
                slopes: [0, 0.6, 0.7]}]}, damping: 0.01, offset: [0.1, 0, 0], stations: {camera: 1.0}}}
  plank: {beam: {length: 2.0, section: {width: 0.05, height: 0.04}, E: 7.0e+10, density: 2700.0,
                 modes: {z: [{breaks: [0, 2.0], coefficients: [[0.3, 0.5, 0.2]]}]}}}
  bar: {beam: {length: 2.0, section: [{length: 1.0, section: {area: 1.0e-3, I_y: 1.0e-7, I_z: 2.0e-7, I_p: 3.0e-7,
               torsion: 3.0e-7, I_yz: 1.0e-9}}, {length: 1.0, section: {outer: 0.03}}], E: 7.0e+10, density: 2700.0,
               modes: {z: 1}, boundary: clamped-loaded, load: {mass: 3.0, inertia: [0.1, 0.2, 0.3], first_moment: 0.5}}}
  sprung: {beam: {length: 2.0, section: {outer: 0.03}, E: 7.0e+10, density: 2700.0, modes: {z: 1},
                  boundary: [{deflection: true, slope_spring: 100.0}, {deflection_spring: 200.0}]}}
  hook: {exact_rod: {length: 0.8, section: {outer: 0.004}, E: 2.0e+11, G: 8.0e+10, density: 7800.0,
                     strains: {bending: 1, shear_y: 1}, curvature: [0, 0, 0.5], shear_factor: 0.9, damping_time: 1.0e-3,
                     pieces: [0.3, 0.5], stations: {camera: 0.4}}}
  bow: {exact_rod: {length: 0.8, section: {outer: 0.004}, E: 2.0e+11, density: 7800.0, strains: {bending_y: 1},
                    curvature: [{length: 0.3, curvature: [0, 0, 0.5]}, {length: 0.5, curvature: [0, 0, 0.0]}]}}
joints:
  jh: {kind: revolute, parent: world, child: hook, axis: y}
  jb: {kind: revolute, parent: world, child: bow, axis: y}
  jt: {kind: revolute, parent: world, child: tube, axis: y}
  jp: {kind: revolute, parent: world, child: plank, axis: y}
  jx: {kind: revolute, parent: world, child: bar, axis: y}
  js: {kind: revolute, parent: world, child: sprung, axis: y}
"""
SPACE = """
name: space
bodies: {a: {mass: 1.0, inertia: [1, 1, 1]}, b: {mass: 1.0, inertia: [1, 1, 1]}, drum: {mass: 1.0, inertia: [1, 1, 1]}}
joints:
  ja: {kind: free, parent: world, child: a}
  jb: {kind: prismatic, parent: world, child: b}
  turn: {kind: revolute, parent: world, child: drum}
constraints:
  rod: {type: distance, frame: a, other: world, length: 1.0}
  hold: {type: weld, frame: a, other: b, offset: {xyz: [0, 0, 1], rpy: [0, 0, 0.1]}, switchable: true, active: false}
  flat: {type: parallel, frame: a, axis: [0, 0, 1], other_axis: [0, 0, 1], switchable: true, active: false}
  right: {type: orthogonal, frame: a, axis: x, angle: 1.5, switchable: true, active: false}
  gear: {type: gear, terms: {jb: 1.0, turn: -0.1}, value: 0.2}
cables:
  line: {anchor: b, exit: world, anchor_at: [0, 0, 0.1], exit_at: [0, 0, 2], length: 2.5, winch: turn, drum: 0.1,
         pulley: 0.05, stiffness: 1000.0, damping: 5.0}
fields:
  tide: {type: orbital-gravity, frame: a, mass: 1.0, inertia: [1, 1, 1], J2: 0.001, orbit: {altitude: 8.0e+5,
         eccentricity: 0.01, inclination: 1.7, node: 0.1, perigee: 0.2, anomaly: 0.3, mu: 3.9e+14, radius: 6.0e+6}}
  air: {type: drag, frame: a, area: 1.0, normal: [1, 0, 0], density: 1.0e-12, scale_height: 6.0e+4, coefficient: 2.0,
        orbit: {altitude: 4.0e+5}}
  light: {type: solar-pressure, frame: a, sun: [0, 1, 0], absorbed: 0.5, diffuse: 0.3, specular: 0.2, pressure: 4.0e-6}
  moon: {type: third-body, frame: a, mass: 1.0, epoch: 2451545.0, orbit: {altitude: 4.0e+5}}
  pad: {type: soft-contact, frame: a, radius: 0.1, stiffness: 1.0e+4, damping: 0.5, friction: 0.3, creep: 0.001,
        half_space: {point: [0, 0, -9]}}
  coil: {type: magnetic-torque, frame: a, dipole: [0, 0, 1.5], orbit: {altitude: 4.0e+5}}
contacts:
  ground: {frame: b, sphere: {radius: 0.1}, origin: {xyz: [0, 0, 0.1]}, half_space: {normal: [0, 0, 1],
           point: [0, 0, -9]}, restitution: 0.5, friction: 0.3}
  bowl: {frame: b, capsule: {radius: 0.1, length: 0.2}, spherical: {radius: 20.0, centre: [0, 0, 1], inside: true}}
  pipe: {frame: b, cylindrical: {radius: 20.0, axis: [0, 1, 0], point: [0, 0, 1], inside: true}}
  case: {frame: b, box: {size: [0.1, 0.2, 0.3]}, half_space: {point: [0, 0, -9]}}
simulation:
  step: 0.001
  branch: {jb: 0.1}
  switches: [{at: 0.5, on: [hold]}]
  control: []
"""
ROPES = """
name: hoist
bodies: {hook: {mass: 100.0}, drum: {mass: 1.0, inertia: [1, 1, 1]}}
joints:
  lift: {kind: prismatic, parent: world, child: hook, axis: z, origin: {xyz: [0.2, 0, -3]}}
  winch: {kind: revolute, parent: world, child: drum, axis: y}
ropes:
  fall:
    path:
      - drum: winch
        radius: 0.1
        axis: [0, 1, 0]
        zero: [1, 0, 0]
        layers: {turns: 20.0, rope: 0.02, wound: 30.0, ramp: 1.0}
      - {sheave: hook, radius: 0.1, axis: [0, -1, 0], loss: {bearing: 0.1, pin: 0.02, bending: 0.01}}
      - {sheave: world, radius: 0.1, axis: y, at: [0.4, 0, 0], friction: 0.2, name: T}
      - {anchor: hook, at: [0.3, 0, 0]}
    stiffness: 1.0e+6
    damping: 1000.0
    pretension: 100.0
  stay:
    path: [{anchor: world, at: [9, 0, 1]}, {anchor: hook}]
    length: 10.0
    stiffness: 1.0e+6
    weight: 12.0
cables:
  guy:
    anchor: hook
    exit_at: [-9, 0, 1]
    length: 12.0
    stiffness: 1.0e+6
    weight: 12.0
    pulley: 0.2
    friction: 0.1
    lead: 1.5
"""
FILES = {"ropes": ROPES, "shapes": SHAPES, "beams": BEAMS, "space": SPACE}
NOT_EXPRESSIONS = {  # counts and words, and numbers that stand in the text of another key
    ("bodies", "bar", "beam", "modes", "z"),
    ("bodies", "sprung", "beam", "modes", "z"),
    ("bodies", "hook", "exact_rod", "strains", "bending"),
    ("bodies", "hook", "exact_rod", "strains", "shear_y"),
    ("bodies", "bow", "exact_rod", "strains", "bending_y"),
}


def leaves(data: Any, path: Path = ()) -> Iterator[Path]:
    """Paths of all numbers."""
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from leaves(value, (*path, key))
    elif isinstance(data, int | float) and not isinstance(data, bool):
        yield path


def put(data: Any, path: Path, value: object) -> None:
    """Replace the value at a path."""
    for step in path[:-1]:
        data = data[step]
    data[path[-1]] = value


def at(data: Any, path: Path) -> Any:
    for step in path:
        data = data[step]
    return data


def written(data: Any) -> str:
    """The file in block style, each number on a line of its own."""
    return yaml.safe_dump(data, sort_keys=False, default_flow_style=False, width=1000)


CASES = [
    pytest.param(name, path, id="-".join(map(str, (name, *path))))
    for name, text in FILES.items()
    for path in leaves(parse_yaml(text, name).data)
    if path not in NOT_EXPRESSIONS and not (isinstance(path[-1], int) and path[-1] > 0)
]


def load(text: str) -> da.Experiment:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", da.DalembertWarning)
        return da.load_experiment(text)


@pytest.mark.parametrize("name", FILES)
def test_numbers_may_be_expressions(name: str) -> None:
    """All numbers of a file at once, and the experiment is the same."""
    data = parse_yaml(FILES[name], name).data
    expressions = copy.deepcopy(data)
    paths = [path for path in leaves(data) if path not in NOT_EXPRESSIONS]
    for path in paths:
        put(expressions, path, f"{at(data, path)} * (3 - 2)")
    assert load(written(expressions)) == load(written(data)) and len(paths) > 20


@pytest.mark.parametrize(("name", "path"), CASES)
def test_wrong_expression_has_its_line(name: str, path: Path) -> None:
    data = parse_yaml(FILES[name], name).data
    put(data, path, "1 +* 2")
    text = written(data)
    line = 1 + next(i for i, row in enumerate(text.splitlines()) if "1 +* 2" in row)
    with pytest.raises(da.FileFormatError, match=rf"^<text>:{line}: .*1 \+\* 2"):
        load(text)


def test_files_have_all_keys_with_numbers() -> None:
    """A new key with a number must stand in one of the files above."""
    text = "".join(FILES.values())
    lacking = [
        f"{key.entry}.{key.key}"
        for key in schema_keys()
        if ("number" in key.kind or "constant" in key.kind) and "whole" not in key.kind and f"{key.key}:" not in text
    ]
    assert not lacking
