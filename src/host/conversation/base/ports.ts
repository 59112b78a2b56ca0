import type { Reach } from "../../access/reach.ts";
import type { ModelActor } from "../../../core/base/actor.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import type { BlockId, DocumentId, FolderId, RootId, RunId, TurnId } from "../../../core/base/ids.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import type { NonEmptyArray } from "../../../core/base/non-empty.ts";
import type { Result } from "../../../core/base/result.ts";
import type { BlockKind } from "../../../core/block/kinds.ts";
import type { MessagePlace, SealedText } from "../../../core/block/live-block.ts";
import type { BlockRole } from "../../../core/block/types.ts";
import type { SyntaxTool } from "../../../core/syntax/base/tools.ts";
import type { FamilyInUse } from "../../../core/tool/families-in-use.ts";
import type { ToolFacts } from "../../../core/tool/base/facts.ts";
import type { ToolsOff } from "../../../core/tool/tools-off.ts";
import type { ToolAnswer, TurnKind } from "../../../core/tool/base/types.ts";
import type { Answer, Question } from "../../../core/turn/state/question.ts";
import type { WorkingDraft } from "../../../core/turn/state/settings.ts";
import type { ToolCall } from "../../../core/turn/state/state.ts";
import type { SubAgent, SubAgentOutcome } from "../../../core/turn/state/sub-agent.ts";

/** The values a live block is opened with. `metadata` names its run and place; the hub stores it as given. */
export interface LiveBlockSeed {
  /** The conversation whose document holds the block. */
  readonly rootId: RootId;
  readonly kind: Exclude<BlockKind, "file">;
  readonly role: BlockRole;
  readonly actor: ModelActor;
  /** Always has `run_id` and `turn_id`; `tool_name` and `tool_call_id` for calls and results. */
  readonly metadata: JsonObject;
}

/** The text of a live block that nobody can change any more, with what people changed in it. */
export interface SealedBlock extends SealedText {
  readonly id: BlockId;
}

/** A live block that a process left unfinished when it died, sealed. */
export interface UnfinishedBlock extends SealedBlock {
  readonly kind: BlockKind;
  readonly metadata: JsonObject;
}

/**
 * The blocks in which the parts of a reply grow while they stream. The document hub implements it; watchers follow the
 * blocks there. Once a part is complete, the node's message is the only stored truth, so losing the end of a live block
 * loses nothing else.
 */
export interface LiveBlocks {
  /** Creates a block with status `running`, after the conversation's other blocks. */
  open(seed: LiveBlockSeed): Promise<BlockId>;
  /** Appends text synchronously and in order; the hub writes it in batches (newline, more than 50 characters, 100 ms). */
  append(id: BlockId, text: string): void;
  /** Writes the buffered text and refuses edits from now on; the text is what the message is made of. */
  seal(id: BlockId): Promise<SealedBlock>;
  /**
   * Writes the buffered text and closes the block; `place` is where its text is in a stored message. Does nothing to a
   * closed block.
   */
  finish(id: BlockId, status: "done" | "error", place?: MessagePlace): Promise<void>;
  /**
   * Seals the blocks of a conversation that are still `pending` or `running` and returns them, oldest first. Called once,
   * after a restart.
   */
  unfinished(rootId: RootId): Promise<readonly UnfinishedBlock[]>;
  /**
   * Deletes conversations through `commit`, with the documents that hold their blocks. The documents are locked until it
   * ends, and forgotten afterwards.
   */
  remove(
    rootIds: readonly RootId[],
    commit: (documentOf: (rootId: RootId) => DocumentId) => Promise<Result<void, Refusal>>,
  ): Promise<Result<void, Refusal>>;
}

