import type { BlockId, FolderId, NodeId, RootId, RunId, ThreadId, TurnId } from "../../base/ids.ts";
import type { Verb } from "../../rights/verb-table.ts";

/** The object of an access. */
export type Resource =
  /** Lists of objects, settings, and presence. */
  | { readonly type: "workspace" }
  | { readonly type: "conversation"; readonly id: RootId }
  | { readonly type: "node"; readonly id: NodeId }
  | { readonly type: "run"; readonly id: RunId }
  | { readonly type: "turn"; readonly id: TurnId }
  | { readonly type: "block"; readonly id: BlockId }
  | { readonly type: "thread"; readonly id: ThreadId }
  | { readonly type: "tool"; readonly name: string }
  /** A folder of the machine, or a path in it. */
  | { readonly type: "folder"; readonly id: FolderId; readonly path?: string }
  /** A folder path of canvases; the empty one is the top. */
  | { readonly type: "folder-path"; readonly path: string }
  /** What a document lies in. */
  | { readonly type: "around"; readonly id: BlockId };

/** What a request does, and to which object: the question that `authorise` answers. */
export type Access = readonly [Verb, Resource];

type WorkspaceVerb = Extract<Verb, `workspace.${string}`>;
type ConversationVerb = Extract<Verb, `conversation.${string}`>;
type DocumentVerb = Extract<Verb, `document.${string}`>;
type With<Key extends string, Id> = { readonly [Each in Key]: Id };

/** What belongs to no conversation and no block. */
export const onWorkspace = (verb: WorkspaceVerb) => (): Access => [verb, { type: "workspace" }];

// The access to the object whose id is in the parameters.

export const onConversation =
  (verb: ConversationVerb) =>
  ({ rootId: id }: With<"rootId", RootId>): Access => [verb, { type: "conversation", id }];
export const onNode =
  (verb: ConversationVerb) =>
  ({ nodeId: id }: With<"nodeId", NodeId>): Access => [verb, { type: "node", id }];
export const onRun =
  (verb: ConversationVerb) =>
  ({ runId: id }: With<"runId", RunId>): Access => [verb, { type: "run", id }];
/** The documents that a turn changed. */
export const onTurn =
  (verb: DocumentVerb) =>
  ({ turnId: id }: With<"turnId", TurnId>): Access => [verb, { type: "turn", id }];
export const onBlock =
  (verb: DocumentVerb) =>
  ({ blockId: id }: With<"blockId", BlockId>): Access => [verb, { type: "block", id }];
export const onCanvas =
  (verb: DocumentVerb) =>
  ({ canvasId: id }: With<"canvasId", BlockId>): Access => [verb, { type: "block", id }];
/** The document of a thread of comments. */
export const onThread =
  (verb: DocumentVerb) =>
  ({ threadId: id }: With<"threadId", ThreadId>): Access => [verb, { type: "thread", id }];
/** The conversation that the parameters name, or the workspace for all of them. */
export const onConversations =
  (one: ConversationVerb, all: WorkspaceVerb) =>
  ({ rootId }: { readonly rootId?: RootId | null }): Access =>
    rootId === undefined || rootId === null ? onWorkspace(all)() : onConversation(one)({ rootId });
