import type { BlockChange, BlockHeader } from "../../core/block/types.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store } from "../../core/port/store.ts";
import type { Replicas } from "../replica/replica-registry.ts";
import { BlockDeletion } from "./block-deletion.ts";
import { BlockEditor } from "./block-editor.ts";
import { BlockFeeds } from "./block-feeds.ts";
import { BlockReader } from "./block-reader.ts";
import { Comments } from "./comment/comments.ts";
import type { BlocksReadBefore } from "./block/load-block.ts";
import { EditHistory } from "./revert/edit-history.ts";
import { FileDirectory } from "./block/file-directory.ts";
import { appendDelayMs } from "../../core/block/edit/append-buffer.ts";
import { SharedTicks } from "./queue/shared-ticks.ts";
import { BusyTurns } from "./record/busy-turns.ts";
import { LiveTexts } from "./live-texts.ts";
import type { SpentTime } from "./queue/lane.ts";
import { Lanes } from "./queue/lanes.ts";
import { hubLimits, type Retention } from "./record/limits.ts";
import { Listeners } from "./record/listeners.ts";
import { Suggestions } from "./review/suggestions.ts";
import { WriteGate, type LeaseView } from "./block/write-gate.ts";

export interface HubPorts {
  readonly store: Store;
  readonly platform: Pick<Platform, "clock" | "logger" | "random">;
  readonly leases: LeaseView;
  readonly replicas: Pick<Replicas, "serverReplicaOf" | "ownerOf" | "actorOf">;
  /** Bounds of the history kept for each block; `hubLimits.retention` by default. */
  readonly retention?: Retention;
  /** Blocks that were read before the store could be written; none by default. */
  readonly early?: BlocksReadBefore | undefined;
}

/** The one owner of every block, divided by use. Changes are committed before they are acknowledged or broadcast. */
export interface DocumentHub {
  readonly reader: BlockReader;
  readonly editor: BlockEditor;
  readonly history: EditHistory;
  readonly deletion: BlockDeletion;
  readonly feeds: BlockFeeds;
  /** The ends of live blocks. */
  readonly live: LiveTexts;
  /** Agents' suggestions for canvases, and their review. */
  readonly suggestions: Suggestions;
  /** The comments on documents. */
  readonly comments: Comments;
  /** Calls `listener` with the time that each mutation took of the main thread; returns how to stop that. */
  onSpent(listener: (time: SpentTime) => void): () => void;
  /** Writes out all buffered text, so that every header has its final version. */
  flush(): Promise<void>;
  /** Writes out buffered text and frees the memory. */
  close(): Promise<void>;
}

/** Opens the hub of a store. All its parts share the lanes, one queue for each document. */
export function createDocumentHub(ports: HubPorts): DocumentHub {
  const { store, platform, leases, replicas, early, retention = hubLimits.retention } = ports;
  const spent = new Listeners<SpentTime>();
  const { clock, logger } = platform;
  const directory = new FileDirectory(store);
  const gate = new WriteGate(leases);
  const changes = new Listeners<readonly BlockChange[]>();
  const files = new Listeners<BlockHeader>();
  const lanes = new Lanes({
    store,
    early,
    clock,
    logger,
    ownerOf: (replica) => replicas.ownerOf(replica),
    retention,
    turns: new BusyTurns(),
    ticks: new SharedTicks(clock, appendDelayMs),
    onThreads: (threads) => comments.tell(threads),
    onSpent: (time) => spent.publish(time),
    onCommitted: (headers, made) => {
      for (const header of headers) {
        if (header.kind !== "file") continue;
        directory.committed(header);
        files.publish(header);
      }
      changes.publish(made);
    },
  });
  const comments = new Comments({ store, platform, lanes });
  const suggestions = new Suggestions({
    store,
    platform,
    lanes,
    whyRefused: (author, block) => gate.whyRefused(author, block),
    decidedKeptMs: retention.ageMs,
  });
  return {
    reader: new BlockReader({ store, lanes, files: directory }),
    editor: new BlockEditor({ store, platform, lanes, gate, replicas }),
    history: new EditHistory({ store, platform, lanes, gate, replicas, suggestions }),
    deletion: new BlockDeletion({ store, platform, lanes, gate, leases }),
    feeds: new BlockFeeds({ store, lanes, changes, files }),
    live: new LiveTexts({ store, lanes, gate, replicas }),
    suggestions,
    comments,
    onSpent: (listener) => spent.subscribe(listener),
    flush: () => lanes.flush(),
    close: () => lanes.close(),
  };
}
