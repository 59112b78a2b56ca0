/**
 * The op log: every operation on a text, in runs. A run is one replica's consecutive units of one kind, each building on the
 * one before. Positions are UTF-16 offsets in the text at the run's parents.
 */

import { assert, must } from "../base/assert.ts";
import { flatten } from "./flatten.ts";
import { EventGraph } from "./graph/graph.ts";
import { root, type Version } from "./graph/version.ts";
import { hasSurrogate, isHighSurrogate } from "./surrogates.ts";
import type { Settled } from "./settled.ts";
import type { ReplicaId, OpId } from "./types.ts";

/** Inserts text; deletes by position; cancels deletions; repeats deletions that were cancelled. */
export type OpKind = typeof insertion | typeof deletion | typeof cancellation | typeof redeletion;
export const insertion = 0;
export const deletion = 1;
export const cancellation = 2;
export const redeletion = 3;

/** The effect of a run, without author and parents. */
export interface Op {
  readonly kind: OpKind;
  /** Position of an insertion or deletion; unit k of a backward deletion is at pos - k, all other units at pos. */
  readonly pos: number;
  readonly length: number;
  readonly back: boolean;
  /** The inserted or deleted text, in text order; undefined when a deletion's text is unknown. */
  readonly text: string | undefined;
  /** The lv of the first deletion unit that it cancels or repeats; unit k refers to ref + k. */
  readonly ref: number;
}

/** A run with its author and parents: its place in the log. */
export interface Run extends Op {
  readonly lv: number;
  readonly replica: ReplicaId;
  readonly seq: number;
  /** Whether it deletes or restores surrogate pairs, so that a version must not end inside the run. */
  readonly paired: boolean;
}

/** More units than this are in no log. */
export const endMax = 2 ** 30;

/** Runs grow during typing; this limit keeps splitting a run cheap. */
const runTextMax = 2048;

class StoredRun implements Run {
  readonly lv: number;
  readonly replica: ReplicaId;
  readonly seq: number;
  readonly kind: OpKind;
  readonly pos: number;
  length: number;
  back: boolean;
  text: string | undefined;
  readonly ref: number;
  readonly paired: boolean;

  constructor(lv: number, replica: ReplicaId, seq: number, op: Op, paired: boolean) {
    this.lv = lv;
    this.replica = replica;
    this.seq = seq;
    this.kind = op.kind;
    this.pos = op.pos;
    this.length = op.length;
    this.back = op.back && op.length > 1;
    this.text = op.kind === deletion && op.text !== undefined ? owned(op.text) : op.text;
    this.ref = op.ref;
    this.paired = paired;
  }
}

interface ReplicaLog {
  readonly seqs: number[];
  readonly lvs: number[];
  readonly lengths: number[];
  next: number;
}

/** The op log of one text, read from its stored form when first needed. */
export class History {
  readonly graph = new EventGraph();
  private runs: StoredRun[] = [];
  private replicas = new Map<ReplicaId, ReplicaLog>();
  /** Index of the run found last: runs are often looked up in their order. */
  private found = 0;
  /** The replica of the last unit; undefined when unknown. */
  private lastLog: ReplicaLog | undefined = undefined;
  private stored: StoredHistory | undefined = undefined;
  /** Last unit and first reference of runs that refer back, except those that a later run covers: both sequences ascend. */
  private backward: { readonly last: number; readonly ref: number }[] = [];
  /** The first kept lv; everything before is settled. */
  begin = 0;
  private settled: Settled | undefined = undefined;
  /** The next lv. */
  end = 0;
  /** Whether any text read so far has a surrogate pair. */
  private hasPairs = false;

  /** Continues a stored history that is read only when needed. */
  open(stored: StoredHistory): void {
    this.stored = stored;
    this.begin = stored.begin;
    this.end = stored.end;
    for (const [replica, next] of stored.nextSeqs) this.replicas.set(replica, { seqs: [], lvs: [], lengths: [], next });
    this.graph.openAt(
      stored.end,
      stored.heads.map((head) => head.lv),
      () => this.hydrate(),
    );
  }

