/** Where a scrolling list stands, in pixels. */
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
 * Whether the end is still followed after the list stands otherwise. Only a reader who goes up leaves it: what grows, or
 * shrinks and so pulls the list along, does not.
 */
export function followsEnd(followed: boolean, before: Scroll, now: Scroll): boolean {
  if (isAtEnd(now)) return true;
  if (!followed) return false;
  const pulled = now.content < before.content || now.height > before.height;
  return pulled || now.top >= before.top;
}
