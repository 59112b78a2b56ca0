import { assert, must } from "../../core/base/assert.ts";
import type { RequestId } from "../../core/base/ids.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import { trustedLimits } from "../../core/text/trusted-limits.ts";
import type { ReplicaId, OpSpan, TextChange, TextDocument } from "../../core/text/types.ts";
import { countEdits, pushUnitsMax, wordsIn, type PendingPush } from "./pending-edits.ts";
import { inSteps, invert, rebase, replacement } from "./text-mapping.ts";

/** A whole copy of a block as the server sent it, checked against its hash. */
export interface FreshCopy {
  readonly header: BlockHeader;
  readonly document: TextDocument;
  /** Decodes the same bytes again, for when `document` took something that it should not have. */
  decodeAgain(): TextDocument;
}

/** The edits of a page that a copy may lack. */
export interface EditsToKeep {
  /** The text that the copy replaces; the edits are in it. */
  readonly before: TextDocument;
  /** Every one of them encoded. */
  readonly pushes: readonly PendingPush[];
  updateOf(push: PendingPush): Uint8Array;
  /** The replica that made them, and the one that edits from now on. */
  readonly formerId: ReplicaId;
  readonly replicaId: ReplicaId;
  nextRequestId(): RequestId;
}

/** A text that contains the copy and the edits; `lost` is what was typed in edits that no longer fit, null for none. */
export interface CopyWithEdits {
  readonly document: TextDocument;
  /** The edits that the copy lacked, all `ready`. */
  readonly pushes: readonly PendingPush[];
  /** The updates of pushes that were made again. */
  readonly updates: ReadonlyMap<RequestId, Uint8Array>;
  readonly lost: string | null;
}

/** Brings a page's edits into a fresh copy: as they are where they still fit, else made again under new numbers. */
export function keepEdits(copy: FreshCopy, edits: EditsToKeep): CopyWithEdits {
  const { document } = copy;
  const { formerId, replicaId } = edits;
  // Sequence numbers alone do not prove it: another page may have edited under them.
  const isContained = (push: PendingPush): boolean =>
    push.endSeq <= document.nextSeq(formerId) && document.merge(edits.updateOf(push), trustedLimits).ok;
  const missing = edits.pushes.filter((push) => !isContained(push));
  const kept = { pushes: missing.map(ready), updates: new Map<RequestId, Uint8Array>(), lost: null };
  if (missing.length === 0) return { ...kept, document };
  if (formerId !== replicaId) return remake(document, missing, edits);
  if (missing.every((push) => document.merge(edits.updateOf(push), trustedLimits).ok)) return { ...kept, document };
  // `document` may have merged the first of them: all are made again together.
  return remake(copy.decodeAgain(), missing, edits);
}

/** Makes edits again as changes of a copy that others have changed meanwhile. */
function remake(document: TextDocument, missing: readonly PendingPush[], edits: EditsToKeep): CopyWithEdits {
  const { replicaId } = edits;
  const pushes: PendingPush[] = [];
  const updates = new Map<RequestId, Uint8Array>();
  const steps = changesOf(missing, edits, document.text());
  for (const [index, step] of steps.entries()) {
    const base = document.version();
    const seq = document.nextSeq(replicaId);
    const made = document.edit(replicaId, step);
    if (!made.ok) return { document, pushes, updates, lost: wordsIn(missing) };
    if (made.value.spans.length === 0) continue;
    const requestId = edits.nextRequestId();
    const inserted = step.map((change) => change.insert).join("");
    const endSeq = document.nextSeq(replicaId);
    const count = index === 0 ? countEdits(missing) : 1;
    pushes.push({ requestId, stage: "ready", base, seq, endSeq, inserted, edits: count });
    updates.set(requestId, made.value.update);
  }
  return { document, pushes, updates, lost: null };
}

/** What edits did, as changes of a fresh text, in steps that each fit one push. Takes the edits back in `before`. */
function changesOf(
  missing: readonly PendingPush[],
  { before, formerId }: EditsToKeep,
  fresh: string,
): readonly (readonly TextChange[])[] {
  const withEdits = before.text();
  const spans: readonly OpSpan[] = missing.map(({ seq, endSeq }) => ({ replica: formerId, seq, length: endSeq - seq }));
  const cancelled = before.cancel(formerId, spans);
  assert(cancelled.ok, "edits made in a text can be cancelled in it");
  const own = invert(withEdits, cancelled.value.delta);
  return inSteps(rebase(own, replacement(before.text(), fresh)), pushUnitsMax);
}

function ready(push: PendingPush): PendingPush {
  return { ...push, stage: "ready" };
}

/** Returns the update of a push that has been encoded. */
export function encodedUpdate(updates: ReadonlyMap<RequestId, Uint8Array>, { requestId }: PendingPush): Uint8Array {
  return must(updates.get(requestId), "a push that is no longer open is encoded");
}
