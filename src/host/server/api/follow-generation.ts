import type { Refusal } from "../../../core/base/errors.ts";
import type { NodeId, RunId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { FeedRecord, RunStatus } from "../../../core/turn/state/feed.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import type { TurnState } from "../../../core/turn/state/state.ts";
import type { ConversationWatcher } from "../../conversation/base/types.ts";
import { EventStream } from "../http/event-stream.ts";
import type { BytesCall } from "../http/route.ts";

/** The event sent about the runs at and below a message. */
interface Generation {
  /** `pending` while a run works; then `error` if the last run to finish failed. */
  readonly status: "pending" | "idle" | "error";
  /** Messages added since the previous event, oldest first. */
  readonly added: readonly ForestNode[];
  readonly runs: readonly { readonly runId: RunId; readonly state: TurnState["type"] }[];
  readonly error?: { readonly runId: RunId; readonly detail: string; readonly message: string };
}

/**
 * Answers with server-sent events, one for each change at and below a message: first the current state, last the state
 * when every run there is idle. The answer then ends, or when the reader disconnects; if it must end earlier, as when
 * the conversation is deleted, its last event says so.
 */
export async function followGeneration(node: ForestNode, call: BytesCall<unknown, unknown>): Promise<Refusal | null> {
  const { conversations, store, platform } = call.workspace;
  const below = new Set((await store.subtree(node.id)).map(({ id }) => id));
  const place = new GenerationAt(node.id, below);
  const stream = new EventStream(call, platform.clock);
  const send = (added: readonly ForestNode[]): void => {
    const generation = place.now(added);
    stream.send(undefined, generation);
    if (generation.status !== "pending") stream.end();
  };
  const watcher: ConversationWatcher = {
    snapshot({ runs, nodes }) {
      for (const each of nodes) place.takeNode(each);
      for (const run of runs) place.takeRun(run);
      send([]);
    },
    deliver(records) {
      const news = stream.isOver ? null : place.take(records);
      if (news !== null) send(news);
    },
    terminated: (reason) => stream.terminate(reason),
  };
  const joined = await conversations.watch(node.rootId, 0, watcher);
  if (!joined.ok) return joined.error;
  stream.onEnd(joined.value);
  return null;
}

/** The part of a conversation at and below one message, with its runs. */
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

  /** Moves the run that changed last to the end. */
  takeRun(run: RunStatus): boolean {
    const known = this.#runsById.delete(run.runId);
    const here = run.headNodeId !== null && this.#below.has(run.headNodeId);
    if (here) this.#runsById.set(run.runId, run);
    return here || known;
  }

  /** Returns the new nodes; null if nothing happened here. */
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
    const current = { added, runs: runs.map(({ runId, state }) => ({ runId, state: state.type })) };
    if (runs.some(({ state }) => !isSettled(state))) return { status: "pending", ...current };
    const last = runs.at(-1);
    if (last?.state.type !== "error") return { status: "idle", ...current };
    const { detail, message } = last.state;
    return { status: "error", ...current, error: { runId: last.runId, detail, message } };
  }
}
