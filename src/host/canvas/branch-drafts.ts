import type { BlockId, DraftId, RootId } from "../../core/base/ids.ts";
import { isOpen, openHunks, type Suggestion } from "../../core/block/suggestion/suggestion.ts";
import { replaced } from "../../core/block/suggestion/review.ts";
import type { ForestNode } from "../../core/forest/types.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import type { Suggestions } from "../document/review/suggestions.ts";
import { canvasesOf } from "./canvases-of.ts";

/** What becomes of the drafts of messages: they go to the trash with the last message that names them, and come back. */
export interface BranchDrafts {
  /** Returns the writes that move the drafts along with these messages, and what tells pages of it after the commit. */
  moved(messages: MovedMessages): Promise<MovedDrafts>;
}

interface MovedMessages {
  readonly rootId: RootId;
  readonly canvasId: BlockId | null;
  readonly nodes: readonly ForestNode[];
  readonly to: "trash" | "branch" | "nowhere";
}

interface MovedDrafts {
  readonly writes: readonly StoreWrite[];
  readonly tell: () => void;
}

export const noDraftsMoved: MovedDrafts = { writes: [], tell: () => {} };

/** For conversations that have no canvases. */
export const noBranchDrafts: BranchDrafts = { moved: async () => noDraftsMoved };

/** Moves drafts of canvases. */
export function createBranchDrafts(
  store: Pick<Store, "nodes" | "suggestionsOfDraft">,
  suggestions: Pick<Suggestions, "tell">,
): BranchDrafts {
  return {
    async moved({ rootId, canvasId, nodes, to }) {
      const gone = new Set(nodes.map(({ id }) => id));
      const draftIds = new Set(nodes.flatMap(({ draft }) => (draft === undefined ? [] : [draft])));
      if (draftIds.size === 0) return noDraftsMoved;
      // Other messages may work in a draft too: branches that fork below its first reply.
      for (const { id, draft } of await store.nodes(rootId)) {
        if (draft !== undefined && !gone.has(id)) draftIds.delete(draft);
      }
      const changedByCanvas = new Map<BlockId, readonly Suggestion[]>();
      const stored = await Promise.all([...draftIds].map((id) => store.suggestionsOfDraft(id)));
      for (const [id, own] of Map.groupBy(stored.flat().filter(isOpen), (one) => one.canvasId)) {
        changedByCanvas.set(id, to === "nowhere" ? withdrawn(own) : own.flatMap((one) => put(one, to)));
      }
      // A canvas whose hunks were taken long ago may have texts of the draft.
      const canvasIds = new Set([...canvasesOf(nodes, canvasId), ...changedByCanvas.keys()]);
      const changed = [...changedByCanvas.values()].flat();
      return {
        writes: [
          ...changed.map((suggestion) => ({ type: "put-suggestion", suggestion }) as const),
          ...(to === "nowhere" ? withoutRevisions([...canvasIds], draftIds) : []),
        ],
        tell() {
          for (const [id, own] of changedByCanvas) suggestions.tell(id, own);
        },
      };
    },
  };
}

function put(suggestion: Suggestion, to: "trash" | "branch"): readonly Suggestion[] {
  const { inTrash, ...rest } = suggestion;
  if ((inTrash === true) === (to === "trash")) return [];
  const version = suggestion.version + 1;
  return [to === "trash" ? { ...rest, version, inTrash: true } : { ...rest, version }];
}

function withdrawn(suggestions: readonly Suggestion[]): readonly Suggestion[] {
  const ids = openHunks(suggestions).map(({ id }) => id);
  return replaced(suggestions, ids);
}

function withoutRevisions(canvasIds: readonly BlockId[], draftIds: ReadonlySet<DraftId>): readonly StoreWrite[] {
  return canvasIds.flatMap((canvasId) =>
    [...draftIds].map((draftId) => ({ type: "delete-draft-revisions", canvasId, draftId }) as const),
  );
}
