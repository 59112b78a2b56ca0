import type { ModelActor } from "../../core/base/actor.ts";
import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId, DocumentId, RootId, RunId, TurnId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { NonEmptyArray } from "../../core/base/non-empty.ts";
import type { Result } from "../../core/base/result.ts";
import type { BlockKind, BlockRole } from "../../core/block/types.ts";
import type { LeaseWrite } from "../../core/port/store.ts";
import type { SyntaxTool } from "../../core/syntax/tools.ts";
import type { ToolFacts } from "../../core/tool/facts.ts";
import type { ToolAnswer, TurnKind } from "../../core/tool/types.ts";
import type { ToolCall } from "../../core/turn/state.ts";
import type { SubAgent, SubAgentOutcome } from "../../core/turn/sub-agent.ts";

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

/** The tools that a model may call, and the leases that its runs hold through them. */
export interface ToolHost {
  /** Waits, not long, for tools that are just being connected; asked before an offer. Resolves when the signal aborts. */
  ready?(signal: AbortSignal): Promise<void>;
  /** What the model is offered; equal contexts give equal lists in equal order. */
  definitions(context: OfferContext): readonly SyntaxTool[];
  /** What a model is told of those tools besides, after the conversation's own system prompt; empty for nothing. */
  prompt?(context: { readonly canvasId: BlockId | null; readonly kind?: TurnKind }): string;
  /**
   * What decisions about a tool's calls go by, under whatever name a model calls it; null for one that is not known. With a
   * turn, of the tool that a call of this turn would run.
   */
  facts(name: string, turnId?: TurnId): ToolFacts | null;
  /** Whether a call may be run again after a crash; false for a tool that is not known. */
  isIdempotent(name: string): boolean;
  /**
   * Carries out one call. A refusal, an unknown tool and bad arguments are answers too. When `signal` aborts, everything
   * it started is gone within 100 ms; what it answers then is thrown away.
   */
  run(call: ToolCall, context: ToolContext, signal: AbortSignal): Promise<ToolAnswer>;
  /** What ends the leases that these runs hold, for the transaction of the person's act. Empty when they hold none. */
  preemptWrites(runIds: readonly RunId[]): readonly LeaseWrite[];
  /** Called when that transaction is on disk: forget those leases, tell watchers, end any lease taken meanwhile. */
  preempted(runIds: readonly RunId[]): Promise<void>;
  /** The run's turn is over by itself: its leases go back. Harmless when it holds none. */
  releaseLeases(runId: RunId): Promise<void>;
  /** The run did something just now: keeps its leases alive. Cheap; called for every part of a stream. */
  heartbeat(runId: RunId): void;
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
