// Opens a shared page: checks that it is whole, unpacks script and machine, and starts it.
import { sha256 } from "./sha256.js";

const expected = "DIGEST";

function say(text) {
  const note = document.createElement("p");
  note.id = "damaged";
  note.setAttribute("role", "alert");
  note.style.cssText = "font: 16px system-ui, sans-serif; margin: 40px auto; max-width: 560px; padding: 0 20px; color: #8c1d18";
  note.textContent = text;
  document.body.append(note);
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}

async function open() {
  const text = document.getElementById("payload")?.textContent ?? "";
  if (sha256(new TextEncoder().encode(text)) !== expected) {
    say("This page is damaged: its content does not match its digest. Please get the file again.");
    return;
  }
  if (typeof WebAssembly === "undefined" || typeof DecompressionStream === "undefined") {
    say("This page simulates a machine. It needs a browser with WebAssembly and DecompressionStream (Chrome 97, Firefox 113, Safari 16.4 or newer).");
    return;
  }
  const { style, script, live } = await unpacked(text);
  const [look, code] = [document.createElement("style"), document.createElement("script")];
  look.textContent = style;
  code.textContent = script;
  document.head.append(look, code);
  await globalThis.dalembert.live(document.body, live);
}

addEventListener("DOMContentLoaded", () => open().catch((error) => say(`This page cannot be opened: ${error.message}`)));
