/** The gap between a button and its list, and what is kept free at the frame's end. CSS pixels. */
const gap = 8;

/** Whether a list belongs above its button: it does not fit below, and there is more room above. Heights in CSS pixels. */
export function opensAbove(room: { readonly list: number; readonly above: number; readonly below: number }): boolean {
  return room.list + gap > room.below && room.above > room.below;
}
