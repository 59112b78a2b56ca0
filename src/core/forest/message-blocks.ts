import type { BlockId, DocumentId, NodeId, RootId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { BlockKind } from "../block/kinds.ts";
import type { BlockHeader } from "../block/types.ts";
import { textOf } from "../message/content.ts";
import type { ContentBlock, Message } from "../message/types.ts";
import type { ForestNode } from "./types.ts";

/*
 * Messages as blocks: each text, thinking, call and result of a conversation has a block id and a parent, the block before it
 * on its path, so that tools list, read and search what was said like any other block. Nothing is stored for it.
 */

/** The kinds that a part of a message can have. */
type MessageBlockKind = Exclude<BlockKind, "file">;

/** A part of a message as a block. */
export interface MessageBlock {
  readonly header: BlockHeader;
  readonly text: string;
}

/** Where a part of a message is. */
export interface MessageBlockPlace {
  readonly rootId: RootId;
  readonly nodeId: NodeId;
  /** Index in the message's content; 0 for a tool's result. */
  readonly index: number;
}

/** Returns the id of a part of a message, in the form of every block id: `conversation/message/index`. */
function messageBlockId({ rootId, nodeId, index }: MessageBlockPlace): BlockId {
  return `${rootId}/${nodeId}/${index}` as BlockId;
}

/** Parses the id of a part of a message; null for the id of a stored block, whose second part is a number. */
export function parseMessageBlockId(id: string): MessageBlockPlace | null {
  const [, rootId, nodeId, index] = /^([^/]+)\/([^/]*[^/\d][^/]*)\/(\d{1,6})$/.exec(id) ?? [];
  if (rootId === undefined || nodeId === undefined || index === undefined) return null;
  return { rootId: rootId as RootId, nodeId: nodeId as NodeId, index: Number(index) };
}

/** A part of a message, before it has an id. */
interface Part {
  readonly index: number;
  readonly kind: MessageBlockKind;
  readonly text: string;
  readonly metadata: JsonObject;
}

/**
 * Returns the messages of a conversation as blocks, in the order of the nodes; a parent comes before its children. What Heddle
 * itself says to models (canvas updates, instructions) is no block, and neither is an image.
 */
export function messageBlocks(nodes: readonly ForestNode[]): readonly MessageBlock[] {
  const lastById = new Map<NodeId, BlockId | null>();
  const leftOut = new Set<NodeId>();
  const blocks: MessageBlock[] = [];
  for (const node of nodes) {
    // The flag of a round is on its reply.
    const isOfRound = node.message.role === "tool" && node.parentId !== null && leftOut.has(node.parentId);
    if (node.excluded === true || isOfRound) leftOut.add(node.id);
    let parentId = node.parentId === null ? null : (lastById.get(node.parentId) ?? null);
    for (const part of partsOf(node.message)) {
      const block = asBlock(node, part, { parentId, excluded: leftOut.has(node.id) });
      blocks.push(block);
      parentId = block.header.id;
    }
    lastById.set(node.id, parentId);
  }
  return blocks;
}

/** Returns one part of a path's last message as a block, with its parent; null where the message has no such part. */
export function messageBlockAt(path: readonly ForestNode[], index: number): MessageBlock | null {
  const node = path.at(-1);
  if (node === undefined) return null;
  const id = messageBlockId({ rootId: node.rootId, nodeId: node.id, index });
  return messageBlocks(path).findLast(({ header }) => header.id === id) ?? null;
}

function asBlock(
  node: ForestNode,
  { index, kind, text, metadata }: Part,
  { parentId, excluded }: Pick<BlockHeader, "parentId" | "excluded">,
): MessageBlock {
  const { rootId, id: nodeId, message, createdAt } = node;
  return {
    header: {
      id: messageBlockId({ rootId, nodeId, index }),
      documentId: rootId as string as DocumentId,
      parentId,
      role: message.role,
      kind,
      status: message.role === "tool" && message.outcome === "error" ? "error" : "done",
      version: 1,
      metadata,
      collapsed: node.collapsed === true,
      excluded,
      createdAt,
      updatedAt: createdAt,
    },
    text,
  };
}

function partsOf(message: Message): readonly Part[] {
  switch (message.role) {
    case "tool": {
      const metadata = { tool_name: message.tool_name, tool_call_id: message.tool_call_id };
      return [{ index: 0, kind: "tool_result", text: textOf(message), metadata }];
    }
    case "user":
      return message.update === undefined && message.instruction === undefined ? partsOfContent(message.content) : [];
    case "assistant":
    case "system":
      return partsOfContent(message.content);
  }
}

function partsOfContent(content: readonly ContentBlock[]): readonly Part[] {
  return content.flatMap((block, index): readonly Part[] => {
    switch (block.type) {
      case "text":
      case "refusal":
        return [{ index, kind: "text", text: block.text, metadata: {} }];
      case "thinking":
        return block.text === "" ? [] : [{ index, kind: "thinking", text: block.text, metadata: {} }];
      case "tool-use": {
        const text = block.rawParameters ?? JSON.stringify(block.parameters);
        return [{ index, kind: "tool_call", text, metadata: { tool_name: block.name, tool_call_id: block.id } }];
      }
      case "image":
      case "file":
      case "opaque":
      case "notice":
        return [];
    }
  });
}
