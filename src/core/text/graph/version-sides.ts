/** In the history of which of two versions a unit is, as a mark. */
export const inA = 1;
export const inB = 2;
export const inBoth = 3;

/** Whether a unit is one of those that are asked about, or below one of them, as a mark. */
export const asked = 1;
export const reached = 2;

/** Adds units [start, end) to the ranges of their side; ranges come from the highest down. */
export function emit(flags: number, start: number, end: number, onlyA: number[], onlyB: number[]): void {
  if (flags === inBoth || start >= end) return;
  const ranges = flags === inA ? onlyA : onlyB;
  if (ranges.length > 0 && ranges[ranges.length - 2] === end) ranges[ranges.length - 2] = start;
  else ranges.push(start, end);
}
