import { assert } from "../../../core/base/assert.ts";
import type { BlockId } from "../../../core/base/ids.ts";
import { ok } from "../../../core/base/result.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import type { Store } from "../../../core/port/store.ts";
import { createDocument, openDocument } from "../../../core/text/document.ts";
import { trustedLimits } from "../../../core/text/trusted-limits.ts";
import { decodeText, OpenBlock } from "./open-block.ts";

/** Blocks that were read before the store could be written. */
export interface BlocksReadBefore {
  /** Gives a block away, read on to the header's version; null where it was not read or is of no use. */
  take(store: Store, header: BlockHeader): Promise<OpenBlock | null>;
}

/**
 * Reads a block from the store: the newest snapshot and the changes after it, or what `early` lacks. Null when it does not exist
 * or was deleted; with `deletedToo`, a block in the trash is read too.
 */
export async function loadBlock(
  store: Store,
  blockId: BlockId,
  { deletedToo = false, early }: { readonly deletedToo?: boolean; readonly early?: BlocksReadBefore | undefined } = {},
): Promise<OpenBlock | null> {
  const header = await store.block(blockId);
  if (header === null || (header.deletedAt !== undefined && !deletedToo)) return null;
  const block = (await early?.take(store, header)) ?? (await loadText(store, header));
  block.readTo(header);
  const threads = header.kind === "file" ? await store.threads(blockId) : [];
  if (threads.length > 0) block.trackThreads(threads);
  return block;
}

/** Reads a block's text: the newest snapshot and the changes after it, which may be more than `header` knows of. */
export async function loadText(store: Pick<Store, "snapshot" | "changes">, header: BlockHeader): Promise<OpenBlock> {
  const snapshot = await store.snapshot(header.id);
  const decoded = snapshot === null ? ok(createDocument()) : openDocument(snapshot.bytes, trustedLimits, decodeText);
  assert(decoded.ok, `the snapshot of ${header.id} can be read`);
  const block = new OpenBlock(header, decoded.value);
  if (snapshot !== null) block.openedFrom(snapshot);
  block.replay(await store.changes({ blockId: header.id, afterVersion: block.version }));
  return block;
}
