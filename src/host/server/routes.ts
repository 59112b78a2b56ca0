import type { IncomingMessage, ServerResponse } from "node:http";
import type { PersonActor } from "../../core/base/actor.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { NodeId, RootId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { ForestNode } from "../../core/forest/types.ts";
import { readCommand } from "../../core/protocol/read-command.ts";
import type { Resource, Verb } from "../authorise.ts";
import type { Workspace } from "../workspace.ts";
import { giveBlob, takeBlob } from "./blob-routes.ts";
import { readAppended, readNodeContent } from "./node-content.ts";
import { accessOf, performCommand, type Caller } from "./perform-command.ts";

/** What a route is given: who asks (already allowed to), the parts of the path, and the body of a change. */
interface RouteCall {
  readonly workspace: Workspace;
  readonly actor: PersonActor;
  readonly params: readonly string[];
  readonly body: unknown;
}

/** What a route is given that reads and answers bytes by itself. */
interface BytesCall {
  readonly workspace: Workspace;
  readonly params: readonly string[];
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Address {
  readonly method: "GET" | "POST" | "PUT";
  /** Segments; one that starts with a colon takes anything and is handed over in `params`. */
  readonly path: string;
}

/** One address of the HTTP API: JSON in and out, or bytes. */
export type Route = JsonRoute | BytesRoute;

interface BytesRoute extends Address {
  access(params: readonly string[]): readonly [Verb, Resource];
  /** Answers, or gives the refusal to answer with. */
  bytes(call: BytesCall): Promise<Refusal | null>;
}

interface JsonRoute extends Address {
  /** What the request does to what; `body` is as it came and may be anything. */
  access(params: readonly string[], body: unknown): readonly [Verb, Resource];
  answer(call: RouteCall): Promise<Result<unknown, Refusal>>;
}

/** Images and files: see `blob-routes.ts`. */
const blobRoutes: readonly BytesRoute[] = [
  {
    method: "POST",
    path: "/api/blobs",
    access: () => ["write", { type: "workspace" }],
    bytes: ({ workspace, request, response }) => takeBlob(workspace.blobs, request, response),
  },
  {
    method: "GET",
    path: "/api/blobs/:id",
    access: () => ["read", { type: "workspace" }],
    bytes: ({ workspace, params: [id = ""], request, response }) => giveBlob(workspace.blobs, id, request, response),
  },
];

/** The whole HTTP API. The health check and the app's files, which need no token, are the server's own. */
export const routes: readonly Route[] = [
  ...blobRoutes,
  {
    method: "POST",
    path: "/api/commands/:name",
    access([name = ""], body) {
      const command = readCommand(name, body);
      return command.ok ? accessOf(command.value) : ["write", { type: "workspace" }];
    },
    async answer({ workspace, actor, params: [name = ""], body }) {
      const command = readCommand(name, body);
      if (!command.ok) return command;
      return performCommand(workspace, await httpCaller(workspace, actor), command.value);
    },
  },
  {
    method: "GET",
    path: "/api/conversations",
    access: () => ["read", { type: "workspace" }],
    answer: async ({ workspace }) => ok({ conversations: await workspace.conversations.list() }),
  },
  {
    method: "GET",
    path: "/api/conversations/:id",
    access: ([id = ""]) => ["read", { type: "conversation", id: id as RootId }],
    answer: ({ workspace, params: [id = ""] }) => workspace.conversations.view(id as RootId),
  },
  {
    method: "GET",
    path: "/api/nodes/:id",
    access: readNode,
    answer: ({ workspace, params: [id = ""] }) => nodeOf(workspace, id),
  },
  {
    method: "GET",
    path: "/api/nodes/:id/path",
    access: readNode,
    answer: (call) => aboutNode(call, async (node) => ({ nodes: await call.workspace.store.path(node.id) })),
  },
  {
    method: "GET",
    path: "/api/nodes/:id/children",
    access: readNode,
    answer: (call) =>
      aboutNode(call, async (node) => ({ nodes: await call.workspace.store.children(node.rootId, node.id) })),
  },
  {
    method: "GET",
    path: "/api/nodes/:id/siblings",
    access: readNode,
    answer: (call) =>
      aboutNode(call, async (node) => ({ nodes: await call.workspace.store.children(node.rootId, node.parentId) })),
  },
  {
    method: "POST",
    path: "/api/nodes/:parentId/append",
    access: ([id = ""]) => ["write", { type: "node", id: id as NodeId }],
    answer: appendToNode,
  },
  {
    method: "PUT",
    path: "/api/nodes/:nodeId/content",
    access: ([id = ""]) => ["write", { type: "node", id: id as NodeId }],
    answer: setNodeContent,
  },
  {
    method: "POST",
    path: "/api/tools/:name",
    access: ([name = ""]) => ["write", { type: "tool", name }],
    answer: ({ workspace, actor, params: [name = ""], body }) => workspace.runBlockTool(actor, name, body),
  },
];

/** The route for a method and a path, with the path's parts; whether another method would have one. */
export function findRoute(
  method: string,
  path: string,
): { readonly route: Route; readonly params: readonly string[] } | "no such path" | "other method" {
  let otherMethod = false;
  for (const route of routes) {
    const params = match(route.path, path);
    if (params === undefined) continue;
    if (route.method === method) return { route, params };
    otherMethod = true;
  }
  return otherMethod ? "other method" : "no such path";
}

function match(pattern: string, path: string): readonly string[] | undefined {
  const expected = pattern.split("/");
  const actual = path.split("/");
  if (expected.length !== actual.length) return undefined;
  const params: string[] = [];
  for (const [index, segment] of expected.entries()) {
    const given = actual[index] ?? "";
    if (segment.startsWith(":")) {
      const param = decoded(given);
      if (param === undefined || !/^[A-Za-z0-9_.:/-]{1,200}$/.test(param)) return undefined;
      params.push(param);
    } else if (segment !== given) {
      return undefined;
    }
  }
  return params;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function readNode([id = ""]: readonly string[]): readonly [Verb, Resource] {
  return ["read", { type: "node", id: id as NodeId }];
}

async function nodeOf(workspace: Workspace, id: string): Promise<Result<ForestNode, Refusal>> {
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

/**
 * The parent may be a message or, for a first message, the conversation itself. Answers the last message, or the parent
 * where nothing was said. No model is asked: that is a command of its own.
 */
async function appendToNode({
  workspace,
  actor,
  params: [id = ""],
  body,
}: RouteCall): Promise<Result<unknown, Refusal>> {
  const messages = readAppended(body);
  if (!messages.ok) return messages;
  const parent = await workspace.store.node(id as NodeId);
  const root = await workspace.store.root(parent?.rootId ?? (id as RootId));
  if (root === null) return err(refusal("NODE_NOT_FOUND", { node_id: id }));
  const appended = await workspace.conversations.append(actor, {
    rootId: root.id,
    parentNodeId: parent?.id ?? null,
    messages: messages.value,
  });
  if (!appended.ok) return appended;
  const { nodeId } = appended.value;
  return nodeId === null ? ok(root) : nodeOf(workspace, nodeId);
}

async function setNodeContent({
  workspace,
  actor,
  params: [id = ""],
  body,
}: RouteCall): Promise<Result<unknown, Refusal>> {
  const content = readNodeContent(body);
  if (!content.ok) return content;
  const edited = await workspace.conversations.editMessage(actor, { nodeId: id as NodeId, text: content.value });
  return edited.ok ? nodeOf(workspace, edited.value.nodeId) : edited;
}

/** Whoever comes over HTTP has no page: one agent of their own for everything they do. */
async function httpCaller(workspace: Workspace, actor: PersonActor): Promise<Caller> {
  return { actor, agent: await workspace.agents.forClient("http", actor) };
}
