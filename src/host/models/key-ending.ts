/** Returns the last characters of a key, to tell two keys apart; only of a key long enough for that. */
export function endingOf(key: string): string | null {
  return key.length >= 16 ? key.slice(-4) : null;
}
