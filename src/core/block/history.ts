import type { Actor } from "../base/actor.ts";
import type { ToolCallId } from "../base/ids.ts";
import type { NonEmptyArray } from "../base/non-empty.ts";
import type { TextChange } from "../text/types.ts";
import type { BlockChange, BlockChangeBody } from "./types.ts";

/** One edit of a block, as its history shows it. */
export interface HistoryEntry {
  /** The versions of its first and its last change. */
  readonly firstVersion: number;
  readonly version: number;
  /** Time of its first change, UTC milliseconds. */
  readonly at: number;
  readonly actor: Actor;
  readonly toolCallId: ToolCallId | undefined;
  /** The tool of its first change. */
  readonly body: BlockChangeBody;
  /** Its changes against the text before it; empty when it changes no text, and for the creation. */
  readonly delta: readonly TextChange[];
}

/**
 * Groups a block's changes into edits for people: consecutive changes of one undo unit are one edit, every other change is
 * its own. Keeps the given order.
 */
export function editsOf(changes: readonly BlockChange[]): readonly NonEmptyArray<BlockChange>[] {
  const edits: [BlockChange, ...BlockChange[]][] = [];
  for (const change of changes) {
    const last = edits.at(-1);
    if (last !== undefined && isSameEdit(last[0], change)) last.push(change);
    else edits.push([change]);
  }
  return edits;
}

function isSameEdit(first: BlockChange, next: BlockChange): boolean {
  return isPlainEdit(first) && isPlainEdit(next) && first.actor.id === next.actor.id && unitOf(first) === unitOf(next);
}

function isPlainEdit({ body }: BlockChange): boolean {
  return body.type === "text" && body.undoes === undefined && body.redoes === undefined;
}

function unitOf({ body }: BlockChange): string | undefined {
  return body.type === "text" ? body.unit.id : undefined;
}
