import { traitsOf } from "../../../core/block/kinds.ts";
import { stableDeepEqual } from "../../../core/base/json.ts";
import type { BlockId, NodeId, RunId, ToolCallId } from "../../../core/base/ids.ts";
import { wasCut, wasFiltered } from "../../../core/forest/cut-reply.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { isTextBlock, isThinkingBlock, isToolUseBlock } from "../../../core/message/guards.ts";
import type { AssistantMessage, ToolMessage, UserMessage } from "../../../core/message/types.ts";
import type { ToolCall } from "../../../core/turn/state/state.ts";
import type { SubAgent } from "../../../core/turn/state/sub-agent.ts";
import type { ConversationView, RunView } from "../../../client/base/types.ts";

/** A call and its place among those of its reply, from 1. */
interface PlacedCall {
  readonly call: Pick<ToolCall, "id" | "name" | "parameters">;
  readonly place: number;
  readonly of: number;
}

/** One event that a reader of a branch sees, in order. */
export type BranchEvent =
  /** A message on the branch that was not written here, or Heddle's own message to the model. */
  | { readonly type: "user-message"; readonly message: UserMessage; readonly name: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "text"; readonly text: string }
  /** The reply is complete and stored; what was shown of it is valid. */
  | { readonly type: "reply"; readonly message: AssistantMessage; readonly cut: boolean; readonly filtered: boolean }
  /** The reply broke off and is not part of the branch; it is requested again. */
  | { readonly type: "reply-broken" }
  | ({ readonly type: "call" } & PlacedCall)
  | { readonly type: "output"; readonly callId: ToolCallId; readonly text: string }
  | { readonly type: "result"; readonly result: ToolMessage; readonly wasShown: boolean }
  | { readonly type: "sub-agent"; readonly agent: SubAgent; readonly place: number; readonly of: number }
  | { readonly type: "notice"; readonly text: string }
  | { readonly type: "state"; readonly run: RunView };

/** What a reader has seen of a run. A value; `follow` returns the next one. */
export interface Followed {
  readonly runId: RunId;
  /** Nodes of the branch that were shown, or existed before. */
  readonly nodes: ReadonlySet<NodeId>;
  /** What was shown of the streaming reply, block by block. */
  readonly pieces: readonly Piece[];
  readonly calls: ReadonlySet<ToolCallId>;
  /** How many UTF-16 units of each call's output were shown. */
  readonly outputs: ReadonlyMap<ToolCallId, number>;
  readonly agentsDone: ReadonlySet<RunId>;
  /** When the last shown notice came. */
  readonly noticedAt: number;
  readonly run: RunView | null;
}

interface Piece {
  readonly id: BlockId;
  readonly kind: "text" | "thinking";
  readonly text: string;
  /** A person changed words that were shown already; the whole text follows when the reply is complete. */
  readonly edited?: true;
}

/** Starts to follow a run; what the view already contains is not shown again. */
export function beginFollowing(runId: RunId, view: ConversationView): Followed {
  return {
    runId,
    nodes: new Set(view.nodesById.keys()),
    pieces: [],
    calls: new Set(),
    outputs: new Map(),
    agentsDone: new Set(),
    noticedAt: view.notices.at(-1)?.at ?? 0,
    run: null,
  };
}

/** Returns what happened on the run's branch between what was seen and this view, in order. */
export function follow(
  before: Followed,
  view: ConversationView,
): { readonly followed: Followed; readonly branchEvents: readonly BranchEvent[] } {
  const run = view.runs.find(({ runId }) => runId === before.runId);
  if (run === undefined) return { followed: before, branchEvents: [] };
  const follower = new Follower(before, view, run);
  follower.look();
  return { followed: follower.after(), branchEvents: follower.branchEvents };
}

class Follower {
  readonly branchEvents: BranchEvent[] = [];
  readonly #view: ConversationView;
  readonly #run: RunView;
  readonly #before: Followed;
  #nodes: ReadonlySet<NodeId>;
  readonly #calls: Set<ToolCallId>;
  readonly #outputs: Map<ToolCallId, number>;
  readonly #agentsDone: Set<RunId>;
  #pieces: readonly Piece[];
  #noticedAt: number;