  /** Whether the text may contain a surrogate pair at any version: without one, no place needs to be looked at. */
  get mayPartPair(): boolean {
    return this.hasPairs || this.stored !== undefined;
  }

  /** The whole document as stored, while nothing has been added or read. */
  get unreadBytes(): Uint8Array | undefined {
    return this.end === this.stored?.end ? this.stored.bytes : undefined;
  }

  /** Begins where a compacted history begins. */
  beginAfter(settled: Settled): void {
    assert(this.end === 0, "only an empty history can be given a beginning");
    this.settled = settled;
    this.hasPairs = hasSurrogate(settled.text);
    this.begin = settled.end;
    this.end = settled.end;
    this.graph.append(settled.end - 1, 1, []);
    this.replicas.set(settled.head.replica, { seqs: [], lvs: [], lengths: [], next: settled.head.seq + 1 });
  }

  /** Deletes settled history up to a unit at which a replay may begin. */
  forget(settled: Settled): void {
    const begin = settled.end;
    this.hydrate();
    const first = this.runs.findIndex((run) => run.lv + run.length > begin);
    const kept = first === -1 ? [] : this.runs.slice(first);
    const [cut] = kept;
    if (cut !== undefined && cut.lv < begin) kept[0] = storedRun(cutRun(cut, begin - cut.lv, cut.length));
    this.runs = kept;
    for (const log of this.replicas.values()) {
      const firstKept = log.lvs.findIndex((lv, index) => lv + (log.lengths[index] as number) > begin);
      const count = firstKept === -1 ? log.lvs.length : firstKept;
      for (const list of [log.seqs, log.lvs, log.lengths]) list.splice(0, count);
      const over = begin - (log.lvs[0] ?? begin);
      if (over <= 0) continue;
      log.lvs[0] = begin;
      (log.seqs[0] as number) += over;
      (log.lengths[0] as number) -= over;
    }
    const { heads } = this.graph;
    this.graph.forget(begin - 1);
    this.graph.heads = heads;
    this.settled = settled;
    this.begin = begin;
    this.lastLog = undefined;
    this.recountBackward();
  }

  /** The text that the deleted operations produced. */
  settledText(): Settled {
    this.hydrate();
    return must(this.settled, "the history was compacted");
  }

  /** Whether the replica's own last unit is the only head, and in memory. */
  endsWith(replica: ReplicaId): boolean {
    const { runs } = this;
    return this.lastLog !== undefined && this.graph.endsAt(this.end) && runs[runs.length - 1]?.replica === replica;
  }

  nextSeq(replica: ReplicaId): number {
    return this.replicas.get(replica)?.next ?? 0;
  }

  /** Every replica that has edited, with its next seq. */
  nextSeqs(): readonly (readonly [ReplicaId, number])[] {
    return [...this.replicas].map(([replica, log]) => [replica, log.next] as const);
  }

  append(replica: ReplicaId, seq: number, op: Op, parents: Version, paired: boolean): void {
    const lv = this.end;
    const last = this.runs[this.runs.length - 1];
    const joins =
      last !== undefined &&
      last.replica === replica &&
      last.kind === op.kind &&
      last.seq + last.length === seq &&
      parents.length === 1 &&
      parents[0] === lv - 1 &&
      last.length < runTextMax &&
      !last.paired &&
      !paired &&
      join(last, op);
    if (!joins) {
      if (last?.text !== undefined) flatten(last.text);
      this.runs.push(new StoredRun(lv, replica, seq, op, paired));
    }
    if (op.kind === insertion && !this.hasPairs) this.hasPairs = hasSurrogate(op.text ?? "");
    if (op.kind >= cancellation) this.noteBackward(lv + op.length - 1, op.ref);
    this.graph.append(lv, op.length, parents);
    this.note(replica, seq, lv, op.length);
    this.end = lv + op.length;
  }

