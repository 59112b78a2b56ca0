import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { BlockId, ToolCallId, TurnId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { decidedAgain, reopened } from "../../../core/block/suggestion/review.ts";
import type { Suggestion } from "../../../core/block/suggestion/suggestion.ts";
import type { BlockChange, BlockChangeBody } from "../../../core/block/types.ts";
import type { TrashEntry } from "../../../core/forest/trash-entry.ts";
import type { Platform } from "../../../core/port/platform.ts";
import type { Store, StoreRefusal, StoreWrite } from "../../../core/port/store.ts";
import type { TextChange } from "../../../core/text/types.ts";
import { keptDays, trashEntry } from "../../base/trash-time.ts";
import { trashedBlock } from "../record/trashed-block.ts";
import { heldTogether, type HeldLanes } from "../queue/held-together.ts";
import type { Lane, PreparedMutation } from "../queue/lane.ts";
import { headerRevert } from "./header-revert.ts";
import { commitAttemptsMax } from "../record/limits.ts";
import type { Mutation } from "../queue/mutation.ts";
import type { OpenBlock } from "../block/open-block.ts";
import { putSuggestion } from "../review/review-step.ts";
import type { Author, RevertedUnit, RevertedBlock } from "../record/types.ts";
import type { UndoStep } from "../record/undo-ledger.ts";
import type { Writer } from "../record/writer.ts";

/** Undo or redo, as the stored change names it. */
export type Direction = "undoes" | "redoes";

/** A revert applied in memory: its row, its changes to the text, and its step. */
interface Reverted {
  readonly body: BlockChangeBody;
  readonly delta: readonly TextChange[];
  /** The step that was reverted. */
  readonly step: UndoStep;
}

interface Revert {
  readonly direction: Direction;
  readonly steps: Iterable<UndoStep>;
  /** Called before a step is reverted; returns why the step is refused. */
  readonly review: (step: UndoStep) => Refusal | null;
}

/** Reverts, in memory, the first of these steps that still has an effect. */
function revert(block: OpenBlock, writer: Writer, { direction, steps, review }: Revert): Result<Reverted, Refusal> {
  block.endTyping(writer.replica);
  for (const step of steps) {
    const refused = review(step);
    if (refused !== null) return err(refused);
    const cancelled = block.cancel(writer, step.spans);
    if (!cancelled.ok) return cancelled;
    const { body, delta } = cancelled.value;
    // Others have removed every effect of this step, so the step before it is tried.
    if (body !== null) return ok({ body: { ...body, [direction]: step.unitIds }, delta, step });
    if (step.spans.length === 0) return ok({ body: revertedReview(writer, direction, step), delta, step });
  }
  return err(nothingTo(direction));
}

interface OwnRevert {
  readonly writer: Writer;
  readonly direction: Direction;
  /** Only the unit of this tool call; by default the last of the author's units that still has an effect. */
  readonly toolCallId: ToolCallId | undefined;
}

/** Returns the mutation that reverts one of the author's own units, with the hunk states that its decisions had set. */
export function revertOwnUnit(
  { store, whyRefused }: Pick<RevertPorts, "store" | "whyRefused">,
  { writer, direction, toolCallId }: OwnRevert,
) {
  let made: Omit<RevertedUnit, "version"> = { text: "", delta: [], changedByOthers: [] };
  let suggestions: readonly Suggestion[] = [];
  let reviewed: readonly Suggestion[] = [];
  const review = (step: UndoStep): Refusal | null => {
    const states = direction === "undoes" ? ok(reopened(suggestions, step.unitIds)) : decidedAgain(suggestions, step);
    reviewed = states.ok ? states.value : [];
    return states.ok ? null : states.error;
  };
  const mutation: Pick<Mutation, "needsLedger" | "prepare" | "also" | "plan"> = {
    needsLedger: true,
    prepare: async ({ id, header }) => {
      suggestions = header.kind !== "file" ? [] : await store.suggestions(id, true);
    },
    also: () => reviewed.map(putSuggestion),
    plan: (block) => {
      const refused = whyRefused(writer, block);
      if (refused !== null) return err(refused);
      const { ledger } = block;
      const { replica } = writer;
      const steps =
        direction === "undoes" ? ledger.undoable(replica, toolCallId) : ledger.redoable(replica, toolCallId);
      const reverted = revert(block, writer, { direction, steps, review });
      if (!reverted.ok) {
        const hadMore = reverted.error.code === "NOTHING_TO_UNDO" && ledger.hasForgotten(replica);
        return hadMore ? err(refusal("UNDO_TOO_OLD")) : reverted;
      }
      const { body, delta, step } = reverted.value;
      made = { text: block.document.text(), delta, changedByOthers: ledger.othersSinceUnits(step.unitIds) };
      return ok([body]);
    },
  };
  return { mutation, made: () => made, reviewed: () => reviewed };
}

/** Returns the row that reverts a rejection, which changed no text. */
function revertedReview(
  { unit, replica }: Writer,
  direction: Direction,
  { unitIds, hunkIds }: UndoStep,
): BlockChangeBody {
  return { type: "review", unit, hunkIds, reviewer: replica, [direction]: unitIds };
}

interface RevertPorts {
  readonly store: Store;
  readonly platform: Pick<Platform, "clock" | "random">;
  /** Returns the queue of the block's document. */
  readonly laneOf: (blockId: BlockId) => Lane;
  readonly whyRefused: (author: Author, block: OpenBlock) => Refusal | null;
}

/** Returns further writes of the transaction that reverts a turn, given the blocks that it changes. */
export type ExtraWrites = (reverted: readonly RevertedBlock[]) => readonly StoreWrite[];

interface RevertTurnWish {
  readonly writer: Writer;
  readonly turnId: TurnId;
  readonly direction: Direction;
  /** The blocks in which it is reverted; the others are as if the turn had not changed them. Null: all. */
  readonly within: ReadonlySet<BlockId> | null;
  readonly also: ExtraWrites;
}

/** Undoes or redoes an agent's turn in its files in one transaction: in all that are asked for, or in none. */
export async function revertTurn(
  ports: RevertPorts,
  wish: RevertTurnWish,
): Promise<Result<readonly RevertedBlock[], Refusal>> {
  const files: BlockId[] = [];
  const changes = await ports.store.changesOfTurn(wish.turnId);
  for (const blockId of new Set(changes.map((change) => change.blockId))) {
    if (wish.within?.has(blockId) === false) continue;
    const header = await ports.store.block(blockId);
    // Live blocks belong to the conversation's history; only a turn's edits of files, and what it deleted, can be undone.
    const hasDeleted = changes.some((change) => change.blockId === blockId && change.body.type === "deleted");
    const isFound = header?.deletedAt === undefined && (header?.kind === "file" || hasDeleted);
    if (isFound || (await isTrashedBy(ports.store, blockId, wish.turnId))) files.push(blockId);
  }
  return heldTogether(ports.laneOf, files, (lanes) => revertInFiles(ports, wish, lanes));
}

/** Returns whether a block is in the trash because of this turn. */
async function isTrashedBy(store: Store, blockId: BlockId, turnId: TurnId): Promise<boolean> {
  const by = (await store.trashed(blockId))?.by;
  return by?.type === "model" && by.turnId === turnId;
}

type RevertedFiles = Result<readonly RevertedBlock[], Refusal>;

async function revertInFiles(
  ports: RevertPorts,
  wish: RevertTurnWish,
  lanes: HeldLanes,
  attempt = 1,
): Promise<RevertedFiles> {
  if (await isTooOld(ports.store, wish)) return err(refusal("UNDO_TOO_OLD"));
  const rows = Map.groupBy(await ports.store.changesOfTurn(wish.turnId), ({ blockId }) => blockId);
  const days = await keptDays(ports.store);
  const prepared: PreparedMutation[] = [];
  const drop = (): void => {
    for (const mutation of prepared) mutation.dropped();
  };
  try {
    const reverted: RevertedBlock[] = [];
    for (const [blockId, lane] of lanes) {
      const { mutation, others } = revertInBlock(ports, wish, {
        blockId,
        rows: rows.get(blockId) ?? [],
        trashed: await ports.store.trashed(blockId),
        deletesAgain: await deletesAgain(ports.store, wish, blockId),
        days,
      });
      const planned = await lane.prepareNow(mutation);
      prepared.push(planned);
      const { outcome } = planned;
      if (outcome.ok) reverted.push({ blockId, version: outcome.value.version, changedByOthers: others() });
      else if (outcome.error.code !== nothingTo(wish.direction).code) {
        drop();
        return outcome;
      }
    }
    if (reverted.length === 0) {
      drop();
      return err(nothingTo(wish.direction));
    }
    const committed = await ports.store.commit([...prepared.flatMap(({ writes }) => writes), ...wish.also(reverted)]);
    if (committed.ok) {
      for (const mutation of prepared) mutation.committed();
      return ok(reverted);
    }
    drop();
    return committed.error.code === "CONFLICT" && attempt < commitAttemptsMax
      ? await revertInFiles(ports, wish, lanes, attempt + 1)
      : err(refusalOf(committed.error));
  } catch (bug) {
    drop();
    throw bug;
  }
}

/** Returns whether compaction dropped changes of the turn in some file, so that it cannot be reverted as a whole. */
async function isTooOld(store: Store, { turnId, within }: RevertTurnWish): Promise<boolean> {
  for (const blockId of await store.trimmedOfTurn(turnId)) {
    if (within?.has(blockId) === false) continue;
    const header = await store.block(blockId);
    if (header?.kind === "file" && header.deletedAt === undefined) return true;
  }
  return false;
}

/** Returns whether redoing a turn deletes a block again: the last thing that happened to it is that the turn was undone. */
async function deletesAgain(store: Store, { direction, turnId }: RevertTurnWish, blockId: BlockId): Promise<boolean> {
  if (direction === "undoes") return false;
  const moves = (await store.changes({ blockId, afterVersion: 0 })).flatMap(({ body }) =>
    body.type === "deleted" || body.type === "restored" ? [body] : [],
  );
  const last = moves.at(-1);
  return last?.type === "restored" && last.undoes === turnId;
}

/** A block of the turn, with what the revert needs to know of it. */
interface BlockOfTurn {
  readonly blockId: BlockId;
  /** The turn's changes, oldest first. */
  readonly rows: readonly BlockChange[];
  readonly trashed: TrashEntry | null;
  readonly deletesAgain: boolean;
  /** See `keptDays`. */
  readonly days: number | null;
}

function revertInBlock(
  { whyRefused, platform }: RevertPorts,
  { writer, turnId, direction }: RevertTurnWish,
  { blockId, rows, trashed, deletesAgain: deletes, days }: BlockOfTurn,
) {
  let others: readonly string[] = [];
  let moves: readonly StoreWrite[] = [];
  const mutation = {
    blockId,
    author: writer,
    needsLedger: true,
    revives: trashed !== null,
    also: () => moves,
    plan: (block: OpenBlock): Result<readonly BlockChangeBody[], Refusal> => {
      const refused = trashed === null ? whyRefused(writer, block) : null;
      if (refused !== null) return err(refused);
      const { ledger, header } = block;
      others = ledger.othersSince(turnId);
      const steps = direction === "undoes" ? ledger.turnUndoable(turnId) : ledger.turnRedoable(turnId);
      // Kept suggestions are the reviewer's edits, not the turn's.
      const reverted = revert(block, writer, { direction, steps, review: () => null });
      if (!reverted.ok && reverted.error.code !== nothingTo(direction).code) return reverted;
      const entry = deletes ? trashEntry(platform, days, trashedBlock(writer, header)) : null;
      moves = [
        ...(trashed === null ? [] : [{ type: "delete-trash", id: trashed.id } as const]),
        ...(entry === null ? [] : [{ type: "put-trash", entry } as const]),
      ];
      const bodies: readonly BlockChangeBody[] = [
        ...(trashed === null ? [] : [{ type: "restored", undoes: turnId } as const]),
        ...(reverted.ok ? [reverted.value.body] : []),
        ...headerRevert(rows, header, direction),
        ...(entry === null ? [] : [{ type: "deleted" } as const]),
      ];
      return bodies.length === 0 ? err(nothingTo(direction)) : ok(bodies);
    },
  };
  return { mutation, others: () => others };
}

function nothingTo(direction: Direction): Refusal {
  return refusal(direction === "undoes" ? "NOTHING_TO_UNDO" : "NOTHING_TO_REDO");
}

function refusalOf({ code }: StoreRefusal): Refusal {
  return refusal(code === "DUPLICATE_REQUEST" ? "INTERNAL" : code);
}
