import type { PersonActor } from "../../core/base/actor.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { CanvasHashes, CanvasRevision } from "../../core/block/canvas-revision.ts";
import { unifiedDiff } from "../../core/block/patch/unified-diff.ts";
import { isDraftRevisionId, parseRevisionId, revisionId } from "../../core/block/revision.ts";
import type { Store } from "../../core/port/store.ts";
import { revisionsPageMax } from "../../core/protocol/base/limits.ts";
import type { CommandAnswer } from "../../core/protocol/commands.ts";
import type { BlockReader } from "../document/block-reader.ts";
import type { EditHistory } from "../document/revert/edit-history.ts";
import type { Suggestions } from "../document/review/suggestions.ts";
import type { Author, BlockReading } from "../document/record/types.ts";
import { notRemembered, type Remember } from "../base/once.ts";

interface CanvasRevisionPorts {
  readonly hub: {
    readonly reader: Pick<BlockReader, "read" | "readAt">;
  };
  readonly store: Pick<Store, "revisions" | "revisionText" | "draftRevisionText">;
}

/** Maximum length of a comparison; the rest is cut at the end of a line. UTF-16 units. */
const comparisonUnitsMax = 500_000;

/** Returns a diff as far as it is sent, and whether it was cut. */
export function boundedDiff(diff: string): { readonly diff: string; readonly truncated: boolean } {
  const truncated = diff.length > comparisonUnitsMax;
  return { diff: truncated ? diff.slice(0, diff.lastIndexOf("\n", comparisonUnitsMax) + 1) : diff, truncated };
}

/** Returns the hashes of the current text and of the text committed last. */
export async function canvasHashes(
  { hub, store }: CanvasRevisionPorts,
  canvasId: BlockId,
): Promise<Result<CanvasHashes, Refusal>> {
  const now = await hub.reader.read(canvasId);
  if (!now.ok) return now;
  const [last] = await store.revisions({ canvasId, beforeVersion: null, limit: 1 });
  const { header, text } = now.value;
  return ok({
    draft: { hash: sha256Hex(text), revisionId: revisionOf(now.value), at: header.updatedAt },
    committed: last === undefined ? null : { hash: last.hash, revisionId: last.revisionId, at: last.at },
  });
}

/** Returns a page of a canvas's committed revisions, newest first, and whether there are older ones. */
export async function canvasRevisions(
  { store }: CanvasRevisionPorts,
  options: { readonly canvasId: BlockId; readonly beforeVersion?: number; readonly limit?: number },
): Promise<{ readonly revisions: readonly CanvasRevision[]; readonly more: boolean }> {
  const { canvasId, beforeVersion = null, limit = revisionsPageMax } = options;
  const found = await store.revisions({ canvasId, beforeVersion, limit: limit + 1 });
  return { revisions: found.slice(0, limit), more: found.length > limit };
}

/** The change from one text of a canvas to another; null is the current text. */
interface Comparison {
  readonly canvasId: BlockId;
  readonly from: string | null;
  readonly to: string | null;
}

interface CanvasDifference {
  readonly from: string;
  readonly to: string;
  /** A unified diff without file names; empty where no line differs. */
  readonly diff: string;
  readonly truncated: boolean;
}

export async function compareRevisions(
  ports: CanvasRevisionPorts,
  { canvasId, from, to }: Comparison,
): Promise<Result<CanvasDifference, Refusal>> {
  const before = await textAt(ports, canvasId, from);
  if (!before.ok) return before;
  const after = await textAt(ports, canvasId, to);
  if (!after.ok) return after;
  return ok({
    from: before.value.revisionId,
    to: after.value.revisionId,
    ...boundedDiff(unifiedDiff(before.value.text, after.value.text)),
  });
}

/** The revision that a restore made. */
type RestoredRevision = { readonly version: number; readonly revisionId: string };