/** The caller and the surroundings of a tool call. */
export interface ToolContext {
  readonly rootId: RootId;
  readonly runId: RunId;
  readonly turnId: TurnId;
  readonly kind: TurnKind;
  /** The model, with its run, turn and call; recorded on every mutation of the tool. */
  readonly actor: ModelActor;
  /** The conversation's canvas; without one, canvas tools refuse with CANVAS_UNAVAILABLE. */
  readonly canvasId: BlockId | null;
  /** The folder of the conversation, fixed when it was created; null without one. */
  readonly folderId: FolderId | null;
  /** The draft that the turn works in. Absent: the texts that everybody shares. */
  readonly draft?: WorkingDraft;
  /** Whether values of the call lost their last newline: see `Syntax.readsNoLastNewline`. */
  readonly lacksLastNewline?: boolean;
  /** Tools that are switched off in the conversation. */
  readonly off?: ToolsOff;
  /** What the caller may know of, where its token reaches less than the workspace. */
  readonly reach?: Reach | null;
  /** Shows people the output of the running tool as it comes. The model reads only the answer. */
  progress(text: string): void;
  /**
   * Asks a person in the midst of the call, in the name of the program that it runs; null: they declined, or nobody answered. Absent
   * where no turn can wait.
   */
  readonly ask?: AskInCall;
}

/** Asks a person in the name of a program. */
export type AskInCall = (asked: {
  readonly asker: string;
  readonly questions: NonEmptyArray<Question>;
}) => Promise<readonly Answer[] | null>;

/** The conversation and turn that tools are offered to. */
export interface OfferContext {
  readonly rootId: RootId;
  readonly canvasId: BlockId | null;
  readonly folderId: FolderId | null;
  readonly kind: TurnKind;
  /** With a turn, returns the tools as they were when it began; without one, the current tools. */
  readonly turnId?: TurnId;
  /**
   * The families that the branch works with or has asked for: the others of `familiesOnAsking` are not offered, and the
   * model may ask for them. Absent: all are offered.
   */
  readonly inUse?: ReadonlySet<FamilyInUse>;
  /** Tools that are switched off in the conversation. */
  readonly off?: ToolsOff;
  /** What the turn may know of; absent: everything. */
  readonly reach?: Reach | null;
}

/** A source of tools that a model may call: Heddle's own, connected servers, or several sources combined. */
export interface ToolSource {
  /** Waits briefly for tools that are being connected. Called before an offer. Resolves when the signal aborts. */
  ready?(signal: AbortSignal, context: OfferContext): Promise<void>;
  /** Returns what the model is offered; equal contexts give equal lists in equal order. */
  definitions(context: OfferContext): readonly SyntaxTool[];
  /** Returns instructions about these tools, sent after the conversation's own system prompt; empty for none. */
  prompt?(
    context: Pick<OfferContext, "canvasId" | "folderId" | "inUse" | "off"> & { readonly kind?: TurnKind },
  ): string;
  /** Returns what the conversation's folder says about itself, sent last and also to models without tools; empty for none. */
  notes?(context: Pick<OfferContext, "rootId" | "turnId">): string;
  /**
   * Returns the facts that decide whether a call needs an approval, under any spelling of the tool's name; null if the
   * source does not have the tool. With a turn, returns the facts of the tool that a call of this turn runs.
   */
  facts(name: string, turnId?: TurnId): ToolFacts | null;
  /**
   * Runs one call. Refusals, unknown tools and invalid arguments are answers too. When `signal` aborts, everything the call
   * started ends within 100 ms, and its answer is dropped.
   */
  run(call: ToolCall, context: ToolContext, signal: AbortSignal): Promise<ToolAnswer>;
}

/** The run that starts sub-agents, at its current turn. */
export interface AgentParent {
  readonly rootId: RootId;
  readonly runId: RunId;
  readonly turnId: TurnId;
  /** `provider/model` of its turn. */
  readonly model: string;
  readonly cwd: string;
  readonly folderId: FolderId | null;
}

/** Runs the sub-agents of a run, each in a conversation of its own. */
export interface SubAgents {
  /** Parses a call that asks for sub-agents and assigns their ids; starts nothing. A refusal is the tool's answer. */
  plan(call: ToolCall, parent: AgentParent): Promise<Result<NonEmptyArray<SubAgent>, ToolAnswer>>;
  /**
   * Starts a sub-agent unless it exists, and waits for its outcome, which may be long past. When `signal` aborts, the wait
   * ends and the sub-agent continues.
   */
  outcome(agent: SubAgent, parent: AgentParent, signal: AbortSignal): Promise<SubAgentOutcome>;
  /**
   * Cancels a sub-agent and waits for its outcome until `signal` aborts; a sub-agent that never began counts as cancelled.
   */
  cancel(agent: SubAgent, parent: AgentParent, signal: AbortSignal): Promise<SubAgentOutcome>;
}
