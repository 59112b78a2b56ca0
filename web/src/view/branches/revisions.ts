import type { Actor } from "../../../../src/core/base/actor.ts";
import type { NodeId } from "../../../../src/core/base/ids.ts";
import type { CanvasHashes, NamedRevision } from "../../../../src/core/block/canvas-revision.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { isHidden } from "./hidden.ts";
import { excerpt, wordsOf } from "../words/words.ts";

/** A text of a canvas that can be looked at; `revisionId` null is the text as it is now, not committed yet. */
export interface HistoryEntry {
  readonly revisionId: string | null;
  /** "r42", or "Now". */
  readonly name: string;
  /** What a person called it; null without a name. */
  readonly label: string | null;
  readonly at: number;
  /** null of the draft: who wrote it is not committed yet. */
  readonly actor: Actor | null;
  readonly alsoBy: readonly string[];
  readonly nodeId: NodeId | null;
  /** It is what the canvas says now. */
  readonly current: boolean;
}

/** The draft, where it differs from what was committed last, and what was committed; newest first. */
export function historyEntries(hashes: CanvasHashes, revisions: readonly NamedRevision[]): readonly HistoryEntry[] {
  const { draft, committed } = hashes;
  const drafts: readonly HistoryEntry[] =
    draft.hash === committed?.hash
      ? []
      : [
          {
            revisionId: null,
            name: "Now",
            label: null,
            at: draft.at,
            actor: null,
            alsoBy: [],
            nodeId: null,
            current: true,
          },
        ];
  return [
    ...drafts,
    ...revisions.map(({ revisionId, version, hash, at, actor, alsoBy, nodeId, name: label }) => {
      return { revisionId, name: `r${version}`, label, at, actor, alsoBy, nodeId, current: hash === draft.hash };
    }),
  ];
}

/** The words by which a person knows a version. */
export function titleOfEntry({ label, name }: HistoryEntry): string {
  return label === null ? name : `${label} (${name})`;
}

/** What an entry is compared with unless the reader says otherwise: the one before it; null for the oldest. */
export function entryBefore(entries: readonly HistoryEntry[], chosen: HistoryEntry): HistoryEntry | null {
  return entries[entries.indexOf(chosen) + 1] ?? null;
}

/** Who wrote it, in a few words. */
export function authorsOf({ actor, alsoBy }: HistoryEntry): string {
  if (actor === null) return "unsaved version";
  const [other, ...more] = alsoBy;
  if (other === undefined) return actor.name;
  return more.length === 0 ? `${actor.name} and ${other}` : `${actor.name} and ${alsoBy.length} others`;
}

/** With which message, or for which question, it was committed; empty where the message is not of this conversation. */
export function occasionOf({ nodeId, actor }: HistoryEntry, nodesById: ReadonlyMap<NodeId, ForestNode>): string {
  const message = nodeId === null ? undefined : nodesById.get(nodeId)?.message;
  // A person's edits are kept with whatever message comes next; a call of the agent did not make them.
  if (message?.role === "tool") return actor?.type === "model" ? askedFor(nodeId, nodesById) : "";
  const words = message === undefined ? "" : excerpt(wordsOf(message), 60);
  return words === "" ? "" : `with “${words}”`;
}

/** The person's words that led to a message; empty where they are not here. */
function askedFor(from: NodeId | null, nodesById: ReadonlyMap<NodeId, ForestNode>): string {
  for (let node = from === null ? undefined : nodesById.get(from); node !== undefined;) {
    const words = node.message.role === "user" && !isHidden(node) ? excerpt(wordsOf(node.message), 60) : "";
    if (words !== "") return `for “${words}”`;
    node = node.parentId === null ? undefined : nodesById.get(node.parentId);
  }
  return "";
}