  /** Appends typing of the replica whose own last unit is the only head. Returns the first unit's seq. */
  type(kind: typeof insertion | typeof deletion, pos: number, text: string): number {
    const { length } = text;
    const log = must(this.lastLog, "typing continues a log");
    const last = this.runs[this.runs.length - 1] as StoredRun;
    const seq = log.next;
    const paired = kind === deletion && length > 1 && this.mayPartPair && hasSurrogate(text);
    const op = { kind, pos, length, back: false, text, ref: 0 };
    const grows = last.kind === kind && last.length < runTextMax && !last.paired && !paired;
    if (!grows || !join(last, op)) {
      if (last.text !== undefined) flatten(last.text);
      this.runs.push(new StoredRun(this.end, last.replica, seq, op, paired));
    }
    if (kind === insertion && !this.hasPairs) this.hasPairs = hasSurrogate(text);
    this.graph.extend(length);
    log.next = seq + length;
    (log.lengths[log.lengths.length - 1] as number) += length;
    this.end += length;
    return seq;
  }

  /** Removes everything from an lv on; `heads` is the version before. */
  truncate(end: number, heads: Version): void {
    for (let last = this.runs.at(-1); last !== undefined && last.lv + last.length > end; last = this.runs.at(-1)) {
      if (last.lv < end) {
        const part = cutRun(last, 0, end - last.lv);
        last.length = part.length;
        last.back = part.back;
        last.text = part.text;
        break;
      }
      this.runs.pop();
    }
    for (const [replica, log] of this.replicas) {
      for (let i = log.lvs.length - 1; i >= 0 && (log.lvs[i] as number) + (log.lengths[i] as number) > end; i -= 1) {
        const kept = Math.max(0, end - (log.lvs[i] as number));
        log.next = (log.seqs[i] as number) + kept;
        log.lengths[i] = kept;
        if (kept > 0) break;
        log.lvs.pop();
        log.seqs.pop();
        log.lengths.pop();
      }
      if (log.next === 0) this.replicas.delete(replica);
    }
    this.graph.truncate(end, heads);
    this.end = end;
    this.lastLog = undefined;
    this.recountBackward();
  }

  /**
   * Returns the highest critical unit not above `limit` that splits no surrogate pair and after which a replay refers to
   * nothing before it, or `root`.
   */
  replayBase(limit: number): number {
    let base = this.graph.criticalAtOrBelow(limit);
    while (base >= 0) {
      const reach = this.partsPair(base) ? this.wholeBelow(base) : this.reachAfter(base);
      if (reach > base) break;
      base = this.graph.criticalAtOrBelow(reach - 1);
    }
    return base;
  }

  /** The run around an lv. */
  runAt(lv: number): Run {
    return this.find(lv);
  }

  /** Returns the part of the run around `lv` that begins at `lv` and ends at or before `end`. */
  runFrom(lv: number, end: number): Run {
    const run = this.find(lv);
    return cutRun(run, lv - run.lv, Math.min(run.length, end - run.lv));
  }

  /** Visits the runs from an lv to the end, the first cut to begin there, until `visit` returns false; whether it visited all. */
  eachRun(lv: number, visit: (run: Run) => boolean): boolean {
    const begin = this.find(lv);
    const { runs } = this;
    for (let index = runs.lastIndexOf(begin); index < runs.length; index += 1) {
      const run = runs[index] as StoredRun;
      if (!visit(run.lv < lv ? cutRun(run, lv - run.lv, run.length) : run)) return false;
    }
    return true;
  }

