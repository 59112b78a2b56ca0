/**
 * Returns at most the given number of UTF-16 units from the start of a text, ending with a whole character. Lone surrogates
 * become U+FFFD.
 */
export function beginningOf(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text.toWellFormed();
  const isInPair = (text.charCodeAt(unitsMax - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isInPair ? unitsMax - 1 : unitsMax).toWellFormed();
}

/** Returns the same, followed by an ellipsis when the text was cut. */
export function shortened(text: string, unitsMax: number): string {
  return text.length <= unitsMax ? text.toWellFormed() : `${beginningOf(text, unitsMax)}…`;
}
