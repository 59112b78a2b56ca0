import * as v from "valibot";
import type { Refusal } from "../../core/base/errors.ts";
import type { ForestNode, ForestRoot } from "../../core/forest/types.ts";
import type { NodeId } from "../../core/base/ids.ts";
import { rootId } from "../../core/protocol/parts.ts";
import { exportFormats, exportText, wholeTree, type ExportFormat } from "../conversation/export-text.ts";
import { traceText } from "../conversation/trace-text.ts";
import { nodeOf } from "./node-routes.ts";
import { readQuery } from "./read-query.ts";
import { readingRoot, rootOf } from "./root-routes.ts";
import type { BytesCall, BytesRoute } from "./route.ts";
import { jsonList, sendStreamed } from "./send-streamed.ts";

const formatQuery = v.optional(v.picklist(exportFormats), "json");
/** Whether the bytes of images and files go with it. */
const blobsQuery = v.optional(v.picklist(["true", "false"]), "false");
const rootQuery = v.object({ format: formatQuery, blobs: blobsQuery });
const nodeQuery = v.object({
  format: formatQuery,
  blobs: blobsQuery,
  of: v.optional(v.picklist(["path", "subtree"]), "path"),
});
const outlineQuery = v.object({ root: v.exactOptional(rootId) });

const files: { readonly [Format in ExportFormat]: { readonly type: string; readonly extension: string } } = {
  json: { type: "application/json; charset=utf-8", extension: "json" },
  markdown: { type: "text/markdown; charset=utf-8", extension: "md" },
  text: { type: "text/plain; charset=utf-8", extension: "txt" },
};

/** What is long: the map of the forest, and conversations as files. */
export const exportRoutes: readonly BytesRoute[] = [
  {
    method: "GET",
    path: "/api/forest/outline",
    access: () => ["read", { type: "workspace" }],
    bytes: sendOutline,
  },
  { method: "GET", path: "/api/roots/:id/export", access: readingRoot, bytes: exportRoot },
  { method: "GET", path: "/api/roots/:id/trace", access: readingRoot, bytes: traceRoot },
  {
    method: "GET",
    path: "/api/nodes/:id/export",
    access: ([id = ""]) => ["read", { type: "node", id: id as NodeId }],
    bytes: exportNode,
  },
];

async function sendOutline({ workspace, query, request, response }: BytesCall): Promise<Refusal | null> {
  const read = readQuery(query, outlineQuery);
  if (!read.ok) return read.error;
  const nodes = await workspace.store.outline(read.value.root ?? null);
  await sendStreamed(request, response, { type: files.json.type, pieces: jsonList("nodes", nodes) });
  return null;
}

async function exportRoot(call: BytesCall): Promise<Refusal | null> {
  const { workspace, params, query } = call;
  const read = readQuery(query, rootQuery);
  if (!read.ok) return read.error;
  const root = await rootOf(workspace, params[0] ?? "");
  if (!root.ok) return root.error;
  const nodes = await wholeTree(workspace.store, root.value);
  return sendExport(call, root.value, { ...read.value, nodes });
}

/** What the runs of a conversation took, to be replayed. */
async function traceRoot({ workspace, params, request, response }: BytesCall): Promise<Refusal | null> {
  const root = await rootOf(workspace, params[0] ?? "");
  if (!root.ok) return root.error;
  const pieces = traceText(workspace.store, root.value, workspace.platform.clock.now());
  const fileName = `${root.value.slug}.trace.jsonl`;
  await sendStreamed(request, response, { type: "application/x-ndjson; charset=utf-8", fileName, pieces });
  return null;
}

/** The path down to the message, and with `of=subtree` everything below it too. */
async function exportNode(call: BytesCall): Promise<Refusal | null> {
  const { workspace, params, query } = call;
  const read = readQuery(query, nodeQuery);
  if (!read.ok) return read.error;
  const node = await nodeOf(workspace, params[0] ?? "");
  if (!node.ok) return node.error;
  const root = await rootOf(workspace, node.value.rootId);
  if (!root.ok) return root.error;
  const path = await workspace.store.path(node.value.id);
  const tree = read.value.of === "path" ? [] : await workspace.store.subtree(node.value.id);
  return sendExport(call, root.value, { ...read.value, nodes: [...path, ...tree.slice(1)] });
}

interface ExportQuery {
  readonly nodes: readonly ForestNode[];
  readonly format: ExportFormat;
  readonly blobs: "true" | "false";
}

async function sendExport(
  { workspace, request, response }: BytesCall,
  root: ForestRoot,
  { nodes, format, blobs }: ExportQuery,
): Promise<null> {
  const wish = { nodes, format, ...(blobs === "true" && { blobs: workspace.blobs }) };
  const pieces = exportText(workspace.store, root, wish);
  const { type, extension } = files[format];
  await sendStreamed(request, response, { type, fileName: `${root.slug}.${extension}`, pieces });
  return null;
}
