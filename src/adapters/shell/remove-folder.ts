import { chmod, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * Removes a folder in which commands wrote, including folders that they made inaccessible to their own user. What still
 * cannot be removed stays and does no harm. Requires that nothing writes there any more.
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

/** Gives the owner all permissions on a folder and its subfolders. */
async function reopen(folder: string): Promise<void> {
  try {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) await reopen(join(folder, entry.name));
    }
  } catch {
    // It belongs to someone else or is deleted.
  }
}
