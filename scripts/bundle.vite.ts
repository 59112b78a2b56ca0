import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
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

/** Leaves out the parser of pages that Turndown brings: it gets pages that are parsed already. */
function turndownAlone(): Plugin {
  return {
    name: "heddle-turndown-alone",
    enforce: "pre",
    load: (id) => (id.includes("/@mixmark-io/domino/") ? { code: "module.exports = {};", moduleType: "js" } : null),
  };
}

/**
 * Keeps the 200,000 tokens of the tokenizer packed beside its code, a third as large as when they are written out in it. They are
 * unpacked when the tokenizer is loaded, which takes no longer than reading them as code.
 */
function packedTokens(): Plugin {
  let packed: Buffer | undefined;
  return {
    name: "heddle-packed-tokens",
    enforce: "pre",
    async load(id) {
      if (!id.endsWith("/bpeRanks/o200k_base.js")) return null;
      const { default: tokens } = (await import(pathToFileURL(id).href)) as { readonly default: readonly unknown[] };
      packed = brotliCompressSync(JSON.stringify(tokens), { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
      const code = `import { readFileSync } from "node:fs";
        import { join } from "node:path";
        import { brotliDecompressSync } from "node:zlib";
        const packed = readFileSync(join(import.meta.dirname, "o200k.json.br"));
        export default JSON.parse(brotliDecompressSync(packed).toString());`;
      return { code, moduleType: "js" };
    },
    closeBundle() {
      if (packed !== undefined) writeFileSync(join(repository, "dist/adapters/tokens/o200k.json.br"), packed);
    },
  };
}

const licences = "dist/THIRD-PARTY.md";

/** Writes each text of a licence once, below the names of all packages that have it: a third of the file is repetition. */
function eachLicenceOnce(): Plugin {
  return {
    name: "heddle-each-licence-once",
    closeBundle() {
      const path = join(repository, licences);
      const [head = "", ...sections] = readFileSync(path, "utf8").split(/\n(?=## )/u);
      const namesByText = new Map<string, string[]>();
      for (const section of sections) {
        const [name = "", ...lines] = section.split("\n");
        const text = lines.join("\n").trim() || "The package comes without the text of its licence.";
        namesByText.set(text, [...(namesByText.get(text) ?? []), name]);
      }
      const written = [...namesByText].map(([text, names]) => `${names.join("\n")}\n\n${text}\n`);
      writeFileSync(path, [`${head.trim()}\n`, ...written].join("\n"));
    },
  };
}

// Replaces each file of dist/ that re-exports a bundled package with that package, and records its licence.
export default defineConfig({
  root: repository,
  publicDir: false,
  plugins: [besideTheCode(), lessOfKoa(), turndownAlone(), packedTokens(), eachLicenceOnce()],
  ssr: { noExternal: true, target: "node" },
  build: {
    ssr: true,
    outDir: "dist",
    emptyOutDir: false,
    target: "es2024",
    license: { fileName: basename(licences) },
    rolldownOptions: {
      input: Object.fromEntries(
        Object.keys(bundledPackages).map((path) => [path.replace(/^src\/(.*)\.ts$/, "$1"), join(repository, path)]),
      ),
      output: {
        // Keeps the names of functions and classes, so that errors of a bundled package are readable.
        minify: { compress: false, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
        entryFileNames: "[name].js",
        chunkFileNames: "adapters/bundled/[name].js",
      },
    },
  },
});