/**
 * Restores the canvas's text at a revision. It can be undone like any edit and keeps the history before it; the letters of
 * then come back with their authors and comments, as far as the history is kept.
 */
export async function restoreRevision(
  ports: CanvasRevisionPorts & { readonly hub: { readonly history: Pick<EditHistory, "restore"> } },
  author: Author,
  options: { readonly canvasId: BlockId; readonly revisionId: string },
  remember: Remember<RestoredRevision> = notRemembered,
): Promise<Result<RestoredRevision, Refusal>> {
  const { canvasId } = options;
  const then = await textAt(ports, canvasId, options.revisionId);
  if (!then.ok) return then;
  const answerAt = (version: number): RestoredRevision => ({
    version,
    revisionId: revisionId(version, then.value.text),
  });
  const restored = await ports.hub.history.restore(
    author,
    canvasId,
    { version: parseRevisionId(options.revisionId)?.version ?? 0, text: then.value.text },
    { also: (version) => remember(answerAt(version), null) },
  );
  return restored.ok ? ok(answerAt(restored.value.version)) : restored;
}

/** Suggests a revision's text to people, so that they decide about it part by part. */
export async function bringRevision(
  ports: CanvasRevisionPorts & { readonly hub: { readonly suggestions: Pick<Suggestions, "bring"> } },
  author: Author & { readonly actor: PersonActor },
  wish: {
    readonly canvasId: BlockId;
    readonly revisionId: string;
    readonly remember: Remember<CommandAnswer<"canvas.bring">>;
  },
): Promise<Result<CommandAnswer<"canvas.bring">, Refusal>> {
  const then = await textAt(ports, wish.canvasId, wish.revisionId);
  if (!then.ok) return then;
  return ports.hub.suggestions.bring(author, wish.canvasId, then.value.text, (brought) => wish.remember(brought, null));
}

interface TextAt {
  readonly text: string;
  readonly revisionId: string;
}

/** Returns the canvas at a revision; refuses a revision that never existed or whose text was compacted. */
export async function textAt(
  { hub, store }: CanvasRevisionPorts,
  canvasId: BlockId,
  id: string | null,
): Promise<Result<TextAt, Refusal>> {
  if (id === null) {
    const now = await hub.reader.read(canvasId);
    return now.ok ? ok({ text: now.value.text, revisionId: revisionOf(now.value) }) : now;
  }
  if (isDraftRevisionId(id)) return draftTextAt({ hub, store }, canvasId, id);
  const version = parseRevisionId(id)?.version;
  const reading = version === undefined || version < 1 ? null : await hub.reader.readAt(canvasId, version);
  if (reading?.ok === false && (reading.error.code === "BLOCK_NOT_FOUND" || reading.error.code === "IN_TRASH")) {
    return reading;
  }
  if (reading?.ok === true && revisionOf(reading.value) === id) return ok({ text: reading.value.text, revisionId: id });
  // Committed texts are kept, also when the block's history is not.
  const kept = version === undefined ? null : await store.revisionText(canvasId, version);
  if (kept !== null && revisionId(version ?? 0, kept.text) === id) return ok({ text: kept.text, revisionId: id });
  return err(unknownRevision(canvasId, id));
}

async function draftTextAt(
  { hub, store }: CanvasRevisionPorts,
  canvasId: BlockId,
  id: string,
): Promise<Result<TextAt, Refusal>> {
  const now = await hub.reader.read(canvasId);
  if (!now.ok) return now;
  const kept = await store.draftRevisionText(canvasId, id);
  return kept === null ? err(unknownRevision(canvasId, id)) : ok({ text: kept.text, revisionId: id });
}

function unknownRevision(canvasId: BlockId, id: string): Refusal {
  return refusal(
    "VERSION_UNKNOWN",
    { canvas_id: canvasId, revision_id: id },
    "The canvas has no revision with this id. List its revisions to see the ids.",
  );
}

function revisionOf({ header, text }: BlockReading): string {
  return revisionId(header.version, text);
}