  /** Returns undefined for a unit that is unknown or was deleted. */
  lvOf(replica: ReplicaId, seq: number): number | undefined {
    const log = this.replicas.get(replica);
    if (log === undefined || seq < 0 || seq >= log.next) return undefined;
    const last = log.seqs.length - 1;
    if (last >= 0 && (log.seqs[last] as number) <= seq)
      return (log.lvs[last] as number) + seq - (log.seqs[last] as number);
    if (this.stored !== undefined && (log.seqs[0] ?? log.next) > seq) {
      const head = this.stored.heads.find((each) => each.replica === replica && each.seq === seq);
      if (head !== undefined) return head.lv;
      this.hydrate();
      return this.lvOf(replica, seq);
    }
    if (last < 0 || (log.seqs[0] as number) > seq) {
      const head = this.settled?.head;
      return head?.replica === replica && head.seq === seq ? this.begin - 1 : undefined;
    }
    let low = 0;
    let high = last;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((log.seqs[middle] as number) <= seq) low = middle;
      else high = middle - 1;
    }
    return (log.lvs[low] as number) + seq - (log.seqs[low] as number);
  }

  idOf(lv: number): OpId {
    if (this.stored !== undefined && lv < this.stored.end) {
      const head = this.stored.heads.find((each) => each.lv === lv);
      if (head !== undefined) return { replica: head.replica, seq: head.seq };
    }
    if (lv < this.begin) return this.settledText().head;
    const run = this.find(lv);
    return { replica: run.replica, seq: run.seq + lv - run.lv };
  }

  /** Returns the ids of the units that a version names. */
  idsOf(version: Version): OpId[] {
    const [only] = version;
    if (only !== undefined && version.length === 1) return [this.idOf(only)];
    return version.map((lv) => this.idOf(lv));
  }

  /** Whether a version with this head would end inside a surrogate pair. */
  partsPair(lv: number): boolean {
    if (!this.mayPartPair || lv < this.begin || this.stored?.heads.some((head) => head.lv === lv) === true)
      return false;
    const run = this.find(lv);
    const at = lv - run.lv;
    if (at + 1 >= run.length) return false;
    return run.kind === insertion ? isHighSurrogate((run.text ?? "").charCodeAt(at)) : run.paired;
  }

  /** Reads the stored part. */
  private hydrate(): void {
    const stored = this.stored;
    if (stored === undefined) return;
    this.stored = undefined;
    const older = stored.read();
    for (const [replica, log] of this.replicas) {
      const before = older.replicas.get(replica);
      if (before === undefined) continue;
      older.replicas.set(replica, {
        seqs: [...before.seqs, ...log.seqs],
        lvs: [...before.lvs, ...log.lvs],
        lengths: [...before.lengths, ...log.lengths],
        next: log.next,
      });
    }
    for (const [replica, log] of this.replicas) if (!older.replicas.has(replica)) older.replicas.set(replica, log);
    this.replicas = older.replicas;
    this.settled = older.settled;
    this.hasPairs ||= older.hasPairs;
    this.lastLog = undefined;
    const heads = this.graph.heads;
    this.graph.prepend(older.graph);
    this.graph.heads = heads;
    this.runs = [...older.runs, ...this.runs];
    this.recountBackward();
  }

  /** The highest unit at or below this one before which no surrogate pair is split. */
  private wholeBelow(lv: number): number {
    const run = this.find(lv);
    return run.kind === insertion ? lv : run.lv;
  }

  private find(lv: number): StoredRun {
    assert(lv >= this.begin, "the unit has not been deleted from the log");
    if (this.stored !== undefined && lv < this.stored.end) this.hydrate();
    const runs = this.runs;
    let high = runs.length - 1;
    const last = must(runs[high], "the log holds the lv that is looked up");
    if (last.lv <= lv) return last;
    for (let near = this.found; near < Math.min(high, this.found + 2); near += 1) {
      const run = runs[near] as StoredRun;
      if (run.lv <= lv && lv < run.lv + run.length) {
        this.found = near;
        return run;
      }
    }
    let low = 0;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((runs[middle] as StoredRun).lv <= lv) low = middle;
      else high = middle - 1;
    }
    this.found = low;
    return runs[low] as StoredRun;
  }

  /** A lower bound of the lvs to which units after an lv refer; the next lv when none refers back. */
  private reachAfter(lv: number): number {
    const { backward } = this;
    let low = 0;
    let high = backward.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((backward[middle]?.last ?? 0) > lv) high = middle;
      else low = middle + 1;
    }
    return backward[low]?.ref ?? lv + 1;
  }

  private noteBackward(last: number, ref: number): void {
    while ((this.backward.at(-1)?.ref ?? root) >= ref) this.backward.pop();
    this.backward.push({ last, ref });
  }

  private recountBackward(): void {
    this.backward = [];
    for (const run of this.runs) if (run.kind >= cancellation) this.noteBackward(run.lv + run.length - 1, run.ref);
  }

  private note(replica: ReplicaId, seq: number, lv: number, length: number): void {
    let log = this.replicas.get(replica);
    if (log === undefined) {
      log = { seqs: [], lvs: [], lengths: [], next: 0 };
      this.replicas.set(replica, log);
    }
    const last = log.lvs.length - 1;
    log.next = seq + length;
    this.lastLog = log;
    if (last >= 0 && (log.lvs[last] as number) + (log.lengths[last] as number) === lv) {
      (log.lengths[last] as number) += length;
      return;
    }
    log.seqs.push(seq);
    log.lvs.push(lv);
    log.lengths.push(length);
  }
}

