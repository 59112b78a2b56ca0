import type { ModelActor } from "../../../core/base/actor.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { HunkId, SuggestionId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { headerAfter } from "../../../core/block/header-after.ts";
import { mergedProposal, planProposal, proposalHunk } from "../../../core/block/suggestion/header-proposal.ts";
import type { HeaderProposal } from "../../../core/block/suggestion/suggestion.ts";
import { replaced } from "../../../core/block/suggestion/review.ts";
import { isByRun, openHunks, type SuggestedHunk, type Suggestion } from "../../../core/block/suggestion/suggestion.ts";
import type { BlockChangeBody, BlockHeader } from "../../../core/block/types.ts";
import type { Author } from "../record/types.ts";
import { hubLimits } from "../record/limits.ts";

/** A new suggestion about a canvas itself: nothing where the canvas is so already, or the same one waits. */
interface Proposed {
  readonly suggestion: Suggestion | null;
  /** The suggestion, and the earlier ones whose place it takes. */
  readonly changed: readonly Suggestion[];
}

/** Plans an agent's proposal; it takes the place of the run's earlier one of its kind. */
export function planProposed(
  header: BlockHeader,
  all: readonly Suggestion[],
  made: {
    readonly author: Author & { readonly actor: ModelActor };
    readonly proposes: HeaderProposal;
    readonly id: SuggestionId;
    readonly createdAt: number;
  },
): Result<Proposed, Refusal> {
  const { author, proposes, id, createdAt } = made;
  const planned = planProposal(header, proposes);
  if (!planned.ok) return planned;
  const own = all.filter((one) => isByRun(one, author.actor.runId) && one.reason === "policy");
  const merged = mergedProposal(own, proposes);
  if (planned.value.length === 0 || merged.isKnown) return ok({ suggestion: null, changed: [] });
  const { openHunksMax: max } = hubLimits;
  const waiting = openHunks(all).length;
  if (waiting >= max) return err(refusal("REVIEW_FULL", { actual: waiting + 1, max }));
  const suggestion: Suggestion = {
    id,
    canvasId: header.id,
    version: 1,
    canvasVersion: header.version,
    author: author.actor,
    replica: author.replica,
    reason: "policy",
    createdAt,
    hunks: [proposalHunk(`${id}.1` as HunkId, merged.proposes)],
  };
  return ok({ suggestion, changed: [...replaced(all, merged.replaced), suggestion] });
}

/** Returns the changes of kept proposals, a deletion last; none for what the canvas is already. */
export function keepProposals(
  header: BlockHeader,
  proposals: readonly SuggestedHunk[],
): Result<readonly BlockChangeBody[], Refusal> {
  const bodies: BlockChangeBody[] = [];
  let next = header;
  for (const { proposes } of proposals) {
    const planned = proposes === undefined ? ok([]) : planProposal(next, proposes);
    if (!planned.ok) return planned;
    for (const body of planned.value) {
      bodies.push(body);
      next = headerAfter(next, { version: next.version, at: next.updatedAt, body });
    }
  }
  const deletions = bodies.filter(({ type }) => type === "deleted");
  return ok([...bodies.filter(({ type }) => type !== "deleted"), ...deletions.slice(0, 1)]);
}
