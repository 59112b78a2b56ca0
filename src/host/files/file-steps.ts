import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { FilePath } from "../../core/base/file-path.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import type { TrashOptions, TrashStep } from "../document/block-deletion.ts";
import type { Author, EditOptions } from "../document/record/types.ts";
import { keptBytes } from "./binary-file.ts";
import { putFileState, type FileState } from "./file-state.ts";
import type { PlacedFile } from "./placed-file.ts";

/**
 * Moves a file to the trash: first the file is set aside on disk, then the block is deleted in one transaction with the
 * state, then the file is removed. A stop in between is ended by `settleAside`. The block and the file are equal before.
 */
export async function deleteFile(
  file: PlacedFile,
  author: Author,
  options: TrashOptions,
): Promise<Result<TrashStep, Refusal>> {
  const { id, path, ports } = file;
  const { tree, hub } = ports;
  const [now, onDisk] = [await hub.reader.read(id), await tree.read(path)];
  if (!now.ok) return now;
  if (!onDisk.ok) return onDisk;
  const also = (state: FileState): TrashOptions["also"] => {
    return (version, entry) => [putFileState(id, state), ...(options.also?.(version, entry) ?? [])];
  };
  if (onDisk.value === null) {
    const state = { ...file.state, ...withoutFile, path };
    return hub.deletion.delete(author, id, { guards: options.guards, also: also(state) });
  }
  const { hash, mode } = onDisk.value;
  const known = file.isBinary ? file.state.hash : sha256Hex(now.value.text);
  if (hash !== known) return err(refusal("FILE_CHANGED", { path }, changedWords(path)));
  const kept = await keptBytes(file, onDisk.value);
  if (!kept.ok) return kept;
  const key = ports.newKey();
  const noted = await file.put({ aside: key });
  if (!noted.ok) return noted;
  const gone = { ...file.state, ...withoutFile, path, mode, blob: kept.value };
  const set = await tree.setAside({ path, key }, hash);
  const deleted = set.ok
    ? await hub.deletion.delete(author, id, {
        guards: options.guards,
        also: also(gone),
      })
    : err({ ...set.error, ...(set.error.code === "FILE_CHANGED" ? { message: changedWords(path) } : {}) });
  if (deleted.ok) file.adopt(gone);
  await settleAside(file, deleted.ok);
  return deleted;
}

/** Removes a file that was set aside when its block is in the trash, or else puts it back. */
export async function settleAside(file: PlacedFile, isTrashed: boolean): Promise<void> {
  const { path, ports, state } = file;
  if (state.aside === null) return;
  const { tree, logger } = ports;
  const aside = { path, key: state.aside };
  const settled = isTrashed ? await tree.removeAside(aside) : await tree.putBack(aside);
  // It is tried again at the next start; the text is in the block meanwhile.
  if (!settled.ok) return logger.warn("file-aside-stays", { path, code: settled.error.code });
  if (typeof settled.value === "string" && settled.value !== path) logger.warn("file-kept-beside", { path });
  await file.put({ aside: null });
}

/**
 * Lets the disk follow a deletion that was decided elsewhere (a kept suggestion, a redone turn). A file that was changed
 * since it was last read stays on disk, as a file without a block.
 */
export async function followDeletion(file: PlacedFile): Promise<void> {
  const { path, ports, state } = file;
  await settleAside(file, true);
  if (state.hash === null) return;
  const read = await ports.tree.read(path);
  if (!read.ok) return ports.logger.warn("file-not-removed", { path, code: read.error.code });
  const isKnown = read.value?.hash === state.hash && !state.merged;
  let blob: string | null = null;
  if (read.value !== null && isKnown) {
    const kept = await keptBytes(file, read.value);
    if (!kept.ok) return ports.logger.warn("file-not-removed", { path, code: kept.error.code });
    blob = kept.value;
    const key = ports.newKey();
    const noted = await file.put({ aside: key });
    const set = noted.ok ? await ports.tree.setAside({ path, key }, state.hash) : noted;
    if (!set.ok) ports.logger.warn("file-not-removed", { path, code: set.error.code });
    if (!set.ok && set.error.code !== "FILE_CHANGED") return void (await file.put({ aside: null }));
  }
  await file.put({ ...withoutFile, mode: read.value?.mode ?? null, blob });
  await settleAside(file, true);
}

/**
 * Renames a file: the block gets the new path in one transaction, then the disk follows. Where it cannot, the block gets its
 * old path again and the refusal is returned. A stop in between is ended by `followPath`.
 */
export async function moveFile(
  file: PlacedFile,
  { author, to, options }: { readonly author: Author; readonly to: FilePath; readonly options: EditOptions },
): Promise<Result<{ readonly version: number }, Refusal>> {
  const { id, path, ports } = file;
  const from: FileState = { ...file.state, path };
  const updated = await ports.hub.editor.update(
    author,
    id,
    { path: to },
    {
      guards: options.guards,
      also: (version) => [putFileState(id, from), ...(options.also?.(version) ?? [])],
    },
  );
  if (!updated.ok) return updated;
  file.adopt(from);
  const followed = await followPath(file);
  return followed.ok ? updated : followed;
}

/** Lets the disk follow the path of the block. Refused, with the block's path set back, where the disk refuses. */
export async function followPath(file: PlacedFile): Promise<Result<void, Refusal>> {
  const { id, path: from, ports, state } = file;
  const { hub, tree, logger } = ports;
  const now = await hub.reader.read(id);
  if (!now.ok) return now;
  const to = blockPath(now.value.header) as FilePath | undefined;
  if (to === undefined || to === from) return ok(undefined);
  const moved = ports.isTaken(to, id)
    ? err(refusal("FILE_EXISTS", { path: to }))
    : state.hash === null
      ? ok(undefined)
      : await tree.move(from, to, state.hash);
  // A branch that Heddle commits to has the file at its new path.
  if (moved.ok) return file.put({ path: to, written: true });
  // Renamed already, before a stop, or by another program in the same way; what changed there is merged as ever.
  if (moved.error.code === "FILE_NOT_FOUND") return file.put({ path: to });
  logger.warn("file-not-moved", { path: from, code: moved.error.code });
  const back = await hub.editor.update(await ports.outsider(`not-moved/${now.value.header.version}`), id, {
    path: from,
  });
  return back.ok ? moved : back;
}

/**
 * Follows a file that another program renamed: the block gets the new path. Returns whether it was found: a file that was
 * only deleted has none.
 */
export async function followRename(file: PlacedFile, inode: number | null): Promise<boolean> {
  const { id, ports, state } = file;
  const { hash } = state;
  if (inode === null || hash === null) return false;
  const to = await ports.tree.findMoved({ inode, hash });
  if (to === null || ports.isTaken(to, id)) return false;
  const moved: FileState = { ...state, path: to };
  const updated = await ports.hub.editor.update(
    await ports.outsider(`renamed/${hash.slice(0, 16)}`),
    id,
    { path: to },
    { also: () => [putFileState(id, moved)] },
  );
  if (updated.ok) file.adopt(moved);
  return updated.ok;
}

/** The state of a block that has no file. */
const withoutFile = { version: 0, hash: null, merged: false, writing: null, conflict: null } as const;

function changedWords(path: FilePath): string {
  return `Another program changed ${path} a moment ago, so nothing was deleted: the file is in its place with the new text. Look at it, then delete it again.`;
}
