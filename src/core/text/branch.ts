/**
 * A text at a version that applies operations one after another. An operation made on top of exactly this version edits the
 * text directly; any other goes through a walker over the concurrent part, which is kept for the next operation.
 */

import { err, ok, type Result } from "../base/result.ts";
import { sameVersion, succeeded, top, type Version } from "./graph/version.ts";
import { deletion, type History, insertion, lowestOf, type Op } from "./history.ts";
import { Rope } from "./rope.ts";
import type { OpId, TextRefusal } from "./types.ts";
import { type WalkedText, Walker } from "./walker.ts";

/** One edit of the text: `inserted` replaced `removed` at `at`. */
export interface TextEdited {
  readonly at: number;
  readonly removed: string;
  readonly inserted: string;
}

/** A rope that records its edits until they are taken or reverted. */
export class EditedText implements WalkedText {
  readonly rope: Rope;
  private edits: TextEdited[] = [];
  private readonly history: History;
  private readonly recording: boolean;

  constructor(history: History, rope: Rope, recording: boolean) {
    this.history = history;
    this.rope = rope;
    this.recording = recording;
  }

  get length(): number {
    return this.rope.length;
  }

  charCodeAt(at: number): number {
    return this.rope.charCodeAt(at);
  }

  /** Whether an offset is between the halves of a surrogate pair. */
  insidePair(at: number): boolean {
    return this.history.mayPartPair && this.rope.insidePair(at);
  }

  slice(from: number, to: number): string {
    return this.rope.slice(from, to);
  }

  insert(at: number, text: string): void {
    this.rope.insert(at, text);
    if (this.recording) this.edits.push({ at, removed: "", inserted: text });
  }

  remove(at: number, count: number): string {
    const removed = this.rope.remove(at, count);
    if (this.recording) this.edits.push({ at, removed, inserted: "" });
    return removed;
  }

  takeEdits(): readonly TextEdited[] {
    const { edits } = this;
    if (edits.length > 0) this.edits = [];
    return edits;
  }

  rollBack(): void {
    for (const { at, removed, inserted } of this.takeEdits().toReversed()) {
      this.rope.remove(at, inserted.length);
      this.rope.insert(at, removed);
    }
  }
}

/** A walker over more runs than this is dropped when a new walker would begin this close to the end. */
const retainedRunsMax = 4096;
const freshUnitsMax = 256;

/** The text at one version of a history; moves forward as operations arrive. */
export class Branch {
  readonly text: EditedText;
  /** The text contains every unit below this lv. */
  end: number;
  /** Undefined while it equals the history's version and nobody has read it since. */
  private known: Version | undefined;
  private readonly history: History;
  private walker: Walker | undefined = undefined;
  /** Steps taken to merge concurrent operations; a caller that measures them sets it to 0 first. */
  effort = 0;

  constructor(options: { history: History; rope: Rope; end: number; version: Version; recording: boolean }) {
    this.history = options.history;
    this.text = new EditedText(options.history, options.rope, options.recording);
    this.end = options.end;
    this.known = options.version;
  }

  get version(): Version {
    this.known ??= this.history.graph.heads;
    return this.known;
  }

  /**
   * Applies an operation whose first unit gets the next lv; validates it before changing anything. Returns the text that it
   * inserted, deleted or restored. The caller adds the operation to the history afterwards.
   */
  take(op: Op, author: OpId, parents: Version): Result<string, TextRefusal> {
    if (op.kind <= deletion && sameVersion(parents, this.version)) {
      const refusal = checkRange(op, this.text);
      if (refusal !== undefined) return err(refusal);
      let text = op.text ?? "";
      if (op.kind === insertion) this.text.insert(op.pos, text);
      else text = this.text.remove(lowestOf(op), op.length);
      this.end += op.length;
      this.known = [this.end - 1];
      return ok(text);
    }
    const { graph } = this.history;
    const begun = graph.steps;
    const walker = this.walkerBelow(op.kind <= deletion ? top(parents) : Math.min(top(parents), op.ref - 1));
    // Steps to catch up with earlier operations do not count for this one.
    graph.steps = begun;
    walker.steps = 0;
    walker.moveTo(parents);
    if (op.kind <= deletion) {
      const refusal = checkRange(op, walker);
      if (refusal !== undefined) return err(refusal);
    } else if (!walker.wholePairs(op.ref, op.length)) return err({ code: "TEXT_MALFORMED", at: 0 });
    const text = walker.apply(op, author);
    this.effort += walker.steps + this.version.length + parents.length;
    this.end += op.length;
    this.known = succeeded(this.version, parents, this.end - 1);
    return ok(text);
  }