  constructor(before: Followed, view: ConversationView, run: RunView) {
    this.#before = before;
    this.#view = view;
    this.#run = run;
    this.#nodes = before.nodes;
    this.#calls = new Set(before.calls);
    this.#outputs = new Map(before.outputs);
    this.#agentsDone = new Set(before.agentsDone);
    this.#pieces = before.pieces;
    this.#noticedAt = before.noticedAt;
  }

  after(): Followed {
    return {
      runId: this.#before.runId,
      nodes: this.#nodes,
      pieces: this.#pieces,
      calls: this.#calls,
      outputs: this.#outputs,
      agentsDone: this.#agentsDone,
      noticedAt: this.#noticedAt,
      run: this.#run,
    };
  }

  look(): void {
    const added = this.#newNodes();
    if (added.length > 0) this.#nodes = new Set([...this.#nodes, ...added.map(({ id }) => id)]);
    for (const node of added) this.#node(node);
    this.#replyBroken();
    for (const { runId, text, at } of this.#view.notices) {
      if (runId !== this.#run.runId || at <= this.#before.noticedAt) continue;
      this.branchEvents.push({ type: "notice", text });
      this.#noticedAt = Math.max(this.#noticedAt, at);
    }
    this.#startedCalls();
    this.#live();
    this.#subAgents();
    const { run } = this.#before;
    const isSame =
      run !== null &&
      run.queued === this.#run.queued &&
      stableDeepEqual(run.state, this.#run.state) &&
      this.#sameKind(run);
    if (!isSame) this.branchEvents.push({ type: "state", run: this.#run });
  }

  /** Whether the reply shows the same kind of block as before: thinking, or text. */
  #sameKind({ liveBlocks }: RunView): boolean {
    return liveBlocks.at(-1)?.header.kind === this.#run.liveBlocks.at(-1)?.header.kind;
  }

  /** Returns the new nodes of the branch, from its root to its head. */
  #newNodes(): readonly ForestNode[] {
    const nodes: ForestNode[] = [];
    let id = this.#run.headNodeId;
    while (id !== null && !this.#nodes.has(id)) {
      const node = this.#view.nodesById.get(id);
      if (node === undefined) break;
      nodes.push(node);
      id = node.parentId;
    }
    return nodes.toReversed();
  }

  #node(node: ForestNode): void {
    const { id, message, actor } = node;
    switch (message.role) {
      case "user":
        this.branchEvents.push({ type: "user-message", message, name: actor.name });
        return;
      case "assistant":
        this.#rest(message);
        this.branchEvents.push({ type: "reply", message, cut: wasCut(node), filtered: wasFiltered(node) });
        return;
      case "tool": {
        const callId = message.tool_call_id;
        this.#callOf(callId, id);
        this.branchEvents.push({ type: "result", result: message, wasShown: (this.#outputs.get(callId) ?? 0) > 0 });
        return;
      }
      case "system":
        return;
    }
  }

  /** Emits the parts of a complete reply that did not stream. */
  #rest({ content }: AssistantMessage): void {
    const textsOf = (blocks: readonly { readonly text: string }[]): readonly string[] => blocks.map(({ text }) => text);
    this.#restOf("thinking", textsOf(content.filter(isThinkingBlock)));
    this.#restOf("text", textsOf(content.filter(isTextBlock)));
    for (const block of content) {
      if (block.type === "refusal" || block.type === "notice")
        this.branchEvents.push({ type: "notice", text: block.text });
    }
    this.#pieces = [];
  }

  #restOf(kind: Piece["kind"], texts: readonly string[]): void {
    const shown = this.#pieces.filter((piece) => piece.kind === kind);
    for (const [index, text] of texts.entries()) {
      const { text: had, edited } = shown[index] ?? {};
      const begins = index > 0 ? "\n" : "";
      if (edited === true) this.#push(kind, `\n${text}`);
      else if (had === undefined) this.#push(kind, begins + text);
      else if (text.startsWith(had)) this.#push(kind, text.slice(had.length));
      else if (!had.startsWith(text)) this.#push(kind, `\n${text}`);
    }
  }

  #push(kind: Piece["kind"], text: string): void {
    if (text !== "") this.branchEvents.push({ type: kind, text });
  }

  #replyBroken(): void {
    if (this.#pieces.length === 0) return;
    const live = new Set(this.#run.liveBlocks.map(({ header }) => header.id));
    if (this.#pieces.some(({ id }) => live.has(id))) return;
    // After a dropped connection, the blocks of a continuing reply come later than its state.
    if (live.size === 0 && this.#goesOn()) return;
    this.#pieces = [];
    this.branchEvents.push({ type: "reply-broken" });
  }

  #goesOn(): boolean {
    const before = this.#before.run?.state;
    const { state } = this.#run;
    if (state.type === "cancelling") return true;
    if (state.type !== "requesting" || before?.type !== "requesting") return false;
    return state.attempt === before.attempt && state.retryAt === before.retryAt;
  }

  #startedCalls(): void {
    const { state } = this.#run;
    if (!("pending" in state)) return;
    const started = state.type === "running-tools" ? state.running : [state.pending[0].id];
    for (const [index, call] of state.pending.entries()) {
      if (!started.includes(call.id) || this.#calls.has(call.id)) continue;
      this.#calls.add(call.id);
      const place = state.completed.length + index + 1;
      this.branchEvents.push({ type: "call", call, place, of: state.completed.length + state.pending.length });
    }
  }

  /** Emits a call that ended before the first view. */
  #callOf(callId: ToolCallId, resultId: NodeId): void {
    if (this.#calls.has(callId)) return;
    this.#calls.add(callId);
    let at = this.#view.nodesById.get(resultId)?.parentId ?? null;
    while (at !== null) {
      const node = this.#view.nodesById.get(at);
      if (node === undefined || node.message.role === "user") return;
      const uses = node.message.role === "assistant" ? node.message.content.filter(isToolUseBlock) : [];
      const place = uses.findIndex(({ id }) => id === callId);
      const call = uses[place];
      if (call !== undefined) {
        this.branchEvents.push({ type: "call", call, place: place + 1, of: uses.length });
        return;
      }
      at = node.parentId;
    }
  }

  #live(): void {
    for (const { header, text } of this.#run.liveBlocks) {
      const { shownAs } = traitsOf(header.kind);
      if (shownAs === "markdown") this.#piece(header.id, "text", text);
      if (shownAs === "thinking") this.#piece(header.id, "thinking", text);
      if (shownAs === "output") {
        const callId = header.metadata["tool_call_id"];
        const call = [...this.#calls].find((id) => id === callId);
        if (call !== undefined) this.#output(call, text);
      }
    }
  }

  #piece(id: BlockId, kind: Piece["kind"], text: string): void {
    const at = this.#pieces.findIndex((piece) => piece.id === id);
    const { text: had = "", edited } = this.#pieces[at] ?? {};
    if (edited === true) return;
    if (!text.startsWith(had)) {
      this.#pieces = this.#pieces.with(at, { id, kind, text: had, edited: true });
      return;
    }
    if (text.length <= had.length) return;
    // A block of its own starts a line of its own.
    const begins = at === -1 && this.#pieces.some((piece) => piece.kind === kind);
    this.branchEvents.push({ type: kind, text: `${begins ? "\n" : ""}${text.slice(had.length)}` });
    const piece: Piece = { id, kind, text };
    this.#pieces = at === -1 ? [...this.#pieces, piece] : this.#pieces.with(at, piece);
  }

  #output(callId: ToolCallId, text: string): void {
    const had = this.#outputs.get(callId) ?? 0;
    if (text.length <= had) return;
    this.#outputs.set(callId, text.length);
    this.branchEvents.push({ type: "output", callId, text: text.slice(had) });
  }

  #subAgents(): void {
    const { state } = this.#run;
    if (state.type !== "awaiting-sub-agents" && state.type !== "cancelling-sub-agents") return;
    for (const [index, agent] of state.agents.entries()) {
      if (agent.outcome === null || this.#agentsDone.has(agent.runId)) continue;
      this.#agentsDone.add(agent.runId);
      this.branchEvents.push({ type: "sub-agent", agent, place: index + 1, of: state.agents.length });
    }
  }
}
