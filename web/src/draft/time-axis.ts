import type { NodeId } from "../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import { excerpt, wordsOf } from "../view/words/words.ts";
import type { HistoryEntry } from "../view/branches/revisions.ts";

/** One moment of a document and its conversation: the version that was there, and the last message by then. */
export interface Moment {
  /** UTC milliseconds. */
  readonly at: number;
  /** The version at this moment. */
  readonly entry: HistoryEntry;
  /** The last message by then that has words; null before the first. */
  readonly node: ForestNode | null;
  /** Whether a version or a message began it. */
  readonly began: "version" | "message";
}

/**
 * Puts the versions of a document and the messages of a conversation on one axis, oldest first. What was said before the first
 * known version has no place: no version was there.
 */
export function momentsOf(
  entries: readonly HistoryEntry[],
  nodesById: ReadonlyMap<NodeId, ForestNode>,
): readonly Moment[] {
  const said = [...nodesById.values()].filter(
    ({ message }) => message.role !== "tool" && message.role !== "system" && wordsOf(message).trim() !== "",
  );
  const events = [
    ...entries.map((entry) => ({ at: entry.at, entry, node: null })),
    ...said.map((node) => ({ at: node.createdAt, entry: null, node })),
    // At the same time the message comes first: a version is kept with it.
  ].toSorted((a, b) => a.at - b.at || Number(a.entry !== null) - Number(b.entry !== null));
  const moments: Moment[] = [];
  let entry: HistoryEntry | null = null;
  let node: ForestNode | null = null;
  for (const event of events) {
    entry = event.entry ?? entry;
    node = event.node ?? node;
    if (entry !== null)
      moments.push({ at: event.at, entry, node, began: event.entry === null ? "message" : "version" });
  }
  return moments;
}

/** Returns the place of a version on the axis: the moment that it began. */
export function placeOfEntry(moments: readonly Moment[], entry: HistoryEntry): number {
  return Math.max(
    0,
    moments.findIndex((moment) => moment.began === "version" && moment.entry === entry),
  );
}

/** Says what was said last at a moment. */
export function saidWords({ node }: Moment): string {
  return node === null ? "Before the first message" : `${node.actor.name}: “${excerpt(wordsOf(node.message), 90)}”`;
}
