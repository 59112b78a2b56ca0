import type { TextChange } from "../text/types.ts";

/** How a text change is reported to watchers: as text appended at the end, or as a replacement of the whole. */
export type ChangeKind =
  | { readonly type: "unchanged" }
  | { readonly type: "appended"; readonly text: string }
  | { readonly type: "replaced" };

/** Distinguishes growth at the end from every other change by comparing the texts, whichever tool made it. */
export function changeKind(before: string, after: string): ChangeKind {
  if (before === after) return { type: "unchanged" };
  return after.startsWith(before) ? { type: "appended", text: after.slice(before.length) } : { type: "replaced" };
}

/** The same, given the changes between the texts, for long texts that grow by little. */
export function changeKindOfDelta(lengthBefore: number, delta: readonly TextChange[]): ChangeKind {
  const effective = delta.filter((change) => change.to > change.from || change.insert !== "");
  if (effective.length === 0) return { type: "unchanged" };
  return effective.every((change) => change.from === lengthBefore)
    ? { type: "appended", text: effective.map((change) => change.insert).join("") }
    : { type: "replaced" };
}
