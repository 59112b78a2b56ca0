import type { TextChange } from "../../core/text/types.ts";

/** Returns the smallest single change that turns `before` into `after`, on whole code points; none when they are equal. */
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

/** Applies sorted changes to a text and returns the result. */
export function applyChanges(text: string, changes: readonly TextChange[]): string {
  let result = "";
  let from = 0;
  for (const change of changes) {
    result += text.slice(from, change.from) + change.insert;
    from = change.to;
  }
  return result + text.slice(from);
}

/** Returns the changes that reverse `changes` of `text`; they refer to the text after those. */
export function invert(text: string, changes: readonly TextChange[]): readonly TextChange[] {
  let shift = 0;
  return changes.map((change) => {
    const from = change.from + shift;
    shift += change.insert.length - (change.to - change.from);
    return { from, to: from + change.insert.length, insert: text.slice(change.from, change.to) };
  });
}

/**
 * Maps an offset through sorted changes. An insertion exactly at the offset moves it only with `after`; an offset inside a
 * replaced range goes to the end of the replacement.
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

/** Rebases changes onto a text to which `over` has been applied since. */
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
 * Splits changes into steps that each insert at most `unitsMax` UTF-16 units; each step refers to the text after the one
 * before. One step when all fits; never splits a surrogate pair.
 */
export function inSteps(changes: readonly TextChange[], unitsMax: number): readonly (readonly TextChange[])[] {
  if (changes.reduce((sum, change) => sum + change.insert.length, 0) <= unitsMax) return [changes];
  const steps: TextChange[][] = [];
  // From the end, so that the offsets of the remaining changes stay valid.
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
