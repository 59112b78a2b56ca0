import { registerHooks } from "node:module";

// Preloaded with `--import`, in the process and its threads: replaces one sentence of one source file, so that a test can
// show that it finds what the product would lose without it. HEDDLE_TEST_PATCH holds the three as a JSON array.

const [file = "", said = "", instead = ""] = JSON.parse(process.env["HEDDLE_TEST_PATCH"] ?? "[]") as readonly string[];

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith(file) || loaded.source === undefined || loaded.source === null) return loaded;
    const source = typeof loaded.source === "string" ? loaded.source : new TextDecoder().decode(loaded.source);
    if (!source.includes(said)) throw new Error(`${file} does not say ${said} any more`);
    return { ...loaded, source: source.replace(said, instead) };
  },
});
