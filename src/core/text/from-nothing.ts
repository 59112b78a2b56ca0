/**
 * Merges an update of many concurrent runs into a document that has nothing yet, as whoever opens one by its whole history does.
 * Nobody sees the texts in between, so only the walker is told of the operations, and the text is written once, at the end.
 */

import { addSpan } from "./add-span.ts";
import { checkRange } from "./branch.ts";
import { deletion, endMax, type History, insertion, type Op } from "./history.ts";
import { receivedRun } from "./received-run.ts";
import type { Rope } from "./rope.ts";
import { hasSurrogate } from "./surrogates.ts";
import { follows } from "./two-lines.ts";
import type { MergedUpdate, OpId, OpSpan } from "./types.ts";
import type { WireRun } from "./update-codec.ts";
import { Walker } from "./walker.ts";

/** Fewer runs, or fewer that do not follow the one before, are written into the text as they come. */
const runsMin = 256;
const concurrentShareMin = 1 / 8;

/**
 * Merges the update into the empty log and text; returns undefined, and leaves both empty, where it cannot. What it leaves is merged
 * or refused by the document.
 */
export function mergedFromNothing(
  history: History,
  rope: Rope,
  runs: readonly WireRun[],
  textUnitsMax: number,
): MergedUpdate | undefined {
  if (history.end > 0 || runs.length < runsMin || !areConcurrent(runs)) return undefined;
  const walker = new Walker({ history, base: -1, text: null, baseText: () => "" });
  const spans: OpSpan[] = [];
  let previous: OpId | undefined;
  for (const run of runs) {
    const received = receivedRun(history, run, previous);
    const added = received.ok && (received.value === undefined || addedRun(history, walker, run, received.value));
    if (!added || walker.endLength > textUnitsMax) {
      history.truncate(0, []);
      return undefined;
    }
    const { value } = received;
    if (value !== undefined) addSpan(spans, { replica: run.replica, seq: value.seq, length: value.length });
    previous = { replica: run.replica, seq: run.seq + run.length - 1 };
  }
  const text = walker.wholeText();
  const delta = text === "" ? [] : [{ from: 0, to: 0, insert: text }];
  rope.change(delta);
  return { delta, spans };
}

/** Whether enough runs are made on another version than the one right before them. */
function areConcurrent(runs: readonly WireRun[]): boolean {
  const count = runs.reduce((sum, run, at) => sum + (follows(run, runs[at - 1]) ? 0 : 1), 0);
  return count >= runs.length * concurrentShareMin;
}

type Received = NonNullable<(ReturnType<typeof receivedRun> & { readonly ok: true })["value"]>;

/** Adds a run to log and walker; false where it is refused. */
function addedRun(
  history: History,
  walker: Walker,
  { replica }: WireRun,
  { pieces, parents: first }: Received,
): boolean {
  let parents = first;
  for (const op of pieces) {
    if (history.end + op.length >= endMax) return false;
    walker.moveTo(parents);
    const isWhole = op.kind <= deletion ? checkRange(op, walker) === undefined : walker.wholePairs(op.ref, op.length);
    if (!isWhole) return false;
    const author = { replica, seq: history.nextSeq(replica) };
    const text = walker.apply(op, author);
    const paired = op.kind !== insertion && op.length > 1 && history.mayPartPair && hasSurrogate(text);
    history.append(replica, author.seq, opWithText(op, text), parents, paired);
    parents = [history.end - 1];
  }
  return true;
}

/** A deletion is kept with the text that it deleted; cancellations and redeletions name theirs. */
function opWithText(op: Op, text: string): Op {
  return op.kind === insertion ? op : { ...op, text: op.kind === deletion ? text : undefined };
}
