import { registerHooks } from "node:module";

// Preloaded with `--import`, in the process and its threads: changes how durable the store's source says it is, to the
// word that HEDDLE_TEST_SYNCHRONOUS holds, so that the test can show that it finds what such a store loses.

const word = process.env["HEDDLE_TEST_SYNCHRONOUS"] ?? "";
const said = "PRAGMA synchronous = FULL";

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith("/open-database.ts") || loaded.source === undefined || loaded.source === null) return loaded;
    const source = typeof loaded.source === "string" ? loaded.source : new TextDecoder().decode(loaded.source);
    if (!source.includes(said)) throw new Error("the store does not say how durable it is where it did");
    return { ...loaded, source: source.replace(said, `PRAGMA synchronous = ${word}`) };
  },
});
