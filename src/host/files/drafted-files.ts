import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, HunkId } from "../../core/base/ids.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import type { FilePart } from "../../core/block/suggestion/file-part.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { Store } from "../../core/port/store.ts";
import { writableFiles } from "./block-files.ts";
import type { ToolFolders } from "./folder-types.ts";
import type { WorkspaceFiles } from "./workspace-files-types.ts";

interface Ports {
  readonly store: Pick<Store, "block">;
  readonly folders: Pick<ToolFolders, "folderOf" | "use">;
}

/**
 * Looks at the disk before files that a draft makes, moves or deletes are taken: what other programs wrote is in the blocks
 * then. FILE_CHANGED where a file is gone or in conflict, or another one is at a path that the draft uses.
 */
export async function whyFilesChanged(
  ports: Ports,
  parts: readonly FilePart[],
  overruled: readonly HunkId[],
): Promise<Refusal | null> {
  const leaving = new Set(parts.flatMap(({ blockId, proposes }) => (proposes.type === "create" ? [] : [blockId])));
  for (const part of parts) {
    const header = await ports.store.block(part.blockId);
    const files = header === null ? null : await writableFiles(ports, header);
    if (files === null) continue;
    if (!files.ok) return files.error;
    if (files.value === null || header === null) continue;
    const changed = await whyChanged(files.value, { header, part, leaving, overruled });
    if (changed !== null) return changed;
  }
  return null;
}

async function whyChanged(
  files: WorkspaceFiles,
  take: {
    readonly header: BlockHeader;
    readonly part: FilePart;
    /** Files that leave their paths with the same take. */
    readonly leaving: ReadonlySet<BlockId>;
    readonly overruled: readonly HunkId[];
  },
): Promise<Refusal | null> {
  const { header, part, leaving, overruled } = take;
  const { proposes, blockId, hunkId } = part;
  const changed = (path: string, message: string): Refusal =>
    refusal("FILE_CHANGED", { block_id: blockId, path, hunk_ids: [hunkId] }, message);
  const to = proposes.type === "delete" ? undefined : proposes.path;
  if (to !== undefined) {
    const taken = await files.whyTaken(to, blockId);
    const by = taken?.details?.["block_id"];
    if (taken !== null && !leaving.has(by as BlockId)) {
      return taken.code === "FILE_EXISTS" ? changed(to, takenWords(to)) : taken;
    }
  }
  const path = blockPath(header);
  if (proposes.type === "create" || path === undefined) return null;
  const held = await files.hold(path);
  if (!held.ok || held.value !== blockId || files.isGone(header)) return changed(path, goneWords(path));
  if ((await files.opened()).some((file) => file.blockId === blockId && file.conflict)) {
    return changed(path, conflictWords(path));
  }
  if (proposes.type !== "delete" || proposes.of === undefined || overruled.includes(hunkId)) return null;
  if (header.metadata["binary"] !== true) return null;
  const bytes = await files.bytes(path);
  return bytes.ok && bytes.value.hash === proposes.of ? null : changed(path, otherWords(path));
}

function takenWords(path: string): string {
  return `There is a file at ${path} now that the draft does not know, so nothing was taken, and both are there. Move that file first, or leave this part of the draft.`;
}

function goneWords(path: string): string {
  return `${path} is not there any more, so nothing was taken. Bring the file back, or leave this part of the draft.`;
}

function conflictWords(path: string): string {
  return `${path} was changed on disk and in Heddle in ways that cannot be merged, so nothing was taken. Decide about that conflict first.`;
}

function otherWords(path: string): string {
  return `${path} was changed since the draft that deletes it was written, so nothing was taken. Look at it, then take that part alone, or leave it.`;
}