/** What is known of a stored history without reading it. */
export interface StoredHistory {
  /** The stored document that contains it. */
  readonly bytes: Uint8Array;
  readonly begin: number;
  readonly end: number;
  readonly heads: readonly { readonly lv: number; readonly replica: ReplicaId; readonly seq: number }[];
  readonly nextSeqs: readonly (readonly [ReplicaId, number])[];
  read(): History;
}

function storedRun(run: Run): StoredRun {
  return new StoredRun(run.lv, run.replica, run.seq, run, run.paired);
}

/** The lowest offset that a deletion changes. */
export function lowestOf({ pos, length, back }: Pick<Op, "pos" | "length" | "back">): number {
  return back ? pos - length + 1 : pos;
}

/** Returns units [from, to) of a run as a run. */
export function cutRun(run: Run, from: number, to: number): Run {
  if (from === 0 && to === run.length) return run;
  return { ...cutOp(run, from, to), lv: run.lv + from, replica: run.replica, seq: run.seq + from, paired: run.paired };
}

/** Returns units [from, to) of an operation as an operation. */
export function cutOp(op: Op, from: number, to: number): Op {
  if (from === 0 && to === op.length) return op;
  const { kind, back } = op;
  const length = to - from;
  const text = back ? op.text?.slice(op.length - to, op.length - from) : op.text?.slice(from, to);
  const pos = kind === insertion ? op.pos + from : back ? op.pos - from : op.pos;
  return { kind, pos, length, back: back && length > 1, text, ref: op.ref + from };
}

function join(last: StoredRun, op: Op): boolean {
  const { length } = last;
  if (op.kind === insertion) {
    if (op.pos !== last.pos + length) return false;
    last.text = flat((last.text ?? "") + (op.text ?? ""));
  } else if (op.kind === deletion) {
    const forward = op.pos === last.pos && (!last.back || length === 1) && (!op.back || op.length === 1);
    const backward = op.pos === last.pos - length && (last.back || length === 1) && (op.back || op.length === 1);
    if (!forward && !backward) return false;
    last.back = backward;
    const known = last.text !== undefined && op.text !== undefined;
    last.text = known ? (backward ? `${op.text}${last.text}` : `${last.text}${op.text}`) : undefined;
  } else if (op.ref !== last.ref + length) return false;
  last.length += op.length;
  return true;
}

/** A concatenated string stays a tree until it is read; typing would keep one tree node per letter alive. */
function flat(text: string): string {
  if (text.length % 32 === 0) flatten(text);
  return text;
}

/** A slice keeps its whole parent string alive; a deletion would keep a leaf of the text. */
function owned(text: string): string {
  if (text.length < 13) return text;
  const copy = text.slice(0, 1) + text.slice(1);
  flatten(copy);
  return copy;
}
