import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { repository } from "../../test/tidy/source-files.ts";

/** What the built page loads before it can work: its entry and all static imports. */
export interface EntryScripts {
  readonly files: number;
  /** All of them together, gzipped. */
  readonly kilobytes: number;
}

export async function entryScripts(): Promise<EntryScripts> {
  const folder = join(repository, "dist/web");
  const page = await readFile(join(folder, "index.html"), "utf8");
  const open = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/gu)].map(([, path]) => path ?? "");
  const seen = new Set(open);
  let bytes = 0;
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const packed = await readFile(join(folder, `${path}.gz`));
    bytes += packed.length;
    const script = gunzipSync(packed).toString("utf8");
    for (const [, found] of script.matchAll(/(?:from|import)"\.\/([^"]+\.js)"/gu)) {
      const imported = `assets/${found}`;
      if (!seen.has(imported)) open.push(imported);
      seen.add(imported);
    }
  }
  return { files: seen.size, kilobytes: bytes / 1000 };
}
