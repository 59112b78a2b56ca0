import * as v from "valibot";
import type { Actor } from "../../../core/base/actor.ts";
import type { HunkId, TurnId } from "../../../core/base/ids.ts";
import { isJsonObject } from "../../../core/base/json.ts";
import {
  thinkingLevels,
  type Budget,
  type CompactionSettings,
  type ReplySettings,
} from "../../../core/forest/run-rules.ts";
import type { ForestNode, ModelUsage } from "../../../core/forest/types.ts";
import {
  toolOutcomes,
  type ContentBlock,
  type MediaSource,
  type Message,
  type MessageRole,
} from "../../../core/message/types.ts";
import type { Usage } from "../../../core/message/usage.ts";
import type { AskedSettings, SubAgentOf } from "../../../core/port/store.ts";
import type { AuditEntry } from "../../../core/rights/audit.ts";
import { budgetPeriods } from "../../../core/rights/spending-limits.ts";
import { quotings, type RightsRow } from "../../../core/rights/rights-row.ts";
import { roles } from "../../../core/rights/role.ts";
import { lockableSettings } from "../../../core/rights/setting-lock.ts";
import type { ReplicaId, OpSpan } from "../../../core/text/types.ts";
import type { ApprovalRule } from "../../../core/turn/state/approval.ts";
import type { PerformedEffect } from "../../../core/turn/event/effect.ts";
import type { StoredFeedBody } from "../../../core/turn/state/stored-feed.ts";
import { cancelReasons, type TurnState, type TurnStateType } from "../../../core/turn/state/state.ts";
import type { WaitingMessage } from "../../../core/turn/state/waiting.ts";
import type { SubAgentOutcome } from "../../../core/turn/state/sub-agent.ts";
import type { TrashEntry, TrashedObject } from "../../../core/forest/trash-entry.ts";
import { threadStates, type Thread } from "../../../core/block/comment/thread.ts";
import { hunkStates, suggestionReasons, type Suggestion } from "../../../core/block/suggestion/suggestion.ts";
import { blockKinds } from "../../../core/block/kinds.ts";
import {
  blockRoles,
  blockStatuses,
  type BlockFlags,
  type BlockHeader,
  type KeptHunks,
  type UndoUnit,
} from "../../../core/block/types.ts";

/**
 * The forms of JSON columns. Each guard runs before a write and after a read. Unnamed fields are kept, so that an optional
 * field added later survives. Every member of a union is listed, so that a new member does not compile until it is
 * readable.
 */

/** The fields of a node that most nodes lack. */
export type NodeDetails = Pick<
  ForestNode,
  | "tags"
  | "customData"
  | "splitFrom"
  | "continues"
  | "request"
  | "canvas"
  | "taint"
  | "variants"
  | "authors"
  | "edited"
  | "excluded"
  | "collapsed"
  | "compacts"
  | "draft"
>;

type Schema = v.GenericSchema;

function guard<Value>(schema: Schema): (value: unknown) => value is Value {
  return (value): value is Value => v.is(schema, value);
}

function tagged<Tag extends string>(key: string, schemas: Readonly<Record<Tag, Schema>>): Schema {
  const byTag = new Map<unknown, Schema>(Object.entries<Schema>(schemas));
  return v.custom((value) => {
    const schema = isJsonObject(value) ? byTag.get(value[key]) : undefined;
    return schema !== undefined && v.is(schema, value);
  });
}

const text = v.string();
const number = v.number();
const object = v.custom(isJsonObject);
const source = tagged<MediaSource["type"]>("type", {
  base64: v.looseObject({ data: text }),
  url: v.looseObject({ url: text }),
  blob: v.looseObject({ id: text, size: number }),
});

const contentBlock = tagged<ContentBlock["type"]>("type", {
  text: v.looseObject({ text }),
  thinking: v.looseObject({ text }),
  "tool-use": v.looseObject({ id: text, name: text, parameters: object }),
  image: v.looseObject({ mediaType: text, source }),
  file: v.looseObject({ mediaType: text, source }),
  refusal: v.looseObject({ text }),
  opaque: v.looseObject({ api: text, raw: object }),
  notice: v.looseObject({ text }),
});

