import * as v from "valibot";
import type { PersonActor } from "../../../core/base/actor.ts";
import { ok } from "../../../core/base/result.ts";
import { onWorkspace } from "../../../core/protocol/base/access.ts";
import { described, idForm, sha256 } from "../../../core/protocol/base/parts.ts";
import type { Caller } from "../../command/base/call.ts";
import { httpClientId } from "../../base/client-key.ts";
import { hideTime } from "../../access/hide-time.ts";
import type { BlobKeeper } from "../../blobs/blob-keeper.ts";
import { blobReader } from "../../blobs/blob-reader.ts";
import { keepUpload } from "../../blobs/keep-upload.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { sendBlob, receiveBlob } from "./blob-routes.ts";
import { blockStreamRoute } from "./block-stream.ts";
import { eventRoutes } from "./event-routes.ts";
import { exportRoutes } from "./export-routes.ts";
import { fileRoutes } from "./file-routes.ts";
import { generationRoutes } from "./generation-routes.ts";
import { metricsRoute } from "./metrics-route.ts";
import { nodeRoutes } from "./node-routes.ts";
import { rootRoutes } from "./root-routes.ts";
import type { WrittenJson } from "../http/http-answer.ts";
import { bytesRoute, jsonRoute, type Route } from "../http/route.ts";
import { settingRoutes } from "./setting-routes.ts";
import { toolRoutes } from "./tool-routes.ts";
import { writtenDocument } from "./written-document.ts";

const anyObject = v.record(v.string(), v.unknown());
const blobId = v.pipe(v.string(), v.description("SHA-256 of the bytes."), v.examples([`e3b0c442${"0".repeat(56)}`]));

/** Images and files; see `blob-routes.ts`. */
const blobRoutes: readonly Route[] = [
  bytesRoute({
    method: "POST",
    path: "/api/blobs",
    section: "Images and files",
    description: "Stores an image or a file, which messages can then attach.",
    details: "The bytes determine the type, whatever the content type says.",
    body: "bytes",
    answer: {
      type: "json",
      status: 201,
      schema: v.object({
        id: sha256,
        size: described(v.number(), "Number of bytes."),
        mediaType: v.pipe(v.string(), v.examples(["image/png"])),
      }),
    },
    refusals: ["BLOB_TOO_LARGE", "MEDIA_TYPE_REFUSED"],
    access: onWorkspace("workspace.manage"),
    team: true,
    perform: ({ workspace: { blobs }, member, request, response }) => {
      const put: BlobKeeper["put"] = (content) => keepUpload(blobs, { member }, content);
      return receiveBlob({ put }, request, response);
    },
  }),
  bytesRoute({
    method: "GET",
    path: "/api/blobs/:id",
    section: "Images and files",
    description: "Returns the bytes of an image or a file, in a form that nothing in it can run.",
    details:
      "In a team it exists for who uploaded it within a day, and for who may read a document or a conversation that has it.",
    params: { id: blobId },
    answer: { type: "bytes", mediaTypes: ["application/octet-stream"], description: "The bytes, with their own type." },
    refusals: ["BLOB_NOT_FOUND", "BLOB_DAMAGED"],
    access: onWorkspace("workspace.see"),
    team: true,
    perform: async ({ workspace, grant, member, params: { id }, request, response }) => {
      const { blobs, platform } = workspace;
      const asking = { grant, member };
      const judge = async () => (await blobs.uses?.whyNot([id], blobReader(asking, workspace))) ?? null;
      const unknown = await hideTime(asking, platform.clock, judge);
      return unknown ?? sendBlob({ blobs, id, isTeam: member !== null }, request, response);
    },
  }),
];

/** Every command. `dispatch` authorises the caller again, by the objects that the command names. */
const commandRoute = jsonRoute({
  method: "POST",
  path: "/api/commands/:name",
  section: "Commands",
  description: "Runs a command.",
  params: { name: v.pipe(v.string(), v.description("Name of the command.")) },
  body: v.unknown(),
  answer: { type: "json", schema: anyObject },
  refusals: ["UNKNOWN_METHOD"],
  access: onWorkspace("workspace.see"),
  team: "decides-itself",
  perform: async ({ workspace, dispatch, actor, grant, member, params: { name }, body }) =>
    dispatch({ caller: { ...(await httpCaller(workspace, actor)), grant, member }, name, params: body }),
});

let document: Promise<WrittenJson> | undefined;

const documentRoute = jsonRoute({
  method: "GET",
  path: "/api/openapi.json",
  section: "Description of the API",
  description: "Returns this API as an OpenAPI 3.1 document, generated from the same tables as this page.",
  answer: { type: "json", schema: anyObject },
  access: onWorkspace("workspace.see"),
  team: true,
  perform: async () => ok(await (document ??= writtenDocument(documentedRoutes))),
});

/** The routes with an entry of their own in the documentation; each command has one too. */
export const documentedRoutes: readonly Route[] = [
  ...rootRoutes,
  ...nodeRoutes,
  ...generationRoutes,
  ...settingRoutes,
  ...exportRoutes,
  ...blobRoutes,
  ...fileRoutes,
  ...toolRoutes,
  ...eventRoutes,
  metricsRoute,
  documentRoute,
];

/** The whole HTTP API. The health check and the app's files, which need no token, belong to the server. */
export const routes: readonly Route[] = [
  // Before the tools that give one answer.
  blockStreamRoute,
  ...documentedRoutes.filter((route) => route !== blockStreamRoute),
  commandRoute,
];

/** Finds the route for a method and a path, with the path's parts; otherwise, whether the path has other methods. */
export function findRoute(
  method: string,
  path: string,
): { readonly route: Route; readonly parts: readonly string[] } | { readonly methods: readonly string[] } {
  const methods: string[] = [];
  for (const route of routes) {
    const parts = match(route.path, path);
    if (parts === undefined) continue;
    if (route.method === method) return { route, parts };
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
      if (param === undefined || !idForm.test(param)) return undefined;
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

/** A caller over HTTP has no page: one replica of its own serves all its requests. */
async function httpCaller(workspace: Workspace, actor: PersonActor): Promise<Caller> {
  return { actor, clientId: httpClientId, replica: await workspace.replicas.forClient(httpClientId, actor) };
}
