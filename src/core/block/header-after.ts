import { unreachable } from "../base/assert.ts";
import type { BlockChange, BlockHeader } from "./types.ts";

/** Computes a block's header after one more mutation: the header that the server stores and a page shows. */
export function headerAfter(header: BlockHeader, change: Pick<BlockChange, "version" | "at" | "body">): BlockHeader {
  const next = { ...header, version: change.version, updatedAt: change.at };
  const { body } = change;
  switch (body.type) {
    case "created":
    case "review":
      return next;
    case "text":
      return body.starts === true ? { ...next, status: "running" } : next;
    case "status":
      return { ...next, status: body.status };
    case "policy":
      return { ...next, policy: body.policy };
    case "metadata":
      return { ...next, metadata: body.metadata };
    case "flags":
      return { ...next, collapsed: body.collapsed, excluded: body.excluded };
    case "deleted":
      return { ...next, deletedAt: change.at };
    case "restored": {
      const { deletedAt: _, ...restored } = next;
      return restored;
    }
    default:
      return unreachable(body);
  }
}
