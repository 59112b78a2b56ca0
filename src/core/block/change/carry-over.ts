import { must } from "../../base/assert.ts";
import { createDocument } from "../../text/document.ts";
import type { ReplicaId, TextChange } from "../../text/types.ts";
import { diffChanges } from "./diff-changes.ts";
import { applyChanges } from "./text-change.ts";
import { byWords } from "./word-changes.ts";

const others = 1 as ReplicaId;
const own = 2 as ReplicaId;

/**
 * Applies changes that were planned for an earlier text to the current text, merged as the text engine merges two people's
 * edits: what others wrote is kept.
 */
export function carryOver(base: string, now: string, changes: readonly TextChange[]): string {
  if (base === now) return applyChanges(now, changes);
  const document = createDocument();
  const edit = (replica: ReplicaId, of: readonly TextChange[], at = document.version()): void => {
    const edited = document.edit(replica, of, at);
    must(edited.ok ? edited.value : undefined, "changes of a whole text are within it");
  };
  edit(others, base === "" ? [] : [{ from: 0, to: 0, insert: base }]);
  const then = document.version();
  edit(others, diffChanges(base, now));
  edit(own, byWords(base, changes), then);
  return document.text();
}
