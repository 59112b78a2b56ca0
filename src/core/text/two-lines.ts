/**
 * Merges an update of many runs that is one line of insertions and deletions, where everything that the log has since the
 * line's parents is another: two people were offline for long, or one was. Each line is replayed by itself, on a list of units
 * without neighbours and versions; one pass over both results finds what the update changes. The result is the walker's
 * (`Walker`), which merges everything else.
 */

import { addSpan } from "./add-span.ts";
import { replay } from "./branch.ts";
import { root, sameVersion } from "./graph/version.ts";
import { deletion, endMax, type History, insertion, lowestOf, type Run } from "./history.ts";
import { Line } from "./line.ts";
import type { Rope } from "./rope.ts";
import { hasSurrogate, isLowSurrogate } from "./surrogates.ts";
import type { MergedUpdate, OpSpan, ReplicaId, TextChange } from "./types.ts";
import type { WireRun } from "./update-codec.ts";

/** Smaller updates are left to the walker, which stays ready for the next one; a whole text is not worth reading for them. */
const runsMin = 512;
const unitsMaxByRun = 256;
/** Two lists of this many units take 50 MB. */
const unitsMax = 2 ** 22;

/**
 * Merges the update into the log and the text; returns undefined, and changes nothing, where it cannot. What it leaves is
 * merged or refused by the walker.
 */
export function mergedLine(
  history: History,
  rope: Rope,
  runs: readonly WireRun[],
  textUnitsMax: number,
): MergedUpdate | undefined {
  if (runs.length < runsMin) return undefined;
  const base = commonBase(history, runs);
  const theirs = base === undefined ? undefined : theirSize(history, runs);
  if (base === undefined || theirs === undefined || rope.length + theirs.inserted > textUnitsMax) return undefined;
  const ours = ourSize(history, base);
  if (ours === undefined || history.end - base > runs.length * unitsMaxByRun) return undefined;
  const baseLength = rope.length - ours.inserted + ours.deleted;
  const length = baseLength + Math.max(ours.inserted, theirs.inserted);
  if (baseLength > runs.length * unitsMaxByRun || length > unitsMax) return undefined;
  const pairs = history.mayPartPair || hasSurrogate(theirs.text);
  const our = new OurLine({ history, base, baseLength, inserted: ours.inserted });
  our.read(rope.toString());
  // Without the text that was deleted, nobody knows where the pairs are.
  if (pairs && our.forgot) our.readBase(replay(history, base + 1).text.rope.toString());
  const their = new TheirLine({ our, text: theirs.text, lv: history.end, pairs });
  const deleted: (string | undefined)[] = [];
  for (const run of runs) {
    if (!their.accepts(run)) return undefined;
    deleted.push(their.take(run));
  }
  const spans = appended({ history, base, pairs }, runs, deleted);
  const delta = their.changes((lv, newer) => comesFirst(history, lv, newer));
  rope.change(delta);
  return { delta, spans };
}

/** The unit on which both lines begin, or `root`; undefined where the log or the update is not one line from there. */
function commonBase(history: History, runs: readonly WireRun[]): number | undefined {
  const { graph } = history;
  const [parent, other] = runs[0]?.parents ?? [];
  if (other !== undefined || (parent === undefined && history.begin > 0)) return undefined;
  const base = parent === undefined ? root : history.lvOf(parent.replica, parent.seq);
  if (base === undefined || base + 1 < history.begin || base + 1 >= history.end) return undefined;
  if (history.replayBase(base) !== base || graph.linearEnd(base + 1) !== history.end) return undefined;
  return sameVersion(graph.parentsOf(base + 1), base < 0 ? [] : [base]) ? base : undefined;
}

