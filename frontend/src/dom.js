// Small helpers for elements.

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  const { dataset, ...rest } = properties;
  Object.assign(made, rest);
  Object.assign(made.dataset, dataset ?? {});
  made.append(...children);
  return made;
}

export function shown(elements, on) {
  for (const item of elements) item.style.display = on ? "" : "none";
}

export function number(x) {
  if (x === 0 || !Number.isFinite(x)) return String(x);
  const size = Math.abs(x);
  return size >= 1e5 || size < 1e-3 ? x.toExponential(3) : String(Number(x.toPrecision(5)));
}
