// Builds the page that the package ships: a script, that of the editor, a style sheet, what opens shared pages, licences.
// `npm run check` builds into memory and fails if the files in the package are others.
import { build } from "esbuild";
import { readFileSync, writeFileSync, mkdirSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "../src/dalembert/view/page/assets");
const text = (...parts) => readFileSync(join(here, ...parts), "utf8");
const version = (name) => JSON.parse(text("node_modules", name, "package.json")).version;

const { outputFiles } = await build({
  absWorkingDir: here,
  entryPoints: { dalembert: "src/main.js", editor: "src/editor/main.js", boot: "src/boot.js" },
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  outdir: "out",
  legalComments: "none",
  write: false,
});

const files = Object.fromEntries(outputFiles.map((file) => [file.path.split(/[\\/]/).pop(), file.text]));
files["dalembert.js"] = `/*! dalembert (Apache-2.0) with three.js ${version("three")} and uPlot ${version("uplot")} (MIT): see LICENSES.txt */\n${files["dalembert.js"]}`;
files["editor.js"] = `/*! dalembert (Apache-2.0) with CodeMirror (MIT): see LICENSES.txt */\n${files["editor.js"]}`;
// Inside of an HTML page a script must not end early.
for (const name of ["dalembert.js", "editor.js"]) files[name] = files[name].replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const used = Object.keys(JSON.parse(text("package-lock.json")).packages).filter((path) => path && existsSync(join(here, path, "LICENSE"))).map((path) => path.replace("node_modules/", ""));
const inside = used.filter((name) => ["three", "uplot", "crelt", "style-mod", "w3c-keyname"].includes(name) || name.startsWith("@codemirror/") || name.startsWith("@lezer/") || name.startsWith("@marijn/"));
files["LICENSES.txt"] = inside
  .map((name) => `${name} ${version(name)}\n\n${text("node_modules", name, "LICENSE").trim()}\n`)
  .join("\n\n");

if (process.argv.includes("--check")) {
  const other = Object.keys(files).filter((name) => !existsSync(join(target, name)) || readFileSync(join(target, name), "utf8") !== files[name]);
  if (other.length) {
    console.error(`not what the sources give: ${other.join(", ")}; run: npm ci && npm run build`);
    process.exit(1);
  }
  console.log("the page in the package is what its sources give");
} else {
  mkdirSync(target, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(target, name), content);
    console.log(`${name}: ${(content.length / 1e3).toFixed(0)} kB`);
  }
}
