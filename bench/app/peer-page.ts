import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { build } from "vite";

const folder = fileURLToPath(new URL("../peers/pages/", import.meta.url));

/** Opens a page that holds a peer alone: no server, no other pane. */
export async function peerPage(browser: Browser, name: "codemirror" | "tiptap" | "streamdown"): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  await page.setContent("<!doctype html><html><body></body></html>");
  await page.addScriptTag({ content: await bundle(join(folder, `${name}.js`)) });
  return page;
}

async function bundle(entry: string): Promise<string> {
  process.env["NODE_ENV"] = "production";
  const built = await build({
    configFile: false,
    logLevel: "silent",
    publicDir: false,
    root: folder,
    build: {
      write: false,
      target: "es2024",
      rolldownOptions: { input: entry, output: { format: "iife", codeSplitting: false } },
    },
  });
  if (!("output" in built)) throw new Error("one build has one output");
  return built.output[0].code;
}
