import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { errorCodeOf } from "../../core/base/error-code.ts";

/**
 * Creates a folder and its missing ancestors, for their owner alone; returns the first new one, undefined where all existed.
 * One level at a time: where a file system answers "no such folder" below an existing folder (/proc, an automounter), Node's
 * own recursive way never ends.
 */
export function makeFolders(folder: string): string | undefined {
  const missing: string[] = [];
  for (let each = resolve(folder); !existsSync(each) && missing[0] !== each; each = dirname(each))
    missing.unshift(each);
  for (const each of missing) makeFolder(each);
  if (missing.length === 0) makeFolder(resolve(folder));
  return missing[0];
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (problem) {
    // Another process created it meanwhile; a file with that name is not a folder.
    const isThere = errorCodeOf(problem) === "EEXIST" && statSync(folder, { throwIfNoEntry: false })?.isDirectory();
    if (isThere !== true) throw problem;
  }
}
