import { realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";

/** Whether a file is in a folder or below it, with links followed; the file need not exist. */
export async function liesIn(file: string, folder: string): Promise<boolean> {
  const [real, root] = [await realPlace(file), await realPlace(folder)];
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Returns where a path leads with links followed; its last part need not exist. */
export async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realPlace(parent), basename(path));
  }
}
