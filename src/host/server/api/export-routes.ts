import * as v from "valibot";
import type { Refusal } from "../../../core/base/errors.ts";
import type { Result } from "../../../core/base/result.ts";
import type { ForestRoot } from "../../../core/forest/types.ts";
import type { NodeId, RootId } from "../../../core/base/ids.ts";
import { onWorkspace } from "../../../core/protocol/base/access.ts";
import { described, nodeId, rootId } from "../../../core/protocol/base/parts.ts";
import { conversationKey } from "../../../core/rights/object-key.ts";
import { notedBy, tellNow } from "../../command/base/audit-acts.ts";
import { nodeOutline } from "../../../core/protocol/shape/forest.ts";
import { exportFormats, exportText, type ExportFormat } from "../../conversation/export/export-text.ts";
import { listedNodes, wholeTree, type ExportedNodes } from "../../conversation/export/exported-nodes.ts";
import { traceText } from "../../conversation/export/trace-text.ts";
import { nodeOf, readingNode } from "./node-routes.ts";
import { readingRoot, rootOf } from "./root-routes.ts";
import { bytesRoute, type BytesCall, type Route } from "../http/route.ts";
import { jsonList, sendStreamed } from "../http/send-streamed.ts";

const section = "Exports";
const formatQuery = v.optional(
  described(v.picklist(exportFormats), "The file's format; `heddle import` reads `json`."),
  "json",
);
const blobsQuery = v.optional(
  described(v.picklist(["true", "false"]), "Whether the JSON includes the bytes of images and files."),
  "false",
);
const rootQuery = v.object({ format: formatQuery, blobs: blobsQuery });
const nodeQuery = v.object({
  format: formatQuery,
  blobs: blobsQuery,
  of: v.optional(described(v.picklist(["path", "subtree"]), "Which part of the tree is exported."), "path"),
});
const outlineQuery = v.object({ root: v.exactOptional(described(rootId, "Only messages of this conversation.")) });
const exported = {
  type: "bytes",
  mediaTypes: ["application/json", "text/markdown", "text/plain"],
  description: "The conversation as a file, streamed; compressed if `accept-encoding` allows it.",
} as const;

const files: { readonly [Format in ExportFormat]: { readonly type: string; readonly extension: string } } = {
  json: { type: "application/json; charset=utf-8", extension: "json" },
  markdown: { type: "text/markdown; charset=utf-8", extension: "md" },
  text: { type: "text/plain; charset=utf-8", extension: "txt" },
};

/** Long answers: the outline of the forest, and conversations as files. */
export const exportRoutes: readonly Route[] = [
  bytesRoute({
    method: "GET",
    path: "/api/forest/outline",
    section,
    description: "Lists every message with its place and role, without content, oldest first.",
    query: outlineQuery,
    answer: { type: "json", schema: v.object({ nodes: v.array(nodeOutline) }) },
    access: onWorkspace("workspace.see"),
    perform: sendOutline,
  }),
  bytesRoute({
    method: "GET",
    path: "/api/roots/:id/export",
    section,
    description: "Returns a conversation as a file.",
    params: { id: rootId },
    query: rootQuery,
    answer: exported,
    refusals: ["ROOT_NOT_FOUND"],
    access: readingRoot,
    perform: exportRoot,
  }),
  bytesRoute({
    method: "GET",
    path: "/api/roots/:id/trace",
    section,
    description: "Returns the events of the runs of a conversation and of its sub-agents.",
    params: { id: rootId },
    answer: {
      type: "bytes",
      mediaTypes: ["application/x-ndjson"],
      description: "JSON lines that `heddle replay` reads, streamed.",
    },
    refusals: ["ROOT_NOT_FOUND"],
    access: ({ id }) => ["conversation.trace", { type: "conversation", id }],
    perform: traceRoot,
  }),
  bytesRoute({
    method: "GET",
    path: "/api/nodes/:id/export",
    section,
    description: "Returns the path to a message, or everything below it too, as a file.",
    params: { id: nodeId },
    query: nodeQuery,
    answer: exported,
    refusals: ["NODE_NOT_FOUND"],
    access: readingNode,
    perform: exportNode,
  }),
];

type RootCall<Query> = BytesCall<{ readonly id: RootId }, Query>;
type NodeCall<Query> = BytesCall<{ readonly id: NodeId }, Query>;

async function sendOutline({
  workspace,
  query,
  request,
  response,
}: BytesCall<unknown, v.InferOutput<typeof outlineQuery>>): Promise<Refusal | null> {
  const nodes = await workspace.store.outline(query.root ?? null);
  await sendStreamed(request, response, { type: files.json.type, pieces: jsonList("nodes", nodes) });
  return null;
}

async function exportRoot(call: RootCall<v.InferOutput<typeof rootQuery>>): Promise<Refusal | null> {
  const { workspace, params, query } = call;
  const root = await rootOf(workspace, params.id);
  if (!root.ok) return root.error;
  const nodes = await wholeTree(workspace.store, root.value);
  return sendExport(call, root.value, { ...query, nodes });
}

/** Streams the events of a conversation's runs, which can be replayed. */
async function traceRoot(call: RootCall<unknown>): Promise<Refusal | null> {
  const { workspace, params, request, response } = call;
  const root = await rootOf(workspace, params.id);
  if (!root.ok) return root.error;
  const told = await toldOf(call, root.value, "export.trace");
  if (!told.ok) return told.error;
  const pieces = traceText(workspace.store, root.value, workspace.platform.clock.now());
  const fileName = `${root.value.slug}.trace.jsonl`;
  await sendStreamed(request, response, { type: "application/x-ndjson; charset=utf-8", fileName, pieces });
  return null;
}

/** Streams the path to the message, and with `of=subtree` everything below it too. */
async function exportNode(call: NodeCall<v.InferOutput<typeof nodeQuery>>): Promise<Refusal | null> {
  const { workspace, params, query } = call;
  const node = await nodeOf(workspace, params.id);
  if (!node.ok) return node.error;
  const root = await rootOf(workspace, node.value.rootId);
  if (!root.ok) return root.error;
  const path = await workspace.store.path(node.value.id);
  const tree = query.of === "path" ? [] : await workspace.store.subtree(node.value.id);
  return sendExport(call, root.value, { ...query, nodes: listedNodes([...path, ...tree.slice(1)]) });
}

interface ExportQuery {
  readonly nodes: ExportedNodes;
  readonly format: ExportFormat;
  readonly blobs: "true" | "false";
}

/** Tells the audit log of a team that a conversation leaves. */
function toldOf(
  { workspace, actor, member }: BytesCall<unknown, unknown>,
  { id }: ForestRoot,
  act: string,
): Promise<Result<void, Refusal>> {
  return tellNow(workspace, notedBy(workspace, actor, member)({ act, object: conversationKey(id) }));
}

async function sendExport(
  call: BytesCall<unknown, unknown>,
  root: ForestRoot,
  { nodes, format, blobs }: ExportQuery,
): Promise<Refusal | null> {
  const { workspace, request, response } = call;
  const told = await toldOf(call, root, "export.conversation");
  if (!told.ok) return told.error;
  const prices = new Map(workspace.catalogue.list().map((model) => [model.id, model.prices ?? null]));
  const pricesOf = (id: string) => prices.get(id) ?? null;
  const wish = { nodes, format, pricesOf, ...(blobs === "true" && { blobs: workspace.blobs }) };
  const pieces = exportText(workspace.store, root, wish);
  const { type, extension } = files[format];
  await sendStreamed(request, response, { type, fileName: `${root.slug}.${extension}`, pieces });
  return null;
}
