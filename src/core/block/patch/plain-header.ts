/** The numbers of a hunk's header; an omitted count is 1. */
export interface HeaderNumbers {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
}

/**
 * Parses `@@ -1,2 +3,4 @@`, the form that every tool writes, at an offset of the patch, without slicing; undefined for any
 * other form, and for numbers of ten digits or more.
 */
export function plainHeader(patch: string, offset: number): HeaderNumbers | undefined {
  if (patch.charCodeAt(offset) !== atSign || !patch.startsWith("@@ -", offset)) return undefined;
  const old = offset + 4;
  const oldStart = digitsEnd(patch, old);
  const oldEnd = countEnd(patch, oldStart);
  const fresh = oldEnd + 2;
  if (oldStart === old || patch.charCodeAt(oldEnd) !== space || patch.charCodeAt(oldEnd + 1) !== plus) return undefined;
  const newStart = digitsEnd(patch, fresh);
  const newEnd = countEnd(patch, newStart);
  if (newStart === fresh || !patch.startsWith(" @@", newEnd)) return undefined;
  return {
    oldStart: numberIn(patch, old, oldStart),
    oldCount: oldEnd === oldStart ? 1 : numberIn(patch, oldStart + 1, oldEnd),
    newStart: numberIn(patch, fresh, newStart),
    newCount: newEnd === newStart ? 1 : numberIn(patch, newStart + 1, newEnd),
  };
}

const space = 32;
const plus = 43;
const comma = 44;
const zero = 48;
const nine = 57;
const atSign = 64;
const digitsMax = 9;

/** Returns the end of the digits from `from` on, at most nine of them. */
function digitsEnd(text: string, from: number): number {
  let at = from;
  while (at < from + digitsMax && isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

/** Returns the end of a comma and digits; `from` itself when there are none. */
function countEnd(text: string, from: number): number {
  if (text.charCodeAt(from) !== comma) return from;
  const end = digitsEnd(text, from + 1);
  return end === from + 1 ? from : end;
}

function isDigit(unit: number): boolean {
  return unit >= zero && unit <= nine;
}

function numberIn(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at += 1) number = number * 10 + text.charCodeAt(at) - zero;
  return number;
}
