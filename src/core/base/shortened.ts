/**
 * The beginning of a text, at most so many UTF-16 units of it, that ends with a whole character. Halves of characters that
 * stood in it alone are U+FFFD.
 */
export function beginningOf(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text.toWellFormed();
  const isInPair = (text.charCodeAt(unitsMax - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isInPair ? unitsMax - 1 : unitsMax).toWellFormed();
}

/** The same with an ellipsis behind it where that is not all. */
export function shortened(text: string, unitsMax: number): string {
  return text.length <= unitsMax ? text.toWellFormed() : `${beginningOf(text, unitsMax)}…`;
}
