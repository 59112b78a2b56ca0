import { chmod, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * Removes a folder in which commands wrote, also where they closed folders in it to their own user. What cannot be removed
 * even so stays: it is in nobody's way. Only where nothing writes there any more.
 */
export async function removeFolder(folder: string): Promise<void> {
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await remove();
  } catch {
    await reopen(folder);
    await remove().catch(() => {});
  }
}

/** Gives its owner every right to a folder and to those below it. */
async function reopen(folder: string): Promise<void> {
  try {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) await reopen(join(folder, entry.name));
    }
  } catch {
    // Somebody else's, or gone.
  }
}
