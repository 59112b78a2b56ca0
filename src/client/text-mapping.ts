import type { TextChange } from "../core/text/types.ts";

/** The smallest single replacement that makes `after` of `before`; none when they are equal. Whole characters only. */
export function replacement(before: string, after: string): readonly TextChange[] {
  if (before === after) return [];
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  if (start > 0 && isHigh(before.charCodeAt(start - 1))) start -= 1;
  let end = 0;
  while (
    end < shorter - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  ) {
    end += 1;
  }
  if (end > 0 && isLow(before.charCodeAt(before.length - end))) end -= 1;
  return [{ from: start, to: before.length - end, insert: after.slice(start, after.length - end) }];
}

/** Applies sorted changes to a text. */
export function applyChanges(text: string, changes: readonly TextChange[]): string {
  let result = "";
  let from = 0;
  for (const change of changes) {
    result += text.slice(from, change.from) + change.insert;
    from = change.to;
  }
  return result + text.slice(from);
}

/** The changes that take `changes` of `text` back, against the text after them. */
export function invert(text: string, changes: readonly TextChange[]): readonly TextChange[] {
  let shift = 0;
  return changes.map((change) => {
    const from = change.from + shift;
    shift += change.insert.length - (change.to - change.from);
    return { from, to: from + change.insert.length, insert: text.slice(change.from, change.to) };
  });
}

/**
 * Where an offset is after sorted changes. An insertion right at the offset moves it only with `after`; an offset inside
 * what was replaced goes to the end of the replacement.
 */
export function mapOffset(offset: number, changes: readonly TextChange[], side: "before" | "after"): number {
  let shift = 0;
  for (const { from, to, insert } of changes) {
    if (from > offset || (from === offset && side === "before")) break;
    if (to > offset) return from + shift + insert.length;
    shift += insert.length - (to - from);
  }
  return offset + shift;
}

/** The same changes against a text that others have meanwhile changed by `over`. */
export function rebase(changes: readonly TextChange[], over: readonly TextChange[]): readonly TextChange[] {
  let last = 0;
  return changes.map(({ from, to, insert }) => {
    const start = Math.max(last, mapOffset(from, over, "before"));
    const end = Math.max(start, mapOffset(to, over, from === to ? "before" : "after"));
    last = end;
    return { from: start, to: end, insert };
  });
}

/**
 * The same changes in steps, each against the text that the one before left, so that none inserts more than `unitsMax`.
 * One step where that is enough; no character is cut in two.
 */
export function inSteps(changes: readonly TextChange[], unitsMax: number): readonly (readonly TextChange[])[] {
  if (changes.reduce((sum, change) => sum + change.insert.length, 0) <= unitsMax) return [changes];
  const steps: TextChange[][] = [];
  // From the end, so that what is still to come stands where it stood.
  for (const { from, to, insert } of changes.toReversed()) {
    let start = 0;
    do {
      let end = Math.min(start + unitsMax, insert.length);
      if (end < insert.length && isHigh(insert.charCodeAt(end - 1))) end -= 1;
      steps.push([{ from: from + start, to: start === 0 ? to : from + start, insert: insert.slice(start, end) }]);
      start = end;
    } while (start < insert.length);
  }
  return steps;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
