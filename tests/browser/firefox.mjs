// Open pages in Firefox by puppeteer-core, and print the run of each: node firefox.mjs PROGRAM NODE_MODULES PAGE ...
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [program, modules, ...files] = process.argv.slice(2);
const found = createRequire(`${modules}/`).resolve("puppeteer-core");
const { launch } = (await import(pathToFileURL(found))).default;
const browser = await launch({ browser: "firefox", executablePath: program, headless: true });
try {
  const runs = [];
  for (const file of files) {
    const page = await browser.newPage();
    await page.goto(pathToFileURL(file).href);
    await page.waitForSelector("body[data-run='1']", { timeout: 120000 });
    runs.push(await page.evaluate(() => {
      const { live } = document.body;
      live.player.pause();
      const { run } = live;
      return { t: [...run.t], x: [Array.from(run.x.at(-1))], status: document.body.dataset.status, agent: navigator.userAgent };
    }));
    await page.close();
  }
  console.log(JSON.stringify(runs));
} finally {
  await browser.close();
}