/** What an update inserts; undefined where it is not one line of new insertions and deletions. */
function theirSize(
  history: History,
  runs: readonly WireRun[],
): { readonly inserted: number; readonly text: string } | undefined {
  const nextSeqs = new Map<ReplicaId, number>();
  const texts: string[] = [];
  let total = 0;
  let previous: WireRun | undefined;
  for (const run of runs) {
    const { replica, seq, length } = run;
    if (replica !== previous?.replica) {
      if (previous !== undefined) nextSeqs.set(previous.replica, previous.seq + previous.length);
      if (seq !== (nextSeqs.get(replica) ?? history.nextSeq(replica))) return undefined;
    } else if (seq !== previous.seq + previous.length) return undefined;
    if (run.kind > deletion || !follows(run, previous)) return undefined;
    if (run.kind === insertion) texts.push(run.text ?? "");
    total += length;
    previous = run;
  }
  const text = texts.join("");
  return history.end + total < endMax ? { inserted: text.length, text } : undefined;
}

/** Whether a run is made on the one before it. */
export function follows({ parents }: WireRun, previous: WireRun | undefined): boolean {
  if (parents === undefined || previous === undefined) return true;
  const [parent] = parents;
  const last = previous.seq + previous.length - 1;
  return parents.length === 1 && parent?.replica === previous.replica && parent.seq === last;
}

/** What the log inserted and deleted since the base; undefined where it did anything else. */
function ourSize(history: History, base: number): { readonly inserted: number; readonly deleted: number } | undefined {
  let inserted = 0;
  let deleted = 0;
  const isLine = history.eachRun(base + 1, ({ kind, length }) => {
    if (kind === insertion) inserted += length;
    else deleted += length;
    return kind <= deletion;
  });
  return isLine ? { inserted, deleted } : undefined;
}

/** The line of the log, which made the text what it is. */
class OurLine {
  readonly line: Line;
  /** The UTF-16 units of the base; -1 where one is unknown, since the store keeps no deleted text. */
  readonly codes: Int32Array;
  units: Int32Array = new Int32Array(0);
  /** Whether a unit of the base is unknown. */
  forgot = false;

  constructor(options: { history: History; base: number; baseLength: number; inserted: number }) {
    const { baseLength } = options;
    this.line = new Line(baseLength, options.inserted);
    this.codes = new Int32Array(baseLength).fill(-1);
    options.history.eachRun(options.base + 1, (run) => {
      this.take(run);
      return true;
    });
  }

  /** Reads the units that were not deleted from the text. */
  read(text: string): void {
    const { codes } = this;
    this.units = this.line.units.all();
    for (const [at, unit] of this.units.entries()) if (unit < codes.length) codes[unit] = text.charCodeAt(at);
  }

  readBase(text: string): void {
    for (let unit = 0; unit < text.length; unit += 1) this.codes[unit] = text.charCodeAt(unit);
  }

  private take(run: Run): void {
    const { line, codes } = this;
    if (run.kind === insertion) {
      line.insert(run.pos, run.length, run.lv);
      return;
    }
    const { text } = run;
    let at = 0;
    line.remove(lowestOf(run), run.length, (unit) => {
      if (unit < codes.length) {
        if (text === undefined) this.forgot = true;
        else codes[unit] = text.charCodeAt(at);
      }
      at += 1;
    });
  }
}

/** The line of the update. */
class TheirLine {
  private readonly our: OurLine;
  private readonly line: Line;
  private readonly codes: Int32Array;
  private readonly text: string;
  private readonly pairs: boolean;
  private lv: number;

  constructor({ our, text, lv, pairs }: { our: OurLine; text: string; lv: number; pairs: boolean }) {
    this.our = our;
    this.codes = our.codes;
    this.line = new Line(our.line.baseLength, text.length);
    this.text = text;
    this.lv = lv;
    this.pairs = pairs;
  }

  /** Whether the next run is inside the text that it was made on, and parts no surrogate pair. */
  accepts(run: WireRun): boolean {
    const { length } = this.line.units;
    if (run.kind === insertion) return run.pos <= length && !this.insidePair(run.pos);
    const from = lowestOf(run);
    const to = from + run.length;
    return from >= 0 && to <= length && !this.insidePair(from) && !this.insidePair(to);
  }

  /** Applies a run. Returns the text that it deletes; undefined where that is unknown or nothing. */
  take(run: WireRun): string | undefined {
    const { line, lv } = this;
    this.lv += run.length;
    if (run.kind === insertion) {
      line.insert(run.pos, run.length, lv);
      return undefined;
    }
    let text: string | undefined = "";
    line.remove(lowestOf(run), run.length, (unit) => {
      const code = this.codeOf(unit);
      text = code < 0 || text === undefined ? undefined : text + String.fromCharCode(code);
    });
    return text;
  }

