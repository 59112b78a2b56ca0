import type { BlockId, DraftId, NodeId } from "../../core/base/ids.ts";
import type { DraftRevision } from "../../core/block/canvas-revision.ts";
import { draftRevisionId } from "../../core/block/revision.ts";
import type { Clock } from "../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import type { Suggestions } from "../document/review/suggestions.ts";
import { asStored } from "./revision-write.ts";

interface DraftRevisionPorts {
  readonly drafts: Pick<Suggestions, "draftText">;
  readonly store: Pick<Store, "draftRevisions" | "draftRevisionText">;
  readonly clock: Clock;
}

/**
 * Returns the write that keeps a draft's text with a message; empty where that text is kept already. null where the canvas has
 * no such open draft, so that its messages are about the shared text.
 */
export async function draftRevisionWrite(
  { drafts, store, clock }: DraftRevisionPorts,
  { canvasId, draftId }: { readonly canvasId: BlockId; readonly draftId: DraftId },
  nodeId: NodeId,
): Promise<readonly StoreWrite[] | null> {
  const now = await drafts.draftText(canvasId, draftId);
  if (!now.ok) return null;
  const { text, hash, version, authors } = now.value;
  const [last] = await store.draftRevisions({ canvasId, draftId, beforeVersion: null, limit: 1 });
  if (last?.hash === hash) return [];
  const draftVersion = (last?.draftVersion ?? 0) + 1;
  const [actor, ...others] = authors;
  const revision: DraftRevision = {
    canvasId,
    revisionId: draftRevisionId(version, draftVersion, text),
    version,
    hash,
    actor,
    alsoBy: others.map(({ name }) => name),
    nodeId,
    at: clock.now(),
    draftId,
    draftVersion,
  };
  const read = last === undefined ? null : await store.draftRevisionText(canvasId, last.revisionId);
  const stored = asStored(text, last && { hash: last.hash, version: last.draftVersion, read });
  return [{ type: "put-draft-revision", revision, text: stored }];
}
