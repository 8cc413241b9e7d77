// Pictures and films of what a player shows, saved as files.
import { element } from "./dom.js";

const WAIT = 400; // milliseconds for the last picture to reach a film
const KINDS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

export function saved(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function named(player, ending) {
  return `${player.scene.name.replace(/[^A-Za-z0-9_-]+/g, "-")}.${ending}`;
}

// What is shown now, with twice the points where the processor draws.
export function pictured(player) {
  player.draw(true);
  player.stage.canvas.toBlob((blob) => blob && saved(blob, named(player, "png")), "image/png");
}

// The whole run at the chosen speed; a film that goes on is ended by pause.
export async function filmed(player) {
  const kind = typeof MediaRecorder === "undefined" ? undefined : KINDS.find((name) => MediaRecorder.isTypeSupported(name));
  if (!kind || !player.stage.canvas.captureStream) throw new Error("this browser cannot record films");
  const recorder = new MediaRecorder(player.stage.canvas.captureStream(30), { mimeType: kind, videoBitsPerSecond: 8e6 });
  const chunks = [];
  recorder.ondataavailable = ({ data }) => data.size && chunks.push(data);
  const ended = new Promise((done) => (recorder.onstop = done));
  player.pause();
  player.seek(player.film.start);
  recorder.start();
  player.host.dataset.filming = "yes";
  if (player.film.n > 1) player.play();
  player.once = true; // no second time
  await new Promise((done) => {
    const look = setInterval(() => {
      if (player.playing) return;
      clearInterval(look);
      setTimeout(done, WAIT);
    }, 50);
  });
  recorder.stop();
  await ended;
  delete player.host.dataset.filming;
  saved(new Blob(chunks, { type: kind }), named(player, "webm"));
}
