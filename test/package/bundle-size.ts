import { gzipSync } from "node:zlib";
import { build } from "vite";

/** The bytes an app loads that uses all of a built entry: minified and gzipped, with the packages it needs. */
export async function gzippedBytes(entry: string): Promise<number> {
  const built = await build({
    configFile: false,
    logLevel: "silent",
    publicDir: false,
    build: {
      write: false,
      target: "es2024",
      modulePreload: { polyfill: false },
      rolldownOptions: { input: entry, preserveEntrySignatures: "strict" },
    },
  });
  if (!("output" in built)) throw new Error("one build has one output");
  const chunks = built.output.filter((file) => file.type === "chunk");
  return chunks.reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0);
}
