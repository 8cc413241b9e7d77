// Pictures of machines that simulate: a button in their corner opens the machine, made by conf.py, above the page.
addEventListener("DOMContentLoaded", () => {
  const machines = document.querySelector("script[data-machines]").dataset.machines.split(" ").filter(Boolean);
  const root = document.documentElement.dataset.content_root ?? "./";
  const open = (name) => {
    const dialog = document.createElement("dialog");
    dialog.className = "live-machine";
    const frame = Object.assign(document.createElement("iframe"), { src: `${root}live/${name}.html`, title: `${name}, simulating` });
    const close = Object.assign(document.createElement("button"), { textContent: "close", onclick: () => dialog.close() });
    dialog.append(close, frame);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  };
  for (const image of document.querySelectorAll("img")) {
    const name = image.src.split("/").at(-1).replace(/\.png$/, "");
    if (!machines.includes(name)) continue;
    if (image.closest("a")?.href.endsWith(".html")) continue; // it leads to a page
    const picture = image.closest("a") ?? image;
    const place = Object.assign(document.createElement("span"), { className: "live-picture" });
    const button = Object.assign(document.createElement("button"), { textContent: "\u25B6 simulate it here", onclick: () => open(name) });
    button.dataset.machine = name;
    picture.replaceWith(place);
    place.append(picture, button);
  }
});
