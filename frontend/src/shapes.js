// Everything that moves is an instance of a box, a cylinder, a ball and so on, so that a machine of hundreds of parts is
// drawn by a handful of calls; only meshes are objects of their own.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group,
  InstancedMesh, Mesh, MeshBasicMaterial, MeshLambertMaterial, DoubleSide, PlaneGeometry, SphereGeometry, TorusGeometry,
  Vector3,
} from "three";
import { unpack } from "./data.js";
import { Skin } from "./skin.js";

// Software WebGL pays for every corner: tubes and the beads that join them, of which there are many, have few.
const UNIT = {
  box: () => new BoxGeometry(1, 1, 1),
  cylinder: () => new CylinderGeometry(1, 1, 1, 24, 1).rotateX(Math.PI / 2),
  tube: () => new CylinderGeometry(1, 1, 1, 10, 1, true).rotateX(Math.PI / 2),
  cone: () => new ConeGeometry(1, 1, 12, 1).rotateX(Math.PI / 2),
  ball: () => new SphereGeometry(1, 24, 16),
  bead: () => new SphereGeometry(1, 10, 5),
};
const NONE = () => Object.fromEntries(Object.keys(UNIT).map((kind) => [kind, 0]));
const SLACK = new Color("#b9b9b9");
const EASY = new Color("#3a4a5c");
const HARD = new Color("#e2452f");
const PULL = "#c2410c";
const CHOSEN = new Color("#ff9500");
const OPEN = new Color("#e00000");

// The instances of one scene. `draw(at)` moves them to where the film is.
export class Shapes {
  static async build(scene, { ghost = false } = {}) {
    const shapes = new Shapes();
    shapes.group = new Group();
    shapes.scene = scene;
    shapes.counts = NONE();
    shapes.moves = [];
    shapes.toggles = [];
    shapes.meshes = [];
    shapes.colours = Object.fromEntries(Object.keys(UNIT).map((kind) => [kind, []]));
    shapes.owners = Object.fromEntries(Object.keys(UNIT).map((kind) => [kind, []])); // elements of the machine
    shapes.most = scene.legend?.tension?.[1] ?? 0;
    for (const node of scene.nodes) {
      shapes.owner = node.name ?? "";
      await shapes.add(node, ghost);
    }
    shapes.instances = {};
    for (const [kind, count] of Object.entries(shapes.counts)) {
      if (!count) continue;
      const look = ghost ? { color: "#f08c2e", transparent: true, opacity: 0.35, depthWrite: false } : {};
      const mesh = new InstancedMesh(UNIT[kind](), new MeshLambertMaterial(look), count);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      if (!ghost) shapes.colours[kind].forEach((colour, i) => mesh.setColorAt(i, new Color(colour)));
      shapes.instances[kind] = mesh;
      shapes.group.add(mesh);
    }
    return shapes;
  }

  take(kind, count, colour) {
    const first = this.counts[kind];
    this.counts[kind] += count;
    for (let i = 0; i < count; i++) {
      this.colours[kind].push(colour);
      this.owners[kind].push(this.owner);
    }
    return first;
  }

