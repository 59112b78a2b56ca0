import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { extname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin, type Rolldown, type UserConfig } from "vite";

const textExtensions = new Set([".css", ".html", ".js", ".mjs", ".json", ".map", ".svg", ".txt", ".webmanifest"]);

const packedAlone = new Set([".js", ".mjs", ".css"]);

/**
 * Writes every text file as .gz, and what the app's own page may load as .br, so that the server never compresses while it
 * serves. Scripts and styles are there in these forms alone: a reader that takes neither is sent what the .gz holds.
 */
function precompressed(): Plugin {
  let folder = "";
  let rare: ReadonlySet<string> = new Set();
  return {
    name: "heddle-precompressed",
    apply: "build",
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    generateBundle(_options, bundle) {
      const ofDiagrams = reachedFrom("diagram.html", bundle);
      const ofApp = reachedFrom("index.html", bundle);
      rare = new Set([...ofDiagrams].filter((file) => !ofApp.has(file)));
    },
    async closeBundle() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      await Promise.all(
        files.map(async (file) => {
          const extension = extname(file);
          if (!textExtensions.has(extension)) return;
          const bytes = await readFile(file);
          await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
          if (!rare.has(relative(folder, file))) await writeFile(`${file}.br`, await brotli(bytes));
          if (packedAlone.has(extension)) await rm(file);
        }),
      );
    },
  };
}

/** Returns the files of a page's scripts, also of those that are loaded later. */
function reachedFrom(page: string, bundle: Rolldown.OutputBundle): Set<string> {
  const chunks = Object.values(bundle).filter((output) => output.type === "chunk");
  const chunkByFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const reached = new Set<string>();
  const open = chunks.filter(({ isEntry, facadeModuleId }) => isEntry && facadeModuleId?.endsWith(page) === true);
  for (let chunk = open.pop(); chunk !== undefined; chunk = open.pop()) {
    if (reached.has(chunk.fileName)) continue;
    reached.add(chunk.fileName);
    for (const file of [...chunk.imports, ...chunk.dynamicImports]) {
      const next = chunkByFile.get(file);
      if (next !== undefined) open.push(next);
    }
  }
  return reached;
}

function brotli(bytes: Uint8Array): Promise<Uint8Array> {
  const { BROTLI_PARAM_QUALITY, BROTLI_MAX_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  return promisify(brotliCompress)(bytes, {
    params: { [BROTLI_PARAM_QUALITY]: BROTLI_MAX_QUALITY, [BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });
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
