import * as v from "valibot";
import type { Actor } from "../../base/actor.ts";
import { errorTable, type ErrorCode, type Refusal } from "../../base/errors.ts";
import { threadStates, type Thread } from "../../block/comment/thread.ts";
import { hunkStates, suggestionReasons, type Suggestion } from "../../block/suggestion/suggestion.ts";
import { blockKinds } from "../../block/kinds.ts";
import { blockRoles, blockStatuses, editPolicies, type BlockHeader } from "../../block/types.ts";
import type { List, ListEntry } from "../../forest/list.ts";
import type { Bookmark, ForestNode, ForestRoot } from "../../forest/types.ts";
import type { FeedRecord, RunStatus } from "../../turn/state/feed.ts";
import type { WaitingMessage } from "../../turn/state/waiting.ts";
import type { ReplicaId } from "../../text/types.ts";
import type { ReplicaActor, SegmentFacts, WireChange } from "../base/messages.ts";

/*
 * What a client checks of the things that a server sends: every field that a view relies on. Further fields pass, so that
 * a newer server may say more.
 */

/** A count, a version or a number of a feed. */
export const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const nullableString = v.nullable(v.string());
const metadata = v.record(v.string(), v.unknown());

const actorShape = v.looseObject({ type: v.picklist(["person", "model", "system"]), id: v.string(), name: v.string() });

const headerShape = v.looseObject({
  id: v.string(),
  documentId: v.string(),
  parentId: nullableString,
  role: v.picklist(blockRoles),
  kind: v.picklist(blockKinds),
  status: v.picklist(blockStatuses),
  version: whole,
  metadata,
});

/** What the entries of all lists have in common; those of conversations have more. */
const listEntryShape = v.looseObject({ id: v.string(), title: v.string(), createdAt: v.number() });

const listShape = v.looseObject({
  of: v.picklist(["conversations", "canvases", "canvas-folders", "conversation", "canvas"]),
});

const rootShape = v.looseObject({
  id: v.string(),
  title: v.string(),
  model: v.string(),
  canvasId: nullableString,
  archived: v.boolean(),
  createdAt: v.number(),
  updatedAt: v.number(),
});

const nodeShape = v.looseObject({
  id: v.string(),
  rootId: v.string(),
  parentId: nullableString,
  message: v.looseObject({
    role: v.picklist(["user", "assistant", "tool", "system"]),
    content: v.array(v.looseObject({ type: v.string() })),
  }),
  actor: actorShape,
  createdAt: v.number(),
  tags: v.optional(v.array(v.string())),
  variants: v.optional(v.array(v.looseObject({ at: v.number(), actor: actorShape }))),
  authors: v.optional(v.array(v.looseObject({ block: whole, from: whole, to: whole, actor: actorShape }))),
  edited: v.optional(v.looseObject({ by: v.array(actorShape), original: v.string() })),
});

const bookmarkShape = v.looseObject({
  title: v.string(),
  rootId: v.string(),
  nodeId: nullableString,
  createdAt: v.number(),
  updatedAt: v.number(),
});

const runChangedShape = v.looseObject({
  type: v.literal("run-changed"),
  runId: v.string(),
  headNodeId: nullableString,
  turnId: nullableString,
  state: v.looseObject({ type: v.string() }),
  since: v.number(),
  contextUsed: v.nullable(v.number()),
  model: v.string(),
  queued: v.boolean(),
  liveBlocks: v.array(v.string()),
});

const waitingShape = v.looseObject({
  id: v.string(),
  runId: v.string(),
  place: v.number(),
  version: whole,
  state: v.picklist(["waiting", "held"]),
  deliver: v.picklist(["steer", "queue"]),
  message: v.looseObject({ role: v.literal("user"), content: v.array(v.looseObject({ type: v.string() })) }),
  actor: actorShape,
  at: v.number(),
});

const feedRecordShape = v.looseObject({
  rootId: v.string(),
  seq: whole,
  at: v.number(),
  body: v.variant("type", [
    v.looseObject({ type: v.literal("node-added"), node: nodeShape }),
    v.looseObject({ type: v.literal("node-changed"), node: nodeShape }),
    v.looseObject({ type: v.literal("nodes-removed"), ids: v.array(v.string()) }),
    v.looseObject({ type: v.literal("bookmark-changed"), title: v.string(), bookmark: v.nullable(bookmarkShape) }),
    v.looseObject({ type: v.literal("root-changed"), root: rootShape }),
    runChangedShape,
    v.looseObject({ type: v.literal("waiting-changed"), runId: v.string(), waiting: v.array(waitingShape) }),
    v.looseObject({ type: v.literal("notice"), runId: v.string(), text: v.string() }),
  ]),
});

const spansShape = v.array(v.looseObject({ replica: whole, seq: whole, length: whole }));

