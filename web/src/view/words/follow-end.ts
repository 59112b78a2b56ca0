/** The scroll position of a list, in pixels. */
export interface Scroll {
  readonly top: number;
  /** What is seen of it. */
  readonly height: number;
  /** All there is. */
  readonly content: number;
}

/** How near to the end still counts as being there, in pixels. */
const endSlack = 48;

export function isAtEnd(scroll: Scroll): boolean {
  return scroll.content - scroll.top - scroll.height < endSlack;
}

/**
 * Returns whether the end is still followed after a scroll. Only a reader who scrolls up leaves it; growing or shrinking
 * content does not.
 */
export function followsEnd(followed: boolean, before: Scroll, now: Scroll): boolean {
  if (isAtEnd(now)) return true;
  if (!followed) return false;
  const pulled = now.content < before.content || now.height > before.height;
  return pulled || now.top >= before.top;
}
