import { ProtocolError, ProtocolErrorCode, type Server } from "../../../adapters/mcp/server-package.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import { refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { conversationTitle } from "../../../core/forest/list.ts";
import type { Reach } from "../../access/reach.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { canvasView, canvasViewUri } from "./canvas-view.ts";
import { shownNode } from "./shown-node.ts";
import { conversationUri, documentUri, readResourceUri, type ResourceName } from "./resource-uri.ts";

/** What a reader of resources may know of. */
export interface ResourceReader {
  readonly workspace: Workspace;
  readonly reach: Reach | null;
}

interface Content {
  readonly mimeType: string;
  readonly text: string;
}

const pageMax = 100;

const templates = [
  ["document", "heddle://document/{id}", "A canvas or document, as Markdown."],
  ["document version", "heddle://document/{id}/version/{n}", "A document as it was at one of its versions."],
  ["conversation", "heddle://conversation/{id}", "A conversation: its newest path, oldest message first, as JSON."],
  ["conversation path", "heddle://conversation/{id}/node/{node}", "The path to one message."],
  [
    "feed",
    "heddle://feed{?since}",
    "What changed after a time, in UTC milliseconds; answers the next one to ask with.",
  ],
].map(([name, uriTemplate, description]) => ({
  name: name ?? "",
  uriTemplate: uriTemplate ?? "",
  description: description ?? "",
  mimeType: name?.startsWith("document") === true ? "text/markdown" : "application/json",
}));

/** Serves documents, conversations and the change feed as resources, and completes their ids. */
export function serveResources(server: Server, open: () => Promise<ResourceReader>): void {
  server.setRequestHandler("resources/list", async ({ params }) => listResources(await open(), params?.cursor));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: templates }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    if (uri === canvasViewUri) return { contents: [canvasView()] };
    const name = readResourceUri(uri);
    const found = name === null ? err(refusal("NOT_FOUND")) : await readResource(name, await open());
    if (!found.ok) throw new ProtocolError(ProtocolErrorCode.InvalidParams, found.error.message, { uri });
    return { contents: [{ uri, ...found.value }] };
  });
  server.setRequestHandler("completion/complete", async ({ params: { ref, argument } }) => {
    const kind = ref.type === "ref/resource" ? /^heddle:\/\/(\w+)\/\{id\}/.exec(ref.uri)?.[1] : undefined;
    const ids = kind === undefined || argument.name !== "id" ? [] : await idsLike(argument.value, kind, await open());
    return { completion: { values: ids.slice(0, pageMax), total: ids.length, hasMore: ids.length > pageMax } };
  });
}

interface Listed {
  readonly id: string;
  readonly uri: string;
  readonly title: string;
  readonly mimeType: string;
}

async function listed({ workspace, reach }: ResourceReader): Promise<readonly Listed[]> {
  const canvases = (await workspace.canvases()).filter((canvas) => reach === null || reach.canvas(canvas));
  const roots = (await workspace.conversations.list()).filter((root) => reach === null || reach.conversation(root));
  return [
    ...canvases.map(({ id, title }) => ({ id, uri: documentUri(id), title, mimeType: "text/markdown" })),
    ...roots.map((root) => ({
      id: root.id,
      uri: conversationUri(root.id),
      title: conversationTitle(root),
      mimeType: "application/json",
    })),
  ].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

async function listResources(reader: ResourceReader, cursor: string | undefined) {
  // After the id of a page's last entry, so that a page stays the same when entries are added.
  const rest = (await listed(reader)).filter(({ id }) => cursor === undefined || id > cursor);
  const page = rest.slice(0, pageMax);
  const last = page.at(-1);
  return {
    resources: page.map(({ uri, id, title, mimeType }) => ({ uri, name: id, title, mimeType })),
    ...(rest.length > pageMax && last !== undefined ? { nextCursor: last.id } : {}),
  };
}

async function idsLike(value: string, kind: string, reader: ResourceReader): Promise<string[]> {
  const prefix = kind === "document" ? "heddle://document/" : "heddle://conversation/";
  const words = value.toLowerCase();
  return (await listed(reader))
    .filter(
      ({ uri, id, title }) => uri.startsWith(prefix) && (id.startsWith(value) || title.toLowerCase().includes(words)),
    )
    .map(({ id }) => id);
}

/** Reads one resource; what the reader may not know of does not exist. */
async function readResource(name: ResourceName, reader: ResourceReader): Promise<Result<Content, Refusal>> {
  switch (name.type) {
    case "document":
      return readDocument(name, reader);
    case "conversation":
      return readConversation(name, reader);
    case "feed":
      return ok({ mimeType: "application/json", text: JSON.stringify(await readFeed(name.since, reader)) });
  }
}

/** Returns whether a reader may know of what a name names, without reading it. */
export async function mayRead(name: ResourceName, { workspace, reach }: ResourceReader): Promise<boolean> {
  switch (name.type) {
    case "document": {
      const header = await workspace.store.block(name.id);
      return header !== null && header.policy !== undefined && (reach === null || reach.document(header));
    }
    case "conversation": {
      const root = await workspace.store.root(name.id);
      return root !== null && root.parent === undefined && (reach === null || reach.conversation(root));
    }
    case "feed":
      return true;
  }
}

async function readDocument(
  name: Extract<ResourceName, { readonly type: "document" }>,
  reader: ResourceReader,
): Promise<Result<Content, Refusal>> {
  if (!(await mayRead(name, reader))) return err(refusal("BLOCK_NOT_FOUND", { block_id: name.id }));
  const { hub } = reader.workspace;
  const read = name.version === null ? await hub.reader.read(name.id) : await hub.reader.readAt(name.id, name.version);
  return read.ok ? ok({ mimeType: "text/markdown", text: read.value.text }) : read;
}

async function readConversation(
  name: Extract<ResourceName, { readonly type: "conversation" }>,
  reader: ResourceReader,
): Promise<Result<Content, Refusal>> {
  if (!(await mayRead(name, reader))) return err(refusal("ROOT_NOT_FOUND", { root_id: name.id }));
  const { store, conversations } = reader.workspace;
  const view = name.nodeId === null ? await conversations.view(name.id) : null;
  if (view?.ok === false) return view;
  const last = name.nodeId ?? view?.value.nodes.at(-1)?.id ?? null;
  const node = last === null ? null : await store.node(last);
  if (name.nodeId !== null && node?.rootId !== name.id) return err(refusal("NODE_NOT_FOUND", { node_id: name.nodeId }));
  const path = node === null ? [] : await store.path(node.id);
  return ok({ mimeType: "application/json", text: JSON.stringify({ messages: path.map((each) => shownNode(each)) }) });
}

async function readFeed(since: number, { workspace, reach }: ResourceReader) {
  const headers = (await workspace.hub.reader.list(null)).filter(
    (header) => header.policy !== undefined && header.updatedAt > since && (reach === null || reach.document(header)),
  );
  const roots = (await workspace.conversations.list()).filter(
    (root) => root.updatedAt > since && (reach === null || reach.conversation(root)),
  );
  const times = [since, ...headers.map(({ updatedAt }) => updatedAt), ...roots.map(({ updatedAt }) => updatedAt)];
  return {
    documents: headers.map(({ id, version, updatedAt }) => ({ uri: documentUri(id), version, updated_at: updatedAt })),
    conversations: roots.map(({ id, updatedAt }) => ({ uri: conversationUri(id), updated_at: updatedAt })),
    next_since: Math.max(...times),
  };
}