  /**
   * Catches up with the history, whose last operations were made at the head and applied to the text without this branch.
   */
  follow(): void {
    this.end = this.history.end;
    this.known = undefined;
  }

  /** Returns a walker that began at or before `limit` and contains everything this branch contains. */
  walkerBelow(limit: number): Walker {
    let walker = this.walker;
    // A walker that is up to date stays the nearest one unless it has grown large.
    if (walker?.end === this.end && walker.base <= limit && walker.size <= retainedRunsMax) return walker;
    const base = this.history.replayBase(limit);
    if (walker !== undefined) {
      const fresher =
        base >= walker.end || (walker.size > retainedRunsMax && base > walker.base && this.end - base < freshUnitsMax);
      if (walker.base > limit || fresher) walker = undefined;
    }
    walker ??= this.newWalker(base);
    walker.feed(this.end);
    this.walker = walker;
    return walker;
  }

  /** Returns the kept walker if it reaches back to `limit`, otherwise a temporary one. */
  passingWalker(limit: number): Walker {
    if (this.walker !== undefined && this.walker.base <= limit) return this.walkerBelow(limit);
    const walker = this.newWalker(this.history.replayBase(limit));
    walker.feed(this.end);
    return walker;
  }

  /** Drops a walker that reaches back into forgotten history. */
  forget(): void {
    if (this.walker !== undefined && this.walker.base < this.history.begin - 1) this.walker = undefined;
  }

  /** Reverts all edits since the last `takeEdits`. */
  rollBack(end: number, version: Version): void {
    this.text.rollBack();
    this.end = end;
    this.known = version;
    if (this.walker !== undefined && this.walker.end > end) this.walker = undefined;
  }

  private newWalker(base: number): Walker {
    const { history, text } = this;
    return new Walker({ history, base, text, baseText: (below) => replay(history, below + 1).text.rope.toString() });
  }
}

/** Computes the text with all units below an lv from the log. */
export function replay(history: History, end: number): Branch {
  const { begin } = history;
  const settled = begin > 0 ? history.settledText().text : "";
  const version = begin > 0 ? [begin - 1] : [];
  const branch = new Branch({ history, rope: new Rope(settled), end: begin, version, recording: false });
  while (branch.end < end) {
    const lv = branch.end;
    const run = history.runFrom(lv, Math.min(end, history.graph.linearEnd(lv)));
    const applied = branch.take(run, run, history.graph.parentsOf(lv));
    if (!applied.ok) throw new RangeError(`the log contains an invalid operation: ${applied.error.code}`);
  }
  return branch;
}

/** Refuses what is outside the text, or would part a surrogate pair. */
export function checkRange(op: Op, text: EditedText | Walker): TextRefusal | undefined {
  const { length } = text;
  if (op.kind === insertion) {
    if (op.pos > length) return { code: "UPDATE_OUT_OF_RANGE", requested: op.pos, max: length };
    return text.insidePair(op.pos) ? { code: "TEXT_MALFORMED", at: op.pos } : undefined;
  }
  const from = lowestOf(op);
  const to = from + op.length;
  if (from < 0 || to > length) return { code: "UPDATE_OUT_OF_RANGE", requested: to, max: length };
  if (text.insidePair(from)) return { code: "TEXT_MALFORMED", at: from };
  return text.insidePair(to) ? { code: "TEXT_MALFORMED", at: to } : undefined;
}
