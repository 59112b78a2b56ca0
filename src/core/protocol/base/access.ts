import type { BlockId, NodeId, RootId, RunId, ThreadId, TurnId } from "../../base/ids.ts";

/** The kind of an access. */
export type Verb = "read" | "comment" | "write";

/** The object of an access. */
export type Resource =
  /** The state of the server, for supervisors. */
  | { readonly type: "health" }
  /** The web app's files: public code, without anybody's data. */
  | { readonly type: "app" }
  /** Lists of objects, settings, and presence. */
  | { readonly type: "workspace" }
  | { readonly type: "conversation"; readonly id: RootId }
  | { readonly type: "node"; readonly id: NodeId }
  | { readonly type: "run"; readonly id: RunId }
  | { readonly type: "turn"; readonly id: TurnId }
  | { readonly type: "block"; readonly id: BlockId }
  | { readonly type: "thread"; readonly id: ThreadId }
  | { readonly type: "tool"; readonly name: string };

/** What a request does, and to which object: the question that `authorise` answers. */
export type Access = readonly [Verb, Resource];

/** Reading or changing what belongs to no conversation and no block. */
export const readsWorkspace = (): Access => ["read", { type: "workspace" }];
export const writesWorkspace = (): Access => ["write", { type: "workspace" }];

type With<Key extends string, Id> = { readonly [Each in Key]: Id };

/** The access to the object whose id is in the parameters. */
export const readsConversation = ({ rootId }: With<"rootId", RootId>): Access => [
  "read",
  { type: "conversation", id: rootId },
];
export const writesConversation = ({ rootId }: With<"rootId", RootId>): Access => [
  "write",
  { type: "conversation", id: rootId },
];
export const writesNode = ({ nodeId }: With<"nodeId", NodeId>): Access => ["write", { type: "node", id: nodeId }];
export const writesRun = ({ runId }: With<"runId", RunId>): Access => ["write", { type: "run", id: runId }];
export const writesTurn = ({ turnId }: With<"turnId", TurnId>): Access => ["write", { type: "turn", id: turnId }];
export const readsBlock = ({ blockId }: With<"blockId", BlockId>): Access => ["read", { type: "block", id: blockId }];
export const writesBlock = ({ blockId }: With<"blockId", BlockId>): Access => ["write", { type: "block", id: blockId }];
/** Commenting: who may read a document may comment on it without being able to write it. */
export const commentsBlock = ({ blockId }: With<"blockId", BlockId>): Access => [
  "comment",
  { type: "block", id: blockId },
];
export const commentsThread = ({ threadId }: With<"threadId", ThreadId>): Access => [
  "comment",
  { type: "thread", id: threadId },
];
export const readsCanvas = ({ canvasId }: With<"canvasId", BlockId>): Access => [
  "read",
  { type: "block", id: canvasId },
];
export const writesCanvas = ({ canvasId }: With<"canvasId", BlockId>): Access => [
  "write",
  { type: "block", id: canvasId },
];
/** The conversation that the parameters name, or all conversations. */
export const readsConversations = ({ rootId }: { readonly rootId?: RootId | null }): Access =>
  rootId === undefined || rootId === null ? readsWorkspace() : readsConversation({ rootId });
