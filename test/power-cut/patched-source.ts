import { registerHooks } from "node:module";

// Preloaded with `--import`, in the process and its threads: replaces one piece of one source file, so that a test can
// show that it detects the loss that would follow. HEDDLE_TEST_PATCH holds file, old text and new text as a JSON array.

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
