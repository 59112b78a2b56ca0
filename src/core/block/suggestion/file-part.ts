import { refusal, type Refusal } from "../../base/errors.ts";
import type { BlockId, DraftId, HunkId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { isOnlyInDraft } from "../list-blocks.ts";
import type { BlockHeader } from "../types.ts";
import { isOfDraft } from "./draft-hunks.ts";
import type { HeaderProposal, Suggestion } from "./suggestion.ts";

/** What a draft does with a file besides its text: it makes it, moves it, or deletes it. */
export interface FilePart {
  readonly blockId: BlockId;
  readonly hunkId: HunkId;
  readonly proposes: HeaderProposal;
}

/** Returns what a draft does with files. */
export function filePartsOf(suggestions: readonly Suggestion[], draftId: DraftId): readonly FilePart[] {
  return openParts(suggestions.filter((one) => isOfDraft(one, draftId)));
}

/** Returns what suggestions would do with documents besides their text, where nobody has decided. */
export function openParts(suggestions: readonly Suggestion[]): readonly FilePart[] {
  return suggestions.flatMap(({ canvasId, hunks }) =>
    hunks.flatMap(({ id, state, proposes }) =>
      state === "open" && proposes !== undefined ? [{ blockId: canvasId, hunkId: id, proposes }] : [],
    ),
  );
}

/** What an agent does with a file in its draft. `undelete`: it is there again. */
export type FileWish =
  | { readonly type: "delete"; readonly of: string }
  | { readonly type: "move"; readonly path: string; readonly from: string }
  | { readonly type: "undelete" };

/** What follows for the draft's part of the file: hunks that are gone, and one that is new. */
export interface PlannedPart {
  readonly replaced: readonly HunkId[];
  readonly proposes: HeaderProposal | null;
}

/**
 * Plans what an agent does with a file in its draft. A file that the draft made and deletes is nothing of it any more; one
 * that goes back to its path is not moved; of a file that it deletes the draft has no other part.
 */
export function planFilePart(
  header: BlockHeader,
  own: readonly Suggestion[],
  wish: FileWish,
): Result<PlannedPart, Refusal> {
  const open = own.flatMap(({ hunks }) => hunks.filter(({ state }) => state === "open"));
  const named = (type: HeaderProposal["type"]) => open.filter(({ proposes }) => proposes?.type === type);
  const ids = (hunks: typeof open): readonly HunkId[] => hunks.map(({ id }) => id);
  const isNew = isOnlyInDraft(header);
  if (isNew && named("create").length === 0) return err(refusal("BLOCK_NOT_FOUND", { block_id: header.id }));
  switch (wish.type) {
    case "delete":
      return ok({ replaced: ids(open), proposes: isNew ? null : wish });
    case "undelete":
      return ok({ replaced: ids(named("delete")), proposes: null });
    case "move": {
      const { path, from } = wish;
      if (isNew) return ok({ replaced: ids(named("create")), proposes: { type: "create", path } });
      const proposes = path === from ? null : ({ type: "update", path, from } as const);
      return ok({ replaced: ids(named("update")), proposes });
    }
  }
}
