import { err, ok, type Result } from "../base/result.ts";
import { sortedLvs, type Version } from "./graph/version.ts";
import { cutOp, deletion, type History, insertion, type Op, redeletion } from "./history.ts";
import { otherwiseKnown } from "./known-units.ts";
import { isLowSurrogate } from "./surrogates.ts";
import type { OpId, TextRefusal } from "./types.ts";
import type { WireRun } from "./update-codec.ts";

/** What a run of another replica adds to our log, in our log's terms. */
export interface ReceivedRun {
  /** The operations to apply, one after another. */
  readonly pieces: readonly Op[];
  /** The number of the first unit that our log does not have, and how many there are. */
  readonly seq: number;
  readonly length: number;
  /** The version that the first of them was made at. */
  readonly parents: Version;
}

/** The fields of an operation that names the units it is about. */
export const noOp = { pos: 0, back: false, text: undefined, ref: 0 } as const;

/**
 * Reads a run of an update: undefined when our log contains all of it. `previous` is the last unit of the run before it,
 * which it follows unless it names its parents. Checks whatever can be checked without the text.
 */
export function receivedRun(
  history: History,
  run: WireRun,
  previous: OpId | undefined,
): Result<ReceivedRun | undefined, TextRefusal> {
  const { replica } = run;
  const next = history.nextSeq(replica);
  if (run.seq > next) return err({ code: "UPDATE_GAP", missing: { replica, seq: next } });
  const known = next - run.seq;
  const other = known > 0 ? otherwiseKnown(history, run, Math.min(known, run.length)) : undefined;
  // The update builds on a unit of that replica which this replica has with other content.
  if (other !== undefined) return err({ code: "UPDATE_GAP", missing: other });
  if (known >= run.length) return ok(undefined);
  const builtOn =
    known > 0 ? [{ replica, seq: next - 1 }] : (run.parents ?? (previous === undefined ? [] : [previous]));
  const parents = parentsIn(history, builtOn);
  if (!parents.ok) return parents;
  const { kind, pos, length, back, text } = run;
  const op = cutOp({ kind, pos, length, back, text, ref: 0 }, known, length);
  if (op.kind === insertion && isLowSurrogate((op.text ?? "").charCodeAt(0))) {
    return err({ code: "TEXT_MALFORMED", at: op.pos });
  }
  const pieces =
    run.ref === undefined
      ? ok([op])
      : referred(history, { op, ref: { replica: run.ref.replica, seq: run.ref.seq + known }, parents: parents.value });
  return pieces.ok ? ok({ pieces: pieces.value, parents: parents.value, seq: next, length: op.length }) : pieces;
}

/** Returns the version of our log that consists of these units and what they build on. */
function parentsIn(history: History, builtOn: readonly OpId[]): Result<Version, TextRefusal> {
  if (builtOn.length === 0 && history.begin > 0) {
    return err({ code: "UPDATE_GAP", missing: history.settledText().head });
  }
  const lvs: number[] = [];
  for (const id of builtOn) {
    const lv = history.lvOf(id.replica, id.seq);
    if (lv === undefined) return err({ code: "UPDATE_GAP", missing: id });
    if (history.partsPair(lv)) return err({ code: "UPDATE_CORRUPT", reason: "a parent is inside a surrogate pair" });
    lvs.push(lv);
  }
  return ok(history.graph.dominators(sortedLvs(lvs)));
}

/** A cancellation or redeletion in pieces, each of deletion units that are consecutive in our log. */
function referred(
  history: History,
  { op, ref, parents }: { readonly op: Op; readonly ref: OpId; readonly parents: Version },
): Result<readonly Op[], TextRefusal> {
  const pieces: Op[] = [];
  const ends: number[] = [];
  for (let done = 0; done < op.length;) {
    const id = { replica: ref.replica, seq: ref.seq + done };
    const lv = history.lvOf(id.replica, id.seq);
    if (lv === undefined || lv < history.begin) return err({ code: "UPDATE_GAP", missing: id });
    const run = history.runFrom(lv, lv + op.length - done);
    if (run.kind !== deletion && run.kind !== redeletion) return err(cancelsNoDeletion);
    pieces.push({ ...noOp, kind: op.kind, length: run.length, ref: lv });
    ends.push(lv + run.length - 1);
    done += run.length;
  }
  return history.graph.contains(parents, ends) ? ok(pieces) : err(cancelsNoDeletion);
}

const cancelsNoDeletion = { code: "UPDATE_CORRUPT", reason: "it cancels what is no deletion in its past" } as const;
