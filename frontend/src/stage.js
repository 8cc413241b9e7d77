// Where machines stand: light, floor, camera. A page has one WebGL context for all of its embedded views, since browsers
// allow only some; the studio's view has one of its own, which is faster.
import {
  AmbientLight, BufferAttribute, BufferGeometry, CanvasTexture, Color, DirectionalLight, HemisphereLight, Line,
  LineBasicMaterial, LineSegments, Matrix4, PerspectiveCamera, Plane, Points, PointsMaterial, Raycaster, Scene, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

let shared = null;
let slow = null;
const dark = matchMedia("(prefers-color-scheme: dark)");
const TRIAD = 64; // pixels
export const VIEWS = ["oblique", "front", "back", "left", "right", "top", "bottom"];

// Whether WebGL is done by the processor. Smooth edges then cost more than all the rest: moving pictures do without, and
// a picture that stands still is drawn once more with twice the points.
function software() {
  if (slow === null) {
    const gl = document.createElement("canvas").getContext("webgl2");
    const named = gl?.getExtension("WEBGL_debug_renderer_info");
    slow = /swiftshader|llvmpipe|softpipe|software/i.test(named ? gl.getParameter(named.UNMASKED_RENDERER_WEBGL) : "");
    gl?.getExtension("WEBGL_lose_context")?.loseContext();
  }
  return slow;
}

function makeRenderer(canvas) {
  return new WebGLRenderer({ canvas, antialias: !software(), preserveDrawingBuffer: false });
}

function ratio(sharp) {
  if (!software()) return Math.min(devicePixelRatio, 2);
  return sharp ? 2 : 1;
}

// A canvas with a context of its own.
class OwnSurface {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = makeRenderer(canvas);
  }

  render(scene, camera, width, height, sharp) {
    const wanted = [width, height, ratio(sharp)];
    if (wanted.join() !== this.sized) {
      this.renderer.setPixelRatio(wanted[2]);
      this.renderer.setSize(width, height, false);
      this.sized = wanted.join();
    }
    this.renderer.render(scene, camera);
    this.calls = this.renderer.info.render.calls;
  }
}

// A canvas that shows what the page's only context has drawn for it.
class SharedSurface {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    shared ??= makeRenderer(document.createElement("canvas"));
  }

  render(scene, camera, width, height, sharp) {
    const [w, h] = [width, height].map((x) => Math.round(x * ratio(sharp)));
    if (this.canvas.width !== w || this.canvas.height !== h) [this.canvas.width, this.canvas.height] = [w, h];
    shared.setSize(w, h, false);
    shared.render(scene, camera);
    this.calls = shared.info.render.calls;
    this.context.drawImage(shared.domElement, 0, 0);
  }
}