const content = v.pipe(v.array(contentBlock), v.minLength(1));
const toolMessage = v.looseObject({
  role: v.literal("tool"),
  tool_call_id: text,
  tool_name: text,
  content,
  outcome: v.picklist(toolOutcomes),
});
const userMessage = v.looseObject({ role: v.literal("user"), content });
const message = tagged<MessageRole>("role", {
  user: userMessage,
  assistant: v.looseObject({ content }),
  tool: toolMessage,
  system: v.looseObject({ content }),
});

const actor = tagged<Actor["type"]>("type", {
  person: v.looseObject({ id: text, name: text }),
  model: v.looseObject({ id: text, name: text, model: text, runId: text, turnId: text }),
  system: v.looseObject({ id: text, name: text }),
});

const usage = v.looseObject({
  inputTokens: number,
  outputTokens: number,
  cachedInputTokens: number,
  thinkingTokens: number,
});

const request = v.looseObject({
  model: text,
  maxTokens: v.exactOptional(number),
  temperature: v.exactOptional(number),
  tools: v.exactOptional(v.array(text)),
  stop: v.exactOptional(text),
  resent: v.exactOptional(v.literal("safe")),
  view: v.exactOptional(text),
});
const variant = v.looseObject({ at: number, actor, usage: v.nullable(usage), request: v.exactOptional(request) });
const nodeDetails = v.looseObject({
  tags: v.exactOptional(v.array(text)),
  customData: v.exactOptional(object),
  splitFrom: v.exactOptional(text),
  continues: v.exactOptional(text),
  request: v.exactOptional(request),
  canvas: v.exactOptional(v.looseObject({ canvasId: text, revisionId: text })),
  taint: v.exactOptional(v.looseObject({ holdsPrivate: v.boolean(), holdsUntrusted: v.boolean() })),
  variants: v.exactOptional(v.array(variant)),
  authors: v.exactOptional(v.array(v.looseObject({ block: number, from: number, to: number, actor }))),
  edited: v.exactOptional(v.looseObject({ by: v.array(actor), original: text })),
  excluded: v.exactOptional(v.literal(true)),
  collapsed: v.exactOptional(v.literal(true)),
  draft: v.exactOptional(text),
  compacts: v.exactOptional(
    v.looseObject({
      through: v.nullable(text),
      messages: number,
      tokensBefore: number,
      tokensAfter: number,
      by: v.picklist(["share", "person"]),
      model: text,
      editedBy: v.exactOptional(text),
      outdated: v.exactOptional(v.literal(true)),
      off: v.exactOptional(v.literal(true)),
    }),
  ),
});

const compactionSettings = v.looseObject({
  at: v.exactOptional(v.union([number, v.literal("off")])),
  model: v.exactOptional(text),
});
const toolCall = v.looseObject({ id: text, name: text, parameters: object });
const nothing = v.looseObject({});

const progress = v.looseObject({ rounds: number, asking: text });
const round = {
  progress,
  pending: v.pipe(v.array(toolCall), v.minLength(1)),
  running: v.array(text),
  arrived: v.array(toolMessage),
  completed: v.array(text),
  parallel: v.boolean(),
};
const approvalRequest = v.looseObject({ callId: text, argumentsHash: text, reason: text, expiresAt: number });
const question = v.looseObject({
  question: text,
  options: v.array(v.looseObject({ label: text })),
  multiple: v.boolean(),
});
const outcome = tagged<SubAgentOutcome["type"]>("type", {
  completed: v.looseObject({ result: text, success: v.boolean(), implicit: v.boolean() }),
  failed: v.looseObject({ reason: text, message: text }),
});
const subAgent = v.looseObject({
  runId: text,
  rootId: text,
  task: text,
  deadlineAt: number,
  outcome: v.nullable(outcome),
});
const subAgents = v.pipe(v.array(subAgent), v.minLength(1));
const cancelReason = v.picklist(cancelReasons);

