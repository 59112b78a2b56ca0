import { setTimeout as delay } from "node:timers/promises";
import { sha256Hex } from "../../src/core/base/hash.ts";
import { canonicalJson, type JsonObject } from "../../src/core/base/json.ts";
import type { Api } from "../e2e/api.ts";

interface Node {
  readonly id: string;
  readonly message: { readonly role: string };
}
interface View {
  readonly nodes: readonly Node[];
  readonly runs: readonly { readonly runId: string; readonly state: { readonly type: string } }[];
}

/** What a run is still working on when the workspace is full. */
interface Filled {
  readonly rootAtWork: string;
  readonly canvasAtWork: string;
}

let requests = 0;

/** A PNG of one pixel. */
const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/**
 * Fills a new workspace with one of everything that a data folder can hold: canvases under each policy, undone turns,
 * suggestions, files, branches, splits, completions, labels, bookmarks, presets, rules, blobs, trashed and deleted
 * things. Uses only the HTTP interface, so that it can fill a server of any version.
 */
export async function fillWorkspace(api: Api, upload: (bytes: Uint8Array) => Promise<string>): Promise<Filled> {
  const call = <Answer = Record<string, never>>(name: string, params: JsonObject): Promise<Answer> =>
    api.post<Answer>(`/api/commands/${name}`, params);
  const once = (): { readonly clientRequestId: string } => ({ clientRequestId: `golden-${(requests += 1)}` });

  const { canvasId } = await call<{ canvasId: string }>("canvas.create", {
    title: "Release plan",
    text: "# Release plan\n\n## Introduction\n\nIn order to ship, we basically need to test a very large number of things.\n\nWe ship on Friday. 🧵\n",
  });
  const { rootId } = await call<{ rootId: string }>("conversation.create", { title: "Planning", canvasId });
  const view = (id: string): Promise<View> => api.get<View>(`/api/conversations/${id}`);
  const rest = async (id: string): Promise<View> => {
    for (;;) {
      const now = await view(id);
      if (now.runs.every((run) => ["idle", "error", "awaiting-approval"].includes(run.state.type))) return now;
      await delay(50);
    }
  };
  const send = (
    id: string,
    parentNodeId: string | null,
    text: string,
    more: JsonObject = {},
  ): Promise<{ runId: string }> => call("message.send", { rootId: id, parentNodeId, text, ...once(), ...more });
  const last = ({ nodes }: View): string => nodes.at(-1)?.id ?? "";

  await send(rootId, null, "Add a section on testing, then tighten the introduction");
  const first = await rest(rootId);
  await send(rootId, last(first), 'replace "Friday" with "Monday"');
  const second = await rest(rootId);
  const { turns } = await call<{ turns: readonly { turnId: string }[] }>("block.turns", { blockId: canvasId });
  await call("turn.undo", { turnId: turns[0]?.turnId ?? "" });
  await api.post("/api/tools/block_splice", {
    block_id: canvasId,
    offset: 0,
    delete_count: 0,
    insert: "By a person\n",
  });
  await call("block.undo-mine", { blockId: canvasId });
  await call("block.redo-mine", { blockId: canvasId });

  const question = first.nodes[0]?.id ?? "";
  await call("message.edit", { nodeId: question, text: "summarise the document", ...once() });
  await rest(rootId);
  await call("message.regenerate", { nodeId: question, n: 2, ...once() });
  await rest(rootId);
  const answer = second.nodes.findLast(({ message }) => message.role === "assistant")?.id ?? "";
  const { nodeId: half } = await call<{ nodeId: string }>("message.split", { nodeId: question, at: 5, ...once() });
  await call("message.label", { nodeId: half, tags: ["good", "ümlaut"], customData: { rating: 5 } });
  await call("message.add", { rootId, parentNodeId: answer, text: "A remark without an answer" });
  const blobId = await upload(Buffer.from(picture, "base64"));
  await call("message.add", { rootId, parentNodeId: answer, text: "Look", attachments: [{ blobId, name: "dot.png" }] });
  const { nodeId: extra } = await call<{ nodeId: string }>("message.add", {
    rootId,
    parentNodeId: answer,
    text: "gone",
  });
  await call("message.rewrite", { nodeId: extra, text: "gone soon", ...once() });
  await call("message.delete", { nodeId: extra });
  await call("bookmark.put", { title: "The answer", rootId, nodeId: answer });
  await call("bookmark.put", { title: "The plan", rootId, nodeId: null });
  await call("preset.put", { name: "two", settings: { completions: 2, temperature: 0.5 } });
  await call("conversation.rules", { rootId, approvals: "none", budget: { dollars: 5 } }).catch(() => null);

  const { canvasId: reviewed } = await call<{ canvasId: string }>("canvas.create", {
    title: "Reviewed",
    text: "# Reviewed\n\nWe ship on Friday.\n\nWe rest on Sunday.\n",
  });
  await call("canvas.set-policy", { canvasId: reviewed, policy: "suggest" });
  const { rootId: review } = await call<{ rootId: string }>("conversation.create", {
    title: "Review",
    canvasId: reviewed,
  });
  await send(review, null, 'replace "Friday" with "Monday"');
  const reviewedOnce = await rest(review);
  const found = await call<{ suggestions: readonly { hunks: readonly { id: string }[] }[] }>("canvas.suggestions", {
    canvasId: reviewed,
  });
  const hunkIds = found.suggestions.flatMap(({ hunks }) => hunks.map(({ id }) => id));
  if (hunkIds.length > 0) await call("canvas.keep-hunks", { canvasId: reviewed, hunkIds: hunkIds.slice(0, 1) });
  await send(review, last(reviewedOnce), 'replace "Sunday" with "Saturday"');
  await rest(review);

  const { canvasId: leased } = await call<{ canvasId: string }>("canvas.create", {
    title: "Leased",
    text: "# Leased\n",
  });
  await call("canvas.set-policy", { canvasId: leased, policy: "lease" });

  const { rootId: deleted } = await call<{ rootId: string }>("conversation.create", { title: "Deleted later" });
  await send(deleted, null, "help");
  await rest(deleted);
  await call("conversation.delete", { rootId: deleted });

  const { rootId: waiting } = await call<{ rootId: string }>("conversation.create", {
    title: "Stopped at work",
    canvasId: leased,
  });
  await call("file.open", { path: "notes.md" });
  // This run still works when the server stops: the next start continues it.
  await send(waiting, null, "add a section on weaving, then add a section on looms, then add a section on thread");
  await delay(300);
  return { rootAtWork: waiting, canvasAtWork: leased };
}

