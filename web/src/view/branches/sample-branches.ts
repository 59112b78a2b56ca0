import type { ActorId, NodeId, RootId } from "../../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import type { Message } from "../../../../src/core/message/types.ts";
import type { Branches } from "./path.ts";

export function id(text: string): NodeId {
  return text as NodeId;
}

/** A small tree for tests: parents by child, in the order made. Names in r are replies. `messages` gives the words where they matter. */
export function branchesOf(
  parents: Readonly<Record<string, string | null>>,
  messages: Readonly<Record<string, Message>> = {},
): Branches {
  const nodesById = new Map<NodeId, ForestNode>();
  const childrenByParent = new Map<NodeId | null, NodeId[]>();
  let createdAt = 1000;
  for (const [child, parent] of Object.entries(parents)) {
    const parentId = parent === null ? null : id(parent);
    nodesById.set(id(child), {
      id: id(child),
      rootId: "root" as RootId,
      parentId,
      prefixHash: "",
      message: messages[child] ?? {
        role: child.startsWith("r") ? "assistant" : "user",
        content: [{ type: "text", text: child }],
      },
      actor: { type: "person", id: "amy" as ActorId, name: "Amy" },
      runId: null,
      turnId: null,
      usage: null,
      createdAt: (createdAt += 1),
    });
    childrenByParent.set(parentId, [...(childrenByParent.get(parentId) ?? []), id(child)]);
  }
  return { nodesById, childrenByParent };
}
