import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { sha256Hex } from "../../../core/base/hash.ts";
import type { BlockId, DraftId, HunkId, SuggestionId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { blockPath, isBinaryFile } from "../../../core/block/list-blocks.ts";
import { hasEnded, isOfDraft } from "../../../core/block/suggestion/draft-hunks.ts";
import { filePartsOf, planFilePart, type FilePart, type FileWish } from "../../../core/block/suggestion/file-part.ts";
import { proposalHunk } from "../../../core/block/suggestion/header-proposal.ts";
import { replaced } from "../../../core/block/suggestion/review.ts";
import { hunksBetween } from "../../../core/block/suggestion/suggest-hunks.ts";
import { isOpen, openHunks, type SuggestedHunk, type Suggestion } from "../../../core/block/suggestion/suggestion.ts";
import type { Store, StoreWrite } from "../../../core/port/store.ts";
import type { WorkingDraft } from "../../../core/turn/state/settings.ts";
import type { OpenBlock } from "../block/open-block.ts";
import { hubLimits } from "../record/limits.ts";
import type { Suggester } from "./suggested-edit.ts";

/** What a draft does with files. */
export interface DraftFiles {
  readonly parts: readonly FilePart[];
  /** The documents in which it has a part of any kind. */
  readonly blockIds: ReadonlySet<BlockId>;
}

/** A file that a draft makes. */
export interface NewFile {
  readonly draftId: DraftId;
  readonly path: string;
  readonly text: string;
}

/** What an agent does with a file in its draft, under the draft's lease. */
export interface FilePlacing {
  readonly canvasId: BlockId;
  readonly draftId: DraftId;
  /** Conditions that must hold in the same transaction. */
  readonly guards: readonly StoreWrite[];
  readonly wish: PlaceWish;
}

type PlaceWish =
  /** `of`: the hash of a file that is not text. */
  | { readonly type: "delete"; readonly of?: string }
  | { readonly type: "move"; readonly path: string }
  | { readonly type: "undelete" };

/** Reads what a draft does with files; in a document where it has not begun, what the draft does that it begins with. */
export async function readDraftFiles(
  store: Pick<Store, "suggestionsOfDraft">,
  { id, from }: WorkingDraft,
): Promise<DraftFiles> {
  const own = await store.suggestionsOfDraft(id);
  const begun = new Set(own.map(({ canvasId }) => canvasId));
  const before = from === undefined ? [] : await store.suggestionsOfDraft(from);
  const copied = before.filter(({ canvasId }) => !begun.has(canvasId));
  const open = [...own, ...copied].filter((one) => one.draftId !== undefined && isOfDraft(one, one.draftId));
  return {
    parts: [...filePartsOf(own, id), ...(from === undefined ? [] : filePartsOf(copied, from))],
    blockIds: new Set(open.filter(isOpen).map(({ canvasId }) => canvasId)),
  };
}

interface Made {
  readonly id: SuggestionId;
  readonly createdAt: number;
}

/** Suggests a file with its text. Its block is empty, and only drafts have it. */
export function suggestFile(
  author: Suggester,
  { draftId, path, text }: NewFile,
  { id, createdAt, blockId }: Made & { readonly blockId: BlockId },
): Suggestion {
  const lines = hunksBetween({ text: "", blame: [] }, text, (number) => `${id}.${number + 1}` as HunkId);
  const made = proposalHunk(`${id}.1` as HunkId, { type: "create", path });
  return suggestionOf(author, draftId, { id, createdAt, canvasId: blockId, canvasVersion: 1, hunks: [made, ...lines] });
}

/** Plans what an agent does with a file in its draft. */
export function placeInDraft(
  block: OpenBlock,
  all: readonly Suggestion[],
  made: Made & { readonly author: Suggester; readonly draftId: DraftId; readonly wish: PlaceWish },
): Result<{ readonly changed: readonly Suggestion[]; readonly suggestion: Suggestion | null }, Refusal> {
  const { author, draftId, id, createdAt } = made;
  const { header } = block;
  if (hasEnded(all, draftId)) return err(refusal("DRAFT_ENDED", { draft_id: draftId }));
  const own = all.filter((one) => isOfDraft(one, draftId));
  const planned = planFilePart(header, own, wishFor(block, made.wish));
  if (!planned.ok) return planned;
  const gone = replaced(all, planned.value.replaced);
  const { proposes } = planned.value;
  if (proposes === null) return ok({ changed: gone, suggestion: null });
  const waiting = openHunks(own).length - planned.value.replaced.length + 1;
  const { openHunksMax: max } = hubLimits;
  if (waiting > max) return err(refusal("REVIEW_FULL", { actual: waiting, max }));
  const hunks = [proposalHunk(`${id}.1` as HunkId, proposes)];
  const at = { id, createdAt, canvasId: header.id, canvasVersion: header.version };
  const suggestion = suggestionOf(author, draftId, { ...at, hunks });
  return ok({ changed: [...gone, suggestion], suggestion });
}

function wishFor(block: OpenBlock, wish: PlaceWish): FileWish {
  switch (wish.type) {
    case "delete":
      return { type: "delete", of: wish.of ?? sha256Hex(block.document.text()) };
    case "move":
      return { ...wish, from: blockPath(block.header) ?? "" };
    case "undelete":
      return wish;
  }
}

function suggestionOf(
  { actor, replica }: Suggester,
  draftId: DraftId,
  made: Made & Pick<Suggestion, "canvasId" | "canvasVersion" | "hunks">,
): Suggestion {
  return { ...made, version: 1, author: actor, replica, reason: "draft", draftId };
}

/**
 * Returns why a draft's file parts cannot be taken: the text that it deletes, or the path that it moves from, is another one
 * now. A person may say that the file is deleted all the same.
 */
export function whyFileChanged(
  block: OpenBlock,
  parts: readonly SuggestedHunk[],
  overruled: readonly HunkId[],
): Refusal | null {
  for (const { id, proposes } of parts) {
    if (proposes === undefined || overruled.includes(id)) continue;
    const path = blockPath(block.header) ?? null;
    const details = { block_id: block.id, path, hunk_ids: [id] };
    // A file that is not text is compared by the disk.
    const isText = !isBinaryFile(block.header);
    const isOther = (of: string): boolean => of !== sha256Hex(block.document.text());
    if (proposes.type === "delete" && proposes.of !== undefined && isText && isOther(proposes.of)) {
      return refusal("FILE_CHANGED", details, changedWords(path, "deletes"));
    }
    if (proposes.type === "update" && proposes.from !== undefined && proposes.from !== path) {
      return refusal("FILE_CHANGED", details, changedWords(path, "moves"));
    }
  }
  return null;
}

function changedWords(path: string | null, does: string): string {
  return `${path ?? "The document"} was changed since the draft that ${does} it was written, so nothing was taken, and both are there. Look at it, then take that part alone, or leave it.`;
}
