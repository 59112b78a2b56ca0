import { must } from "../../../core/base/assert.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { BlockId, HunkId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { revisionId } from "../../../core/block/revision.ts";
import type { Suggestion } from "../../../core/block/suggestion/suggestion.ts";
import type { Store, StoreWrite } from "../../../core/port/store.ts";
import type { ReviewedHunks } from "../../../core/protocol/commands.ts";
import type { OpenBlock } from "../block/open-block.ts";
import { heldTogether, type HeldLanes } from "../queue/held-together.ts";
import type { PreparedMutation } from "../queue/lane.ts";
import type { Lanes } from "../queue/lanes.ts";
import type { Mutation } from "../queue/mutation.ts";
import { commitAttemptsMax } from "../record/limits.ts";

/** What a person takes of one document: the named hunks, or all that apply. */
export interface TakeWish {
  readonly canvasId: BlockId;
  readonly hunkIds?: readonly HunkId[] | undefined;
}

/** A step of a review that its document's queue has not planned yet. */
export interface BegunReview {
  readonly mutation: Mutation;
  /** Returns the step once it is planned, given the version that has it. */
  readonly done: (version: number) => { readonly changed: readonly Suggestion[]; readonly reviewed: ReviewedHunks };
}

/** What was taken in one document. */
export interface TakenDocument extends ReviewedHunks {
  readonly canvasId: BlockId;
}

/** Returns further writes of a take's transaction. */
export type AlsoWithTake = (taken: readonly TakenDocument[]) => readonly StoreWrite[];

interface Taken {
  readonly documents: readonly TakenDocument[];
  readonly changed: readonly { readonly canvasId: BlockId; readonly changed: readonly Suggestion[] }[];
}

interface Taking {
  readonly begin: (wish: TakeWish) => BegunReview;
  readonly also: AlsoWithTake;
}

type Ports = { readonly store: Pick<Store, "commit">; readonly lanes: Lanes };

/** Takes parts of several documents in one transaction. What is refused in one of them is refused in all. */
export function takeTogether(
  ports: Ports,
  wishes: readonly TakeWish[],
  taking: Taking,
): Promise<Result<Taken, Refusal>> {
  const ids = wishes.map(({ canvasId }) => canvasId);
  const wishesById = new Map(wishes.map((wish) => [wish.canvasId, wish]));
  return heldTogether(
    (id) => ports.lanes.of(id),
    ids,
    (lanes) => takeIn(ports, { ...taking, lanes, wishesById }),
  );
}

async function takeIn(
  ports: Ports,
  held: Taking & { readonly lanes: HeldLanes; readonly wishesById: ReadonlyMap<BlockId, TakeWish> },
  attempt = 1,
): Promise<Result<Taken, Refusal>> {
  const { lanes, wishesById, begin, also } = held;
  const prepared: PreparedMutation[] = [];
  const drop = (): void => {
    for (const mutation of prepared) mutation.dropped();
  };
  try {
    const documents: TakenDocument[] = [];
    const changed: Taken["changed"][number][] = [];
    let conflict: Refusal | null = null;
    for (const [canvasId, lane] of lanes) {
      const wish = must(wishesById.get(canvasId), "a held document was asked for");
      const { mutation, done } = begin(wish);
      const planned = await lane.prepareNow(mutation);
      const { outcome } = planned;
      if (!outcome.ok && wish.hunkIds === undefined && outcome.error.code === "SUGGESTION_CONFLICT") {
        // Everything that the draft has here is in conflict: it is left, and the other documents are taken.
        planned.dropped();
        conflict = outcome.error;
        const block = must(await lane.settled(canvasId, { ofDrafts: true }), "a document with hunks");
        documents.push({ canvasId, ...nothingTaken(block, outcome.error) });
        continue;
      }
      prepared.push(planned);
      if (!outcome.ok) {
        drop();
        return outcome;
      }
      const step = done(outcome.value.version);
      documents.push({ canvasId, ...step.reviewed });
      changed.push({ canvasId, changed: step.changed });
    }
    if (changed.length === 0) return err(conflict ?? refusal("SUGGESTION_NOT_FOUND"));
    const committed = await ports.store.commit([...prepared.flatMap(({ writes }) => writes), ...also(documents)]);
    if (committed.ok) {
      for (const mutation of prepared) mutation.committed();
      return ok({ documents, changed });
    }
    drop();
    const { code } = committed.error;
    if (code === "CONFLICT" && attempt < commitAttemptsMax) return await takeIn(ports, held, attempt + 1);
    return err(refusal(code === "DUPLICATE_REQUEST" ? "INTERNAL" : code));
  } catch (bug) {
    drop();
    throw bug;
  }
}

function nothingTaken({ header, document }: OpenBlock, { details }: Refusal): ReviewedHunks {
  const { version } = header;
  const ids = details?.["hunk_ids"];
  const conflicts = Array.isArray(ids) ? (ids as HunkId[]) : [];
  return { version, revisionId: revisionId(version, document.text()), hunkIds: [], conflicts };
}
