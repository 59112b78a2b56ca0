import type { Actor } from "../base/actor.ts";
import type { ToolCallId } from "../base/ids.ts";
import type { NonEmptyArray } from "../base/non-empty.ts";
import type { TextChange } from "../text/types.ts";
import type { BlockChange, BlockChangeBody } from "./types.ts";

/** One edit of a block as its history tells it. */
export interface HistoryEntry {
  /** Its first and its last change made these versions. */
  readonly firstVersion: number;
  readonly version: number;
  /** When its first change was made, UTC milliseconds. */
  readonly at: number;
  readonly actor: Actor;
  readonly toolCallId: ToolCallId | undefined;
  /** How its first change was made. */
  readonly what: BlockChangeBody;
  /** What it did to the text as it was before; empty for what changes no text, and for the creation. */
  readonly delta: readonly TextChange[];
}

/**
 * A block's changes as the edits that people speak of: what follows one another and is undone together is one, every
 * other change is one by itself. In the order given.
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

function isPlainEdit({ what }: BlockChange): boolean {
  return what.type === "text" && what.undoes === undefined && what.redoes === undefined;
}

function unitOf({ what }: BlockChange): string | undefined {
  return what.type === "text" ? what.unit.id : undefined;
}