const changeShape = v.looseObject({
  blockId: v.string(),
  documentId: v.string(),
  version: whole,
  actor: actorShape,
  at: v.number(),
  requestId: v.optional(v.string()),
  body: v.variant("type", [
    v.looseObject({ type: v.literal("created"), header: headerShape, update: v.string(), spans: spansShape }),
    v.looseObject({
      type: v.literal("text"),
      update: v.string(),
      spans: spansShape,
      appended: v.optional(v.string()),
      starts: v.optional(v.literal(true)),
    }),
    v.looseObject({ type: v.literal("review"), unit: v.looseObject({ id: v.string() }) }),
    v.looseObject({ type: v.literal("status"), status: v.picklist(blockStatuses) }),
    v.looseObject({ type: v.literal("policy"), policy: v.picklist(editPolicies) }),
    v.looseObject({ type: v.literal("metadata"), metadata }),
    v.looseObject({ type: v.literal("flags"), collapsed: v.boolean(), excluded: v.boolean() }),
    v.looseObject({ type: v.literal("deleted") }),
    v.looseObject({ type: v.literal("restored") }),
  ]),
});

const unitShape = v.looseObject({ replica: whole, seq: whole });
const placeShape = v.looseObject({ spans: spansShape, joined: v.optional(spansShape) });

const threadShape = v.looseObject({
  id: v.string(),
  blockId: v.string(),
  version: whole,
  state: v.picklist(threadStates),
  anchor: v.nullable(
    v.looseObject({
      own: v.array(placeShape),
      seam: v.looseObject({ before: v.nullable(unitShape), after: v.nullable(unitShape) }),
      quote: v.looseObject({ text: v.string(), length: whole, before: v.string(), after: v.string() }),
    }),
  ),
  comments: v.pipe(
    v.array(v.looseObject({ seq: whole, actor: actorShape, text: v.string(), at: v.number() })),
    v.minLength(1),
  ),
  events: v.array(v.looseObject({ type: v.string(), by: actorShape, at: v.number() })),
  createdAt: v.number(),
  deletedAt: v.optional(v.number()),
});

const suggestionShape = v.looseObject({
  id: v.string(),
  canvasId: v.string(),
  version: whole,
  canvasVersion: whole,
  author: actorShape,
  replica: whole,
  reason: v.picklist(suggestionReasons),
  createdAt: v.number(),
  hunks: v.array(
    v.looseObject({
      id: v.string(),
      state: v.picklist(hunkStates),
      startLine: whole,
      endLine: whole,
      oldText: v.string(),
      newText: v.string(),
      contextBefore: v.string(),
      contextAfter: v.string(),
      anchor: v.looseObject({ own: spansShape, before: v.nullable(unitShape), after: v.nullable(unitShape) }),
      proposes: v.optional(v.looseObject({ type: v.picklist(["create", "delete", "update"]) })),
      decision: v.optional(
        v.looseObject({ outcome: v.picklist(["kept", "rejected"]), by: actorShape, at: v.number() }),
      ),
    }),
  ),
});

const replicaShape = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const replicaActorShape = v.looseObject({ replica: replicaShape, actor: actorShape });
const refusalShape = v.looseObject({
  code: v.picklist(Object.keys(errorTable) as readonly ErrorCode[]),
  message: v.string(),
  details: v.optional(metadata),
});

const segmentFactsShape = v.looseObject({
  tipId: nullableString,
  above: whole,
  childCounts: v.array(v.looseObject({ parentId: nullableString, count: whole })),
});

/** All shapes, for the fingerprint of the wire. */
export const shapes = {
  segmentFacts: segmentFactsShape,
  actor: actorShape,
  header: headerShape,
  listEntry: listEntryShape,
  list: listShape,
  root: rootShape,
  node: nodeShape,
  bookmark: bookmarkShape,
  runChanged: runChangedShape,
  waiting: waitingShape,
  feedRecord: feedRecordShape,
  change: changeShape,
  suggestion: suggestionShape,
  thread: threadShape,
  replica: replicaShape,
  replicaActor: replicaActorShape,
  refusal: refusalShape,
} as const;

function shaped<Value>(shape: v.GenericSchema) {
  return v.custom<Value>((value) => v.is(shape, value));
}

export const actor = shaped<Actor>(actorShape);
export const header = shaped<BlockHeader>(headerShape);
export const listEntry = shaped<ListEntry>(listEntryShape);
export const list = shaped<List>(listShape);
export const root = shaped<ForestRoot>(rootShape);
export const node = shaped<ForestNode>(nodeShape);
export const segmentFacts = shaped<SegmentFacts>(segmentFactsShape);
export const bookmark = shaped<Bookmark>(bookmarkShape);
export const runChanged = shaped<RunStatus>(runChangedShape);
export const waitingMessage = shaped<WaitingMessage>(waitingShape);
export const feedRecord = shaped<FeedRecord>(feedRecordShape);
export const change = shaped<WireChange>(changeShape);
export const suggestion = shaped<Suggestion>(suggestionShape);
export const thread = shaped<Thread>(threadShape);
export const replica = shaped<ReplicaId>(replicaShape);
export const replicaActor = shaped<ReplicaActor>(replicaActorShape);
export const downRefusal = shaped<Refusal>(refusalShape);

/** An id that the server made; a client only sends it back. */
export function serverId<Id extends string>() {
  return v.custom<Id>((value) => typeof value === "string" && value.length > 0);
}
