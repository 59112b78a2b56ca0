import type { Refusal } from "../../../core/base/errors.ts";
import type { NodeId, RunId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { FeedRecord, RunStatus } from "../../../core/turn/feed.ts";
import { isSettled } from "../../../core/turn/precheck.ts";
import type { TurnState } from "../../../core/turn/state.ts";
import type { ConversationWatcher } from "../../conversation/base/types.ts";
import { EventStream } from "../http/event-stream.ts";
import type { BytesCall } from "../http/route.ts";

/** What is told of the runs at and below a message. */
interface Generation {
  /** `pending` while one works; then `error` where the one that came to rest last failed. */
  readonly status: "pending" | "idle" | "error";
  /** Messages that came since the event before, oldest first. */
  readonly added: readonly ForestNode[];
  readonly runs: readonly { readonly runId: RunId; readonly state: TurnState["type"] }[];
  readonly error?: { readonly runId: RunId; readonly detail: string; readonly message: string };
}

/**
 * Answers with server-sent events, one for each change of what happens at and below a message: first how it stands now,
 * last when everything there has come to rest. The answer ends then, or when the reader goes; where it can tell no more
 * before, as when the conversation is deleted, it says so.
 */
export async function followGeneration(node: ForestNode, call: BytesCall<unknown, unknown>): Promise<Refusal | null> {
  const { conversations, store, platform } = call.workspace;
  const below = new Set((await store.subtree(node.id)).map(({ id }) => id));
  const place = new GenerationAt(node.id, below);
  const stream = new EventStream(call, platform.clock);
  const tell = (added: readonly ForestNode[]): void => {
    const generation = place.now(added);
    stream.tell(undefined, generation);
    if (generation.status !== "pending") stream.end();
  };
  const watcher: ConversationWatcher = {
    snapshot({ runs, nodes }) {
      for (const each of nodes) place.takeNode(each);
      for (const run of runs) place.takeRun(run);
      tell([]);
    },
    deliver(records) {
      const news = stream.isOver ? null : place.take(records);
      if (news !== null) tell(news);
    },
    terminated: (reason) => stream.terminate(reason),
  };
  const joined = await conversations.watch(node.rootId, 0, watcher);
  if (!joined.ok) return joined.error;
  stream.onEnd(joined.value);
  return null;
}

/** The part of a conversation that hangs below one message, with the runs that are there. */
class GenerationAt {
  readonly #nodeId: NodeId;
  readonly #below: Set<NodeId>;
  readonly #runsById = new Map<RunId, RunStatus>();

  constructor(nodeId: NodeId, below: Set<NodeId>) {
    this.#nodeId = nodeId;
    this.#below = below.add(nodeId);
  }

  takeNode({ id, parentId }: ForestNode): void {
    if (parentId !== null && this.#below.has(parentId)) this.#below.add(id);
  }

  /** The run that changed last stands last. */
  takeRun(run: RunStatus): boolean {
    const known = this.#runsById.delete(run.runId);
    const here = run.headNodeId !== null && this.#below.has(run.headNodeId);
    if (here) this.#runsById.set(run.runId, run);
    return here || known;
  }

  /** The nodes that came; null where nothing happened here. */
  take(records: readonly FeedRecord[]): readonly ForestNode[] | null {
    let touched = false;
    const added: ForestNode[] = [];
    for (const { body } of records) {
      if (body.type === "node-added") {
        this.takeNode(body.node);
        if (!this.#below.has(body.node.id) || body.node.id === this.#nodeId) continue;
        added.push(body.node);
        touched = true;
      } else if (body.type === "run-changed") {
        touched = this.takeRun(body) || touched;
      }
    }
    return touched ? added : null;
  }

  now(added: readonly ForestNode[]): Generation {
    const runs = [...this.#runsById.values()];
    const told = { added, runs: runs.map(({ runId, state }) => ({ runId, state: state.type })) };
    if (runs.some(({ state }) => !isSettled(state))) return { status: "pending", ...told };
    const last = runs.at(-1);
    if (last?.state.type !== "error") return { status: "idle", ...told };
    const { detail, message } = last.state;
    return { status: "error", ...told, error: { runId: last.runId, detail, message } };
  }
}
