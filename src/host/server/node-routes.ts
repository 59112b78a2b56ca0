import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { NodeId, RootId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { ForestNode } from "../../core/forest/types.ts";
import { messageCommands } from "../../core/protocol/command/message.ts";
import { nodeId } from "../../core/protocol/parts.ts";
import type { AppendedMessages, ChangedNode, Done, RemovedNodes } from "../conversation/types.ts";
import type { Resource, Verb } from "../authorise.ts";
import type { Workspace } from "../workspace.ts";
import { readAppended, readNodeContent } from "./node-content.ts";
import { httpOnce, nothingTold } from "./http-once.ts";
import { flag, readBody, readQuery } from "./read-query.ts";
import type { JsonRoute, RouteCall } from "./route.ts";

const pathQuery = v.object({ from: v.exactOptional(nodeId) });
const deleteQuery = v.object({ reparent: flag, force: flag });
const splitBody = v.object({ at: messageCommands["message.split"].entries.at });
const { tags, customData } = messageCommands["message.label"].entries;
const labelsBody = v.object({ tags, customData });

/** Messages: reading around one, and changing the tree at one. */
export const nodeRoutes: readonly JsonRoute[] = [
  {
    method: "GET",
    path: "/api/nodes/:id",
    access: reading,
    answer: ({ workspace, params: [id = ""] }) => nodeOf(workspace, id),
  },
  { method: "GET", path: "/api/nodes/:id/path", access: reading, answer: pathTo },
  {
    method: "GET",
    path: "/api/nodes/:id/children",
    access: reading,
    answer: (call) =>
      aboutNode(call, async (node) => ({ nodes: await call.workspace.store.children(node.rootId, node.id) })),
  },
  {
    method: "GET",
    path: "/api/nodes/:id/siblings",
    access: reading,
    answer: (call) =>
      aboutNode(call, async (node) => ({ nodes: await call.workspace.store.children(node.rootId, node.parentId) })),
  },
  {
    method: "GET",
    path: "/api/nodes/:id/subtree",
    access: reading,
    answer: (call) => aboutNode(call, async (node) => ({ nodes: await call.workspace.store.subtree(node.id) })),
  },
  { method: "POST", path: "/api/nodes/:parentId/append", access: writing, answer: append },
  { method: "PUT", path: "/api/nodes/:nodeId/content", access: writing, answer: setContent },
  { method: "POST", path: "/api/nodes/:id/split", access: writing, answer: split },
  { method: "PUT", path: "/api/nodes/:id/labels", access: writing, answer: setLabels },
  { method: "DELETE", path: "/api/nodes/:id", access: writing, answer: remove },
];

function reading([id = ""]: readonly string[]): readonly [Verb, Resource] {
  return ["read", { type: "node", id: id as NodeId }];
}

function writing([id = ""]: readonly string[]): readonly [Verb, Resource] {
  return ["write", { type: "node", id: id as NodeId }];
}

export async function nodeOf(workspace: Workspace, id: string): Promise<Result<ForestNode, Refusal>> {
  const node = await workspace.store.node(id as NodeId);
  return node === null ? err(refusal("NODE_NOT_FOUND", { node_id: id })) : ok(node);
}

async function aboutNode(
  { workspace, params: [id = ""] }: RouteCall,
  tell: (node: ForestNode) => Promise<unknown>,
): Promise<Result<unknown, Refusal>> {
  const node = await nodeOf(workspace, id);
  return node.ok ? ok(await tell(node.value)) : node;
}

/** From the first message, or from the one that is asked for, which stands on the path. */
async function pathTo({ workspace, params: [id = ""], query }: RouteCall): Promise<Result<unknown, Refusal>> {
  const read = readQuery(query, pathQuery);
  if (!read.ok) return read;
  const nodes = await workspace.store.path(id as NodeId);
  if (nodes.length === 0) return err(refusal("NODE_NOT_FOUND", { node_id: id }));
  const { from } = read.value;
  const start = from === undefined ? 0 : nodes.findIndex((node) => node.id === from);
  return start === -1
    ? err(refusal("INVALID_PARAMS", { path: "from", expected: "a message on the path", node_id: from }))
    : ok({ nodes: nodes.slice(start) });
}

/**
 * The parent may be a message or, for a first message, the conversation itself. Answers the last message, or the parent
 * where nothing was said. No model is asked: that is a request of its own.
 */
async function append(call: RouteCall): Promise<Result<unknown, Refusal>> {
  const { workspace, actor, params, body } = call;
  const [id = ""] = params;
  const read = readAppended(body);
  if (!read.ok) return read;
  const parent = await workspace.store.node(id as NodeId);
  const root = await workspace.store.root(parent?.rootId ?? (id as RootId));
  if (root === null) return err(refusal("NODE_NOT_FOUND", { node_id: id }));
  const place = { rootId: root.id, parentNodeId: parent?.id ?? null };
  const appended = await httpOnce<AppendedMessages>(call, (remember) =>
    workspace.conversations.append(actor, { ...place, ...read.value }, remember),
  );
  if (!appended.ok) return appended;
  const last = appended.value.nodeId;
  return last === null ? ok(root) : nodeOf(workspace, last);
}

/** Answers the message whose path says what was asked for: the same one, its first half, or a new one. */
async function setContent(call: RouteCall): Promise<Result<unknown, Refusal>> {
  const { workspace, actor, params, body } = call;
  const nodeId = params[0] as NodeId;
  const content = readNodeContent(body);
  if (!content.ok) return content;
  const edited = await httpOnce<ChangedNode>(call, (remember) =>
    workspace.conversations.editContent(actor, { nodeId, content: content.value }, remember),
  );
  return edited.ok ? nodeOf(workspace, edited.value.nodeId) : edited;
}

async function split(call: RouteCall): Promise<Result<unknown, Refusal>> {
  const { workspace, actor, params, body } = call;
  const nodeId = params[0] as NodeId;
  const read = readBody(body, splitBody);
  if (!read.ok) return read;
  const done = await httpOnce<ChangedNode>(call, (remember) =>
    workspace.conversations.splitNode(actor, { nodeId, at: read.value.at }, remember),
  );
  return done.ok ? nodeOf(workspace, done.value.nodeId) : done;
}

async function setLabels(call: RouteCall): Promise<Result<unknown, Refusal>> {
  const { workspace, actor, params, body } = call;
  const nodeId = params[0] as NodeId;
  const read = readBody(body, labelsBody);
  if (!read.ok) return read;
  const done = await httpOnce<Done>(call, async (remember) =>
    nothingTold(await workspace.conversations.labelNode(actor, { nodeId, ...read.value }, remember)),
  );
  return done.ok ? nodeOf(workspace, nodeId) : done;
}

/** A message that is not there has been deleted; a conversation is no message. */
async function remove(call: RouteCall): Promise<Result<unknown, Refusal>> {
  const { workspace, actor, params, query } = call;
  const nodeId = params[0] as NodeId;
  const read = readQuery(query, deleteQuery);
  if (!read.ok) return read;
  if ((await workspace.store.root(params[0] as RootId)) !== null) {
    return err(
      refusal("MESSAGE_INVALID", { root_id: nodeId }, "This is a whole conversation; only messages are deleted here."),
    );
  }
  const { reparent, force } = read.value;
  return httpOnce<RemovedNodes>(call, (remember) =>
    workspace.conversations.deleteNode(actor, { nodeId, mode: reparent ? "reparent" : "cascade", force }, remember),
  );
}
