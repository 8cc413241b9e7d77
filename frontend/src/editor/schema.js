// Where the cursor is in a machine file, and what the schema says of that place.

// Keys from the top of the file to a position, the key or value being written, and where it begins. Blocks are read by
// their indentation, and braces within a line; a list entry counts as the key "-".
export function placeAt(doc, pos) {
  const line = doc.lineAt(pos);
  const before = line.text.slice(0, pos - line.from);
  const lead = /^(\s*)((?:- +)*)/.exec(line.text);
  const indent = lead[1].length + lead[2].length;
  if (before.trimStart().startsWith("#")) return null;
  const path = [...above(doc, line.number, lead[2] ? lead[1].length : indent, Boolean(lead[2])), ...(lead[2] ? ["-"] : [])];
  let [key, start, value] = ["", indent, false];
  const stack = [];
  const rest = before.slice(indent);
  let quote = "";
  for (let i = 0; i < rest.length; i++) {
    const c = rest[i];
    if (quote) {
      if (c === quote) quote = "";
    } else if (c === '"' || c === "'") quote = c;
    else if (c === "#" && (i === 0 || rest[i - 1] === " ")) return null;
    else if (c === "{" || c === "[") {
      stack.push({ key, list: c === "[" });
      [key, value, start] = ["", c === "[", indent + i + 1];
    } else if (c === "}" || c === "]") {
      key = stack.pop()?.key ?? "";
      value = true;
    } else if (c === ",") [key, value, start] = ["", stack.at(-1)?.list ?? false, indent + i + 1];
    else if (c === ":" && (i + 1 === rest.length || rest[i + 1] === " ")) {
      key = rest.slice(start - indent, i).trim();
      [value, start] = [true, indent + i + 1];
    }
  }
  for (const { key: outer, list } of stack) {
    if (outer) path.push(outer);
    if (list) path.push("-");
  }
  const written = before.slice(start);
  const from = line.from + start + (written.length - written.trimStart().length);
  return { path, key, value, from: Math.min(from, pos), text: written.trim() };
}

// Keys of the blocks that a line of some indentation is in.
function above(doc, number, indent, entry) {
  const keys = [];
  let most = entry ? indent + 1 : indent;
  for (let n = number - 1; n > 0 && most > 0; n--) {
    const { text } = doc.line(n);
    if (!text.trim() || text.trimStart().startsWith("#")) continue;
    const [, space, dashes, key] = /^(\s*)((?:- +)*)([^\s:#][^:]*)?/.exec(text);
    const column = space.length + dashes.length;
    if (dashes && space.length < most && column >= most && !entry) keys.unshift("-"), (most = space.length + 1);
    if (key && column < most && /:(\s|$)/.test(text.slice(column + key.length))) {
      keys.unshift(key.trim());
      most = column;
      if (dashes) keys.unshift("-"), (most = space.length + 1);
    }
  }
  return keys;
}

export class Schema {
  load(schema) {
    this.root = schema;
  }

  // The alternatives that a node allows.
  open(node) {
    if (!node) return [];
    if (node.$ref) return this.open(this.root.$defs[node.$ref.split("/").pop()]);
    const all = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])];
    return all.length ? [...all.flatMap((part) => this.open(part)), ...(node.properties || node.enum ? [node] : [])] : [node];
  }

  // Alternatives at a path.
  at(path) {
    let nodes = this.open(this.root);
    for (const key of path) {
      nodes = nodes.flatMap((node) => {
        if (key === "-") return this.open(node.items);
        if (node.properties?.[key]) return this.open({ ...node.properties[key] });
        return typeof node.additionalProperties === "object" ? this.open(node.additionalProperties) : [];
      });
    }
    return nodes;
  }

  // What is said of a key at a path.
  key(path, key) {
    for (const node of this.at(path)) if (node.properties?.[key]) return node.properties[key];
    return null;
  }
}

function unit(text = "") {
  return /\[([^\]]+)\]/.exec(text)?.[1] ?? "";
}

