import type { TextChange } from "../text/types.ts";

/** How watchers are told of a change of text: by what was added at the end, or by the whole. */
export type ChangeKind =
  | { readonly type: "unchanged" }
  | { readonly type: "appended"; readonly text: string }
  | { readonly type: "replaced" };

/** Tells growth at the end from every other change by comparing the texts, whatever tool made it. */
export function changeKind(before: string, after: string): ChangeKind {
  if (before === after) return { type: "unchanged" };
  return after.startsWith(before) ? { type: "appended", text: after.slice(before.length) } : { type: "replaced" };
}

/** The same from the changes that lead from one text to the other, for long texts that grow by little. */
export function changeKindOfDelta(lengthBefore: number, delta: readonly TextChange[]): ChangeKind {
  const effective = delta.filter((change) => change.to > change.from || change.insert !== "");
  if (effective.length === 0) return { type: "unchanged" };
  return effective.every((change) => change.from === lengthBefore)
    ? { type: "appended", text: effective.map((change) => change.insert).join("") }
    : { type: "replaced" };
}
