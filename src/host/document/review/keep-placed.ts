import { must } from "../../../core/base/assert.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { HunkId } from "../../../core/base/ids.ts";
import { meetingHunks, viewDraft } from "../../../core/block/suggestion/draft-view.ts";
import type { AuthoredText } from "../../../core/block/suggestion/hunk-place.ts";
import { changesOf, placeHunks, type PlacedHunk } from "../../../core/block/suggestion/suggest-hunks.ts";
import type { SuggestedHunk, Suggestion } from "../../../core/block/suggestion/suggestion.ts";
import type { BlockChangeBody } from "../../../core/block/types.ts";
import type { OpenBlock } from "../block/open-block.ts";
import { hubLimits } from "../record/limits.ts";
import type { Author } from "../record/types.ts";

/** Returns the block's text with its blame, computed on first use. */
export function authored({ document }: OpenBlock): AuthoredText {
  let blame: AuthoredText["blame"] | undefined;
  return {
    text: document.text(),
    get blame() {
      return (blame ??= document.blame(0, document.length));
    },
  };
}

/**
 * Places hunks that a person would keep. Hunks of drafts follow their words where others wrote in their lines; of two hunks
 * about the same lines both are conflicts, unless they are of one author's work. `overruled` hunks replace those lines.
 */
export function placeToKeep(
  wish: {
    readonly all: readonly Suggestion[];
    readonly lines: readonly SuggestedHunk[];
    readonly overruled: readonly HunkId[];
  },
  current: AuthoredText,
): { readonly placed: readonly PlacedHunk[]; readonly conflicts: readonly HunkId[] } {
  const draftsByHunk = new Map(wish.all.flatMap((one) => one.hunks.map(({ id }) => [id, one.draftId] as const)));
  const ofDrafts = wish.lines.filter(({ id }) => draftsByHunk.get(id) !== undefined);
  if (ofDrafts.length === 0) {
    const { placed, conflicts } = placeHunks(wish.lines, current);
    return { placed, conflicts: conflicts.map(({ id }) => id) };
  }
  const meeting = new Set(meetingHunks(wish.lines, draftsByHunk));
  const view = viewDraft(wish.lines, current);
  const overruled = new Set(wish.overruled);
  const isInWay = (id: HunkId): boolean => meeting.has(id) || (view.conflicts.has(id) && !overruled.has(id));
  return {
    placed: view.placed.filter(({ hunk }) => !isInWay(hunk.id)),
    conflicts: wish.lines.filter(({ id }) => isInWay(id)).map(({ id }) => id),
  };
}

/**
 * Writes kept hunks, one row for each tool call that suggested some: blame leads to the call, undo belongs to the reviewer.
 */
export function keepPlaced(
  block: OpenBlock,
  author: Author,
  all: readonly Suggestion[],
  placed: readonly PlacedHunk[],
): Result<readonly BlockChangeBody[], Refusal> {
  const grown = placed.reduce((sum, { hunk, from, to }) => sum + hunk.newText.length - (to - from), 0);
  const length = block.document.length + grown;
  if (grown > 0 && length > hubLimits.textUnitsMax) {
    return err(refusal("BLOCK_TOO_LARGE", { actual: length, max: hubLimits.textUnitsMax }));
  }
  const bodies: BlockChangeBody[] = [];
  const made: { readonly at: number; readonly grown: number }[] = [];
  for (const [suggestion, own] of bySuggestion(all, placed)) {
    const changes = own.flatMap((one) => {
      // Hunks of other suggestions written before have shifted these lines.
      const shift = made.reduce((sum, other) => (other.at <= one.from ? sum + other.grown : sum), 0);
      return changesOf([one]).map(({ from, to, insert }) => ({ from: from + shift, to: to + shift, insert }));
    });
    for (const { hunk, from, to } of own) made.push({ at: to, grown: hunk.newText.length - (to - from) });
    const edited = block.edit({ ...author, serverReplica: suggestion.replica }, changes);
    const { body } = must(edited.ok ? edited.value : undefined, "an edit planned in the queue applies");
    if (body === null) continue;
    const kept = { hunkIds: own.map(({ hunk }) => hunk.id), author: suggestion.author, reviewer: author.replica };
    bodies.push({ ...body, kept });
  }
  return ok(bodies);
}

function bySuggestion(
  all: readonly Suggestion[],
  placed: readonly PlacedHunk[],
): readonly (readonly [Suggestion, readonly PlacedHunk[]])[] {
  const suggestionsByHunk = new Map(all.flatMap((of) => of.hunks.map(({ id }) => [id, of] as const)));
  const placedBySuggestion = new Map<Suggestion, PlacedHunk[]>();
  for (const one of placed) {
    const of = must(suggestionsByHunk.get(one.hunk.id), "a hunk is of a suggestion");
    const own = placedBySuggestion.get(of);
    if (own === undefined) placedBySuggestion.set(of, [one]);
    else own.push(one);
  }
  return [...placedBySuggestion];
}