  async add(node, ghost) {
    const { moves } = this;
    const colour = node.colour;
    switch (node.kind) {
      case "box": {
        const i = this.take("box", 1, colour);
        moves.push((at) => place(this.matrices("box"), i, at.poses, 7 * node.pose, ...node.size));
        break;
      }
      case "ball": {
        const r = node.radius;
        if (node.pose === undefined) {
          const i = this.take("bead", 1, colour);
          moves.push((at) => put(this.matrices("bead"), i, at.points, 3 * node.point, r));
        } else {
          const i = this.take("ball", 1, colour);
          moves.push((at) => place(this.matrices("ball"), i, at.poses, 7 * node.pose, r, r, r));
        }
        break;
      }
      case "cylinder": {
        const i = this.take("cylinder", 1, colour);
        const r = node.radius;
        const turned = node.axis === "y";
        moves.push((at) => place(this.matrices("cylinder"), i, at.poses, 7 * node.pose, r, r, node.length, turned));
        break;
      }
      case "capsule": {
        const i = this.take("cylinder", 1, colour);
        const k = this.take("ball", 2, colour);
        const r = node.radius;
        moves.push((at) => {
          const a = 7 * node.pose;
          place(this.matrices("cylinder"), i, at.poses, a, r, r, node.length);
          place(this.matrices("ball"), k, at.poses, a, r, r, r, false, node.length / 2);
          place(this.matrices("ball"), k + 1, at.poses, a, r, r, r, false, -node.length / 2);
        });
        break;
      }
      case "tube": {
        const count = node.count - 1;
        const i = this.take("tube", count, colour);
        const k = this.take("bead", count + 1, colour);
        const shown = { level: null };
        const pull = node.level !== undefined && node.last && !ghost ? [this.take("tube", 1, PULL), this.take("cone", 1, PULL)] : null;
        moves.push((at) => {
          const tubes = this.matrices("tube");
          const beads = this.matrices("bead");
          for (let j = 0, a = 3 * node.first; j <= count; j++, a += 3) {
            put(beads, k + j, at.points, a, node.radius);
            if (j < count) span(tubes, i + j, at.points, a, a + 3, node.radius);
          }
          if (node.level !== undefined && !ghost) this.tension(i, k, count, at.levels[node.level], shown);
          if (pull) this.pull(pull, at, node);
        });
        break;
      }
      case "bar": {
        const i = this.take("tube", 1, colour);
        const [a, b] = node.ends;
        moves.push((at) => span(this.matrices("tube"), i, at.points, 3 * a, 3 * b, node.radius));
        break;
      }
      case "rail": {
        const i = this.take("box", 1, colour);
        moves.push((at) => rail(this.matrices("box"), i, at.poses, 7 * node.pose, node));
        break;
      }
      case "frame": {
        const i = ["#cc3311", "#228833", "#3355bb"].map((c) => this.take("tube", 1, c));
        this.toggles.push(node);
        moves.push((at) => triad(this.matrices("tube"), i, at.poses, 7 * node.pose, this.framesShown ? node.size : 0));
        break;
      }
      case "arrow": {
        const i = this.take("tube", 1, colour);
        const k = this.take("cone", 1, colour);
        moves.push((at) => arrow(this, i, k, at, node, this.forcesShown ? node.scale : 0));
        break;
      }
      case "plane": {
        if (ghost) break;
        const look = { color: "#9fb0c2", transparent: true, opacity: 0.35, side: DoubleSide, depthWrite: false };
        const plane = new Mesh(new PlaneGeometry(node.size, node.size), new MeshLambertMaterial(look));
        plane.position.set(...node.point);
        plane.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(...node.normal));
        this.meshes.push(plane);
        this.group.add(plane);
        break;
      }
      case "ramp": {
        if (ghost) break;
        const corners = new BufferGeometry();
        corners.setAttribute("position", new BufferAttribute(new Float32Array([...node.top, ...node.foot]), 3));
        corners.setIndex([0, 1, 2, 0, 2, 3, ...[0, 1, 2, 3].flatMap((k) => [k, k + 4, ((k + 1) % 4) + 4, k, ((k + 1) % 4) + 4, (k + 1) % 4])]);
        const wedge = corners.toNonIndexed();
        wedge.computeVertexNormals();
        const ramp = new Mesh(wedge, new MeshLambertMaterial({ color: "#b9c3ce", side: DoubleSide }));
        this.meshes.push(ramp);
        this.group.add(ramp);
        break;
      }
      case "ring": {
        if (ghost) break;
        const ring = new Mesh(new TorusGeometry(node.radius + node.thick, node.thick, 6, 96), new MeshLambertMaterial({ color: "#8896a5" }));
        ring.position.set(...node.point);
        ring.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(...node.normal));
        this.meshes.push(ring);
        this.group.add(ring);
        break;
      }
      case "mesh": {
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new BufferAttribute((await unpack(node.vertices)).values, 3));
        geometry.setIndex([...(await unpack(node.faces)).values]);
        const flat = geometry.toNonIndexed();
        flat.computeVertexNormals();
        const look = ghost ? { color: "#f08c2e", transparent: true, opacity: 0.35, depthWrite: false } : { color: colour };
        const mesh = new Mesh(flat, new MeshLambertMaterial({ ...look, side: DoubleSide }));
        mesh.userData.solid = true;
        mesh.userData.owner = node.name ?? "";
        this.meshes.push(mesh);
        this.group.add(mesh);
        moves.push((at) => {
          const [x, y, z, qw, qx, qy, qz] = at.poses.subarray(7 * node.pose, 7 * node.pose + 7);
          mesh.position.set(x, y, z);
          mesh.quaternion.set(qx, qy, qz, qw);
        });
        break;
      }
      case "skin": {
        const skin = await Skin.build(node, ghost);
        this.meshes.push(skin.mesh);
        this.group.add(skin.mesh);
        moves.push((at) => skin.move(at));
        break;
      }
      default:
        throw new Error(`unknown part of a scene: ${node.kind}`);
    }
  }

  // A flat image of everything under a projection onto the floor; opaque, so that shadows do not add up.
  shadow(projection) {
    const flat = new Group();
    flat.matrixAutoUpdate = false;
    flat.matrix.copy(projection);
    this.shade = new MeshBasicMaterial({ color: "#d5dbe2" });
    for (const [kind, mesh] of Object.entries(this.instances)) {
      if (kind === "bead") continue; // hardly wider than what it joins
      const image = new InstancedMesh(mesh.geometry, this.shade, mesh.count);
      image.instanceMatrix = mesh.instanceMatrix;
      image.frustumCulled = false;
      flat.add(image);
    }
    for (const mesh of this.meshes.filter((one) => one.userData.solid)) {
      const image = new Mesh(mesh.geometry, this.shade);
      image.matrixAutoUpdate = false;
      image.matrix = mesh.matrix;
      flat.add(image);
    }
    this.group.add(flat);
  }

  matrices(kind) {
    return this.instances[kind].instanceMatrix.array;
  }

  // Colour of a cable: grey where it is slack, from blue to red with its tension.
  tension(i, k, count, level, shown) {
    const step = level < 0 ? -2 : Math.round(level * 40);
    if (step === shown.level && shown.painted === this.painted) return;
    [shown.level, shown.painted] = [step, this.painted];
    if (this.owners.tube[i] === this.chosen && this.chosen) return;
    const colour = step === -2 ? SLACK : new Color().lerpColors(EASY, HARD, Math.min(1, level));
    for (let j = 0; j < count; j++) this.instances.tube.setColorAt(i + j, colour);
    for (let j = 0; j <= count; j++) this.instances.bead.setColorAt(k + j, colour);
    this.instances.tube.instanceColor.needsUpdate = this.instances.bead.instanceColor.needsUpdate = true;
  }

  // The pull of a cable at its far end, along it.
  pull([i, k], at, node) {
    const [least, most] = this.scene.legend.tension;
    const level = at.levels[node.level];
    const tension = level < 0 ? 0 : most - least > 0.01 * most ? least + level * (most - least) : most;
    const length = this.tensionsShown && most > 0 ? (0.2 * this.scene.size * tension) / most : 0;
    const a = 3 * (node.first + node.count - 1);
    const d = [0, 1, 2].map((c) => at.points[a - 3 + c] - at.points[a + c]);
    const scale = length / (Math.hypot(...d) || 1);
    dart(this, i, k, at.points[a], at.points[a + 1], at.points[a + 2], scale * d[0], scale * d[1], scale * d[2], 0.006 * this.scene.size);
  }

  // The element of the machine that a hit of a ray belongs to.
  ownerOf({ object, instanceId }) {
    if (instanceId === undefined) return object.userData.owner ?? "";
    const kind = Object.keys(this.instances).find((name) => this.instances[name] === object);
    return kind ? this.owners[kind][instanceId] : "";
  }

  // What a ray may meet, where it is now.
  targets() {
    for (const mesh of Object.values(this.instances)) mesh.computeBoundingSphere();
    return [...Object.values(this.instances), ...this.meshes.filter((mesh) => mesh.userData.solid)];
  }

  // Show one element in another colour; empty: none.
  choose(name) {
    this.chosen = name;
    this.painted = (this.painted ?? 0) + 1;
    for (const [kind, mesh] of Object.entries(this.instances)) {
      this.owners[kind].forEach((owner, i) => mesh.setColorAt(i, name && owner === name ? CHOSEN : new Color(this.colours[kind][i])));
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    for (const mesh of this.meshes) if (mesh.userData.owner !== undefined) mesh.material.emissive.set(name && mesh.userData.owner === name ? "#a85f00" : "#000000");
  }

  // Show elements in red: loops that do not close.
  mark(names) {
    for (const [kind, mesh] of Object.entries(this.instances)) {
      this.owners[kind].forEach((owner, i) => names.includes(owner) && mesh.setColorAt(i, OPEN));
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  draw(at) {
    for (const move of this.moves) move(at);
    for (const mesh of Object.values(this.instances)) mesh.instanceMatrix.needsUpdate = true;
  }

  dispose() {
    for (const mesh of [...this.meshes, ...Object.values(this.instances)]) {
      mesh.geometry.dispose();
      mesh.material.dispose();
      mesh.dispose?.();
    }
    this.shade?.dispose();
    this.group.removeFromParent();
  }
}

// Column-major matrix of an attitude (w, x, y, z) and position, its columns times the given sizes.
function place(m, i, poses, a, sx, sy, sz, turned = false, shift = 0) {
  const w = poses[a + 3], x = poses[a + 4], y = poses[a + 5], z = poses[a + 6];
  const o = 16 * i;
  const r00 = 1 - 2 * (y * y + z * z), r01 = 2 * (x * y - w * z), r02 = 2 * (x * z + w * y);
  const r10 = 2 * (x * y + w * z), r11 = 1 - 2 * (x * x + z * z), r12 = 2 * (y * z - w * x);
  const r20 = 2 * (x * z - w * y), r21 = 2 * (y * z + w * x), r22 = 1 - 2 * (x * x + y * y);
  m[o] = sx * r00; m[o + 1] = sx * r10; m[o + 2] = sx * r20; m[o + 3] = 0;
  if (turned) { // the solid's own z axis along y
    m[o + 4] = -sy * r02; m[o + 5] = -sy * r12; m[o + 6] = -sy * r22; m[o + 7] = 0;
    m[o + 8] = sz * r01; m[o + 9] = sz * r11; m[o + 10] = sz * r21; m[o + 11] = 0;
  } else {
    m[o + 4] = sy * r01; m[o + 5] = sy * r11; m[o + 6] = sy * r21; m[o + 7] = 0;
    m[o + 8] = sz * r02; m[o + 9] = sz * r12; m[o + 10] = sz * r22; m[o + 11] = 0;
  }
  m[o + 12] = poses[a] + shift * r02; m[o + 13] = poses[a + 1] + shift * r12; m[o + 14] = poses[a + 2] + shift * r22;
  m[o + 15] = 1;
}

function put(m, i, points, a, r) {
  const o = 16 * i;
  m.fill(0, o, o + 16);
  m[o] = m[o + 5] = m[o + 10] = r;
  m[o + 12] = points[a]; m[o + 13] = points[a + 1]; m[o + 14] = points[a + 2]; m[o + 15] = 1;
}

// A unit solid along z laid from one point to another.
function span(m, i, points, a, b, r) {
  stick(m, i, points[a], points[a + 1], points[a + 2], points[b], points[b + 1], points[b + 2], r, r);
}

function stick(m, i, ax, ay, az, bx, by, bz, rx, ry) {
  const dx = bx - ax, dy = by - ay, dz = bz - az;
  const length = Math.hypot(dx, dy, dz) || 1e-9;
  const zx = dx / length, zy = dy / length, zz = dz / length;
  // Any direction across: the world axis that is least along.
  const up = Math.abs(zz) < 0.9;
  let xx = up ? -zy : 0, xy = up ? zx : zz, xz = up ? 0 : -zy;
  const size = Math.hypot(xx, xy, xz) || 1;
  xx /= size; xy /= size; xz /= size;
  const yx = zy * xz - zz * xy, yy = zz * xx - zx * xz, yz = zx * xy - zy * xx;
  const o = 16 * i;
  m[o] = rx * xx; m[o + 1] = rx * xy; m[o + 2] = rx * xz; m[o + 3] = 0;
  m[o + 4] = ry * yx; m[o + 5] = ry * yy; m[o + 6] = ry * yz; m[o + 7] = 0;
  m[o + 8] = dx; m[o + 9] = dy; m[o + 10] = dz; m[o + 11] = 0;
  m[o + 12] = (ax + bx) / 2; m[o + 13] = (ay + by) / 2; m[o + 14] = (az + bz) / 2; m[o + 15] = 1;
}

function turn(poses, a, v) {
  const w = poses[a + 3], x = poses[a + 4], y = poses[a + 5], z = poses[a + 6];
  const tx = 2 * (y * v[2] - z * v[1]), ty = 2 * (z * v[0] - x * v[2]), tz = 2 * (x * v[1] - y * v[0]);
  return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx];
}

function rail(m, i, poses, a, { axis, lower, upper, width, height, shift }) {
  const d = turn(poses, a, axis);
  const [x, y, z] = [poses[a] + shift[0], poses[a + 1] + shift[1], poses[a + 2] + shift[2]];
  stick(m, i, x + lower * d[0], y + lower * d[1], z + lower * d[2], x + upper * d[0], y + upper * d[1], z + upper * d[2], width, height);
}

function triad(m, indices, poses, a, size) {
  const [x, y, z] = poses.subarray(a, a + 3);
  indices.forEach((i, k) => {
    const d = turn(poses, a, [k === 0 ? size : 0, k === 1 ? size : 0, k === 2 ? size : 0]);
    stick(m, i, x, y, z, x + d[0], y + d[1], z + d[2], 0.05 * size, 0.05 * size);
  });
}

function arrow(shapes, i, k, at, { point, vector, radius }, scale) {
  const [vx, vy, vz] = [0, 1, 2].map((c) => scale * at.levels[vector + c]);
  const [x, y, z] = at.points.subarray(3 * point, 3 * point + 3);
  dart(shapes, i, k, x, y, z, vx, vy, vz, radius);
}

function dart(shapes, i, k, x, y, z, vx, vy, vz, radius) {
  const length = Math.hypot(vx, vy, vz);
  const head = Math.min(0.4 * length, 5 * radius);
  const s = length > 0 ? (length - head) / length : 0;
  const r = length > 0 ? Math.min(radius, length / 4) : 0;
  stick(shapes.matrices("tube"), i, x, y, z, x + s * vx, y + s * vy, z + s * vz, r, r);
  stick(shapes.matrices("cone"), k, x + s * vx, y + s * vy, z + s * vz, x + vx, y + vy, z + vz, 2.4 * r, 2.4 * r);
}
