import { randomBytes } from "node:crypto";
import { watch, type FSWatcher } from "node:fs";
import { lstat, open, readdir, realpath, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCodeOf } from "../../core/base/error-code.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { FilePath } from "../../core/base/file-path.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { FileAside, FileCommit, FileContent, FileHash, FileTree } from "../../core/port/file-tree.ts";
import type { Clock } from "../../core/port/platform.ts";
import { openInside, placeOf, type Place } from "./contained.ts";
import { contentIn, hashOf, readAt } from "./file-content.ts";
import { fileFailed } from "./file-failure.ts";
import { commitFiles } from "./commit-files.ts";
import { problemIn, refusedFor, type UnfitFile } from "../../core/port/unfit-files.ts";
import { listFiles } from "./list-files.ts";
import { noteOpenRoot } from "./open-roots.ts";
import { watchList } from "./list-watch.ts";
import { makeFolders, openPresent, type InPresent } from "./present-folder.ts";
import { isRunByGit } from "./run-by-git.ts";
import { findMoved, moveFile, putBack, removeAside, setAside } from "./move-file.ts";

/** Interval at which watched files are polled, since not every file system reports changes. */
const pollIntervalMs = 5_000;
/** Most polls compare stamps, which is cheap and not conclusive; each n-th poll treats every file as changed. */
const fullPollEvery = 12;

/** Builds the refusal of work in a folder that is not at its path. */
function folderAway(folder: string, problem: string): Refusal {
  const message = `The folder ${folder} is away: ${problem}. Nothing was read or written there. Bring it back, then try again.`;
  return refusal("FOLDER_AWAY", { folder, problem }, message);
}

/** Opens an existing folder. Rejects when it does not exist. */
export async function openFolderTree(folder: string, clock: Clock): Promise<FileTree> {
  const root = await realpath(folder);
  const entry = await lstat(root);
  if (!entry.isDirectory()) throw new Error(`${folder} is not a folder`);
  return new FolderTree({ root, inode: entry.ino }, clock);
}

class FolderTree implements FileTree {
  readonly folder: string;
  /** Identifies the folder at its path, also after it was unmounted and mounted again, when its device may differ. */
  readonly #inode: number;
  readonly #clock: Clock;
  readonly #watchedByFolder = new Map<string, WatchedFolder>();
  #cancelLook: (() => void) | null = null;
  #looks = 0;
  readonly #listWatches = new Set<() => void>();
  readonly #noteClosed: () => void;

  constructor({ root, inode }: { readonly root: string; readonly inode: number }, clock: Clock) {
    this.folder = root;
    this.#inode = inode;
    this.#clock = clock;
    this.#noteClosed = noteOpenRoot(root);
  }

