import type { Actor } from "../../core/base/actor.ts";
import type { Folder } from "../../core/base/folder.ts";
import type {
  ActorId,
  BlockId,
  DocumentId,
  DraftId,
  FolderId,
  LeaseId,
  NodeId,
  RequestId,
  RootId,
  RunId,
  ToolCallId,
  TrashId,
  TurnId,
} from "../../core/base/ids.ts";
import type { WaitingMessage } from "../../core/turn/state/waiting.ts";
import type { CanvasRevision, DraftRevision } from "../../core/block/canvas-revision.ts";
import type { BlockChange, BlockChangeBody, BlockHeader } from "../../core/block/types.ts";
import type { TrashEntry } from "../../core/forest/trash-entry.ts";
import type { ForestNode, ForestRoot } from "../../core/forest/types.ts";
import type { Lease } from "../../core/lease/types.ts";
import type { EffectRecord, RequestRecord, RunRecord, StoreWrite } from "../../core/port/store.ts";
import type { ReplicaId } from "../../core/text/types.ts";
import type { ApprovalRule } from "../../core/turn/state/approval.ts";
import type { StoredFeedRecord } from "../../core/turn/state/stored-feed.ts";
import type { RunEventRecord } from "../../core/turn/event/run-event.ts";
import type { TurnState } from "../../core/turn/state/state.ts";

/** Records for store tests: well formed, identified by a name, with every optional field used somewhere. */

function named<Id extends string>(name: string): Id {
  const isId = (value: string): value is Id => value.length > 0;
  if (!isId(name)) throw new Error("an id has a name");
  return name;
}

export const rootId = (name: string): RootId => named(`root_${name}`);
export const folderId = (name: string): FolderId => named(`folder_${name}`);
export const nodeId = (name: string): NodeId => named(`node_${name}`);
export const runId = (name: string): RunId => named(`run_${name}`);
export const draftId = (name: string): DraftId => named(`draft_${name}`);
export const turnId = (name: string): TurnId => named(`turn_${name}`);
export const blockId = (name: string): BlockId => named(`doc/1/${name}`);
export const documentId = (name: string): DocumentId => named(`document_${name}`);
export const leaseId = (name: string): LeaseId => named(`lease_${name}`);
export const requestId = (name: string): RequestId => named(`request_${name}`);
export const trashId = (name: string): TrashId => named(`trash_${name}`);
export const actorId = (name: string): ActorId => named(`actor_${name}`);
export const callId = (name: string): ToolCallId => named(`call_${name}`);

export function replicaId(number: number): ReplicaId {
  const isReplica = (value: number): value is ReplicaId => value >= 1;
  if (!isReplica(number)) throw new Error("agents count from 1");
  return number;
}

/** A committed text of the canvas `1`; a word determines its hash. */
export function revision(version: number, hash: string, rest: Partial<CanvasRevision> = {}): CanvasRevision {
  return {
    canvasId: blockId("1"),
    revisionId: `${version}-${hash}`,
    version,
    hash,
    actor: version % 2 === 0 ? model("a") : person,
    alsoBy: version % 2 === 0 ? ["Ada", "Bo"] : [],
    nodeId: nodeId("1"),
    at: 1_000 + version,
    ...rest,
  };
}

/** A kept text of the draft `a` of the canvas `1`; a word determines its hash. */
export function draftRevision(draftVersion: number, hash: string, rest: Partial<DraftRevision> = {}): DraftRevision {
  const revisionId = `7d${draftVersion}-${hash}`;
  return { ...revision(7, hash), revisionId, draftId: draftId("a"), draftVersion, ...rest };
}

export const person: Actor = { type: "person", id: actorId("ada"), name: "Ada" };
export const system: Actor = { type: "system", id: actorId("fs"), name: "file system" };

export function model(turn: string): Actor {
  return {
    type: "model",
    id: actorId("scribe"),
    name: "scribe",
    model: "local/scribe",
    runId: runId("a"),
    turnId: turnId(turn),
    toolCallId: callId("1"),
  };
}

export function root(name: string, change: Partial<ForestRoot> = {}): ForestRoot {
  return {
    id: rootId(name),
    slug: `slug-${name}`,
    title: `Title of ${name} 😀`,
    systemPrompt: "Be brief.\n",
    model: "local/scribe",
    canvasId: null,
    cwd: "/home/a b",
    archived: false,
    createdAt: 1_000,
    updatedAt: 2_000,
    ...change,
  };
}

export function folder(name: string, change: Partial<Folder> = {}): Folder {
  return {
    id: folderId(name),
    name,
    path: `/home/${name}`,
    rights: "commands",
    branch: null,
    trusted: null,
    createdAt: 1_000,
    removedAt: null,
    ...change,
  };
}

export function node(name: string, change: Partial<ForestNode> = {}): ForestNode {
  return {
    id: nodeId(name),
    rootId: rootId("a"),
    parentId: null,
    prefixHash: `hash-${name}`,
    message: { role: "user", content: [{ type: "text", text: `Hello from ${name}: ü 😀 \u0000 "quoted"` }] },
    actor: person,
    runId: null,
    turnId: null,
    usage: null,
    createdAt: 3_000,
    ...change,
  };
}

