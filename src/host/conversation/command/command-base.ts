import type { Actor } from "../../../core/base/actor.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { NodeId, RootId, RunId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { HashedMessage } from "../../../core/forest/append.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import { toolUses } from "../../../core/message/content.ts";
import { checkTranscript } from "../../../core/message/transcript.ts";
import type { Conversation, ConversationDeps } from "../queue/conversation.ts";
import type { OwnedRun } from "../run/owned-run.ts";
import { endOfPath } from "./end-of-path.ts";

/** What every command of a conversation needs: its nodes and its runs. */
export class CommandBase {
  readonly deps: ConversationDeps;
  readonly conversation: Conversation;

  constructor(deps: ConversationDeps, conversation: Conversation) {
    this.deps = deps;
    this.conversation = conversation;
  }

  get rootId(): RootId {
    return this.conversation.root.id;
  }

  get allRunIds(): readonly RunId[] {
    return this.conversation.runs.map((run) => run.id);
  }

  /** Finds a node of this conversation; null is the place above the first messages. */
  async nodeHere(nodeId: NodeId | null): Promise<Result<ForestNode | null, Refusal>> {
    return nodeId === null ? ok(null) : this.messageHere(nodeId);
  }

  async messageHere(nodeId: NodeId): Promise<Result<ForestNode, Refusal>> {
    const node = await this.deps.store.node(nodeId);
    const here = node !== null && node.rootId === this.rootId;
    return here ? ok(node) : err(refusal("NODE_NOT_FOUND", { node_id: nodeId }));
  }

  /** Returns whether a run writes at one of these nodes or below. */
  async isBeingWritten(ids: ReadonlySet<NodeId>): Promise<boolean> {
    for (const { snapshot } of this.conversation.runs) {
      if (isSettled(snapshot.record.state) || snapshot.head === null) continue;
      const path = await this.deps.store.path(snapshot.head.id);
      if (path.some((each) => ids.has(each.id))) return true;
    }
    return false;
  }

  /** Calls `job` with a run of this conversation. */
  withRun<Value>(
    runId: RunId,
    job: (run: OwnedRun) => Promise<Result<Value, Refusal>>,
  ): Promise<Result<Value, Refusal>> {
    return this.conversation.command(async () => {
      const run = this.conversation.run(runId);
      return run === undefined ? err(refusal("RUN_NOT_FOUND", { run_id: runId })) : job(run);
    });
  }

  /**
   * Refuses unless every call up to a node has its result. Only after a message with calls, or a result, can a call be open.
   */
  async isWhole(node: ForestNode | null): Promise<Result<void, Refusal>> {
    const message = node?.message;
    const speaks = message?.role === "user" || (message?.role === "assistant" && toolUses(message).length === 0);
    if (node === null || speaks) return ok(undefined);
    return checkTranscript((await endOfPath(this.deps.store, node)).map((each) => each.message));
  }

  /** Builds a node that no run created. */
  placed({ message, prefixHash }: HashedMessage, parentId: NodeId | null, actor: Actor): ForestNode {
    return {
      id: this.deps.ids.node(),
      rootId: this.rootId,
      parentId,
      prefixHash,
      message,
      actor,
      runId: null,
      turnId: null,
      usage: null,
      createdAt: this.deps.platform.clock.now(),
    };
  }
}
