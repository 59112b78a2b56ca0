/** The gap between a button and its list, and what is kept free at the frame's end. CSS pixels. */
const gap = 8;

/** Whether a list belongs above its button: it does not fit below, and there is more room above. Heights in CSS pixels. */
export function opensAbove(room: { readonly list: number; readonly above: number; readonly below: number }): boolean {
  return room.list + gap > room.below && room.above > room.below;
}

/** Returns the inline shift that brings a list into a window of that width; its beginning takes precedence. */
export function shiftIntoView(list: { readonly left: number; readonly right: number }, width: number): number {
  const back = Math.min(0, width - gap - list.right);
  return list.left + back < gap ? gap - list.left : back;
}