/** The content of a workspace, as hashes that no later version may change. */
export interface Said {
  /** SHA-256 of the text of each document, by its id. */
  readonly textById: Readonly<Record<string, string>>;
  /** SHA-256 of role and content of each message, and its prefix hash, by the id of its node. */
  readonly messageById: Readonly<Record<string, readonly [hash: string, prefixHash: string]>>;
  readonly titles: readonly string[];
  readonly atWork: Filled;
}

/** Reads the content of a workspace, without what a run is working on. */
export async function readSaid(api: Api, { rootAtWork, canvasAtWork }: Filled): Promise<Said> {
  const { conversations } = await api.get<{ conversations: readonly { id: string; title: string }[] }>(
    "/api/conversations",
  );
  const { blocks } = await api.post<{ blocks: readonly { id?: string; block_id?: string }[] }>(
    "/api/tools/block_list",
    {},
  );
  const textById: Record<string, string> = {};
  for (const block of blocks) {
    const id = block.block_id ?? block.id ?? "";
    if (id !== canvasAtWork) textById[id] = sha256Hex(await api.textOf(id));
  }
  const messageById: Record<string, readonly [string, string]> = {};
  for (const { id } of conversations) {
    if (id === rootAtWork) continue;
    const { nodes } = await api.get<{ nodes: readonly { id: string; prefixHash: string; message: unknown }[] }>(
      `/api/conversations/${id}`,
    );
    for (const node of nodes) messageById[node.id] = [sha256Hex(canonicalJson(node.message)), node.prefixHash];
  }
  const titles = conversations.map(({ title }) => title).toSorted();
  return { textById, messageById, titles, atWork: { rootAtWork, canvasAtWork } };
}
