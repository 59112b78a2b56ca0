import { refusal, type Refusal } from "../../core/base/errors.ts";
import { readFilePath, type FilePath } from "../../core/base/file-path.ts";
import type { TrashId } from "../../core/base/ids.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import type { TrashEntry, TrashedObject } from "../../core/forest/trash-entry.ts";
import type { Store } from "../../core/port/store.ts";
import type { BlockEntry } from "../document/block-deletion.ts";
import { FileBlock } from "./file-block.ts";
import type { FileBlockPorts } from "./file-block-ports.ts";
import type { FilesPorts } from "./workspace-files-types.ts";

/** A file in the trash. */
interface TrashedFile extends TrashEntry {
  readonly object: Extract<TrashedObject, { readonly type: "file" }>;
}

const pageEntries = 200;

/** Ends what a stop left of the deletions of a folder's files. */
export async function followTrash(ports: FileBlockPorts, folder: FilesPorts["folder"]): Promise<void> {
  const { store } = ports;
  for await (const { object } of trashedFiles(store)) {
    const header = await store.block(object.blockId);
    const path = readFilePath((header === null ? undefined : blockPath(header)) ?? "");
    if (header === null || !path.ok || folder?.owns(header) === false) continue;
    const file = await FileBlock.of(path.value, header, ports);
    if (file.isOnDisk) await file.settle();
  }
}

/** Returns every file in the trash, newest first. */
async function* trashedFiles(store: Pick<Store, "trash">): AsyncGenerator<TrashedFile> {
  let before: TrashId | null = null;
  for (;;) {
    const page: readonly TrashEntry[] = await store.trash({ before, limit: pageEntries });
    for (const entry of page) if (isFileEntry(entry)) yield entry;
    before = page.at(-1)?.id ?? null;
    if (page.length < pageEntries) return;
  }
}

/** Whether an entry of the trash is a file of a folder. */
function isFileEntry(entry: TrashEntry | BlockEntry): entry is TrashedFile {
  return entry.object.type === "file";
}

/** Says that a file cannot be restored to its path. */
export function takenWords(path: FilePath): string {
  return `There is a file at ${path} now, so nothing was restored. Move that one first, or restore this one beside it.`;
}

/** Refuses to read a file that was deleted on disk, though its document keeps the text. */
export function goneFrom(path: string): Refusal {
  const message = `${path} was deleted on disk. Its document keeps the last text; writing the file brings it back.`;
  return refusal("FILE_NOT_FOUND", { path, gone: true }, message);
}
