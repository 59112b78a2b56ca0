import type { BlockId, DraftId, RootId } from "../../core/base/ids.ts";
import { openHunks, type Suggestion } from "../../core/block/suggestion/suggestion.ts";
import { replaced } from "../../core/block/suggestion/review.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { ForestNode } from "../../core/forest/types.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import { toolUses } from "../../core/message/content.ts";
import { filesNamed } from "../../core/tool/file/run-by-others.ts";
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
  store: Pick<Store, "nodes" | "suggestions" | "blocks">,
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
      const files = namesFiles(nodes) ? (await store.blocks(null)).filter(isOpenFile).map(({ id }) => id) : [];
      for (const id of new Set([...canvasesOf(nodes, canvasId), ...files])) {
        const own = (await store.suggestions(id, false)).filter((one) => isOf(one, draftIds));
        changedByCanvas.set(id, to === "nowhere" ? withdrawn(own) : own.flatMap((one) => put(one, to)));
      }
      const changed = [...changedByCanvas.values()].flat();
      return {
        writes: [
          ...changed.map((suggestion) => ({ type: "put-suggestion", suggestion }) as const),
          ...(to === "nowhere" ? withoutRevisions([...changedByCanvas.keys()], draftIds) : []),
        ],
        tell() {
          for (const [id, own] of changedByCanvas) suggestions.tell(id, own);
        },
      };
    },
  };
}

/** Whether calls of messages name files, in which the drafts may have parts: a file may have another path by now. */
function namesFiles(nodes: readonly ForestNode[]): boolean {
  return nodes.some(({ message }) => {
    if (message.role !== "assistant") return false;
    return toolUses(message).some(({ parameters }) => {
      const { paths, blockIds } = filesNamed(parameters);
      return paths.length + blockIds.length > 0;
    });
  });
}

function isOpenFile(header: BlockHeader): boolean {
  return header.policy === undefined && header.deletedAt === undefined && blockPath(header) !== undefined;
}

function isOf({ draftId }: Suggestion, draftIds: ReadonlySet<DraftId>): boolean {
  return draftId !== undefined && draftIds.has(draftId);
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
