/** Returns the indent of a level of a tree, which grows less with depth to leave room for titles. Pixels. */
export function indentOf(level: number): number {
  const steps = level - 1;
  return 10 + Math.min(steps, 5) * 14 + Math.min(Math.max(0, steps - 5), 12) * 4;
}