const state = tagged<TurnStateType>("type", {
  idle: nothing,
  awaiting: v.looseObject({ progress }),
  requesting: v.looseObject({
    progress,
    attempt: number,
    retryAt: v.nullable(number),
    lastFailure: v.nullable(text),
  }),
  "running-tools": v.looseObject(round),
  "awaiting-approval": v.looseObject({ ...round, request: approvalRequest }),
  "awaiting-answer": v.looseObject({
    ...round,
    callId: text,
    questions: v.pipe(v.array(question), v.minLength(1)),
  }),
  "awaiting-sub-agents": v.looseObject({ ...round, callId: text, agents: subAgents }),
  cancelling: v.looseObject({ progress, attempt: number, reason: cancelReason }),
  "cancelling-sub-agents": v.looseObject({ ...round, callId: text, agents: subAgents, reason: cancelReason }),
  error: v.looseObject({ kind: text, detail: text, message: text }),
  "context-exhausted": v.looseObject({ summary: text }),
  completed: v.looseObject({ result: text, success: v.boolean(), implicit: v.boolean() }),
  failed: v.looseObject({ reason: text, message: text }),
});

const effect = tagged<PerformedEffect["type"]>("type", {
  "prepare-request": nothing,
  "request-model": v.looseObject({ attempt: number, asking: text }),
  "abort-request": nothing,
  "run-tool": v.looseObject({ call: toolCall, approved: v.nullable(text) }),
  "abort-tool": v.looseObject({ callId: text }),
  "answer-call": v.looseObject({ callId: text }),
  "schedule-retry": v.looseObject({ attempt: number, delayMs: number }),
  "schedule-expiry": v.looseObject({ callId: text, at: number }),
  "await-sub-agent": v.looseObject({ callId: text, agent: subAgent }),
  "cancel-sub-agent": v.looseObject({ agent: subAgent }),
  "release-leases": nothing,
});

const nodeFields = { id: text, rootId: text, parentId: v.nullable(text), prefixHash: text, message, actor };
const bookmark = v.looseObject({ title: text, rootId: text, nodeId: v.nullable(text) });
const rootFields = { id: text, slug: text, title: text, cwd: text, model: text };
const { message: _message, ...feedNodeFields } = nodeFields;
const feedBody = tagged<StoredFeedBody["type"]>("type", {
  "node-added": v.looseObject({ node: v.looseObject(feedNodeFields) }),
  "node-changed": v.looseObject({ node: v.looseObject(feedNodeFields) }),
  "nodes-removed": v.looseObject({ ids: v.array(text) }),
  "bookmark-changed": v.looseObject({ title: text, bookmark: v.nullable(bookmark) }),
  "root-changed": v.looseObject({ root: v.looseObject(rootFields) }),
  "run-changed": v.looseObject({ runId: text, state, queued: v.boolean(), liveBlocks: v.array(text) }),
  "waiting-changed": v.looseObject({ runId: text, waiting: v.array(object) }),
  notice: v.looseObject({ runId: text, text }),
});

const blockHeader = v.looseObject({
  id: text,
  documentId: text,
  parentId: v.nullable(text),
  role: v.picklist(blockRoles),
  kind: v.picklist(blockKinds),
  status: v.picklist(blockStatuses),
  version: number,
  metadata: object,
  collapsed: v.boolean(),
  excluded: v.boolean(),
  createdAt: number,
  updatedAt: number,
  deletedAt: v.exactOptional(number),
});
const undoUnit = v.looseObject({ id: text });
const opSpans = v.array(v.looseObject({ replica: number, seq: number, length: number }));
const opUnit = v.nullable(v.looseObject({ replica: number, seq: number }));
const modelActor = v.looseObject({
  type: v.literal("model"),
  id: text,
  name: text,
  model: text,
  runId: text,
  turnId: text,
});
const suggestionAuthor = v.union([modelActor, actor]);
const keptHunks = v.looseObject({ hunkIds: v.array(text), author: suggestionAuthor, reviewer: number });
const suggestedHunk = v.looseObject({
  id: text,
  state: v.picklist(hunkStates),
  startLine: number,
  endLine: number,
  oldText: text,
  newText: text,
  contextBefore: text,
  contextAfter: text,
  anchor: v.looseObject({ own: opSpans, before: opUnit, after: opUnit }),
  alsoBy: v.exactOptional(v.array(suggestionAuthor)),
  proposes: v.exactOptional(v.looseObject({ type: v.picklist(["create", "delete", "update"]) })),
  decision: v.exactOptional(
    v.looseObject({ unitId: text, outcome: v.picklist(["kept", "rejected"]), by: actor, at: number }),
  ),
});
const suggestion = v.looseObject({
  id: text,
  canvasId: text,
  version: number,
  canvasVersion: number,
  author: suggestionAuthor,
  replica: number,
  reason: v.picklist(suggestionReasons),
  draftId: v.exactOptional(text),
  inTrash: v.exactOptional(v.boolean()),
  createdAt: number,
  hunks: v.pipe(v.array(suggestedHunk), v.minLength(1)),
});

