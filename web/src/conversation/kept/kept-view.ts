import type { NodeId, RootId } from "../../../../src/core/base/ids.ts";
import { isRecord, readText, Stored } from "../../browser/stored.ts";
import { firstVisit, type Selection } from "../../view/branches/path.ts";

/** The browser's stored state of one conversation: selected branch, unsent words and seen branches. */
export interface KeptView {
  readonly selection: Stored<Selection>;
  readonly draft: Stored<string>;
  /** A long pasted text to be sent before the draft. */
  readonly pasted: Stored<string>;
  /** A message being sent; becomes the draft again when the page closed before the answer. */
  readonly outgoing: Stored<string>;
  readonly seen: Stored<Seen>;
}

/** Times at which the ends of branches were last seen, in UTC milliseconds; everything before `since` counts as seen. */
export interface Seen {
  readonly since: number;
  readonly atByNode: Readonly<Record<string, number>>;
}

export function keptView(rootId: RootId): KeptView {
  return {
    selection: new Stored(`path.${rootId}`, readSelection, firstVisit),
    draft: new Stored(`draft.${rootId}`, readText, ""),
    pasted: new Stored(`pasted.${rootId}`, readText, ""),
    outgoing: new Stored(`outgoing.${rootId}`, readText, ""),
    seen: new Stored(`seen.${rootId}`, readSeen, { since: 0, atByNode: {} }),
  };
}

/** Moves a message that an earlier page did not send to the front of the draft. */
export function takeUnsent({ outgoing, draft }: Pick<KeptView, "outgoing" | "draft">): void {
  const unsent = outgoing.get();
  if (unsent === "") return;
  draft.set(inParagraphs(unsent, draft.get()));
  outgoing.clear();
}

/** Joins texts as paragraphs; omits empty ones. */
export function inParagraphs(...texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

function readSelection(value: unknown): Selection | undefined {
  if (!isRecord(value) || !isRecord(value["childByParent"])) return undefined;
  const tipId = value["tipId"];
  if (tipId !== null && typeof tipId !== "string") return undefined;
  const childByParent: Record<string, NodeId> = {};
  for (const [parent, child] of Object.entries(value["childByParent"])) {
    // Ids are opaque; ids that are not in the conversation are ignored when the path is computed.
    if (typeof child === "string") childByParent[parent] = child as NodeId;
  }
  return { tipId: tipId as NodeId | null, childByParent };
}

function readSeen(value: unknown): Seen | undefined {
  if (!isRecord(value) || typeof value["since"] !== "number" || !isRecord(value["atByNode"])) return undefined;
  const atByNode: Record<string, number> = {};
  for (const [node, at] of Object.entries(value["atByNode"])) if (typeof at === "number") atByNode[node] = at;
  return { since: value["since"], atByNode };
}