  async present(): Promise<Result<void, Refusal>> {
    const { folder } = this;
    try {
      const entry = await lstat(folder);
      if (entry.isDirectory() && entry.ino === this.#inode) return ok(undefined);
      return err(folderAway(folder, "another folder or file is at its path now"));
    } catch (problem) {
      const code = errorCodeOf(problem);
      return err(folderAway(folder, code === "ENOENT" ? "nothing is at its path" : `it cannot be read (${code})`));
    }
  }

  async list(): ReturnType<FileTree["list"]> {
    const present = await this.present();
    return present.ok ? listFiles(this.folder) : present;
  }

  async read(path: FilePath): Promise<Result<FileContent | null, Refusal>> {
    const present = await this.present();
    if (!present.ok) return present;
    const place = await placeOf(this.folder, path);
    const read = place.ok ? await readAt(place.value, path) : place;
    if (!read.ok || read.value !== null) return read;
    // A folder that went away meanwhile has not lost the file.
    const still = await this.present();
    return still.ok ? read : still;
  }

  async stamp(path: FilePath): Promise<number | null> {
    try {
      const entry = await lstat(join(this.folder, path));
      // The time in microseconds exceeds a number's precision; this keeps the digits that change.
      return entry.isFile() ? (entry.mtimeMs * 1_000 + entry.size) % 2 ** 48 : null;
    } catch {
      return null;
    }
  }

  replace(
    path: FilePath,
    bytes: Uint8Array,
    expected: FileHash | null,
    mode?: number,
  ): Promise<Result<FileHash, Refusal>> {
    return oneWriterOf(join(this.folder, path), () => this.#replace(path, { bytes, expected, mode }));
  }

  setAside(aside: FileAside, expected: FileHash): Promise<Result<void, Refusal>> {
    return oneWriterOf(join(this.folder, aside.path), () => setAside(this.#root, aside, expected));
  }

  putBack(aside: FileAside): Promise<Result<FilePath | null, Refusal>> {
    return oneWriterOf(join(this.folder, aside.path), () => putBack(this.#root, aside));
  }

  removeAside(aside: FileAside): Promise<Result<void, Refusal>> {
    return removeAside(this.#root, aside);
  }

  move(from: FilePath, to: FilePath, expected: FileHash): Promise<Result<void, Refusal>> {
    const work = (): Promise<Result<void, Refusal>> => moveFile(this.#root, { from, to, expected });
    const [first, second] = [join(this.folder, from), join(this.folder, to)].toSorted();
    if (first === undefined || second === undefined || first === second) return work();
    return oneWriterOf(first, () => oneWriterOf(second, work));
  }

  async findMoved(file: Pick<FileContent, "hash" | "inode">): Promise<FilePath | null> {
    const listed = await this.list();
    return listed.ok ? findMoved(this.#root, listed.value.paths, file) : null;
  }

  isRunByGit(path: string): Promise<boolean> {
    return isRunByGit(this.folder, path);
  }

  get #root() {
    return { folder: this.folder, present: () => this.present() };
  }

  async #replace(
    path: FilePath,
    { bytes, expected, mode }: Pick<Wanted, "bytes" | "expected" | "mode">,
  ): Promise<Result<FileHash, Refusal>> {
    const current = await this.read(path);
    if (!current.ok) return current;
    const actual = current.value?.hash ?? null;
    if (actual !== expected) return err(refusal("FILE_CHANGED", { path }));
    const place = await placeOf(this.folder, path);
    if (!place.ok) return place;
    try {
      return await write(place.value, { path, bytes, expected, mode, present: () => this.present() });
    } catch (problem) {
      return err(fileFailed(path, problem));
    }
  }

  watch(path: FilePath, listener: () => void): () => void {
    const folder = dirname(join(this.folder, path));
    const watched = this.#watchedByFolder.get(folder) ?? new WatchedFolder(folder);
    this.#watchedByFolder.set(folder, watched);
    const file: Watched = { listener, stamp: () => this.stamp(path), last: undefined };
    watched.files.add(file);
    this.#lookLater();
    return () => {
      watched.files.delete(file);
      if (watched.files.size > 0) return;
      watched.close();
      this.#watchedByFolder.delete(folder);
    };
  }

  watchList(listener: () => void): () => void {
    const stop = watchList({
      root: this.folder,
      clock: this.#clock,
      list: async () => {
        const listed = await this.list();
        return listed.ok ? listed.value.paths : null;
      },
      onChanged: listener,
    });
    this.#listWatches.add(stop);
    return () => {
      this.#listWatches.delete(stop);
      stop();
    };
  }

  async commit(paths: readonly FilePath[], commit: FileCommit): Promise<Result<string | null, Refusal>> {
    const present = await this.present();
    if (!present.ok) return present;
    const files: { readonly path: FilePath; readonly bytes: Uint8Array | null }[] = [];
    const unfit: UnfitFile[] = [];
    for (const path of paths) {
      const read = await this.read(path);
      if (read.ok) files.push({ path, bytes: read.value?.bytes ?? null });
      else unfit.push({ path, problem: problemIn(read.error) });
    }
    if (unfit.length > 0) return err(refusedFor(unfit));
    return commitFiles(this.folder, { ...commit, files });
  }

  close(): void {
    this.#noteClosed();
    this.#cancelLook?.();
    this.#cancelLook = null;
    for (const watched of this.#watchedByFolder.values()) watched.close();
    this.#watchedByFolder.clear();
    for (const stop of this.#listWatches) stop();
    this.#listWatches.clear();
  }

  #lookLater(): void {
    this.#cancelLook ??= this.#clock.setTimer(pollIntervalMs, () => void this.#look());
  }

  async #look(): Promise<void> {
    this.#looks += 1;
    const isWhole = this.#looks % fullPollEvery === 0;
    for (const watched of this.#watchedByFolder.values()) {
      if (isWhole) watched.notify();
      else await watched.notifyChanged();
    }
    this.#cancelLook = null;
    if (this.#watchedByFolder.size > 0) this.#lookLater();
  }
}

interface Watched {
  readonly listener: () => void;
  stamp(): Promise<number | null>;
  /** The stamp at the last poll; undefined before the first. */
  last: number | null | undefined;
}

/** A folder with watched files. The system reports names; the listeners find out which file changed. */
class WatchedFolder {
  readonly files = new Set<Watched>();
  #watcher: FSWatcher | null = null;

  constructor(folder: string) {
    try {
      this.#watcher = watch(folder, { persistent: false }, () => this.notify());
      this.#watcher.on("error", () => this.close());
    } catch {
      // Polling still covers the folder.
    }
  }

  notify(): void {
    for (const { listener } of this.files) listener();
  }

  /** Reports files whose stamp changed since the last poll. */
  async notifyChanged(): Promise<void> {
    const notifyIfChanged = async (file: Watched): Promise<void> => {
      const stamp = await file.stamp();
      const isChanged = stamp !== file.last;
      file.last = stamp;
      if (isChanged && this.files.has(file)) file.listener();
    };
    await Promise.all(Array.from(this.files, notifyIfChanged));
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = null;
  }
}

/** The last write of each file that is being written, by its place on disk. */
const writesByFile = new Map<string, Promise<unknown>>();

/**
 * Runs the writes of one file one after the other, also those of two folders of which one contains the other: a write that
 * replaced the file in between would be lost.
 */
function oneWriterOf<Value>(file: string, write: () => Promise<Value>): Promise<Value> {
  const before = writesByFile.get(file) ?? Promise.resolve();
  const done = before.then(write, write);
  writesByFile.set(file, done);
  const forget = (): void => {
    if (writesByFile.get(file) === done) writesByFile.delete(file);
  };
  done.then(forget, forget);
  return done;
}

/** A file to write. */
interface Wanted extends InPresent {
  readonly bytes: Uint8Array;
  readonly expected: FileHash | null;
  /** Permissions of a new file. */
  readonly mode: number | undefined;
}

/** Writes beside the file, syncs, renames onto it, then syncs the folder. */
async function write(place: Place, wanted: Wanted): Promise<Result<FileHash, Refusal>> {
  const { path, bytes, expected } = wanted;
  const made = await makeFolders(place, wanted);
  if (!made.ok) return made;
  const folder = await openPresent(place.folder, wanted);
  if (!folder.ok) return folder;
  const { inside } = folder.value;
  try {
    await removeLeftovers(place, inside);
    const mode = expected === null ? (wanted.mode ?? 0o666) : (await lstat(join(inside, place.name))).mode & 0o777;
    const temporary = join(inside, `${leftoverPrefix(place)}${process.pid}-${randomBytes(6).toString("hex")}`);
    const handle = await open(temporary, "wx", mode);
    try {
      if (expected !== null || wanted.mode !== undefined) await handle.chmod(mode);
      await handle.writeFile(bytes);
      await handle.sync();
      const replaced = await replace(place, { path, temporary, inside, expected });
      if (!replaced.ok) return replaced;
      // Windows cannot sync folders and keeps its directories consistent by itself.
      if (process.platform !== "win32") await folder.value.handle.sync();
      if (replaced.value === null) return ok(hashOf(bytes));
      const back = await write(place, { ...wanted, bytes: replaced.value, expected: hashOf(bytes) });
      return back.ok ? err(refusal("FILE_CHANGED", { path })) : back;
    } finally {
      await handle.close();
      await rm(temporary, { force: true });
    }
  } finally {
    await folder.value.handle.close();
  }
}

/**
 * Renames the written file into place as late as possible, so that a concurrent writer is not overwritten. If someone
 * writes between the last check and the rename, returns the old file's content so that the caller restores it.
 */
async function replace(
  place: Place,
  wanted: {
    readonly path: FilePath;
    readonly temporary: string;
    readonly inside: string;
    readonly expected: FileHash | null;
  },
): Promise<Result<Uint8Array | null, Refusal>> {
  const { path, temporary, inside, expected } = wanted;
  const old = await openInside({ ...place, missing: [] }, path);
  if (!old.ok) return old;
  const handle = old.value;
  try {
    const current = handle && (await contentIn(handle, path));
    if (current?.ok === false) return current;
    if ((current?.value.hash ?? null) !== expected) return err(refusal("FILE_CHANGED", { path }));
    await rename(temporary, join(inside, place.name));
    const late = handle && (await contentIn(handle, path));
    return ok(late?.ok === true && late.value.hash !== expected ? late.value.bytes : null);
  } finally {
    await handle?.close();
  }
}

function leftoverPrefix({ name }: Place): string {
  // The name may be as long as the system allows. Where it is cut, the hash keeps it distinct from other files' names.
  const own =
    name.length <= 40 ? name : `${name.slice(0, 40).toWellFormed()}~${hashOf(Buffer.from(name)).slice(0, 16)}`;
  return `.${own}.heddle-`;
}

/** Removes temporary files that a crashed process left beside this file. */
async function removeLeftovers(place: Place, inside: string): Promise<void> {
  const prefix = leftoverPrefix(place);
  for (const name of await readdir(inside)) {
    const isOwn = name.startsWith(prefix) && /^\d+-[0-9a-f]{12}$/.test(name.slice(prefix.length));
    if (isOwn) await rm(join(inside, name), { force: true });
  }
}
