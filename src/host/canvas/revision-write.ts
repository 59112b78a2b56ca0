import { sha256Hex } from "../../core/base/hash.ts";
import type { BlockId, NodeId } from "../../core/base/ids.ts";
import type { CanvasRevision } from "../../core/block/canvas-revision.ts";
import { storedAs, type ReadRevisionText, type RevisionText } from "../../core/block/change/revision-text.ts";
import type { Clock } from "../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import type { BlockReader } from "../document/block-reader.ts";
import { changesText, revisionOf } from "./canvas-reading.ts";

interface RevisionPorts {
  readonly reader: Pick<BlockReader, "read">;
  readonly store: Pick<Store, "block" | "changes" | "revisions" | "revisionText">;
  readonly clock: Clock;
}

/**
 * Returns the write that commits a canvas's text, with a message or because a person names it; empty where this text is already
 * committed.
 */
export async function revisionWrite(
  { reader, store, clock }: RevisionPorts,
  canvasId: BlockId,
  nodeId: NodeId | null,
): Promise<readonly StoreWrite[]> {
  const header = await store.block(canvasId);
  if (header?.policy === undefined || header.deletedAt !== undefined) return [];
  const [last] = await store.revisions({ canvasId, beforeVersion: null, limit: 1 });
  if (last !== undefined && last.version >= header.version) return [];
  const now = await reader.read(canvasId);
  if (!now.ok) return [];
  const { version } = now.value.header;
  const hash = sha256Hex(now.value.text);
  if (last?.hash === hash) return [];
  const changes = await store.changes({ blockId: canvasId, afterVersion: last?.version ?? 0 });
  const written = changes.filter((change) => changesText(change) && change.version <= version);
  const newest = written.at(-1);
  if (newest === undefined) return [];
  const alsoBy = new Set(written.map(({ actor }) => actor.name));
  alsoBy.delete(newest.actor.name);
  const revision: CanvasRevision = {
    canvasId,
    revisionId: revisionOf(now.value),
    version,
    hash,
    actor: newest.actor,
    alsoBy: [...alsoBy],
    nodeId,
    at: clock.now(),
  };
  const read = last === undefined ? null : await store.revisionText(canvasId, last.version);
  return [{ type: "put-revision", revision, text: asStored(now.value.text, last && { ...last, read }) }];
}

/** Returns a text as changes of the last committed one, where that can still be read as it was committed. */
export function asStored(
  text: string,
  last: { readonly hash: string; readonly version: number; readonly read: ReadRevisionText | null } | undefined,
): RevisionText {
  if (last === undefined || last.read === null || sha256Hex(last.read.text) !== last.hash) return text;
  return storedAs(text, { version: last.version, read: last.read });
}
