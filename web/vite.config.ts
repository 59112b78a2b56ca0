import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin, type UserConfig } from "vite";

const textExtensions = new Set([".css", ".html", ".js", ".mjs", ".json", ".map", ".svg", ".txt", ".webmanifest"]);

/** Puts a .br and a .gz beside every text file that was built, so that the server never compresses while it serves. */
function precompressed(): Plugin {
  let folder = "";
  return {
    name: "heddle-precompressed",
    apply: "build",
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    async closeBundle() {
      for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !textExtensions.has(extname(entry.name))) continue;
        const file = join(entry.parentPath, entry.name);
        const bytes = await readFile(file);
        const brotli = brotliCompressSync(bytes, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
            [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
          },
        });
        await Promise.all([writeFile(`${file}.br`, brotli), writeFile(`${file}.gz`, gzipSync(bytes, { level: 9 }))]);
      }
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

const configuration = {
  base: "/",
  plugins: [react(), precompressed(), untriedParser()],
  build: {
    outDir: "../dist/web",
    // The second page draws diagrams, in a frame without origin and network.
    rolldownOptions: { input: ["index.html", "diagram.html"] },
    emptyOutDir: true,
    target: "es2022",
    // Everything is a file of its own: the content security policy allows neither inline scripts nor data: fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Whoever starts the server builds the app too, and can do nothing about its size.
    chunkSizeWarningLimit: 1_000,
    // The licences of the packages that the app holds; dist/THIRD-PARTY.md has those of the server's.
    license: { fileName: "THIRD-PARTY.md" },
  },
} satisfies UserConfig;

export default defineConfig(({ command }) => {
  // Also where a test builds: what is tested is what others get.
  if (command === "build") process.env["NODE_ENV"] = "production";
  return configuration;
});