  /**
   * Returns what this line changes in the text that the other made. `comesFirst` says which of two first units at one place,
   * ours and theirs, is first.
   */
  changes(comesFirst: (ours: number, theirs: number) => boolean): readonly TextChange[] {
    const { our, line } = this;
    const [mine, other] = [our.units, line.units.all()];
    const changes = new Changes();
    let at = 0;
    let next = 0;
    while (at < mine.length || next < other.length) {
      const place = at < mine.length ? our.line.placeOf(mine[at] as number) : Number.POSITIVE_INFINITY;
      const theirPlace = next < other.length ? line.placeOf(other[next] as number) : Number.POSITIVE_INFINITY;
      if (place === theirPlace && place % 2 === 1) {
        at += 1;
        next += 1;
      } else if (place < theirPlace) {
        // A unit of the base that is not in their list was deleted there.
        if (place % 2 === 1) changes.remove(at);
        at += 1;
      } else if (theirPlace < place) {
        if (theirPlace % 2 === 0) changes.insert(at, this.charOf(other[next] as number));
        next += 1;
      } else {
        const isOurs = comesFirst(our.line.firstAt(mine[at] as number), line.firstAt(other[next] as number));
        let end = at;
        while (end < mine.length && our.line.placeOf(mine[end] as number) === place) end += 1;
        if (isOurs) at = end;
        for (; next < other.length && line.placeOf(other[next] as number) === place; next += 1) {
          changes.insert(at, this.charOf(other[next] as number));
        }
        at = end;
      }
    }
    return changes.all();
  }

  private insidePair(pos: number): boolean {
    const { units } = this.line;
    return this.pairs && pos > 0 && pos < units.length && isLowSurrogate(this.codeOf(units.at(pos)));
  }

  private charOf(unit: number): string {
    return this.text.charAt(unit - this.codes.length);
  }

  private codeOf(unit: number): number {
    const { codes } = this;
    return unit < codes.length ? (codes[unit] as number) : this.text.charCodeAt(unit - codes.length);
  }
}

/** Changes of single units in text order, joined where they touch. */
class Changes {
  private readonly done: TextChange[] = [];
  private from = 0;
  private to = -1;
  private text = "";

  /** Inserts a unit before the unit at an offset of the text before all changes. */
  insert(at: number, unit: string): void {
    this.goTo(at);
    this.text += unit;
  }

  remove(at: number): void {
    this.goTo(at);
    this.to = at + 1;
  }

  all(): readonly TextChange[] {
    this.end();
    return this.done;
  }

  private goTo(at: number): void {
    if (at === this.to) return;
    this.end();
    this.from = at;
    this.to = at;
    this.text = "";
  }

  private end(): void {
    if (this.to < 0) return;
    this.done.push({ from: this.from, to: this.to, insert: this.text });
  }
}

/** Adds the operations of an update to the log, with the text that each deleted. Returns their units. */
function appended(
  { history, base, pairs }: { readonly history: History; readonly base: number; readonly pairs: boolean },
  runs: readonly WireRun[],
  deleted: readonly (string | undefined)[],
): readonly OpSpan[] {
  const spans: OpSpan[] = [];
  let parents = base < 0 ? [] : [base];
  for (const [index, { replica, seq, kind, pos, length, back, text: inserted }] of runs.entries()) {
    const text = kind === insertion ? inserted : deleted[index];
    const paired = kind === deletion && length > 1 && pairs && hasSurrogate(text ?? "");
    history.append(replica, seq, { kind, pos, length, back, text, ref: 0 }, parents, paired);
    parents = [history.end - 1];
    addSpan(spans, { replica, seq, length });
  }
  return spans;
}

/** Whether a unit of the log precedes a newer one that was inserted at the same place; of one replica, the older does. */
function comesFirst(history: History, lv: number, newer: number): boolean {
  return history.idOf(lv).replica <= history.idOf(newer).replica;
}
