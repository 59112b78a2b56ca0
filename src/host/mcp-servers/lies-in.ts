import { realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";

/** Whether a file is in a folder or below it, also where it is not there yet, and whatever links lead to it. */
export async function liesIn(file: string, folder: string): Promise<boolean> {
  const [real, root] = [await realPlace(file), await realPlace(folder)];
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Where a path leads, links followed, also where its last part is not there yet. */
export async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realPlace(parent), basename(path));
  }
}
