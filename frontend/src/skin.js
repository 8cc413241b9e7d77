// The surface of a flexible body from finite elements: deformed by its modal coordinates, coloured by its equivalent stress.
// Shapes and stresses arrive once, one channel per coordinate; a frame has the coordinates alone.
import { BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Mesh, MeshLambertMaterial } from "three";
import { unpack } from "./data.js";

// Viridis in linear light, as vertex colours are: violet, blue, green, yellow.
const STOPS = ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"].map((hex) =>
  [1, 3, 5].map((i) => (parseInt(hex.slice(i, i + 2), 16) / 255) ** 2.2));

export class Skin {
  static async build(node, ghost) {
    const skin = new Skin();
    const names = ["vertices", "faces", "shapes", "stress"];
    const arrays = await Promise.all(names.map((name) => (node[name] && !(ghost && name === "stress") ? unpack(node[name]) : null)));
    names.forEach((name, i) => (skin[name] = arrays[i]?.values ?? null));
    skin.node = node;
    skin.n = node.coordinates.length;
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(skin.vertices.slice(), 3).setUsage(DynamicDrawUsage));
    geometry.setIndex([...skin.faces]);
    const look = ghost ? { color: "#f08c2e", transparent: true, opacity: 0.35, depthWrite: false } : { color: skin.stress ? "#ffffff" : node.colour };
    if (skin.stress) {
      geometry.setAttribute("color", new BufferAttribute(new Float32Array(skin.vertices.length), 3).setUsage(DynamicDrawUsage));
      skin.sigma = new Float32Array(2 * skin.vertices.length);
    }
    const material = new MeshLambertMaterial({ ...look, side: DoubleSide, flatShading: true, vertexColors: Boolean(skin.stress) });
    skin.mesh = new Mesh(geometry, material);
    skin.mesh.frustumCulled = false;
    skin.mesh.userData.solid = true;
    skin.mesh.userData.owner = node.name ?? "";
    return skin;
  }

  move(at) {
    const { node, mesh } = this;
    const [x, y, z, qw, qx, qy, qz] = at.poses.subarray(7 * node.pose, 7 * node.pose + 7);
    mesh.position.set(x, y, z);
    mesh.quaternion.set(qx, qy, qz, qw);
    const delta = at.levels.subarray(node.modal, node.modal + this.n);
    const position = mesh.geometry.attributes.position;
    position.array.set(this.vertices);
    combine(this.shapes, delta, at.exaggerate ?? 1, position.array);
    position.needsUpdate = true;
    if (!this.stress) return;
    this.sigma.fill(0);
    combine(this.stress, delta, 1, this.sigma);
    const colour = mesh.geometry.attributes.color;
    for (let i = 0; i < colour.count; i++) paint(colour.array, 3 * i, equivalent(this.sigma, 6 * i));
    colour.needsUpdate = true;
  }
}

// Add factor times the sum of channels times coordinates.
function combine(channels, delta, factor, out) {
  for (let j = 0, a = 0; j < delta.length; j++, a += out.length) {
    const d = factor * delta[j];
    if (d !== 0) for (let i = 0; i < out.length; i++) out[i] += d * channels[a + i];
  }
}

// Equivalent stress of xx, yy, zz, xy, yz, zx.
export function equivalent(s, i) {
  const a = s[i] - s[i + 1], b = s[i + 1] - s[i + 2], c = s[i + 2] - s[i];
  const shear = s[i + 3] ** 2 + s[i + 4] ** 2 + s[i + 5] ** 2;
  return Math.sqrt((a * a + b * b + c * c) / 2 + 3 * shear);
}

function paint(colours, i, share) {
  const place = Math.min(Math.max(share, 0), 1) * (STOPS.length - 1);
  const k = Math.min(Math.floor(place), STOPS.length - 2);
  for (let c = 0; c < 3; c++) colours[i + c] = STOPS[k][c] + (place - k) * (STOPS[k + 1][c] - STOPS[k][c]);
}
