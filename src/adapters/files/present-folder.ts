import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCodeOf } from "../../core/base/error-code.ts";
import type { Refusal } from "../../core/base/errors.ts";
import type { FilePath } from "../../core/base/file-path.ts";
import { ok, type Result } from "../../core/base/result.ts";
import { openFolder, type OpenFolder, type Place } from "./contained.ts";

/** Work on a path while the root must be the folder. */
export interface InPresent {
  readonly path: FilePath;
  /** Whether the root is still the folder: checked once a folder below it is open, which no swap changes any more. */
  readonly present: () => Promise<Result<void, Refusal>>;
}

/** Creates each folder inside the previous one, so that none is created behind a link that appeared meanwhile. */
export async function makeFolders(place: Place, wanted: InPresent): Promise<Result<void, Refusal>> {
  let existing = place.missing.reduce((folder) => dirname(folder), place.folder);
  for (const name of place.missing) {
    const parent = await openPresent(existing, wanted);
    if (!parent.ok) return parent;
    try {
      await makeFolder(join(parent.value.inside, name));
      // A file is only as durable as the names of its parent folders.
      if (process.platform !== "win32") await parent.value.handle.sync();
    } finally {
      await parent.value.handle.close();
    }
    existing = join(existing, name);
  }
  return ok(undefined);
}

/** Opens a folder to write in, and checks afterwards that it is not in another folder that took the root's place. */
export async function openPresent(folder: string, { path, present }: InPresent): Promise<Result<OpenFolder, Refusal>> {
  const opened = await openFolder(folder, path);
  if (!opened.ok) {
    const still = await present();
    return still.ok ? opened : still;
  }
  const still = await present();
  if (still.ok) return opened;
  await opened.value.handle.close();
  return still;
}

/**
 * Creates one folder if it is missing. Never `recursive`: in a folder that is deleted meanwhile, Node would retry for ever.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (problem) {
    if (errorCodeOf(problem) !== "EEXIST") throw problem;
  }
}
