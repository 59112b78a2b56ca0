import { groupChanges, type LineChange, patchSpan, writePatch } from "./patch.ts";
import { type Look, seeLines, type View } from "./view.ts";

/** The decision on a clause: look further, edit the text, answer without an edit, or explain why not. */
export type Decision =
  | Look
  | { readonly type: "edit"; readonly patch: string; readonly done: string }
  | { readonly type: "answer"; readonly text: string }
  | { readonly type: "cannot"; readonly why: string };

/** An edit, once the lines around it have been seen. `done` completes the sentence "I have …". */
export function editDecision(view: View, lineCount: number, changes: readonly LineChange[], done: string): Decision {
  const groups = groupChanges(changes);
  for (const group of groups) {
    const { from, to } = patchSpan(group, lineCount);
    const seen = seeLines(view, from, to);
    if (seen.type === "look") return seen;
  }
  return { type: "edit", patch: writePatch(groups, (line) => view.lines.get(line) ?? "", lineCount), done };
}
