/** Whether a text contains a half of a surrogate pair; most texts here are one letter. */
export function hasSurrogate(text: string): boolean {
  if (text.length !== 1) return surrogates.test(text);
  const unit = text.charCodeAt(0);
  return unit >= 0xd800 && unit < 0xe000;
}

const surrogates = /[\ud800-\udfff]/;

/** Whether a UTF-16 unit is the first half of a surrogate pair. */
export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/**
 * Whether a UTF-16 unit is the second half of a surrogate pair; in a well-formed text, an offset before it is inside a pair.
 */
export function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