const anchorPlace = v.looseObject({
  spans: opSpans,
  joined: v.exactOptional(opSpans),
  point: v.exactOptional(v.literal(true)),
});
const thread = v.looseObject({
  id: text,
  blockId: text,
  version: number,
  state: v.picklist(threadStates),
  homes: v.exactOptional(v.array(v.looseObject({ blockId: text }))),
  anchor: v.nullable(
    v.looseObject({
      own: v.array(anchorPlace),
      seam: v.looseObject({ before: opUnit, after: opUnit }),
      quote: v.looseObject({ text, length: number, before: text, after: text }),
    }),
  ),
  comments: v.pipe(v.array(v.looseObject({ seq: number, actor, text, at: number })), v.minLength(1)),
  events: v.array(v.looseObject({ type: v.picklist(["resolved", "reopened", "moved"]), by: actor, at: number })),
  conversationId: v.exactOptional(text),
  createdAt: number,
  deletedAt: v.exactOptional(number),
});

const trashedObject = tagged<TrashedObject["type"]>("type", {
  canvas: v.looseObject({ blockId: text }),
  block: v.looseObject({ blockId: text }),
  file: v.looseObject({ blockId: text, path: text, folderId: v.nullable(text) }),
  thread: v.looseObject({ threadId: text, of: text }),
  conversation: v.looseObject({ rootId: text, agents: v.array(text), bookmarks: v.array(bookmark) }),
  branch: v.looseObject({
    rootId: text,
    nodeId: text,
    parentId: v.nullable(text),
    messages: number,
    bookmarks: v.array(bookmark),
  }),
});
const trashEntry = v.looseObject({
  id: text,
  object: trashedObject,
  title: text,
  by: actor,
  at: number,
  purgeAt: v.nullable(number),
});

const rightsRow = v.variant("type", [
  v.looseObject({ type: v.literal("person"), id: text, name: text, ended: v.boolean() }),
  v.looseObject({ type: v.literal("group"), id: text, name: text, ended: v.boolean() }),
  v.looseObject({ type: v.literal("member"), group: text, person: text, ended: v.boolean() }),
  v.looseObject({ type: v.literal("share"), object: text, subject: text, role: v.nullable(v.picklist(roles)) }),
  v.looseObject({ type: v.literal("object"), object: text, inherits: v.boolean() }),
  v.looseObject({ type: v.literal("quoting"), object: text, by: v.picklist(quotings) }),
  v.looseObject({ type: v.literal("lock"), setting: v.picklist(lockableSettings), by: v.nullable(text) }),
  v.looseObject({
    type: v.literal("budget"),
    subject: text,
    per: v.picklist(budgetPeriods),
    tokens: v.nullable(number),
    dollars: v.nullable(number),
  }),
  v.looseObject({
    type: v.literal("link"),
    id: text,
    object: text,
    hash: text,
    proofHash: v.exactOptional(text),
    by: text,
    expiresAt: number,
    ended: v.boolean(),
  }),
]);

const auditEntry = v.looseObject({
  seq: number,
  at: number,
  actor: text,
  through: v.nullable(v.looseObject({ runId: text, turnId: text, callId: v.nullable(text) })),
  credential: v.nullable(text),
  address: v.nullable(text),
  act: text,
  object: text,
  outcome: v.picklist(["done", "refused"]),
  rightsSeq: number,
  before: v.nullable(v.custom(isJsonObject)),
  after: v.nullable(v.custom(isJsonObject)),
  previousHash: text,
  hash: text,
});

