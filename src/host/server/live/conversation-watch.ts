import type { Refusal } from "../../../core/base/errors.ts";
import type { BlockId, RootId, RunId } from "../../../core/base/ids.ts";
import type { Result } from "../../../core/base/result.ts";
import type { FeedRecord, RunStatus } from "../../../core/turn/state/feed.ts";
import type { SegmentRequest } from "../../../core/protocol/base/messages.ts";
import type { ConversationView, ConversationWatcher, SegmentWish } from "../../conversation/base/types.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { watchBlock, type BlockWatch, type WatchReader } from "./block-watch.ts";
import type { KnownReplicas } from "./known-replicas.ts";
import { prepare, preparedRecord, type PreparedMessage } from "./down-frame.ts";

/** One connection's watch of one conversation with its live blocks. */
export interface ConversationWatch {
  readonly joined: Promise<Result<void, Refusal>>;
  end(): void;
}

/** Where a watch begins. */
interface WatchStart {
  readonly rootId: RootId;
  readonly afterSeq: number;
  /** The part that the client asked for; absent for all. */
  readonly segment?: SegmentRequest;
  readonly known: KnownReplicas;
}

function preparedSnapshot(rootId: RootId, view: ConversationView): PreparedMessage {
  const { seq, root, nodes, segment, runs, waiting, bookmarks } = view;
  const part = segment === undefined ? {} : { segment };
  return prepare({ type: "conversation-snapshot", rootId, seq, root, nodes, ...part, runs, waiting, bookmarks });
}

/** Joins a conversation's feed for a connection, and the feeds of its live blocks while they exist. */
export function watchConversation(
  workspace: Pick<Workspace, "conversations" | "hub" | "replicas" | "platform">,
  reader: WatchReader,
  from: WatchStart,
): ConversationWatch {
  const { rootId, afterSeq, known } = from;
  const wish: SegmentWish | undefined = from.segment === undefined ? undefined : { ...from.segment, end: "leaf" };
  const liveByRun = new Map<RunId, readonly BlockId[]>();
  const watchesById = new Map<BlockId, BlockWatch>();
  let ended = false;
  let stop: (() => void) | null = null;
  let resumed = false;

  async function join(): Promise<Result<void, Refusal>> {
    if (ended) return { ok: true, value: undefined };
    const watcher: ConversationWatcher = {
      snapshot(view) {
        if (ended) return;
        resumed = true;
        reader.send(preparedSnapshot(rootId, view));
        for (const run of view.runs) follow(run);
      },
      deliver(records) {
        if (ended) return;
        for (const record of records) take(record);
      },
      terminated(reason) {
        if (!ended) reader.terminated(reason);
      },
    };
    const joined = await workspace.conversations.watch(rootId, afterSeq, watcher, wish);
    if (!joined.ok) return joined;
    if (ended) joined.value();
    else stop = joined.value;
    // A watcher that resumed knows which blocks are live, but has missed their text.
    if (!resumed && !ended) await followRuns();
    return { ok: true, value: undefined };
  }

  function take(record: FeedRecord): void {
    reader.send(preparedRecord(record));
    if (record.body.type === "run-changed") follow(record.body);
  }

  function follow(run: RunStatus): void {
    liveByRun.set(run.runId, run.liveBlocks);
    const live = new Set([...liveByRun.values()].flat());
    for (const [id, watch] of watchesById) {
      if (live.has(id)) continue;
      watch.end();
      watchesById.delete(id);
    }
    for (const blockId of live) {
      if (watchesById.has(blockId)) continue;
      // A missing live block has become a message, which the feed brings.
      const { watch, joined } = watchBlock(workspace, reader, { blockId, afterVersion: 0, known });
      watchesById.set(blockId, watch);
      // An unreadable live block is not shown; the feed brings the message it becomes.
      joined.catch((problem: unknown) => {
        workspace.platform.logger.error("live-block-not-joined", { block: blockId, problem: String(problem) });
      });
    }
  }

  async function followRuns(): Promise<void> {
    const runs = await workspace.conversations.runStatuses(rootId);
    if (!runs.ok || ended) return;
    for (const run of runs.value) if (!liveByRun.has(run.runId)) follow(run);
  }

  return {
    joined: reader.inQueue(join),
    end() {
      ended = true;
      stop?.();
      for (const watch of watchesById.values()) watch.end();
      watchesById.clear();
    },
  };
}
