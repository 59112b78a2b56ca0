import type { ModelActor } from "../../../core/base/actor.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import type { BlockId, DocumentId, RootId, RunId, TurnId } from "../../../core/base/ids.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import type { NonEmptyArray } from "../../../core/base/non-empty.ts";
import type { Result } from "../../../core/base/result.ts";
import type { BlockKind } from "../../../core/block/kinds.ts";
import type { BlockRole } from "../../../core/block/types.ts";
import type { SyntaxTool } from "../../../core/syntax/base/tools.ts";
import type { ToolFacts } from "../../../core/tool/facts.ts";
import type { ToolAnswer, TurnKind } from "../../../core/tool/types.ts";
import type { ToolCall } from "../../../core/turn/state.ts";
import type { SubAgent, SubAgentOutcome } from "../../../core/turn/sub-agent.ts";

/** What a live block is opened with. `metadata` names its run and place; the hub stores it as given. */
export interface LiveBlockSeed {
  /** The conversation whose document holds the block. */
  readonly rootId: RootId;
  readonly kind: Exclude<BlockKind, "file">;
  readonly role: BlockRole;
  readonly actor: ModelActor;
  /** Always has `run_id` and `turn_id`; `tool_name` and `tool_call_id` for calls and results. */
  readonly metadata: JsonObject;
}

/** A live block as it was left behind by a process that died. */
export interface LeftBlock {
  readonly id: BlockId;
  readonly kind: BlockKind;
  readonly metadata: JsonObject;
  readonly text: string;
}

/**
 * Where the parts of a reply grow while they stream. The document hub implements it; watchers follow the blocks there.
 * Once a part is done the node's message is the one stored truth, so a lost tail of a live block loses nothing else.
 */
export interface LiveBlocks {
  /** Creates a block with status `running`, after the conversation's other blocks. */
  open(seed: LiveBlockSeed): Promise<BlockId>;
  /** Takes text at once and in order; the hub writes it in batches (newline, more than 50 characters, 100 ms). */
  append(id: BlockId, text: string): void;
  /** Writes what is still buffered and closes the block. Closing a closed block is harmless. */
  finish(id: BlockId, status: "done" | "error"): Promise<void>;
  /** The blocks of a conversation that are still `pending` or `running`, oldest first: asked once, after a restart. */
  unfinished(rootId: RootId): Promise<readonly LeftBlock[]>;
  /**
   * Conversations are deleted by `commit`, with the documents that hold their blocks: meanwhile nothing happens in these, and
   * afterwards they are forgotten.
   */
  remove(
    rootIds: readonly RootId[],
    commit: (documentOf: (rootId: RootId) => DocumentId) => Promise<Result<void, Refusal>>,
  ): Promise<Result<void, Refusal>>;
}

/** For whom and on what a tool runs. */
export interface ToolContext {
  readonly rootId: RootId;
  readonly runId: RunId;
  readonly turnId: TurnId;
  readonly kind: TurnKind;
  /** The model, with its run, turn and call: goes on every mutation that the tool makes. */
  readonly actor: ModelActor;
  /** The conversation's canvas; canvas tools refuse with CANVAS_UNAVAILABLE where there is none. */
  readonly canvasId: BlockId | null;
  /** Working folder, fixed when the conversation was created. */
  readonly cwd: string;
  /** Shows people what the running tool tells, as it comes. The model reads the answer alone. */
  progress(text: string): void;
}

/** For whom tools are offered. */
export interface OfferContext {
  readonly rootId: RootId;
  readonly canvasId: BlockId | null;
  readonly kind: TurnKind;
  /** What one turn is offered stays what it was when the turn began; without a turn, what there is now. */
  readonly turnId?: TurnId;
}

/** One source of tools that a model may call: Heddle's own, connected servers, or several sources as one. */
export interface ToolSource {
  /** Waits, not long, for tools that are being connected. Called before an offer. Resolves when the signal aborts. */
  ready?(signal: AbortSignal): Promise<void>;
  /** Returns what the model is offered; equal contexts give equal lists in equal order. */
  definitions(context: OfferContext): readonly SyntaxTool[];
  /** Returns instructions about these tools, sent after the conversation's own system prompt; empty for none. */
  prompt?(context: { readonly canvasId: BlockId | null; readonly kind?: TurnKind }): string;
  /**
   * Returns the facts by which a call is judged, under whatever name a model calls the tool; null when the source does not
   * have it. With a turn, the facts of the tool that a call of this turn runs.
   */
  facts(name: string, turnId?: TurnId): ToolFacts | null;
  /**
   * Runs one call. A refusal, an unknown tool and bad arguments are answers too. When `signal` aborts, everything
   * the call started ends within 100 ms, and its answer is dropped.
   */
  run(call: ToolCall, context: ToolContext, signal: AbortSignal): Promise<ToolAnswer>;
}

/** The run that sets agents to work, where it stands. */
export interface AgentParent {
  readonly rootId: RootId;
  readonly runId: RunId;
  readonly turnId: TurnId;
  /** `provider/model` of its turn. */
  readonly model: string;
  readonly cwd: string;
}

/** Agents that work for a run, each in a conversation of its own. */
export interface SubAgents {
  /** Reads a call that asks for agents, and names them; nothing begins yet. A refusal is the tool's answer. */
  plan(call: ToolCall, parent: AgentParent): Promise<Result<NonEmptyArray<SubAgent>, ToolAnswer>>;
  /**
   * Sets an agent to work unless it is there already, and waits for its end, however long ago that was. When `signal`
   * aborts nobody waits any more; the agent goes on.
   */
  outcome(agent: SubAgent, parent: AgentParent, signal: AbortSignal): Promise<SubAgentOutcome>;
  /** Ends an agent and waits for its end, until `signal` aborts; one that never began has been cancelled. */
  cancel(agent: SubAgent, parent: AgentParent, signal: AbortSignal): Promise<SubAgentOutcome>;
}
