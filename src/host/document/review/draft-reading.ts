import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { sha256Hex } from "../../../core/base/hash.ts";
import type { BlockId, DraftId, HunkId } from "../../../core/base/ids.ts";
import type { NonEmptyArray } from "../../../core/base/non-empty.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { wholeLines } from "../../../core/block/change/diff-changes.ts";
import { diffLines } from "../../../core/block/change/line-diff.ts";
import {
  hasEnded,
  hunksOfDraft,
  isOfDraft,
  lateWritesOfDraft,
  openDrafts,
} from "../../../core/block/suggestion/draft-hunks.ts";
import { filePartsOf } from "../../../core/block/suggestion/file-part.ts";
import { viewDraft } from "../../../core/block/suggestion/draft-view.ts";
import {
  openHunks,
  touchedAt,
  type Suggestion,
  type SuggestionAuthor,
} from "../../../core/block/suggestion/suggestion.ts";
import type { Store } from "../../../core/port/store.ts";
import type { OpenBlock } from "../block/open-block.ts";
import type { Lanes } from "../queue/lanes.ts";
import { whyFileChanged } from "./draft-files.ts";
import { authored } from "./keep-placed.ts";

interface DraftPorts {
  readonly store: Pick<Store, "suggestions">;
  readonly lanes: Lanes;
}

/** A draft of a canvas over the shared text as it is now. */
interface ReadDraft {
  readonly draftId: DraftId;
  readonly authors: SuggestionAuthor[];
  readonly hunkIds: HunkId[];
  readonly conflicts: HunkId[];
  /** Hunks of late writes, which wait beside the draft. */
  readonly lateHunkIds: HunkId[];
  readonly linesAdded: number;
  readonly linesRemoved: number;
  readonly touchedAt: number;
  readonly text: string;
}

interface DraftText {
  readonly text: string;
  readonly hash: string;
  readonly shared: string;
  /** The version of the shared text. */
  readonly version: number;
  /** Who wrote the draft, each once; who began to write last comes first. */
  readonly authors: NonEmptyArray<SuggestionAuthor>;
}

/** Reads the open drafts of a canvas, oldest first. */
export function readDrafts({ store, lanes }: DraftPorts, canvasId: BlockId): Promise<Result<ReadDraft[], Refusal>> {
  const read = async (block: OpenBlock): Promise<Result<ReadDraft[], Refusal>> => {
    const all = await store.suggestions(canvasId, false);
    const current = authored(block);
    return ok(
      openDrafts(all).map((draftId) => {
        const { placed, conflicts, text } = viewDraft(hunksOfDraft(all, draftId), current);
        const own = all.filter((one) => isOfDraft(one, draftId));
        return {
          draftId,
          authors: authorsOf(own),
          hunkIds: [...filePartsOf(all, draftId).map(({ hunkId }) => hunkId), ...placed.map(({ hunk }) => hunk.id)],
          conflicts: [...changedFiles(block, all, draftId), ...conflicts],
          lateHunkIds: openHunks(lateWritesOfDraft(all, draftId)).map(({ id }) => id),
          ...lineCounts(current.text, text),
          touchedAt: Math.max(...own.map(touchedAt)),
          text,
        };
      }),
    );
  };
  return lanes.alone(canvasId, read, { ofDrafts: true });
}

/** Reads a canvas as a draft has it that nobody took or dropped, also where nothing in it differs any more. */
export async function readDraftText(
  { store, lanes }: DraftPorts,
  canvasId: BlockId,
  draftId: DraftId,
): Promise<Result<DraftText, Refusal>> {
  const read = async (block: OpenBlock): Promise<Result<DraftText, Refusal>> => {
    const all = await store.suggestions(canvasId, true);
    const [newest, ...rest] = all.filter((one) => isOfDraft(one, draftId)).toReversed();
    if (newest === undefined) return err(refusal("DRAFT_NOT_FOUND", { draft_id: draftId }));
    if (hasEnded(all, draftId)) return err(refusal("DRAFT_ENDED", { draft_id: draftId }, endedForPeople));
    const current = authored(block);
    const { text } = viewDraft(hunksOfDraft(all, draftId), current);
    const { author } = newest;
    const others = authorsOf([newest, ...rest]).filter(({ id }) => id !== author.id);
    const shared = { shared: current.text, version: block.header.version };
    return ok({ text, hash: sha256Hex(text), ...shared, authors: [author, ...others] });
  };
  return lanes.alone(canvasId, read, { ofDrafts: true });
}

/** Returns the deletions of a draft whose text is another one now. */
function changedFiles(block: OpenBlock, all: readonly Suggestion[], draftId: DraftId): readonly HunkId[] {
  const hunks = openHunks(all.filter((one) => isOfDraft(one, draftId)));
  return hunks.filter((hunk) => whyFileChanged(block, [hunk], []) !== null).map(({ id }) => id);
}

function authorsOf(suggestions: readonly Suggestion[]): SuggestionAuthor[] {
  return [...new Map(suggestions.map(({ author }) => [author.id, author])).values()];
}

function lineCounts(before: string, after: string): { readonly linesAdded: number; readonly linesRemoved: number } {
  const runs = diffLines(wholeLines(before).lines, wholeLines(after).lines);
  return {
    linesAdded: runs.reduce((sum, run) => sum + run.newEnd - run.newStart, 0),
    linesRemoved: runs.reduce((sum, run) => sum + run.oldEnd - run.oldStart, 0),
  };
}

const endedForPeople =
  "This draft was taken or dropped, so nothing was changed. “Undo mine” of whoever did it opens it again.";
