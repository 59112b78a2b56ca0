import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { BlockId, ToolCallId, TurnId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { decidedAgain, reopened } from "../../../core/block/suggestion/review.ts";
import type { Suggestion } from "../../../core/block/suggestion/suggestion.ts";
import type { BlockChangeBody } from "../../../core/block/types.ts";
import type { Store, StoreRefusal, StoreWrite } from "../../../core/port/store.ts";
import type { TextChange } from "../../../core/text/types.ts";
import type { Lane, PreparedMutation } from "../queue/lane.ts";
import { commitAttemptsMax } from "../record/limits.ts";
import type { Mutation } from "../queue/mutation.ts";
import type { OpenBlock } from "../block/open-block.ts";
import { putSuggestion } from "../review/suggestions.ts";
import type { Author, TurnedChange, TurnUndo } from "../record/types.ts";
import type { UndoStep } from "../record/undo-ledger.ts";
import type { Writer } from "../record/writer.ts";

/** Undo or redo, as the stored change names it. */
export type Direction = "undoes" | "redoes";

/** What was turned over in memory: the row that says so, what it did to the text, and whose units they were. */
interface Turned {
  readonly body: BlockChangeBody;
  readonly delta: readonly TextChange[];
  /** The step that was taken. */
  readonly step: UndoStep;
}

interface TurnOver {
  readonly direction: Direction;
  readonly steps: Iterable<UndoStep>;
  /** Asked before a step is taken: what stands in its way. */
  readonly review: (step: UndoStep) => Refusal | null;
}

/** Turns over, in memory, the first of these steps that still changes anything. */
function turnOver(block: OpenBlock, writer: Writer, { direction, steps, review }: TurnOver): Result<Turned, Refusal> {
  block.endTyping(writer.agent);
  for (const step of steps) {
    const refused = review(step);
    if (refused !== null) return err(refused);
    const cancelled = block.cancel(writer, step.spans);
    if (!cancelled.ok) return cancelled;
    const { body, delta } = cancelled.value;
    // Others have taken back all that this one did: the one before it is meant.
    if (body !== null) return ok({ body: { ...body, [direction]: step.unitIds }, delta, step });
    if (step.spans.length === 0) return ok({ body: reviewTurned(writer, direction, step), delta, step });
  }
  return err(nothingTo(direction));
}

interface OwnTurn {
  readonly writer: Writer;
  readonly direction: Direction;
  /** Only what this tool call did; else the last of the author's units that still changes anything. */
  readonly toolCallId: ToolCallId | undefined;
}

/** What turns over one of the author's own units, with the states of the suggestions about which it had decided. */
export function turningOverOwn(
  { store, whyRefused }: Pick<TurnOverPorts, "store" | "whyRefused">,
  { writer, direction, toolCallId }: OwnTurn,
) {
  let made: Omit<TurnedChange, "version"> = { text: "", delta: [], changedByOthers: [] };
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
      suggestions = header.policy === undefined ? [] : await store.suggestions(id, true);
    },
    also: () => reviewed.map(putSuggestion),
    plan: (block) => {
      const refused = whyRefused(writer, block);
      if (refused !== null) return err(refused);
      const { ledger } = block;
      const { agent } = writer;
      const steps = direction === "undoes" ? ledger.undoable(agent, toolCallId) : ledger.redoable(agent, toolCallId);
      const turned = turnOver(block, writer, { direction, steps, review });
      if (!turned.ok) {
        const hadMore = turned.error.code === "NOTHING_TO_UNDO" && ledger.hasForgotten(agent);
        return hadMore ? err(refusal("UNDO_TOO_OLD")) : turned;
      }
      const { body, delta, step } = turned.value;
      made = { text: block.document.text(), delta, changedByOthers: ledger.othersSinceUnits(step.unitIds) };
      return ok([body]);
    },
  };
  return { mutation, made: () => made, reviewed: () => reviewed };
}

/** Of suggestions that were rejected, which changed no text. */
function reviewTurned({ unit, agent }: Writer, direction: Direction, { unitIds, hunkIds }: UndoStep): BlockChangeBody {
  return { type: "review", unit, hunkIds, reviewer: agent, [direction]: unitIds };
}

interface TurnOverPorts {
  readonly store: Store;
  /** The queue of the block's document, as it is now. */
  readonly laneOf: (blockId: BlockId) => Lane;
  readonly whyRefused: (author: Author, block: OpenBlock) => Refusal | null;
}

