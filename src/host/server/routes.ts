import type { PersonActor } from "../../core/base/actor.ts";
import type { RootId } from "../../core/base/ids.ts";
import { ok } from "../../core/base/result.ts";
import { readCommand } from "../../core/protocol/read-command.ts";
import { httpClientId } from "../client-key.ts";
import type { Workspace } from "../workspace.ts";
import { giveBlob, takeBlob } from "./blob-routes.ts";
import { blockStreamRoute } from "./block-stream.ts";
import { exportRoutes } from "./export-routes.ts";
import { fileRoutes } from "./file-routes.ts";
import { generationRoutes } from "./generation-routes.ts";
import { nodeRoutes } from "./node-routes.ts";
import { accessOf, performCommand, type Caller } from "./perform-command.ts";
import { rootRoutes } from "./root-routes.ts";
import type { BytesRoute, JsonRoute, Route } from "./route.ts";
import { settingRoutes } from "./setting-routes.ts";

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

const workspaceRoutes: readonly JsonRoute[] = [
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
    method: "POST",
    path: "/api/tools/:name",
    access: ([name = ""]) => ["write", { type: "tool", name }],
    answer: ({ workspace, actor, params: [name = ""], body }) => workspace.runBlockTool(actor, name, body),
  },
];

/** The whole HTTP API. The health check and the app's files, which need no token, are the server's own. */
export const routes: readonly Route[] = [
  // Before the tools that answer once.
  blockStreamRoute,
  ...workspaceRoutes,
  ...rootRoutes,
  ...nodeRoutes,
  ...settingRoutes,
  ...generationRoutes,
  ...exportRoutes,
  ...blobRoutes,
  ...fileRoutes,
];

/** The route for a method and a path, with the path's parts; whether another method would have one. */
export function findRoute(
  method: string,
  path: string,
): { readonly route: Route; readonly params: readonly string[] } | { readonly methods: readonly string[] } {
  const methods: string[] = [];
  for (const route of routes) {
    const params = match(route.path, path);
    if (params === undefined) continue;
    if (route.method === method) return { route, params };
    methods.push(route.method);
  }
  return { methods };
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

/** Whoever comes over HTTP has no page: one agent of their own for everything they do. */
async function httpCaller(workspace: Workspace, actor: PersonActor): Promise<Caller> {
  return { actor, clientId: httpClientId, agent: await workspace.agents.forClient(httpClientId, actor) };
}
