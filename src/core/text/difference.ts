import type { Version } from "./graph/version.ts";
import type { TextChange } from "./types.ts";
import type { Walker } from "./walker.ts";

/** Returns the changes from one version to another, both within a walker's reach, against the text at `from`. */
export function difference(walker: Walker, from: Version, to: Version): readonly TextChange[] {
  // Moving there and back splits every run where either version ends, so that both lists have the same runs.
  walker.moveTo(from);
  walker.moveTo(to);
  walker.moveTo(from);
  const wasVisible = Array.from(walker.visit(), (item) => item.now);
  walker.moveTo(to);
  const changes: { from: number; to: number; insert: string }[] = [];
  let position = 0;
  let index = 0;
  for (const item of walker.visit()) {
    const was = wasVisible[index] === true;
    index += 1;
    if (was !== item.now && item.length > 0) {
      const last = changes.at(-1);
      const change = last?.to === position ? last : { from: position, to: position, insert: "" };
      if (change !== last) changes.push(change);
      if (was) change.to += item.length;
      else change.insert += item.text();
    }
    if (was) position += item.length;
  }
  return changes;
}
