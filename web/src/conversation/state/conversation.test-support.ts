import { withSnapshot } from "../../../../src/client/watch/conversation-view.ts";
import { root, runIn } from "../../../../src/client/watch/conversation.test-support.ts";
import { createBatch, createCell } from "../../../../src/client/base/observable.ts";
import type { ConversationView, HeddleClient, LiveBlock, RunView } from "../../../../src/client/base/types.ts";
import type { Refusal } from "../../../../src/core/base/errors.ts";
import type { BlockId, DocumentId, RootId } from "../../../../src/core/base/ids.ts";
import { err, ok, type Result } from "../../../../src/core/base/result.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import type { ConversationPorts } from "./conversation.ts";
import { createReplyCount } from "../kept/reply-count.ts";

export const requesting: RunView["state"] = {
  type: "requesting",
  attempt: 1,
  retryAt: null,
  lastFailure: null,
  progress: { rounds: 0, asking: "reply" },
};

/** Returns a conversation view with these nodes and runs. */
export function viewOf(nodes: readonly ForestNode[], runs: readonly RunView[] = []): ConversationView {
  const snapshot = {
    type: "conversation-snapshot",
    rootId: root.id,
    seq: 1,
    root,
    nodes,
    runs: [],
    waiting: [],
    bookmarks: [],
  } as const;
  return { ...withSnapshot(null, snapshot).view, runs };
}

/** Returns the run `run_1`, which answers a node with the text so far. */
export function writing(headNodeId: ForestNode["id"], text: string): RunView {
  return runIn(requesting, { headNodeId, liveBlocks: [liveText(text)] });
}

function liveText(text: string): LiveBlock {
  return {
    header: {
      id: "root_1/2/1" as BlockId,
      documentId: "root_1" as DocumentId,
      parentId: null,
      role: "assistant",
      kind: "text",
      status: "running",
      version: text.length,
      metadata: {},
      collapsed: false,
      excluded: false,
      createdAt: 0,
      updatedAt: 0,
    },
    text,
  };
}

export const busy: Refusal = { code: "AGENT_BUSY", message: "Busy.", details: {} };

/** A test server: views are set and commands answered by the test. */
export function handServer() {
  const batch = createBatch();
  const cells = new Map<RootId, ReturnType<typeof createCell<ConversationView | null>>>();
  const cellOf = (rootId: RootId) => {
    const cell = cells.get(rootId) ?? createCell<ConversationView | null>(null, batch);
    cells.set(rootId, cell);
    return cell;
  };
  const asked: { readonly name: string; readonly params: Readonly<Record<string, unknown>> }[] = [];
  const waiting: ((result: Result<unknown, Refusal>) => void)[] = [];
  const reported: (string | Refusal)[] = [];
  const answer = async (result: Result<unknown, Refusal>): Promise<void> => {
    waiting.shift()?.(result);
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  const client = {
    conversation: cellOf,
    call: (name: string, { clientRequestId: _id, ...params }: Readonly<Record<string, unknown>>) => {
      asked.push({ name, params });
      return new Promise<Result<unknown, Refusal>>((resolve) => waiting.push(resolve));
    },
  } as unknown as HeddleClient;
  const ports: ConversationPorts = {
    client,
    announce: () => {},
    tell: (message) => reported.push(message),
    replyCount: createReplyCount(),
  };
  return {
    ports,
    asked,
    reported,
    setView: (rootId: RootId, view: ConversationView) => cellOf(rootId).set(view),
    accept: (value: unknown) => answer(ok(value)),
    refuse: (refusal: Refusal) => answer(err(refusal)),
  };
}

/** The server's answer for a sent message with a reply. */
export const sent = { nodeId: "node_9", runId: "run_1", runIds: ["run_1"], queued: false };
