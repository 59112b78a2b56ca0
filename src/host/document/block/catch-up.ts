import type { BlockId } from "../../../core/base/ids.ts";
import type { BlockChange } from "../../../core/block/types.ts";
import type { Store } from "../../../core/port/store.ts";
import type { OpenBlock } from "./open-block.ts";
import type { CatchUp } from "../record/types.ts";

/** Returns what a copy of a block at a version is missing: the changes since, or a snapshot where those were compacted. */
export async function missingChanges(store: Store, block: OpenBlock, afterVersion: number): Promise<CatchUp> {
  const { header } = block;
  if (afterVersion >= 1 && afterVersion <= header.version) {
    const changes = await store.changes({ blockId: header.id, afterVersion });
    if (isGapless(changes, afterVersion)) return { type: "changes", header, changes };
  }
  return { type: "snapshot", header, ...block.snapshot() };
}

/** Returns the same for a block that may be deleted; null for one that never was. */
export async function missingOfDeleted(store: Store, blockId: BlockId, afterVersion: number): Promise<CatchUp | null> {
  const header = await store.block(blockId);
  if (header === null) return null;
  const changes = await store.changes({ blockId, afterVersion });
  // Of what is gone, only its end can be told to whoever missed more than is kept.
  return { type: "changes", header, changes: isGapless(changes, afterVersion) ? changes : changes.slice(-1) };
}

/** Whether these changes go on from a version; those right after it may have been let go of. */
function isGapless([first]: readonly BlockChange[], afterVersion: number): boolean {
  return first === undefined || first.version === afterVersion + 1;
}
