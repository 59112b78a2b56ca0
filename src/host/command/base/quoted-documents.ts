import { setImmediate } from "node:timers/promises";
import type { BlockId, RootId } from "../../../core/base/ids.ts";
import { blockPath } from "../../../core/block/list-blocks.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { toolUses } from "../../../core/message/content.ts";
import type { Store } from "../../../core/port/store.ts";
import type { ChainPorts } from "../../access/chains.ts";

interface QuotePorts {
  readonly store: Pick<Store, "root" | "roots" | "nodes" | "block">;
  readonly hub: { readonly reader: { list(documentId: null): Promise<readonly BlockHeader[]> } };
  readonly folders: ChainPorts["folders"];
}

const blockIds = /doc_[0-9a-z]{22}\/\d+\/\d+/gu;
const paths = /"path":\s*"((?:[^"\\]|\\.)*)"/gu;
/** How many messages are looked at before others have their turn. */
const slice = 200;

/**
 * Returns the documents whose text may be in a conversation or in one of its sub-agents': its canvas, those that models were told of,
 * and those that a call named or found. What a command printed is not known.
 */
export async function quotedDocuments(
  rootId: RootId,
  { store, hub, folders }: QuotePorts,
): Promise<readonly BlockHeader[]> {
  const root = await store.root(rootId);
  if (root === null) return [];
  const ids = new Set<string>(root.canvasId === null ? [] : [root.canvasId]);
  const named = new Set<string>();
  const helpers = (await store.roots()).filter(({ parent }) => parent?.rootId === rootId);
  for (const { id } of [root, ...helpers]) {
    for (const [at, node] of (await store.nodes(id)).entries()) {
      if (at % slice === slice - 1) await setImmediate();
      if (node.canvas !== undefined) ids.add(node.canvas.canvasId);
      for (const text of toolTexts(node)) {
        for (const [found] of text.matchAll(blockIds)) ids.add(found);
        for (const [, path = ""] of text.matchAll(paths)) named.add(path);
      }
    }
  }
  const headers = await Promise.all([...ids].map((id) => store.block(id as BlockId)));
  const files =
    named.size === 0
      ? []
      : (await hub.reader.list(null)).filter((header) => {
          const path = blockPath(header);
          return path !== undefined && named.has(path) && folders.folderOf(header) === (root.folderId ?? null);
        });
  const byId = new Map([...headers, ...files].flatMap((header) => (header === null ? [] : [[header.id, header]])));
  return [...byId.values()].filter(({ kind }) => kind === "file");
}

/** Returns what a model called, was answered, and was told of canvases. */
function toolTexts({ message }: ForestNode): readonly string[] {
  if (message.role === "assistant") return toolUses(message).map((use) => JSON.stringify(use));
  if (message.role !== "tool" && (message.role !== "user" || message.update === undefined)) return [];
  const said = message.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return message.role === "user" ? [JSON.stringify(message.update), ...said] : said;
}