export const isMessage = guard<Message>(message);
/** A waiting message without its columns. */
type WaitingContent = Omit<WaitingMessage, "id" | "runId" | "place">;
export const isWaitingContent = guard<WaitingContent>(
  v.looseObject({
    version: number,
    state: v.picklist(["waiting", "held"]),
    deliver: v.picklist(["steer", "queue"]),
    message: userMessage,
    actor,
    at: number,
  }),
);
export const isSubAgentOf = guard<SubAgentOf>(
  v.looseObject({ parentRootId: text, parentRunId: text, deadlineAt: number }),
);
export const isAskedSettings = guard<AskedSettings>(
  v.looseObject({
    maxTokens: v.exactOptional(number),
    temperature: v.exactOptional(number),
    fallbacks: v.exactOptional(v.array(text)),
    outputSchema: v.exactOptional(v.looseObject({})),
    draft: v.exactOptional(v.looseObject({ id: text, from: v.exactOptional(text) })),
    payer: v.exactOptional(text),
    joined: v.exactOptional(v.array(text)),
    tokens: v.exactOptional(v.array(text)),
  }),
);
export const isApprovalRule = guard<ApprovalRule>(
  v.looseObject({
    toolName: text,
    definitionHash: text,
    call: v.nullable(v.looseObject({ argumentsHash: text, shown: text })),
    createdBy: text,
  }),
);
export const isCompactionSettings = guard<CompactionSettings>(compactionSettings);
export const isBudget = guard<Budget>(
  v.looseObject({
    tokens: v.exactOptional(number),
    dollars: v.exactOptional(number),
    steps: v.exactOptional(number),
    subAgents: v.exactOptional(number),
  }),
);
export const isReplySettings = guard<ReplySettings>(
  v.looseObject({
    thinking: v.exactOptional(v.picklist(thinkingLevels)),
    toolsOff: v.exactOptional(v.array(text)),
    fallbacks: v.exactOptional(v.array(text)),
    serverTools: v.exactOptional(v.array(text)),
  }),
);
export const isTags = guard<readonly string[]>(v.array(text));
export const isModelUsages = guard<readonly ModelUsage[]>(
  v.array(v.looseObject({ model: text, usage, requests: number })),
);
export const isActor = guard<Actor>(actor);
/** Text changes as threes of from, to and insert. */
export type FlatChanges = readonly (number | string)[];

export const isFlatChanges = guard<FlatChanges>(v.array(v.union([v.number(), v.string()])));
export const isNames = guard<readonly string[]>(v.array(text));
export const isNodeDetails = guard<NodeDetails>(nodeDetails);
export const isUsage = guard<Usage>(usage);
export const isTurnState = guard<TurnState>(state);
export const isPerformedEffect = guard<PerformedEffect>(effect);
export const isFeedBody = guard<StoredFeedBody>(feedBody);
export const isBlockHeader = guard<BlockHeader>(blockHeader);
export const isUndoUnit = guard<UndoUnit>(undoUnit);
export const isOpSpans = guard<readonly OpSpan[]>(opSpans);
export const isKeptHunks = guard<KeptHunks>(keptHunks);
export const isSuggestion = guard<Suggestion>(suggestion);
export const isRightsRow = guard<RightsRow>(rightsRow);
export const isAuditEntry = guard<AuditEntry>(auditEntry);
export const isThread = guard<Thread>(thread);
export const isBlockFlags = guard<BlockFlags>(v.looseObject({ collapsed: v.boolean(), excluded: v.boolean() }));
export const isTurnId = guard<TurnId>(text);
export const isForestNode = guard<ForestNode>(
  v.looseObject({
    ...nodeFields,
    runId: v.nullable(text),
    turnId: v.nullable(text),
    usage: v.nullable(usage),
    createdAt: number,
  }),
);
export const isTrashEntry = guard<TrashEntry>(trashEntry);
export const isHunkIds = guard<readonly HunkId[]>(v.array(text));
export const isReplica = guard<ReplicaId>(number);
export const isTexts = guard<readonly string[]>(v.array(text));
