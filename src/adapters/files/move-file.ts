import type { Stats } from "node:fs";
import { link, lstat, readdir, rename, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errorCodeOf } from "../../core/base/error-code.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { caseFolded, type FilePath } from "../../core/base/file-path.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { besidePath } from "../../core/base/beside-path.ts";
import type { FileAside, FileContent, FileHash } from "../../core/port/file-tree.ts";
import { openInside, placeOf, type OpenFolder, type Place } from "./contained.ts";
import { contentIn, readAt } from "./file-content.ts";
import { fileFailed } from "./file-failure.ts";
import { makeFolders, openPresent, type InPresent } from "./present-folder.ts";

/** The root of a tree, and whether it is still the folder. */
export interface Root extends Pick<InPresent, "present"> {
  readonly folder: string;
}

/** See FileTree.setAside. */
export function setAside(root: Root, aside: FileAside, expected: FileHash): Promise<Result<void, Refusal>> {
  const { path } = aside;
  return within(root, path, async ({ place, folder }) => {
    const opened = await openInside(place, path);
    if (!opened.ok) return opened;
    const handle = opened.value;
    if (handle === null) return err(refusal("FILE_NOT_FOUND", { path }));
    try {
      const now = await contentIn(handle, path);
      if (!now.ok) return now;
      if (now.value.hash !== expected) return err(refusal("FILE_CHANGED", { path }));
      const hidden = join(folder.inside, hiddenName(place, aside));
      await rename(join(folder.inside, place.name), hidden);
      await sync(folder);
      // A program may have written through its open file, or put another file in its place, right before the rename.
      const late = await contentIn(handle, path);
      if (late.ok && late.value.hash === expected && (await lstat(hidden)).ino === now.value.inode)
        return ok(undefined);
    } finally {
      await handle.close();
    }
    const back = await putBackIn(folder, place, aside);
    return back.ok ? err(refusal("FILE_CHANGED", { path })) : back;
  });
}

/** See FileTree.putBack. */
export function putBack(root: Root, aside: FileAside): Promise<Result<FilePath | null, Refusal>> {
  return within(root, aside.path, ({ place, folder }) => putBackIn(folder, place, aside), ok(null));
}

/** See FileTree.removeAside. */
export function removeAside(root: Root, aside: FileAside): Promise<Result<void, Refusal>> {
  return within(
    root,
    aside.path,
    async ({ place, folder }) => {
      await rm(join(folder.inside, hiddenName(place, aside)), { force: true });
      await sync(folder);
      return ok(undefined);
    },
    ok(undefined),
  );
}

/**
 * Renames a file whose name changes only in case, in two steps by a hidden name: a file system that ignores case would take
 * the new name for the old one. A stop in between is ended by the same call.
 */
async function respell(root: Root, { from, to, expected }: Move): Promise<Result<void, Refusal>> {
  const [oldName, newName] = [nameIn(from), nameIn(to)];
  const aside = { path: from, key: expected.slice(0, 12) };
  // The place of the name that the folder has.
  const isOld = (await placeOf(root.folder, from)).ok;
  return within(root, isOld ? from : to, async ({ place, folder }) => {
    const old = { ...place, name: oldName };
    const hidden = join(folder.inside, hiddenName(old, aside));
    const names = await readdir(folder.inside);
    if ((await entryOf(hidden)) === null) {
      if (names.includes(newName)) {
        if (names.includes(oldName)) return err(refusal("FILE_EXISTS", { path: to }));
        const done = await readAt(place, to);
        return done.ok && done.value?.hash !== expected ? err(refusal("FILE_NOT_FOUND", { path: from })) : voided(done);
      }
      const now = await readAt(place, from);
      if (!now.ok) return now;
      if (now.value === null) return err(refusal("FILE_NOT_FOUND", { path: from }));
      if (now.value.hash !== expected) return err(refusal("FILE_CHANGED", { path: from }));
      await rename(join(folder.inside, oldName), hidden);
      await sync(folder);
    }
    if (!(await renameNew(hidden, join(folder.inside, newName)))) {
      const back = await putBackIn(folder, old, aside);
      return back.ok ? err(refusal("FILE_EXISTS", { path: to })) : back;
    }
    await sync(folder);
    return ok(undefined);
  });
}

function voided(done: Result<unknown, Refusal>): Result<void, Refusal> {
  return done.ok ? ok(undefined) : done;
}

function nameIn(path: FilePath): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Whether two paths name one place where case does not count; in the same folder, as it is spelled. */
function isOtherCase(from: FilePath, to: FilePath): boolean {
  const folderOf = (path: FilePath): string => path.slice(0, path.lastIndexOf("/") + 1);
  return from !== to && folderOf(from) === folderOf(to) && caseFolded(nameIn(from)) === caseFolded(nameIn(to));
}

/** A file to rename. */
interface Move {
  readonly from: FilePath;
  readonly to: FilePath;
  readonly expected: FileHash;
}

