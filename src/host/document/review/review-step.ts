import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { BlockId, DraftId, HunkId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { isOnlyInDraft } from "../../../core/block/list-blocks.ts";
import { revisionId } from "../../../core/block/revision.ts";
import { isProposal } from "../../../core/block/suggestion/header-proposal.ts";
import { chooseHunks, chooseOf, decided } from "../../../core/block/suggestion/review.ts";
import type { HunkDecision, Suggestion } from "../../../core/block/suggestion/suggestion.ts";
import type { BlockChangeBody } from "../../../core/block/types.ts";
import type { TrashEntry } from "../../../core/forest/trash-entry.ts";
import type { Platform } from "../../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../../core/port/store.ts";
import type { ReviewedHunks } from "../../../core/protocol/commands.ts";
import { trashEntry } from "../../base/trash-time.ts";
import type { OpenBlock } from "../block/open-block.ts";
import type { Mutation } from "../queue/mutation.ts";
import { trashedBlock } from "../record/trashed-block.ts";
import type { Author } from "../record/types.ts";
import { whyFileChanged } from "./draft-files.ts";
import { authored, keepPlaced, placeToKeep } from "./keep-placed.ts";
import { keepProposals } from "./proposals.ts";
import type { BegunReview, TakeWish } from "./take-together.ts";

// What a person's decision about hunks changes, planned: `suggestions.ts` commits it for one document, `take-together.ts` for several.

interface ReviewPorts {
  readonly store: Pick<Store, "suggestions">;
  readonly platform: Pick<Platform, "clock" | "random">;
  readonly whyRefused: (author: Author, block: OpenBlock) => Refusal | null;
}

export interface ReviewOptions {
  /** Returns further writes of the same transaction, given the decision. */
  readonly also?: AlsoWithReview | undefined;
  /** Decides the named hunks that can be decided; otherwise all or none of them. */
  readonly asFarAsPossible?: boolean | undefined;
  /** The draft whose hunks are decided; without it and without named hunks, those that belong to no draft. */
  readonly draftId?: DraftId | null;
  /** Hunks of drafts whose words replace what others wrote in their lines. */
  readonly overruled?: readonly HunkId[];
}

type AlsoWithReview = (reviewed: ReviewedHunks) => readonly StoreWrite[];

export interface ReviewStep {
  readonly author: Author;
  readonly canvasId: BlockId;
  readonly outcome: HunkDecision["outcome"];
  readonly also: AlsoWithReview | undefined;
  readonly plan: ReviewPlan;
}

type ReviewPlan = (
  block: OpenBlock,
  all: readonly Suggestion[],
) => Result<
  {
    readonly bodies: readonly BlockChangeBody[];
    readonly hunkIds: readonly HunkId[];
    readonly conflicts: readonly HunkId[];
  },
  Refusal
>;

/** The step that applies open hunks. */
export function keeping(
  author: Author,
  { canvasId, hunkIds }: TakeWish,
  { asFarAsPossible = false, draftId = null, overruled = [], also }: ReviewOptions,
): ReviewStep {
  const plan: ReviewPlan = (block, all) => {
    // A late write waits beside its draft, and is not taken with it.
    const scope = scopeOf(all, draftId, hunkIds).filter((one) => hunkIds !== undefined || one.reason !== "late-write");
    const chosen = chosenOf(draftId === null ? scopeOf(all, null, hunkIds) : scope, hunkIds, asFarAsPossible);
    if (!chosen.ok) return chosen;
    const proposals = chosen.value.filter(isProposal);
    const lines = chosen.value.filter((hunk) => !isProposal(hunk));
    const allOrNone = hunkIds !== undefined && !asFarAsPossible;
    const { placed, conflicts: conflictIds } = placeToKeep({ all, lines, overruled }, authored(block));
    if (conflictIds.length > 0 && (allOrNone || placed.length + proposals.length === 0)) {
      return err(refusal("SUGGESTION_CONFLICT", { hunk_ids: conflictIds }));
    }
    const bodies = keepPlaced(block, author, all, placed);
    if (!bodies.ok) return bodies;
    const beside = keepProposals(block.header, proposals);
    if (!beside.ok) return beside;
    const changed = whyFileChanged(block, proposals, overruled);
    if (changed !== null) return err(changed);
    // A file is made before it gets its text, and deleted with it.
    const isMade = beside.value[0]?.type === "restored";
    return ok({
      bodies: isMade ? [...beside.value, ...bodies.value] : [...bodies.value, ...beside.value],
      hunkIds: [...placed.map(({ hunk }) => hunk.id), ...proposals.map(({ id }) => id)],
      conflicts: conflictIds,
    });
  };
  return { author, canvasId, outcome: "kept", also, plan };
}

/** The step that rejects open hunks. */
export function rejecting(
  author: Author,
  { canvasId, hunkIds }: TakeWish,
  { asFarAsPossible = false, draftId = null, also }: Omit<ReviewOptions, "overruled">,
): ReviewStep {
  const plan: ReviewPlan = (_block, all) => {
    const chosen = chosenOf(scopeOf(all, draftId, hunkIds), hunkIds, asFarAsPossible);
    if (!chosen.ok) return chosen;
    const ids = chosen.value.map(({ id }) => id);
    const body: BlockChangeBody = { type: "review", unit: author.unit, hunkIds: ids, reviewer: author.replica };
    return ok({ bodies: [body], hunkIds: ids, conflicts: [] });
  };
  return { author, canvasId, outcome: "rejected", also, plan };
}

/** Returns the mutation of one step of a review. */
export function beginReview(
  { store, platform, whyRefused }: ReviewPorts,
  { author, canvasId, outcome, also = nothingElse, plan }: ReviewStep,
  days: number | null,
): BegunReview {
  let all: readonly Suggestion[] = [];
  let changed: readonly Suggestion[] = [];
  let made: { readonly hunkIds: readonly HunkId[]; readonly conflicts: readonly HunkId[]; readonly text: string } = {
    hunkIds: [],
    conflicts: [],
    text: "",
  };
  let trashed: TrashEntry | null = null;
  const answerAt = (version: number): ReviewedHunks => {
    const { text, ...decidedNow } = made;
    return { version, revisionId: revisionId(version, text), ...decidedNow };
  };
  const mutation: Mutation = {
    blockId: canvasId,
    author,
    ofDrafts: true,
    prepare: async () => {
      all = await store.suggestions(canvasId, true);
    },
    plan: (block) => {
      const refused = isOnlyInDraft(block.header) ? null : whyRefused(author, block);
      if (refused !== null) return err(refused);
      const planned = plan(block, all);
      if (!planned.ok) return planned;
      const { bodies, hunkIds, conflicts } = planned.value;
      const decision: HunkDecision = { unitId: author.unit.id, outcome, by: author.actor, at: platform.clock.now() };
      block.endTyping(author.replica);
      changed = decided(all, hunkIds, decision);
      made = { hunkIds, conflicts, text: block.document.text() };
      const deletes = bodies.some(({ type }) => type === "deleted");
      trashed = deletes ? trashEntry(platform, days, trashedBlock(author, block.header)) : null;
      return ok(bodies);
    },
    also: (version) => [
      ...changed.map(putSuggestion),
      ...(trashed === null ? [] : [{ type: "put-trash", entry: trashed } as const]),
      ...also(answerAt(version)),
    ],
  };
  return { mutation, done: (version) => ({ changed, reviewed: answerAt(version) }) };
}

/** Returns the suggestions that a step is about. */
function scopeOf(
  all: readonly Suggestion[],
  draftId: DraftId | null,
  named: readonly HunkId[] | undefined,
): readonly Suggestion[] {
  const seen = all.filter(({ inTrash }) => inTrash !== true);
  if (draftId !== null) return seen.filter((one) => one.draftId === draftId);
  return named === undefined ? seen.filter((one) => one.draftId === undefined) : seen;
}

function chosenOf(all: readonly Suggestion[], named: readonly HunkId[] | undefined, asFarAsPossible: boolean) {
  return named !== undefined && asFarAsPossible ? chooseOf(all, named) : chooseHunks(all, named);
}

export function putSuggestion(suggestion: Suggestion): StoreWrite {
  return { type: "put-suggestion", suggestion };
}

/** No further writes. */
export function nothingElse(): readonly StoreWrite[] {
  return [];
}
