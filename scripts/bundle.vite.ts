import { cpSync } from "node:fs";
import { extname, join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { bundledFolders, bundledPackages } from "./bundled-packages.ts";
import { repository } from "./command.ts";

/** Copies the files that the bundled code expects beside itself, without their sources. */
function besideTheCode(): Plugin {
  return {
    name: "heddle-beside-the-code",
    closeBundle() {
      for (const { from, to } of bundledFolders) {
        cpSync(join(repository, from), join(repository, to), {
          recursive: true,
          filter: (path) => extname(path) !== ".ts",
        });
      }
    },
  };
}

/**
 * Leaves out what koa, below `oidc-provider`, brings and Heddle does not use: of its table of the types of files, which is there
 * twice and has 0.4 MB, all but what answers JSON and reads forms; and the notes on its own old names, which are made by `eval`.
 */
function lessOfKoa(): Plugin {
  const types = {
    "application/json": { source: "iana", charset: "UTF-8", compressible: true, extensions: ["json"] },
    "application/x-www-form-urlencoded": { source: "iana", compressible: true },
    "text/html": { source: "iana", compressible: true, extensions: ["html"] },
    "text/plain": { source: "iana", compressible: true, extensions: ["txt"] },
  };
  const noNotes =
    "module.exports = () => Object.assign(() => {}, { function: (wrapped) => wrapped, property: () => {} });";
  return {
    name: "heddle-less-of-koa",
    enforce: "pre",
    load(id) {
      if (id.endsWith("/mime-db/db.json")) return { code: JSON.stringify(types), moduleType: "json" };
      return id.endsWith("/depd/index.js") ? { code: noNotes, moduleType: "js" } : null;
    },
  };
}

// Replaces each file of dist/ that re-exports a bundled package with that package, and records its licence.
export default defineConfig({
  root: repository,
  publicDir: false,
  plugins: [besideTheCode(), lessOfKoa()],
  ssr: { noExternal: true, target: "node" },
  build: {
    ssr: true,
    outDir: "dist",
    emptyOutDir: false,
    target: "es2024",
    license: { fileName: "THIRD-PARTY.md" },
    rolldownOptions: {
      input: Object.fromEntries(
        Object.keys(bundledPackages).map((path) => [path.replace(/^src\/(.*)\.ts$/, "$1"), join(repository, path)]),
      ),
      output: {
        // Keeps names and statements unchanged, so that errors of a bundled package are readable.
        minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
        entryFileNames: "[name].js",
        chunkFileNames: "adapters/bundled/[name].js",
      },
    },
  },
});
