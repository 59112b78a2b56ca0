import type { BlockId } from "../../../core/base/ids.ts";
import type { BlockChange } from "../../../core/block/types.ts";
import type { Store } from "../../../core/port/store.ts";
import type { OpenBlock } from "./open-block.ts";
import type { CatchUp } from "../record/types.ts";

/** Returns what a copy of a block at a version is missing: the changes since, or a snapshot where those were compacted. */
export async function missingChanges(store: Store, block: OpenBlock, afterVersion: number): Promise<CatchUp> {
  const { header } = block;
  // After a short pause most pages have everything: nothing has to be read for them.
  if (afterVersion === header.version) return { type: "changes", header, changes: [] };
  if (afterVersion >= 1 && afterVersion <= header.version) {
    const changes = await store.changes({ blockId: header.id, afterVersion });
    if (isGapless(changes, afterVersion)) return { type: "changes", header, changes };
  }
  return { type: "snapshot", header, ...block.snapshot() };
}

/** Returns the same for a block that may be deleted; null for a block that never existed. */
export async function missingOfDeleted(store: Store, blockId: BlockId, afterVersion: number): Promise<CatchUp | null> {
  const header = await store.block(blockId);
  if (header === null) return null;
  const changes = await store.changes({ blockId, afterVersion });
  // Where changes were compacted, the deletion is all that can be sent: a deleted block has no snapshot.
  return { type: "changes", header, changes: isGapless(changes, afterVersion) ? changes : changes.slice(-1) };
}

/** Returns whether the changes follow a version directly; those right after it may have been compacted. */
function isGapless([first]: readonly BlockChange[], afterVersion: number): boolean {
  return first === undefined || first.version === afterVersion + 1;
}
