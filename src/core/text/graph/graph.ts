import { type GraphEntry, NearVersions } from "./near-versions.ts";
import { VersionQueue } from "./version-queue.ts";
import { asked, emit, inA, inB, reached } from "./version-sides.ts";
import { type LvRanges, root, sameVersion, succeeded, top, type Version } from "./version.ts";

/** An entry that grows while its writer goes on. */
interface OpenEntry extends GraphEntry {
  end: number;
}

/** Comparisons never overlap, so all graphs share the marks. */
const near = new NearVersions();

/**
 * The graph of one history, which answers questions about ancestors: the parents of every operation unit. Units are numbered
 * in the order in which this replica received them (lv, local version), so an ancestor always has the smaller number. A run in
 * which each unit builds on the one before is one entry. A version is its sorted heads; no head is an ancestor of another.
 *
 * A unit is critical when every unit before it is its ancestor and every later one its descendant: later operations never
 * refer to the state before it, and a replay may begin there.
 */
export class EventGraph {
  private entries: OpenEntry[] = [];
  /** The version of everything known; undefined while it is the last unit and nobody has read it since. */
  private known: Version | undefined = [];
  private criticalStarts: number[] = [];
  private criticalEnds: number[] = [];
  /** Adds the entries below `first`; replaced when a stored document is opened. */
  private load: (() => void) | undefined = undefined;
  private first = 0;
  /** Index of the entry found last: entries are often looked up in their order. */
  private found = 0;
  /** Entries visited by searches; a caller that measures them sets it to 0 first. */
  steps = 0;

  /** The version of everything known, sorted. */
  get heads(): Version {
    this.known ??= [this.lastEntry().end - 1];
    return this.known;
  }

  set heads(heads: Version) {
    this.known = heads;
  }

  /** Continues a stored graph of `end` units; `load` adds its entries (through `prepend`) when they are needed. */
  openAt(end: number, heads: Version, load: () => void): void {
    this.first = end;
    this.load = load;
    this.beginAt(end, heads);
  }

  prepend(older: EventGraph): void {
    this.load = undefined;
    this.first = 0;
    this.entries = [...older.entries, ...this.entries];
    this.recount();
  }

  append(lv: number, length: number, parents: Version): void {
    const last = this.entries[this.entries.length - 1];
    if (last !== undefined && last.end === lv && parents.length === 1 && parents[0] === lv - 1) last.end += length;
    else this.entries.push({ start: lv, end: lv + length, parents });
    this.settle(lv, lv + length, parents);
  }

  /** Whether the last of `end` units is the only head. */
  endsAt(end: number): boolean {
    const { known } = this;
    return known === undefined || (known.length === 1 && known[0] === end - 1);
  }

  /** Appends units that build on the last unit, which is the only head. */
  extend(length: number): void {
    this.lastEntry().end += length;
    (this.criticalEnds[this.criticalEnds.length - 1] as number) += length;
    this.known = undefined;
  }

  /** Removes everything from an lv on; `heads` is the version before. */
  truncate(end: number, heads: Version): void {
    for (let last = this.entries.at(-1); last !== undefined && last.end > end; last = this.entries.at(-1)) {
      if (last.start < end) {
        last.end = end;
        break;
      }
      this.entries.pop();
    }
    if (this.load === undefined) {
      this.recount();
      this.heads = heads;
    } else this.beginAt(end, heads);
  }

  /** Removes everything below a critical unit, which becomes the first. */
  forget(first: number): void {
    const kept = this.entries.filter((entry) => entry.end > first);
    this.entries = kept.map((entry) => (entry.start <= first ? { ...entry, start: first, parents: [] } : entry));
    this.recount();
  }

  /** Returns the parents of the unit. */
  parentsOf(lv: number): Version {
    const entry = this.entryOf(lv);
    return lv === entry.start ? entry.parents : [lv - 1];
  }

  /** Returns the end of the run around `lv` in which each unit builds on the one before. */
  linearEnd(lv: number): number {
    return this.entryOf(lv).end;
  }