/** See FileTree.move. */
export async function moveFile(root: Root, { from, to, expected }: Move): Promise<Result<void, Refusal>> {
  if (isOtherCase(from, to)) return respell(root, { from, to, expected });
  const target = await placeOf(root.folder, to);
  if (!target.ok) return target;
  return within(root, from, async ({ place, folder }) => {
    const made = await makeFolders(target.value, { path: to, present: root.present });
    if (!made.ok) return made;
    const into = await openPresent(target.value.folder, { path: to, present: root.present });
    if (!into.ok) return into;
    try {
      const [old, next] = [join(folder.inside, place.name), join(into.value.inside, target.value.name)];
      if (!(await isSameFile(old, next))) {
        const now = await readAt(place, from);
        if (!now.ok) return now;
        if (now.value === null) return err(refusal("FILE_NOT_FOUND", { path: from }));
        if (now.value.hash !== expected) return err(refusal("FILE_CHANGED", { path: from }));
      }
      if (!(await renameNew(old, next))) return err(refusal("FILE_EXISTS", { path: to }));
      await sync(into.value);
      await sync(folder);
      return ok(undefined);
    } finally {
      await into.value.handle.close();
    }
  });
}

/** Files whose stamps are read at a time. */
const atOnce = 64;

/** See FileTree.findMoved. */
export async function findMoved(
  { folder }: Root,
  paths: readonly FilePath[],
  { hash, inode }: Pick<FileContent, "hash" | "inode">,
): Promise<FilePath | null> {
  for (let from = 0; from < paths.length; from += atOnce) {
    const some = paths.slice(from, from + atOnce);
    const entries = await Promise.all(some.map((path) => entryOf(join(folder, path))));
    for (const [index, path] of some.entries()) {
      if (entries[index]?.ino !== inode) continue;
      const place = await placeOf(folder, path);
      const read = place.ok ? await readAt(place.value, path) : place;
      // A number may be used again for another file.
      if (read.ok && read.value?.hash === hash) return path;
    }
  }
  return null;
}

interface FolderOfFile {
  readonly place: Place;
  readonly folder: OpenFolder;
}

/** Works in the open folder of a file; `otherwise` where that folder does not exist, by default FILE_NOT_FOUND. */
async function within<Value>(
  { folder: root, present }: Root,
  path: FilePath,
  work: (of: FolderOfFile) => Promise<Result<Value, Refusal>>,
  otherwise: Result<Value, Refusal> = err(refusal("FILE_NOT_FOUND", { path })),
): Promise<Result<Value, Refusal>> {
  const place = await placeOf(root, path);
  if (!place.ok) return place;
  if (place.value.missing.length > 0) {
    const still = await present();
    return still.ok ? otherwise : still;
  }
  const folder = await openPresent(place.value.folder, { path, present });
  if (!folder.ok) return folder;
  try {
    return await work({ place: place.value, folder: folder.value });
  } catch (problem) {
    return err(fileFailed(path, problem));
  } finally {
    await folder.value.handle.close();
  }
}

async function putBackIn(
  folder: OpenFolder,
  place: Place,
  aside: FileAside,
): Promise<Result<FilePath | null, Refusal>> {
  const hidden = join(folder.inside, hiddenName(place, aside));
  if ((await entryOf(hidden)) === null) return ok(null);
  for (let attempt = 0; ; attempt += 1) {
    const path = attempt === 0 ? aside.path : besidePath(aside.path, "kept", attempt);
    const name = path.split("/").at(-1) ?? place.name;
    if (!(await renameNew(hidden, join(folder.inside, name)))) continue;
    await sync(folder);
    return ok(path);
  }
}

/** Renames without overwriting; false: something else is at the new place. Finishes a rename that was interrupted. */
async function renameNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
  } catch (problem) {
    const code = errorCodeOf(problem) ?? "";
    if (code === "EEXIST") {
      if (!(await isSameFile(from, to))) return false;
    } else if (["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code)) {
      // A file system without second names.
      if ((await entryOf(to)) !== null) return false;
      await rename(from, to);
      return true;
    } else throw problem;
  }
  await unlink(from);
  return true;
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = [await entryOf(one), await entryOf(other)];
  return a !== null && b !== null && a.ino === b.ino && a.dev === b.dev;
}

async function entryOf(file: string): Promise<Stats | null> {
  try {
    return await lstat(file);
  } catch {
    return null;
  }
}

/** Beside the file, so that a rename suffices; no list shows it. */
function hiddenName({ name }: Place, { key }: FileAside): string {
  return `.${name.slice(0, 40).toWellFormed()}.heddle-aside-${key}`;
}

async function sync({ handle }: OpenFolder): Promise<void> {
  // Windows cannot sync folders and keeps its directories consistent by itself.
  if (process.platform !== "win32") await handle.sync();
}
