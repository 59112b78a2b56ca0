import type { DraftId } from "../../../src/core/base/ids.ts";
import { openDrafts } from "../../../src/core/block/suggestion/draft-hunks.ts";
import type { Suggestion, SuggestionAuthor } from "../../../src/core/block/suggestion/suggestion.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import { costsOf } from "../../../src/core/model/cost.ts";
import type { ModelPrices } from "../../../src/core/model/prices.ts";
import { shortName } from "../view/words/words.ts";

/** An open draft of a document, as people tell it from others. */
export interface ListedDraft {
  readonly id: DraftId;
  /** Counts the drafts of the conversation, from 1; it stays when others are taken. */
  readonly number: number;
  /** "Draft 2" or, where its author is known, "Draft 2 · claude". */
  readonly name: string;
  readonly author: SuggestionAuthor | null;
  /** Of the replies that wrote it; 0 where they are not here. */
  readonly tokens: number;
  readonly dollars: number;
  readonly calls: number;
}

/** Returns the open drafts of a document, and `others` that have parts elsewhere, in the order in which they were begun. */
export function listDrafts(
  suggestions: readonly Suggestion[],
  nodes: Iterable<ForestNode>,
  pricesOf: (model: string) => ModelPrices | null,
  others: readonly DraftId[] = [],
): readonly ListedDraft[] {
  const open = [...new Set([...openDrafts(suggestions), ...others])];
  if (open.length === 0) return [];
  const nodesByDraft = new Map<DraftId, ForestNode[]>();
  for (const node of nodes) {
    if (node.draft === undefined) continue;
    const known = nodesByDraft.get(node.draft);
    if (known === undefined) nodesByDraft.set(node.draft, [node]);
    else known.push(node);
  }
  // Ids sort by the time they were made.
  const numbered = [...new Set([...nodesByDraft.keys(), ...open])].toSorted();
  return numbered.flatMap((id, index) => {
    if (!open.includes(id)) return [];
    const own = nodesByDraft.get(id) ?? [];
    const author = suggestions.find((one) => one.draftId === id)?.author ?? authorIn(own);
    const number = index + 1;
    const words = author === null ? "" : ` · ${shortName(author.name)}`;
    return [
      {
        id,
        number,
        name: `Draft ${number}${words}`,
        author,
        tokens: own.reduce((sum, { usage }) => sum + (usage === null ? 0 : usage.inputTokens + usage.outputTokens), 0),
        dollars: costsOf(own, pricesOf).total,
        calls: own.filter(({ message }) => message.role === "tool").length,
      },
    ];
  });
}

/** Who wrote a draft that has no part of this document. */
function authorIn(nodes: readonly ForestNode[]): SuggestionAuthor | null {
  const actor = nodes.find(({ message }) => message.role === "assistant")?.actor;
  return actor?.type === "model" || actor?.type === "person" ? actor : null;
}
