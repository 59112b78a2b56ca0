import type { PersonActor } from "../../../core/base/actor.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { must } from "../../../core/base/assert.ts";
import { sha256Hex } from "../../../core/base/hash.ts";
import type { BlockId, DraftId, HunkId, SuggestionId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { carryOver } from "../../../core/block/change/carry-over.ts";
import { diffChanges } from "../../../core/block/change/diff-changes.ts";
import { areWithin } from "../../../core/block/change/text-change.ts";
import { hasEnded, hunksOfDraft, isOfDraft, lateWritesOfDraft } from "../../../core/block/suggestion/draft-hunks.ts";
import { viewDraft, type DraftView } from "../../../core/block/suggestion/draft-view.ts";
import type { AuthoredText } from "../../../core/block/suggestion/hunk-place.ts";
import { withEarlierWriters } from "../../../core/block/suggestion/hunk-writers.ts";
import { replaced } from "../../../core/block/suggestion/review.ts";
import { replan, type Replanned } from "../../../core/block/suggestion/suggest-hunks.ts";
import { openHunks, type SuggestedHunk, type Suggestion } from "../../../core/block/suggestion/suggestion.ts";
import type { TextChange } from "../../../core/text/types.ts";
import { hubLimits } from "../record/limits.ts";
import type { Author } from "../record/types.ts";
import { whyUnfit } from "./why-unfit.ts";

/** What a person writes in a draft. */
export interface DraftWish {
  readonly canvasId: BlockId;
  readonly draftId: DraftId;
  /** SHA-256 of the draft's text as the person saw it, and that text where it may not be the draft's any more. */
  readonly baseHash: string;
  readonly base?: string | undefined;
  /** Changes to the text that the person saw. */
  readonly changes: readonly TextChange[];
  /** Late writes of the draft that the person puts in. */
  readonly lateHunkIds?: readonly HunkId[] | undefined;
}

/** A draft after a person wrote in it. */
export interface WrittenDraft {
  readonly hash: string;
  /** The draft's text where it is not what the person has: others wrote too. */
  readonly text: string | null;
}

interface Ground {
  readonly all: readonly Suggestion[];
  readonly current: AuthoredText;
  readonly canvasVersion: number;
  readonly author: Author & { readonly actor: PersonActor };
  /** The id of a new suggestion, and the time. */
  readonly id: SuggestionId;
  readonly createdAt: number;
}

/** Plans what a person writes in a draft: the suggestions that change, and what the draft is then. */
export function planDraftWrite(
  wish: DraftWish,
  ground: Ground,
): Result<{ readonly answer: WrittenDraft; readonly changed: readonly Suggestion[] }, Refusal> {
  const { all, current } = ground;
  const { draftId } = wish;
  if (!all.some((one) => isOfDraft(one, draftId))) return err(refusal("DRAFT_NOT_FOUND", { draft_id: draftId }));
  if (hasEnded(all, draftId)) return err(refusal("DRAFT_ENDED", { draft_id: draftId }));
  const own = hunksOfDraft(all, draftId);
  const view = viewDraft(own, current);
  const base = sha256Hex(view.text) === wish.baseHash ? view.text : wish.base;
  if (base === undefined) return err(refusal("CONFLICT", { draft_id: draftId }));
  if (!areWithin(base, wish.changes)) return err(refusal("INVALID_PARAMS", { parameter: "changes" }));
  const late = openHunks(lateWritesOfDraft(all, draftId)).filter(({ id }) => wish.lateHunkIds?.includes(id) === true);
  if (late.length < (wish.lateHunkIds?.length ?? 0)) return err(refusal("SUGGESTION_NOT_FOUND"));
  const typed = carryOver(base, view.text, wish.changes);
  const text = late.reduce((now, hunk) => putIn(now, hunk, current), typed);
  const refused = whyUnfit(text);
  if (refused !== null) return err(refused);
  const changed = suggestionsAfter(text, { ...ground, draftId, own, view, late });
  if (!changed.ok) return changed;
  const isAsTyped = late.length === 0 && base === view.text;
  return ok({ answer: { hash: sha256Hex(text), text: isAsTyped ? null : text }, changed: changed.value });
}

/** Puts a late write into the text of a draft; words of both are merged. */
function putIn(text: string, hunk: SuggestedHunk, current: AuthoredText): string {
  const late = viewDraft([hunk], current).text;
  return carryOver(current.text, text, diffChanges(current.text, late));
}

function suggestionsAfter(
  text: string,
  draft: Ground & {
    readonly draftId: DraftId;
    readonly own: readonly SuggestedHunk[];
    readonly view: DraftView;
    readonly late: readonly SuggestedHunk[];
  },
): Result<readonly Suggestion[], Refusal> {
  const { all, current, own, view, late, author, draftId } = draft;
  const mine = all.findLast((one) => isOfDraft(one, draftId) && isBy(one, author));
  let number = mine === undefined ? 0 : mine.hunks.reduce((last, { id }) => Math.max(last, numberOf(id)), 0);
  const holder = mine?.id ?? draft.id;
  const first = number;
  const planned = replan(own, current, text, (count) => `${holder}.${(number = first + count)}` as HunkId, viewDraft);
  const { openHunksMax: max } = hubLimits;
  const waiting = own.length + planned.fresh.length - planned.replaced.length;
  if (planned.fresh.length > 0 && waiting > max) return err(refusal("REVIEW_FULL", { actual: waiting, max }));
  const gone = [...planned.replaced, ...late.map(({ id }) => id)];
  const beside = { text: current.text, placed: [...view.placed], replaced: gone, suggestions: all };
  const placedLate = viewDraft(late, current).placed;
  const fresh = withEarlierWriters(
    planned.fresh,
    { ...beside, placed: [...beside.placed, ...placedLate] },
    author.actor,
  );
  return ok(stored({ ...planned, fresh, replaced: gone }, mine, draft));
}

/** A person's own suggestion in the draft is continued, so that typing for an hour leaves one row. */
function stored(
  { fresh, replaced: gone }: Replanned,
  mine: Suggestion | undefined,
  { all, author, draftId, id, createdAt, canvasVersion }: Ground & { readonly draftId: DraftId },
): readonly Suggestion[] {
  const others = replaced(
    all.filter((one) => one !== mine),
    gone,
  );
  if (fresh.length === 0) return [...others, ...(mine === undefined ? [] : replaced([mine], gone))];
  const { actor, replica } = author;
  const left = mine?.hunks.filter((hunk) => hunk.state !== "replaced" && !gone.includes(hunk.id)) ?? [];
  const [first, ...rest] = [...left, ...fresh];
  if (first === undefined) return others;
  const hunks = [first, ...rest];
  if (mine !== undefined) return [...others, { ...mine, version: mine.version + 1, canvasVersion, replica, hunks }];
  const canvasId = must(all[0], "a draft has a suggestion").canvasId;
  const made = { id, canvasId, version: 1, canvasVersion, author: actor, replica, reason: "draft", draftId } as const;
  return [...others, { ...made, createdAt, hunks }];
}

function isBy({ author }: Suggestion, { actor }: Ground["author"]): boolean {
  return author.type === "person" && author.id === actor.id;
}

function numberOf(id: HunkId): number {
  return Number(id.slice(id.lastIndexOf(".") + 1));
}
