import { asked, emit, inA, inB, inBoth, reached } from "./version-sides.ts";
import { type LvRanges, top, type Version } from "./version.ts";

/** A run of units in which each builds on the one before; `end` is exclusive. */
export interface GraphEntry {
  readonly start: number;
  readonly end: number;
  readonly parents: Version;
}

/** How far below its newest unit a comparison reaches. */
const reachMax = 2_048;

/**
 * Compares versions whose histories part not far below their newest unit, as those of people who type at the same time do. Units
 * are marked by their distance from the newest one and visited in that order: a letter that builds on the letters of fifty others
 * costs fifty marks, where a queue looks for the place of each. What reaches deeper is not answered.
 */
export class NearVersions {
  private readonly marks = new Uint8Array(reachMax);
  private newest = 0;
  private deepest = 0;
  /** The number of marked units that were not visited yet, and of those of them that are on one side only. */
  private marked = 0;
  private oneSided = 0;
  /** Units visited and marks set by the last comparison. */
  steps = 0;

  /** Does what `EventGraph.diff` does; `at` is the index of the entry of the newest unit. */
  diff(
    entries: readonly GraphEntry[],
    at: number,
    a: Version,
    b: Version,
  ): { readonly onlyA: LvRanges; readonly onlyB: LvRanges } | undefined {
    const onlyA: number[] = [];
    const onlyB: number[] = [];
    this.begin(Math.max(top(a), top(b)));
    let isNear = this.mark(a, inA) && this.mark(b, inB);
    for (let index = at; isNear && this.oneSided > 0; index -= 1) {
      const entry = entries[index];
      if (entry === undefined) {
        isNear = false;
        break;
      }
      let flags = 0;
      let end = 0;
      for (let lv = this.topOf(entry); this.marked > 0 && lv >= entry.start; lv -= 1) {
        const mark = this.take(lv);
        if ((mark | flags) === flags) continue;
        if (flags !== 0) emit(flags, lv + 1, end, onlyA, onlyB);
        end = lv + 1;
        flags |= mark;
      }
      if (flags === 0) continue;
      emit(flags, entry.start, end, onlyA, onlyB);
      isNear = this.mark(entry.parents, flags);
    }
    this.end();
    return isNear ? { onlyA, onlyB } : undefined;
  }

  /** Does what `EventGraph.dominators` does; `at` is the index of the entry of the newest unit. */
  dominators(entries: readonly GraphEntry[], at: number, lvs: readonly number[]): Version | undefined {
    const found: number[] = [];
    this.begin(top(lvs));
    let isNear = this.mark(lvs, asked);
    let left = lvs.length;
    for (let index = at; isNear && left > 0; index -= 1) {
      const entry = entries[index];
      if (entry === undefined) {
        isNear = false;
        break;
      }
      let seen = 0;
      for (let lv = this.topOf(entry); this.marked > 0 && lv >= entry.start; lv -= 1) {
        const mark = this.take(lv);
        if (mark === asked && seen === 0) found.push(lv);
        if ((mark & asked) !== 0) left -= 1;
        seen |= mark;
      }
      if (seen !== 0 && left > 0) isNear = this.mark(entry.parents, reached);
    }
    this.end();
    return isNear ? found.reverse() : undefined;
  }

  private begin(newest: number): void {
    this.newest = newest;
    this.deepest = 0;
    this.marked = 0;
    this.oneSided = 0;
    this.steps = 0;
  }

  private topOf(entry: GraphEntry): number {
    return Math.min(entry.end - 1, this.newest);
  }

  /** Marks the units of a version; returns false where one lies too deep. */
  private mark(version: Version, flags: number): boolean {
    const { marks, newest } = this;
    this.steps += version.length;
    for (const lv of version) {
      const depth = newest - lv;
      if (depth >= reachMax) return false;
      const before = marks[depth] as number;
      const after = before | flags;
      if (after === before) continue;
      marks[depth] = after;
      if (before === 0) {
        this.marked += 1;
        if (after !== inBoth) this.oneSided += 1;
        if (depth > this.deepest) this.deepest = depth;
      } else this.oneSided -= 1;
    }
    return true;
  }

  /** Visits a unit: returns its mark, which is taken away. */
  private take(lv: number): number {
    this.steps += 1;
    const depth = this.newest - lv;
    const mark = this.marks[depth] as number;
    if (mark === 0) return 0;
    this.marks[depth] = 0;
    this.marked -= 1;
    if (mark !== inBoth) this.oneSided -= 1;
    return mark;
  }

  private end(): void {
    if (this.marked > 0) this.marks.fill(0, 0, this.deepest + 1);
  }
}
