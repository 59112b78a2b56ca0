/** A list that the compiler knows to hold at least one element. */
export type NonEmptyArray<Element> = readonly [Element, ...Element[]];

/** Whether a list has an element; narrows its type. */
export function isNonEmpty<Element>(list: readonly Element[]): list is NonEmptyArray<Element> {
  return list.length > 0;
}
