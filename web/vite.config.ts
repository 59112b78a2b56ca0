import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin, type Rolldown, type UserConfig } from "vite";

const textExtensions = new Set([".css", ".html", ".js", ".mjs", ".json", ".map", ".svg", ".txt", ".webmanifest"]);

const packedAlone = new Set([".js", ".mjs", ".css"]);

/**
 * Writes every text file as .gz, so that the server never compresses while it serves. Scripts and styles are there in this
 * form alone: a reader that does not take it is sent what the .gz holds.
 */
function precompressed(): Plugin {
  let folder = "";
  return {
    name: "heddle-precompressed",
    apply: "build",
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    async closeBundle() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      await Promise.all(
        files.map(async (file) => {
          const extension = extname(file);
          if (!textExtensions.has(extension)) return;
          await writeFile(`${file}.gz`, await promisify(gzip)(await readFile(file), { level: 9 }));
          if (packedAlone.has(extension)) await rm(file);
        }),
      );
    },
  };
}

/** Turndown tries the browser's parser when it is loaded, which trusted types refuse; it is given parsed elements alone. */
function untriedParser(): Plugin {
  return {
    name: "heddle-untried-parser",
    transform: (code, id) =>
      id.includes("/turndown/") ? code.replace("new Parser().parseFromString('', 'text/html')", "Parser") : null,
  };
}

/**
 * Puts what the page loads at once into two files, so that a slow line waits for few answers: React, which new versions of the
 * app keep, and the rest. Without this, each part that a dialog shares with the page would be a file of its own.
 */
function atOnce(): Rolldown.CodeSplittingOptions {
  let first: ReadonlySet<string> | null = null;
  return {
    groups: [
      // The frame that draws diagrams needs this, and nothing else of the page's.
      { name: "preload", test: /vite\/preload-helper/u, priority: 2 },
      { name: "react", test: /\/node_modules\/(?:react|react-dom|scheduler)\//u, priority: 1 },
      { debugName: "first", name: (id, graph) => ((first ??= loadedAtOnce(graph)).has(id) ? "first" : null) },
    ],
  };
}

/** What the page's script imports, directly or not. */
function loadedAtOnce(graph: Rolldown.ChunkingContext): ReadonlySet<string> {
  const found = new Set([join(import.meta.dirname, "src/main.tsx")]);
  for (const id of found) {
    for (const next of graph.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  }
  return found;
}

const configuration = {
  base: "/",
  plugins: [react(), precompressed(), untriedParser()],
  build: {
    outDir: "../dist/web",
    // The second page draws diagrams, in a frame without origin and network.
    rolldownOptions: {
      input: ["index.html", "diagram.html"],
      output: { codeSplitting: atOnce() },
    },
    emptyOutDir: true,
    target: "es2022",
    // Everything is a file of its own: the content security policy allows neither inline scripts nor data: fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Whoever starts the server builds the app too, and can do nothing about its size.
    chunkSizeWarningLimit: 2_000,
    // The licences of the packages that the app holds; dist/THIRD-PARTY.md has those of the server's.
    license: { fileName: "THIRD-PARTY.md" },
  },
} satisfies UserConfig;

export default defineConfig(({ command }) => {
  // Also where a test builds: what is tested is what others get.
  if (command === "build") process.env["NODE_ENV"] = "production";
  return configuration;
});