const NAMED = { parent: ["bodies"], child: ["bodies"], body: ["bodies"], frame: ["frames", "bodies"], anchor: ["frames", "bodies"], exit: ["frames", "bodies"], joint: ["joints"], leader: ["joints"], sheave: ["frames", "bodies"], drum: ["frames", "bodies"], on: ["constraints", "cables", "ropes"], off: ["constraints", "cables", "ropes"], q0: ["joints"], v0: ["joints"], p: ["parameters"] };

// Names of the entries of some sections of a text.
function names(doc, sections) {
  const found = [];
  let [section, indent] = ["", -1];
  for (let n = 1; n <= doc.lines; n++) {
    const { text } = doc.line(n);
    const top = /^([A-Za-z_]+):\s*(.*)$/.exec(text);
    if (top) {
      [section, indent] = [top[1], -1];
      if (sections.includes(section)) for (const [, name] of top[2].matchAll(/[{,]\s*([\w.-]+)\s*:/g)) found.push(name);
      continue;
    }
    const entry = /^(\s+)([\w.-]+):/.exec(text);
    if (!entry || !sections.includes(section)) continue;
    if (indent < 0) indent = entry[1].length;
    if (entry[1].length === indent) found.push(entry[2]);
  }
  return [...new Set(found)];
}

export function completions(context, schema) {
  if (!schema.root) return null;
  const { doc } = context.state;
  const place = placeAt(doc, context.pos);
  if (!place) return null;
  const word = context.matchBefore(/[\w.-]*/);
  if (!context.explicit && word.from === word.to && !/[{,:\s]$/.test(doc.sliceString(Math.max(0, context.pos - 1), context.pos))) return null;
  if (!place.value) {
    const options = schema.at(place.path).flatMap((node) => Object.entries(node.properties ?? {})).map(([label, { description }]) => ({ label, type: "property", detail: unit(description), info: description, apply: `${label}: ` }));
    const section = place.path.at(-1);
    if (["q0", "v0", "p"].includes(section)) options.push(...names(doc, NAMED[section]).map((name) => ({ label: section === "v0" ? `${name}_dot` : name, type: "variable", apply: `${section === "v0" ? `${name}_dot` : name}: ` })));
    return options.length ? { from: word.from, options: unique(options), validFor: /^[\w.-]*$/ } : null;
  }
  const known = schema.at([...place.path, ...(place.key ? [place.key] : [])]);
  const own = place.key ? schema.key(place.path, place.key) : null;
  const values = [own, ...known].flatMap((node) => node?.enum ?? (node?.type === "boolean" ? [true, false] : []));
  const referred = (NAMED[place.key || place.path.filter((key) => key !== "-").at(-1)] ?? []).length ? names(doc, NAMED[place.key || place.path.filter((key) => key !== "-").at(-1)]) : [];
  if (["parent", "exit"].includes(place.key)) referred.unshift("world");
  const options = [...values.map((value) => ({ label: String(value), type: "enum" })), ...referred.map((label) => ({ label, type: "variable" }))];
  return options.length ? { from: word.from, options: unique(options), validFor: /^[\w.-]*$/ } : null;
}

function unique(options) {
  return [...new Map(options.map((option) => [option.label, option])).values()];
}

// What the schema says of the key at a position: text, and where the key is.
export function described(doc, pos, schema) {
  if (!schema.root) return null;
  const line = doc.lineAt(pos);
  const column = pos - line.from;
  for (const match of line.text.matchAll(/([A-Za-z_]\w*)\s*:/g)) {
    const [start, end] = [match.index, match.index + match[1].length];
    if (column < start || column > end) continue;
    const place = placeAt(doc, line.from + start);
    const about = place && schema.key(place.path, match[1]);
    if (!about?.description) return null;
    return { from: line.from + start, to: line.from + end, text: `${match[1]}: ${about.description}` };
  }
  return null;
}