export function run(name: string, change: Partial<RunRecord> = {}): RunRecord {
  return {
    id: runId(name),
    rootId: rootId("a"),
    headNodeId: null,
    state: { type: "idle" },
    stateSince: 4_000,
    contextUsed: null,
    subAgent: null,
    eventSeq: 0,
    turnId: null,
    model: "local/scribe",
    createdAt: 4_000,
    updatedAt: 4_000,
    ...change,
  };
}

/** A message that waits for a run. */
export function waiting(name: string, change: Partial<WaitingMessage> = {}): WaitingMessage {
  return {
    id: nodeId(name),
    runId: runId("a"),
    place: 1,
    version: 1,
    state: "waiting",
    deliver: "steer",
    message: { role: "user", content: [{ type: "text", text: name }] },
    actor: person,
    at: 4_000,
    ...change,
  };
}

/** The state of a run whose request is being prepared. */
export const awaiting: TurnState = { type: "awaiting", progress: { rounds: 0, asking: "reply" } };

export function effect(name: string, change: Partial<EffectRecord> = {}): EffectRecord {
  return {
    id: `run_a/1/${name}`,
    runId: runId("a"),
    effect: { type: "request-model", attempt: 1, asking: "reply" },
    startedAt: null,
    dueAt: null,
    ...change,
  };
}

export function runEvent(name: string, seq: number, change: Partial<RunEventRecord> = {}): RunEventRecord {
  return {
    runId: runId(name),
    seq,
    at: 4_500 + seq,
    event: { type: "request-prepared" },
    state: { type: "requesting", hash: `hash-${seq}` },
    ...change,
  };
}

export function notice(root: string, seq: number, text = `notice ${seq}`): StoredFeedRecord {
  return { rootId: rootId(root), seq, at: 5_000 + seq, body: { type: "notice", runId: runId("a"), text } };
}

export function header(name: string, version: number, change: Partial<BlockHeader> = {}): BlockHeader {
  return {
    id: blockId(name),
    documentId: documentId("a"),
    parentId: null,
    role: "assistant",
    kind: "text",
    status: "running",
    version,
    metadata: { path: "a/b.md", nested: { list: [1, null, "x"] } },
    collapsed: false,
    excluded: true,
    createdAt: 6_000,
    updatedAt: 6_000 + version,
    ...change,
  };
}

export const created = (of: BlockHeader): BlockChangeBody => ({
  type: "created",
  header: of,
  update: new Uint8Array(),
  spans: [],
});

export function typed(unit: string, ...bytes: readonly number[]): Extract<BlockChangeBody, { readonly type: "text" }> {
  return {
    type: "text",
    update: Uint8Array.from(bytes),
    spans: [{ replica: replicaId(7), seq: 0, length: bytes.length }],
    unit: { id: unit },
  };
}

/** The write of one mutation of a block, `version` 1 creating it. */
export function put(
  name: string,
  version: number,
  change: { readonly header?: Partial<BlockHeader>; readonly change?: Partial<BlockChange> } = {},
): Extract<StoreWrite, { readonly type: "put-change" }> {
  const of = header(name, version, change.header);
  const body = version === 1 ? created(of) : typed(`unit_${version}`, version % 256, 2, 3);
  return {
    type: "put-change",
    header: of,
    change: {
      blockId: of.id,
      documentId: of.documentId,
      version,
      actor: person,
      at: 7_000 + version,
      body,
      ...change.change,
    },
  };
}

export function request(name: string, change: Partial<RequestRecord> = {}): RequestRecord {
  return {
    clientId: "client_a",
    requestId: requestId(name),
    paramsHash: `hash-${name}`,
    answer: { nodeId: "none", list: [1, null, "ü 😀 \u0000"] },
    rootId: null,
    at: 8_000,
    ...change,
  };
}

export function rule(name: string, change: Partial<ApprovalRule> = {}): ApprovalRule {
  return {
    id: `rule_${name}`,
    rootId: null,
    toolName: "file_write",
    definitionHash: "definition",
    call: { argumentsHash: "arguments", shown: '{"path":"ü 😀"}' },
    createdAt: 9_000,
    createdBy: "Ada",
    ...change,
  };
}

export function trash(name: string, change: Partial<TrashEntry> = {}): TrashEntry {
  return {
    id: trashId(name),
    object: { type: "canvas", blockId: blockId(name) },
    title: `Plan ${name} ü 😀 \u0000`,
    by: model("7"),
    at: 9_000,
    purgeAt: 19_000,
    ...change,
  };
}

export function heldLease(
  name: string,
  epoch: number,
  change: { readonly expiresAt?: number; readonly canvas?: string } = {},
): Lease {
  return {
    canvasId: blockId(change.canvas ?? "canvas"),
    epoch,
    held: {
      leaseId: leaseId(name),
      holder: runId(name),
      holderName: `agent ${name}`,
      expiresAtMonotonicMs: change.expiresAt ?? 15_000.5,
      expiresAt: 1_700_000_015_000.5,
      revisionIdAtCheckout: "3-0badcafe",
      lastRevisionId: "4-deadbeef",
    },
  };
}