export class Stage {
  constructor(host, { own = false } = {}) {
    this.host = host;
    this.canvas = document.createElement("canvas");
    this.canvas.className = "da-canvas";
    host.appendChild(this.canvas);
    this.own = own;
    this.world = new Scene();
    this.camera = new PerspectiveCamera(32, 1, 0.01, 1000);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => (this.dirty = true));
    this.controls.addEventListener("start", () => (this.touched = true));
    this.world.add(new HemisphereLight("#ffffff", "#9aa2ad", 2.0), new AmbientLight("#ffffff", 0.35));
    this.lamp = new DirectionalLight("#ffffff", 1.9);
    this.world.add(this.lamp, this.lamp.target);
    this.decor = [];
    this.axes = document.createElement("canvas");
    this.axes.className = "da-axes";
    [this.axes.width, this.axes.height] = [2 * TRIAD, 2 * TRIAD];
    this.axes.setAttribute("aria-hidden", "true");
    host.appendChild(this.axes);
    new ResizeObserver(() => {
      this.dirty = true;
      this.resized?.();
    }).observe(host);
    dark.addEventListener("change", () => this.scene && this.furnish(this.scene));
    this.keys();
  }

  // Whether the page follows the dark mode of the system: studio and pages that simulate do.
  dark() {
    return dark.matches && Boolean(this.host.closest(".da-studio, body.da-live"));
  }

  // Colour of shadows on the floor.
  shadeColour() {
    return this.dark() ? "#11151a" : "#d5dbe2";
  }

  // The camera by keys: arrows turn, plus and minus zoom.
  keys() {
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.addEventListener("keydown", (event) => {
      const turns = { ArrowLeft: [-0.12, 0], ArrowRight: [0.12, 0], ArrowUp: [0, -0.12], ArrowDown: [0, 0.12] };
      const zooms = { "+": 0.88, "=": 0.88, "-": 1.14 };
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (turns[event.key]) this.turn(...turns[event.key]);
      else if (zooms[event.key]) this.zoom(zooms[event.key]);
      else return;
      event.preventDefault();
    });
  }

  turn(sideways, upwards) {
    const up = new Vector3(...this.scene.up);
    const arm = this.camera.position.clone().sub(this.controls.target);
    const tilt = Math.min(Math.max(arm.angleTo(up) + upwards, 0.02), Math.PI - 0.02) - arm.angleTo(up);
    const right = new Vector3().crossVectors(up, arm).normalize();
    arm.applyAxisAngle(right, tilt).applyAxisAngle(up, sideways);
    this.camera.position.copy(this.controls.target).add(arm);
    this.moved();
  }

  zoom(factor) {
    this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
    this.moved();
  }

  moved() {
    this.touched = true;
    this.controls.update();
    this.dirty = true;
  }

  // A direction from which one looks: of the machine's own side, or along a world axis.
  direction(view) {
    const [up, across] = [new Vector3(...this.scene.up), new Vector3(...this.scene.across)];
    const other = new Vector3().crossVectors(up, across);
    const lean = other.clone().multiplyScalar(-0.001); // the camera has an up direction
    const ways = { front: other.clone().negate(), back: other, left: across.clone().negate(), right: across, top: up.clone().add(lean), bottom: up.clone().negate().add(lean) };
    return (ways[view] ?? new Vector3(...this.scene.eye)).normalize();
  }

  // Where the camera is, as numbers, and back there.
  placement() {
    return { position: this.camera.position.toArray(), target: this.controls.target.toArray() };
  }

  look({ position, target }) {
    this.camera.up.set(...this.scene.up);
    this.camera.position.set(...position);
    this.controls.target.set(...target);
    this.moved();
  }

  // Pixels of a metre at the point that one turns about.
  pixels() {
    const distance = this.camera.position.distanceTo(this.controls.target) || 1;
    return this.host.clientHeight / (2 * distance * Math.tan((this.camera.fov * Math.PI) / 360));
  }

  // Begin to drag a point: it stays in the plane that faces the camera.
  hold(point) {
    const at = new Vector3(...point);
    this.grip = new Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), at);
  }

  held(event) {
    const ray = new Raycaster();
    ray.setFromCamera(this.pointer(event), this.camera);
    return (ray.ray.intersectPlane(this.grip, new Vector3()) ?? this.controls.target).toArray();
  }

  // Place of the pointer in the picture, from -1 to 1.
  pointer(event) {
    const box = this.canvas.getBoundingClientRect();
    return new Vector2((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height);
  }

  // Red lines between the ends of loops that do not close; until the next scene.
  gaps(list) {
    if (!list?.length) return;
    const lines = new BufferGeometry();
    lines.setAttribute("position", new BufferAttribute(new Float32Array(list.flatMap(({ from, to }) => [...from, ...to])), 3));
    const ends = new Points(lines, new PointsMaterial({ color: "#e00000", size: 9, sizeAttenuation: false, depthTest: false }));
    this.put(new LineSegments(lines, new LineBasicMaterial({ color: "#e00000", depthTest: false })));
    this.put(ends);
    this.dirty = true;
  }

  // What is under a point of the window.
  under(event, shapes) {
    const ray = new Raycaster();
    ray.setFromCamera(this.pointer(event), this.camera);
    const hits = ray.intersectObjects(shapes.targets(), false);
    for (const hit of hits) {
      const owner = shapes.ownerOf(hit);
      if (owner) return owner;
    }
    return "";
  }

  // The world axes as one sees them now.
  triad() {
    const context = this.axes.getContext("2d");
    const [half, long] = [TRIAD, 0.62 * TRIAD];
    context.clearRect(0, 0, 2 * TRIAD, 2 * TRIAD);
    context.lineWidth = 5;
    context.font = `600 ${0.36 * TRIAD}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const turned = this.camera.quaternion.clone().invert();
    const colours = this.dark() || this.scene?.place === "space" ? ["#ff8a75", "#6fd88a", "#8fb0ff"] : ["#cc3311", "#1f7a33", "#3355bb"];
    const axes = ["x", "y", "z"].map((name, k) => ({ name, colour: colours[k], v: new Vector3().setComponent(k, 1).applyQuaternion(turned) }));
    for (const { name, colour, v } of axes.sort((a, b) => a.v.z - b.v.z)) {
      const [x, y] = [half + long * v.x, half - long * v.y];
      context.strokeStyle = context.fillStyle = colour;
      context.beginPath();
      context.moveTo(half, half);
      context.lineTo(x, y);
      context.stroke();
      context.fillText(name, half + 1.38 * long * v.x, half - 1.38 * long * v.y);
    }
  }

  // What belongs to the place and not to the machine, for a scene of a given size.
  furnish(scene) {
    for (const thing of this.decor) {
      this.world.remove(thing);
      thing.geometry.dispose();
      thing.material.dispose();
    }
    this.decor = [];
    this.scene = scene;
    const up = new Vector3(...scene.up);
    const centre = new Vector3(...scene.centre);
    const size = scene.size;
    const across = new Vector3(...scene.across);
    this.lamp.position.copy(centre).addScaledVector(up, 1.6 * size).addScaledVector(across, 0.7 * size).addScaledVector(new Vector3().crossVectors(up, across), -0.9 * size);
    this.lamp.target.position.copy(centre);
    this.camera.near = 0.01 * size;
    this.camera.far = 60 * size;
    if (scene.place === "space") this.space(centre, size);
    else this.floor(scene, up, across, centre);
    const towards = this.lamp.position.clone().sub(centre);
    this.shade = scene.place === "ground" ? flattened(up, scene.floor.level + 0.0006 * size, towards) : null;
    this.dirty = true;
  }

  floor(scene, up, across, centre) {
    this.world.background = new Color(this.dark() ? "#1d232b" : "#f4f6f8");
    const { step, level } = scene.floor;
    const foot = centre.clone().addScaledVector(up, level - centre.dot(up));
    const other = new Vector3().crossVectors(up, across);
    const half = Math.ceil((1.2 * scene.size) / step);
    const corner = [across, other].map((d) => Math.round(foot.dot(d) / step) * step);
    const origin = up.clone().multiplyScalar(level).addScaledVector(across, corner[0]).addScaledVector(other, corner[1]);
    const points = [];
    for (let k = -half; k <= half; k++) {
      for (const [a, b] of [[across, other], [other, across]]) {
        for (const end of [-half, half]) points.push(...origin.clone().addScaledVector(a, k * step).addScaledVector(b, end * step).toArray());
      }
    }
    const lines = new BufferGeometry();
    lines.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
    const grid = new LineSegments(lines, new LineBasicMaterial({ color: this.dark() ? "#38424f" : "#d3d9e0" }));
    this.put(grid);
  }

  space(centre, size) {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [2, 256];
    const context = canvas.getContext("2d");
    const shade = context.createLinearGradient(0, 0, 0, 256);
    [[0, "#0b1426"], [0.6, "#16243f"], [1, "#27406b"]].forEach(([s, c]) => shade.addColorStop(s, c));
    context.fillStyle = shade;
    context.fillRect(0, 0, 2, 256);
    const texture = new CanvasTexture(canvas);
    texture.colorSpace = "srgb";
    this.world.background = texture;
    let seed = 1; // the same stars every time
    const random = () => ((seed = (seed * 16807) % 2147483647) / 2147483647);
    const points = new Float32Array(1500);
    for (let i = 0; i < points.length; i += 3) {
      const z = 2 * random() - 1;
      const a = 2 * Math.PI * random();
      const r = Math.sqrt(1 - z * z);
      new Vector3(r * Math.cos(a), r * Math.sin(a), z).multiplyScalar(25 * size).add(centre).toArray(points, i);
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(points, 3));
    this.put(new Points(geometry, new PointsMaterial({ color: "#dfe8ff", size: 1.6, sizeAttenuation: false })));
  }

  put(thing) {
    this.decor.push(thing);
    this.world.add(thing);
  }

  // Look at all of the given points (x, y, z, x, y, z, ...), from where one looks now or from the machine's own side.
  fit(cloud, reset = true, view = "oblique") {
    const from = reset ? this.direction(view) : this.camera.position.clone().sub(this.controls.target).normalize();
    const up = new Vector3(...this.scene.up);
    this.camera.up.copy(up);
    const right = new Vector3().crossVectors(up, from).normalize();
    const above = new Vector3().crossVectors(from, right);
    // A point at (x, y, z) across, up and towards the camera is seen if |x - cx| <= tx (d - z), and likewise for y.
    const ty = Math.tan((this.camera.fov * Math.PI) / 360);
    const tx = ty * this.aspect();
    const top = ty * (1 - 2 * Math.min(0.2, this.captioned() / Math.max(1, this.host.clientHeight))); // below the caption
    const most = [-Infinity, -Infinity, -Infinity, -Infinity];
    let depth = -Infinity;
    const point = new Vector3();
    for (let i = 0; i < cloud.length; i += 3) {
      point.set(cloud[i], cloud[i + 1], cloud[i + 2]);
      const [x, y, z] = [point.dot(right), point.dot(above), point.dot(from)];
      depth = Math.max(depth, z);
      [x + tx * z, -x + tx * z, y + top * z, -y + ty * z].forEach((value, k) => (most[k] = Math.max(most[k], value)));
    }
    const distance = Math.max((most[0] + most[1]) / (2 * tx), (most[2] + most[3]) / (top + ty), depth + 0.1 * this.scene.size);
    const [cx, cy] = [(most[0] - most[1]) / 2, (most[2] - most[3] + (ty - top) * distance) / 2];
    const middle = depth - Math.min(0.5 * this.scene.size, 0.5 * (distance - depth) + 0.5 * this.scene.size);
    const axis = right.multiplyScalar(cx).addScaledVector(above, cy);
    this.controls.target.copy(axis).addScaledVector(from, middle);
    this.camera.position.copy(axis).addScaledVector(from, middle + 1.07 * (distance - middle));
    this.controls.update();
    this.dirty = true;
  }

  // How far points reach towards the edges of the picture, of which 1 is one: [of the longer side, of the outermost point].
  extent(cloud) {
    this.camera.aspect = this.aspect();
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    const low = [Infinity, Infinity];
    const high = [-Infinity, -Infinity];
    const point = new Vector3();
    for (let i = 0; i < cloud.length; i += 3) {
      point.set(cloud[i], cloud[i + 1], cloud[i + 2]).project(this.camera);
      if (Math.abs(point.z) > 1) return [0, Infinity]; // behind the camera
      [point.x, point.y].forEach((value, k) => ([low[k], high[k]] = [Math.min(low[k], value), Math.max(high[k], value)]));
    }
    return [Math.max(high[0] - low[0], high[1] - low[1]) / 2, Math.max(...high, -low[0], -low[1])];
  }

  // Height of the caption at the top of the picture.
  captioned() {
    const caption = this.host.querySelector(".da-caption");
    return caption?.offsetHeight ? caption.offsetTop + caption.offsetHeight : 0;
  }

  aspect() {
    return this.host.clientWidth / Math.max(1, this.host.clientHeight);
  }

  render(sharp) {
    const [width, height] = [this.host.clientWidth, this.host.clientHeight];
    if (!width || !height) return;
    this.dirty = false;
    if (this.blind) return;
    try {
      this.surface ??= this.own ? new OwnSurface(this.canvas) : new SharedSurface(this.canvas);
    } catch {
      this.blind = true; // everything but the picture goes on
      this.host.append(Object.assign(document.createElement("p"), { className: "da-blind", textContent: "This browser has no WebGL: the machine cannot be drawn." }));
      return;
    }
    this.camera.aspect = this.aspect();
    this.camera.updateProjectionMatrix();
    this.surface.render(this.world, this.camera, width, height, sharp);
    this.calls = this.surface.calls;
    this.triad();
    this.unsharp = software() && !sharp;
  }

  // The path of a point over all frames, drawn up to the present one by `reach`; some hundred pieces are enough.
  path(film, point, colour) {
    const stride = Math.max(1, Math.ceil(film.n / 400));
    const count = Math.floor((film.n - 1) / stride) + 1;
    const values = new Float32Array(3 * count);
    for (let k = 0; k < count; k++) for (let c = 0; c < 3; c++) values[3 * k + c] = film.points[(3 * point + c) * film.n + k * stride];
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(values, 3));
    const line = new Line(geometry, new LineBasicMaterial({ color: colour }));
    line.frustumCulled = false;
    line.reach = (frame) => geometry.setDrawRange(0, Math.floor(frame / stride) + 1);
    this.world.add(line);
    return line;
  }
}

// Everything pressed onto the floor along the light: shadows without a shadow map, which software WebGL is too slow for.
function flattened(up, level, towards) {
  const along = towards.clone().divideScalar(towards.dot(up));
  const [u, l] = [up.toArray(), along.toArray()];
  const m = [];
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) m.push((i === j ? 1 : 0) - l[i] * u[j]);
    m.push(level * l[i]);
  }
  return new Matrix4().set(...m, 0, 0, 0, 1);
}
