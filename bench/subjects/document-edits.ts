import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** One change that somebody made to a Markdown document. */
export interface DocumentEdit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

const folder = fileURLToPath(new URL("../..", import.meta.url));
/** Documents larger than this are generated lists, which nobody edits by hand. UTF-16 units. */
const unitsMax = 60_000;

/**
 * Returns the oldest edits of this repository's own Markdown documents, from its history: always the same ones. Changes of more
 * than 40 lines are no edit but another document.
 */
export function documentEdits(count: number): readonly DocumentEdit[] {
  const edits: DocumentEdit[] = [];
  const seen = new Set<string>();
  const log = git("log", "--reverse", "--no-renames", "--diff-filter=M", "--format=%x00%H", "--numstat", "--", "*.md");
  for (const entry of log.split("\0").slice(1)) {
    const [commit = "", ...rows] = entry.trim().split("\n");
    for (const row of rows) {
      const [added, removed, path] = row.split("\t");
      const lines = Number(added) + Number(removed);
      if (path === undefined || !(lines > 0 && lines <= 40) || /cases\.md|http-api\.md|CHANGELOG/.test(path)) continue;
      const before = git("show", `${commit}~1:${path}`);
      const after = git("show", `${commit}:${path}`);
      const key = `${before}\0${after}`;
      if (before === "" || after.length > unitsMax || seen.has(key)) continue;
      seen.add(key);
      edits.push({ path, before, after });
      if (edits.length === count) return edits;
    }
  }
  return edits;
}

function git(...args: readonly string[]): string {
  return spawnSync("git", args, { cwd: folder, encoding: "utf8", maxBuffer: 2 ** 28 }).stdout;
}
