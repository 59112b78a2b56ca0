import { constants } from "node:fs";
import { lstat, open, readdir, readlink, realpath, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { errorCodeOf } from "../../core/base/error-code.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { caseFolded, type FilePath } from "../../core/base/file-path.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { fileFailed } from "./file-failure.ts";

/** The location of a path on disk, verified to be inside the folder. */
export interface Place {
  readonly folder: string;
  readonly name: string;
  readonly file: string;
  /** The names below `folder` that do not exist yet, outermost first. */
  readonly missing: readonly string[];
}

/**
 * Walks to a file's folder without following links. `root` is a real path. Refuses with PATH_REFUSED when a name on the way
 * is a link or not a folder, or when a missing name exists in another spelling.
 */
export async function placeOf(root: string, path: FilePath): Promise<Result<Place, Refusal>> {
  const names = path.split("/");
  const name = names.pop() ?? "";
  let folder = root;
  for (const [index, step] of names.entries()) {
    const next = join(folder, step);
    const found = await spelled(folder, step, path);
    if (!found.ok) return found;
    if (!found.value) {
      const missing = names.slice(index);
      const end = join(folder, ...missing);
      return ok({ folder: end, name, file: join(end, name), missing });
    }
    try {
      const entry = await lstat(next);
      if (entry.isSymbolicLink())
        return err(refusal("PATH_REFUSED", { path, problem: "a folder on the path is a link" }));
      if (!entry.isDirectory())
        return err(refusal("PATH_REFUSED", { path, problem: "a folder on the path is a file" }));
    } catch (problem) {
      return err(fileFailed(path, problem));
    }
    folder = next;
  }
  const found = await spelled(folder, name, path);
  return found.ok ? ok({ folder, name, file: join(folder, name), missing: [] }) : found;
}

/** Whether a folder has an entry of exactly this name. Refused when it has only another spelling of the name. */
async function spelled(folder: string, name: string, path: FilePath): Promise<Result<boolean, Refusal>> {
  let entries: readonly string[];
  try {
    entries = await readdir(folder);
  } catch (problem) {
    return errorCodeOf(problem) === "ENOENT" ? ok(false) : err(fileFailed(path, problem));
  }
  if (entries.includes(name)) return ok(true);
  const folded = caseFolded(name);
  const twin = entries.find((entry) => caseFolded(entry) === folded);
  if (twin === undefined) return ok(false);
  return err(refusal("PATH_REFUSED", { path, problem: `a file with another spelling of this name exists: ${twin}` }));
}

/** An open folder, and the path that names its entries even after the folder itself is renamed. */
export interface OpenFolder {
  readonly handle: FileHandle;
  readonly inside: string;
}

/** Opens an existing folder and checks that it is the folder its path names. `path` is the path that was requested. */
export async function openFolder(folder: string, path: FilePath): Promise<Result<OpenFolder, Refusal>> {
  let handle: FileHandle;
  try {
    handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (problem) {
    return linkOrFailure(path, problem);
  }
  const opened = await whereOpen(handle, folder);
  if (opened.path === folder) return ok({ handle, inside: opened.byHandle ?? folder });
  await handle.close();
  return err(refusal("PATH_REFUSED", { path, problem: "it leads out of the folder" }));
}

/**
 * Opens an existing file for reading; null when it does not exist. Checks the open file itself, so that a swap between
 * check and open is noticed: it must be a plain file with one name, inside the folder.
 */
export async function openInside(place: Place, path: FilePath): Promise<Result<FileHandle | null, Refusal>> {
  let handle: FileHandle;
  try {
    // Without O_NONBLOCK, opening a pipe would wait for its other end.
    handle = await open(place.file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (problem) {
    return errorCodeOf(problem) === "ENOENT" ? ok(null) : linkOrFailure(path, problem);
  }
  const refused = await whyRefused(handle, place, path);
  if (refused === null) return ok(handle);
  await handle.close();
  return err(refused);
}

function linkOrFailure(path: FilePath, problem: unknown): Result<never, Refusal> {
  const code = errorCodeOf(problem) ?? "";
  if (["ELOOP", "EMLINK", "ENOTDIR"].includes(code)) {
    return err(refusal("PATH_REFUSED", { path, problem: "it is a link" }));
  }
  if (["ENXIO", "EISDIR"].includes(code)) {
    return err(refusal("PATH_REFUSED", { path, problem: "it is not a plain file" }));
  }
  return err(fileFailed(path, problem));
}

async function whyRefused(handle: FileHandle, place: Place, path: FilePath): Promise<Refusal | null> {
  try {
    const entry = await handle.stat();
    if (!entry.isFile()) return refusal("PATH_REFUSED", { path, problem: "it is not a plain file" });
    if (entry.nlink > 1) {
      return refusal("PATH_REFUSED", { path, problem: "the file has other names, which may lead outside" });
    }
    return (await whereOpen(handle, place.file)).path === place.file
      ? null
      : refusal("PATH_REFUSED", { path, problem: "it leads out of the folder" });
  } catch (problem) {
    return fileFailed(path, problem);
  }
}

/** The real path of an open file. Where the system reports it, together with a name that no swap changes. */
async function whereOpen(
  handle: FileHandle,
  path: string,
): Promise<{ readonly path: string; readonly byHandle: string | null }> {
  const byHandle = `/proc/self/fd/${handle.fd}`;
  try {
    return { path: await readlink(byHandle), byHandle };
  } catch {
    return { path: await realpath(path), byHandle: null };
  }
}
