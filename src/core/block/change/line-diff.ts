import { assert } from "../../base/assert.ts";

/**
 * Finds the lines that differ between two lists. Lines are numbered, equal ends are cut off, lines that only one side has
 * are changed for certain, and the rest is split at a point in the middle of a shortest edit script, searched from both ends
 * at once (Myers 1986, in linear space), then recursively on either side. A search that grows too costly splits at the
 * furthest point it reached, so any input takes bounded time, and the result may then be longer than the shortest. Changes
 * are not shifted to where they read best.
 */

/** Lines [oldStart, oldEnd) of the old list became [newStart, newEnd) of the new one; 0-based, never both empty. */
export interface LineRun {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** Returns the runs of differing lines, in order; the lines between them are equal. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly LineRun[] {
  let prefix = 0;
  while (prefix < before.length && prefix < after.length && before[prefix] === after[prefix]) prefix += 1;
  let suffix = 0;
  const shorter = Math.min(before.length, after.length) - prefix;
  while (suffix < shorter && before[before.length - 1 - suffix] === after[after.length - 1 - suffix]) suffix += 1;
  const [oldTo, newTo] = [before.length - suffix, after.length - suffix];
  if (prefix === oldTo && prefix === newTo) return [];
  if (differs(before, after, { oldFrom: prefix, oldTo, newFrom: prefix, newTo })) {
    return [{ oldStart: prefix, oldEnd: oldTo, newStart: prefix, newEnd: newTo }];
  }
  const oldChanged = new Uint8Array(before.length + 1);
  const newChanged = new Uint8Array(after.length + 1);
  const numberByLine = new Map<string, number>();
  const old = numbered(before, prefix, oldTo, numberByLine);
  const shared = numberByLine.size;
  const fresh = numberedLike(after, { from: prefix, to: newTo }, { lines: before, numbers: old }, numberByLine);
  const inNew = new Uint8Array(numberByLine.size);
  for (const number of fresh) inNew[number] = 1;
  const oldSide = keepShared(old, prefix, oldChanged, (number) => inNew[number] === 1);
  const newSide = keepShared(fresh, prefix, newChanged, (number) => number < shared);
  compare(oldSide, newSide, { oldChanged, newChanged });
  return runsOf(oldChanged, newChanged);
}

/** Whether two small parts have no line in common, found without numbering; false for larger parts, unless one is empty. */
function differs(before: readonly string[], after: readonly string[], box: Box): boolean {
  const { oldFrom, oldTo, newFrom, newTo } = box;
  const pairs = (oldTo - oldFrom) * (newTo - newFrom);
  if (pairs > comparedMax) return false;
  for (let old = oldFrom; old < oldTo; old += 1) {
    for (let fresh = newFrom; fresh < newTo; fresh += 1) if (before[old] === after[fresh]) return false;
  }
  return true;
}

const comparedMax = 64;

/** One side's lines that the other side may also have, with their indexes in the whole list. */
interface Side {
  readonly numbers: Int32Array;
  readonly places: Int32Array;
}

interface Changed {
  readonly oldChanged: Uint8Array;
  readonly newChanged: Uint8Array;
}

function numbered(lines: readonly string[], from: number, to: number, numberByLine: Map<string, number>): Int32Array {
  const numbers = new Int32Array(Math.max(0, to - from));
  for (let index = from; index < to; index += 1) {
    const line = lines[index] ?? "";
    let number = numberByLine.get(line);
    if (number === undefined) {
      number = numberByLine.size;
      numberByLine.set(line, number);
    }
    numbers[index - from] = number;
  }
  return numbers;
}

/**
 * Numbers a side's lines like the other side's. While both sides run in parallel, a line is compared with the next expected
 * one, which is cheaper than a look-up.
 */
function numberedLike(
  lines: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
  other: { readonly lines: readonly string[]; readonly numbers: Int32Array },
  numberByLine: Map<string, number>,
): Int32Array {
  const numbers = new Int32Array(Math.max(0, to - from));
  const firstByNumber: number[] = [];
  for (let at = other.numbers.length - 1; at >= 0; at -= 1) firstByNumber[other.numbers[at] ?? 0] = at;
  let expected = 0;
  for (let index = 0; index < numbers.length; index += 1) {
    const line = lines[from + index] ?? "";
    if (expected < other.numbers.length && other.lines[from + expected] === line) {
      numbers[index] = other.numbers[expected] ?? 0;
      expected += 1;
      continue;
    }
    let number = numberByLine.get(line);
    if (number === undefined) {
      number = numberByLine.size;
      numberByLine.set(line, number);
      expected += 1;
    } else {
      expected = (firstByNumber[number] ?? expected) + 1;
    }
    numbers[index] = number;
  }
  return numbers;
}

function keepShared(numbers: Int32Array, from: number, changed: Uint8Array, shared: (number: number) => boolean): Side {
  const kept = new Int32Array(numbers.length);
  const places = new Int32Array(numbers.length);
  let count = 0;
  for (let index = 0; index < numbers.length; index += 1) {
    const number = numbers[index] ?? 0;
    if (shared(number)) {
      kept[count] = number;
      places[count] = from + index;
      count += 1;
    } else {
      changed[from + index] = 1;
    }
  }
  return { numbers: kept.subarray(0, count), places: places.subarray(0, count) };
}

/** A part of both sides: [oldFrom, oldTo) against [newFrom, newTo). */
interface Box {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

function compare(old: Side, fresh: Side, changed: Changed): void {
  const [a, b] = [old.numbers, fresh.numbers];
  const search = createSearch(a, b);
  const boxes: Box[] = [{ oldFrom: 0, oldTo: a.length, newFrom: 0, newTo: b.length }];
  for (let box = boxes.pop(); box !== undefined; box = boxes.pop()) {
    let { oldFrom, oldTo, newFrom, newTo } = box;
    while (oldFrom < oldTo && newFrom < newTo && a[oldFrom] === b[newFrom]) {
      oldFrom += 1;
      newFrom += 1;
    }
    while (oldFrom < oldTo && newFrom < newTo && a[oldTo - 1] === b[newTo - 1]) {
      oldTo -= 1;
      newTo -= 1;
    }
    if (oldFrom === oldTo || newFrom === newTo) {
      for (let index = oldFrom; index < oldTo; index += 1) changed.oldChanged[old.places[index] ?? 0] = 1;
      for (let index = newFrom; index < newTo; index += 1) changed.newChanged[fresh.places[index] ?? 0] = 1;
      continue;
    }
    const [oldAt, newAt] = search({ oldFrom, oldTo, newFrom, newTo });
    assert(oldAt + newAt > oldFrom + newFrom && oldAt + newAt < oldTo + newTo, "a split makes both parts smaller");
    boxes.push({ oldFrom: oldAt, oldTo, newFrom: newAt, newTo }, { oldFrom, oldTo: oldAt, newFrom, newTo: newAt });
  }
}

type Point = readonly [oldAt: number, newAt: number];

/** Maximum steps of a search from either end; n lines take at most about n times as many. */
const costMax = 128;

/**
 * Finds where to split a box that begins and ends with a difference. A diagonal is `old - new`; for each diagonal, `ahead`
 * holds how far paths from the start reach (old index) and `behind` how far paths from the end reach back.
 */
function createSearch(a: Int32Array, b: Int32Array): (box: Box) => Point {
  const shift = b.length + 1;
  const ahead = new Int32Array(a.length + b.length + 3);
  const behind = new Int32Array(a.length + b.length + 3);
  const unreached = 2 ** 31 - 1;

  return (box) => {
    const { oldFrom, oldTo, newFrom, newTo } = box;
    const lowest = oldFrom - newTo;
    const highest = oldTo - newFrom;
    const start = oldFrom - newFrom;
    const end = oldTo - newTo;
    const odd = ((start - end) & 1) === 1;
    let [aheadLow, aheadHigh, behindLow, behindHigh] = [start, start, end, end];
    ahead[start + shift] = oldFrom;
    behind[end + shift] = oldTo;
    for (let cost = 1; ; cost += 1) {
      if (aheadLow > lowest) {
        aheadLow -= 1;
        ahead[aheadLow - 1 + shift] = -1;
      } else {
        aheadLow += 1;
      }
      if (aheadHigh < highest) {
        aheadHigh += 1;
        ahead[aheadHigh + 1 + shift] = -1;
      } else {
        aheadHigh -= 1;
      }
      for (let diagonal = aheadHigh; diagonal >= aheadLow; diagonal -= 2) {
        const below = ahead[diagonal - 1 + shift] ?? -1;
        const above = ahead[diagonal + 1 + shift] ?? -1;
        let at = below >= above ? below + 1 : above;
        while (at < oldTo && at - diagonal < newTo && a[at] === b[at - diagonal]) at += 1;
        ahead[diagonal + shift] = at;
        const meets =
          odd && diagonal >= behindLow && diagonal <= behindHigh && (behind[diagonal + shift] ?? unreached) <= at;
        if (meets) return [at, at - diagonal];
      }
      if (behindLow > lowest) {
        behindLow -= 1;
        behind[behindLow - 1 + shift] = unreached;
      } else {
        behindLow += 1;
      }
      if (behindHigh < highest) {
        behindHigh += 1;
        behind[behindHigh + 1 + shift] = unreached;
      } else {
        behindHigh -= 1;
      }
      for (let diagonal = behindHigh; diagonal >= behindLow; diagonal -= 2) {
        const below = behind[diagonal - 1 + shift] ?? unreached;
        const above = behind[diagonal + 1 + shift] ?? unreached;
        let at = below < above ? below : above - 1;
        while (at > oldFrom && at - diagonal > newFrom && a[at - 1] === b[at - diagonal - 1]) at -= 1;
        behind[diagonal + shift] = at;
        const meets = !odd && diagonal >= aheadLow && diagonal <= aheadHigh && at <= (ahead[diagonal + shift] ?? -1);
        if (meets) return [at, at - diagonal];
      }
      if (cost >= costMax) return furthest(box, [aheadLow, aheadHigh], [behindLow, behindHigh]);
    }
  };

  /** Returns the furthest point that the search reached from either end. */
  function furthest(box: Box, aheadRange: readonly [number, number], behindRange: readonly [number, number]): Point {
    const { oldFrom, oldTo, newFrom, newTo } = box;
    let best: Point = [oldFrom, newFrom];
    let gained = 0;
    for (let diagonal = aheadRange[1]; diagonal >= aheadRange[0]; diagonal -= 2) {
      const oldAt = Math.min(ahead[diagonal + shift] ?? oldFrom, oldTo, newTo + diagonal);
      const gain = oldAt + (oldAt - diagonal) - oldFrom - newFrom;
      if (gain > gained) [best, gained] = [[oldAt, oldAt - diagonal], gain];
    }
    for (let diagonal = behindRange[1]; diagonal >= behindRange[0]; diagonal -= 2) {
      const oldAt = Math.max(behind[diagonal + shift] ?? oldTo, oldFrom, newFrom + diagonal);
      const gain = oldTo + newTo - oldAt - (oldAt - diagonal);
      if (gain > gained) [best, gained] = [[oldAt, oldAt - diagonal], gain];
    }
    return best;
  }
}

function runsOf(oldChanged: Uint8Array, newChanged: Uint8Array): readonly LineRun[] {
  const runs: LineRun[] = [];
  let oldAt = 0;
  let newAt = 0;
  while (oldAt < oldChanged.length || newAt < newChanged.length) {
    const [oldStart, newStart] = [oldAt, newAt];
    while (oldChanged[oldAt] === 1) oldAt += 1;
    while (newChanged[newAt] === 1) newAt += 1;
    if (oldAt > oldStart || newAt > newStart) runs.push({ oldStart, oldEnd: oldAt, newStart, newEnd: newAt });
    oldAt += 1;
    newAt += 1;
  }
  return runs;
}