/** What is stored in the transaction that turns over a turn, given what it changes. */
export type AlsoWithTurn = (turned: readonly TurnUndo[]) => readonly StoreWrite[];

interface TurnOverWish {
  readonly writer: Writer;
  readonly turnId: TurnId;
  readonly direction: Direction;
  readonly also: AlsoWithTurn;
}

/** Turns over everything that an agent's turn did to files: in one transaction, all of them or none. */
export async function turnOverTurn(
  ports: TurnOverPorts,
  wish: TurnOverWish,
): Promise<Result<readonly TurnUndo[], Refusal>> {
  const files: BlockId[] = [];
  for (const blockId of new Set((await ports.store.changesOfTurn(wish.turnId)).map((change) => change.blockId))) {
    // The parts of its reply are the conversation's history; only what it wrote into files can be taken back.
    const header = await ports.store.block(blockId);
    if (header?.kind === "file" && header.deletedAt === undefined) files.push(blockId);
  }
  // Whoever holds several queues takes them in one order, so that two of them never wait for each other.
  return heldTogether(ports, files.toSorted(), new Map(), (lanes) => turnOverFiles(ports, wish, lanes));
}

type Lanes = ReadonlyMap<BlockId, Lane>;
type TurnedFiles = Result<readonly TurnUndo[], Refusal>;

function heldTogether(
  ports: TurnOverPorts,
  [next, ...rest]: readonly BlockId[],
  held: Lanes,
  work: (lanes: Lanes) => Promise<TurnedFiles>,
): Promise<TurnedFiles> {
  if (next === undefined) return work(held);
  const lane = ports.laneOf(next);
  const within = new Map([...held, [next, lane]]);
  // A document of several files is held once.
  return [...held.values()].includes(lane)
    ? heldTogether(ports, rest, within, work)
    : lane.alone(() => heldTogether(ports, rest, within, work));
}

async function turnOverFiles(
  ports: TurnOverPorts,
  wish: TurnOverWish,
  lanes: Lanes,
  attempt = 1,
): Promise<TurnedFiles> {
  if (await isTooOld(ports.store, wish.turnId)) return err(refusal("UNDO_TOO_OLD"));
  const prepared: PreparedMutation[] = [];
  const drop = (): void => {
    for (const mutation of prepared) mutation.dropped();
  };
  try {
    const turned: TurnUndo[] = [];
    for (const [blockId, lane] of lanes) {
      const { mutation, others } = turningOver(ports, wish, blockId);
      const planned = await lane.prepareNow(mutation);
      prepared.push(planned);
      const { outcome } = planned;
      if (outcome.ok) turned.push({ blockId, version: outcome.value.version, changedByOthers: others() });
      else if (outcome.error.code !== nothingTo(wish.direction).code) {
        drop();
        return outcome;
      }
    }
    if (turned.length === 0) {
      drop();
      return err(nothingTo(wish.direction));
    }
    const committed = await ports.store.commit([...prepared.flatMap(({ writes }) => writes), ...wish.also(turned)]);
    if (committed.ok) {
      for (const mutation of prepared) mutation.committed();
      return ok(turned);
    }
    drop();
    return committed.error.code === "CONFLICT" && attempt < commitAttemptsMax
      ? await turnOverFiles(ports, wish, lanes, attempt + 1)
      : err(refusalOf(committed.error));
  } catch (bug) {
    drop();
    throw bug;
  }
}

/** Whether some file has let go of what the turn did there: it cannot be turned over whole any more. */
async function isTooOld(store: Store, turnId: TurnId): Promise<boolean> {
  for (const blockId of await store.trimmedOfTurn(turnId)) {
    const header = await store.block(blockId);
    if (header?.kind === "file" && header.deletedAt === undefined) return true;
  }
  return false;
}

function turningOver({ whyRefused }: TurnOverPorts, { writer, turnId, direction }: TurnOverWish, blockId: BlockId) {
  let others: readonly string[] = [];
  const mutation = {
    blockId,
    author: writer,
    needsLedger: true,
    plan: (block: OpenBlock): Result<readonly BlockChangeBody[], Refusal> => {
      const refused = whyRefused(writer, block);
      if (refused !== null) return err(refused);
      const { ledger } = block;
      others = ledger.othersSince(turnId);
      const steps = direction === "undoes" ? ledger.turnUndoable(turnId) : ledger.turnRedoable(turnId);
      // What a person kept is that person's act, no turn's.
      const turned = turnOver(block, writer, { direction, steps, review: () => null });
      return turned.ok ? ok([turned.value.body]) : turned;
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