  /** Returns the highest critical unit that is not above `lv`, or `root` when there is none. */
  criticalAtOrBelow(lv: number): number {
    if (lv < 0) return root;
    const starts = this.criticalStarts;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] as number) <= lv) low = middle + 1;
      else high = middle;
    }
    if (low > 0) return Math.min(lv, (this.criticalEnds[low - 1] as number) - 1);
    if (this.load === undefined) return root;
    this.load();
    return this.criticalAtOrBelow(lv);
  }

  /** Whether this unit and every later one builds on all units before it. */
  isLineFrom(lv: number): boolean {
    if (this.criticalAtOrBelow(lv) !== lv) return false;
    const last = this.criticalStarts.length - 1;
    return (this.criticalStarts[last] as number) <= lv && this.criticalEnds[last] === this.lastEntry().end;
  }

  /** Whether all of these sorted units are in the history of a version. */
  contains(version: Version, lvs: readonly number[]): boolean {
    const top = version[version.length - 1] ?? root;
    if ((lvs[lvs.length - 1] ?? root) > top) return false;
    const settled = this.criticalAtOrBelow(top);
    const open = lvs.filter((lv) => lv > settled && !version.includes(lv));
    return open.length === 0 || this.diff(this.dominators(open), version).onlyA.length === 0;
  }

  /** Returns what is only in the history of `a`, and what is only in the history of `b`. */
  diff(a: Version, b: Version): { readonly onlyA: LvRanges; readonly onlyB: LvRanges } {
    if (sameVersion(a, b)) return { onlyA: [], onlyB: [] };
    const at = this.indexOf(Math.max(top(a), top(b)));
    const found = near.diff(this.entries, at, a, b);
    this.steps += near.steps;
    if (found !== undefined) return found;
    const onlyA: number[] = [];
    const onlyB: number[] = [];
    const queue = new VersionQueue();
    queue.push(a, inA);
    queue.push(b, inB);
    while (queue.size > queue.shared) {
      queue.pop();
      let lv = queue.lv;
      let flags = queue.flags;
      const entry = this.entryOf(lv);
      while (queue.size > 0 && queue.top >= entry.start) {
        queue.pop();
        if ((queue.flags | flags) === flags) continue;
        emit(flags, queue.lv + 1, lv + 1, onlyA, onlyB);
        lv = queue.lv;
        flags |= queue.flags;
      }
      emit(flags, entry.start, lv + 1, onlyA, onlyB);
      queue.push(entry.parents, flags);
    }
    this.steps += queue.steps;
    return { onlyA, onlyB };
  }

  /** Returns the version of these units (sorted, without duplicates): those that are not ancestors of another. */
  dominators(lvs: readonly number[]): Version {
    if (lvs.length <= 1) return lvs;
    const at = this.indexOf(top(lvs));
    const nearby = near.dominators(this.entries, at, lvs);
    this.steps += near.steps;
    if (nearby !== undefined) return nearby;
    const queue = new VersionQueue();
    queue.push(lvs, asked);
    let left = lvs.length;
    const found: number[] = [];
    while (left > 0) {
      queue.pop();
      if ((queue.flags & asked) !== 0) {
        left -= 1;
        if ((queue.flags & reached) === 0) found.push(queue.lv);
      }
      const entry = this.entryOf(queue.lv);
      while (queue.size > 0 && queue.top >= entry.start) {
        queue.pop();
        if ((queue.flags & asked) !== 0) left -= 1;
      }
      queue.push(entry.parents, reached);
    }
    this.steps += queue.steps;
    return found.reverse();
  }

  /** A version whose past has not been read: of the critical units only the single head is known. */
  private beginAt(end: number, heads: Version): void {
    const whole = heads.length === 1 && heads[0] === end - 1;
    this.criticalStarts = whole ? [end - 1] : [];
    this.criticalEnds = whole ? [end] : [];
    this.heads = heads;
  }

  private lastEntry(): OpenEntry {
    return this.entries[this.entries.length - 1] as OpenEntry;
  }

  private entryOf(lv: number): OpenEntry {
    // Finding it may read older entries, which replaces the list.
    const at = this.indexOf(lv);
    return this.entries[at] as OpenEntry;
  }

  private indexOf(lv: number): number {
    if (lv < this.first) this.load?.();
    const entries = this.entries;
    let high = entries.length - 1;
    const last = entries[high] as OpenEntry;
    if (last.start <= lv) return high;
    for (let next = this.found; next < Math.min(high, this.found + 2); next += 1) {
      const entry = entries[next] as OpenEntry;
      if (entry.start <= lv && lv < entry.end) {
        this.found = next;
        return next;
      }
    }
    // Most are near the end: wider and wider steps back from there find the range to halve.
    let low = Math.max(0, high - 4);
    for (let step = 16; low > 0 && (entries[low] as OpenEntry).start > lv; step *= 4) {
      high = low;
      low = Math.max(0, low - step);
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((entries[middle] as OpenEntry).end <= lv) low = middle + 1;
      else high = middle;
    }
    this.found = low;
    return low;
  }

  private settle(start: number, end: number, parents: Version): void {
    const starts = this.criticalStarts;
    const ends = this.criticalEnds;
    if (sameVersion(parents, this.heads)) {
      const last = ends.length - 1;
      if (last >= 0 && ends[last] === start) ends[last] = end;
      else {
        starts.push(start);
        ends.push(end);
      }
      this.heads = [end - 1];
      return;
    }
    const top = parents[parents.length - 1] ?? root;
    while (starts.length > 0 && (starts[starts.length - 1] as number) > top) {
      starts.pop();
      ends.pop();
    }
    const last = ends.length - 1;
    if (last >= 0 && (ends[last] as number) > top + 1) ends[last] = top + 1;
    this.heads = succeeded(this.heads, parents, end - 1);
  }

  private recount(): void {
    this.criticalStarts = [];
    this.criticalEnds = [];
    this.heads = [];
    for (const entry of this.entries) this.settle(entry.start, entry.end, entry.parents);
  }
}
