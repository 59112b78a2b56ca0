import { unreachable } from "../base/assert.ts";
import type { BlockChange, BlockHeader } from "./types.ts";

/** Computes a block's header after one more mutation: the header that the server stores and a page shows. */
export function headerAfter(header: BlockHeader, change: Pick<BlockChange, "version" | "at" | "what">): BlockHeader {
  const next = { ...header, version: change.version, updatedAt: change.at };
  const { what } = change;
  switch (what.type) {
    case "created":
    case "text":
    case "review":
      return next;
    case "status":
      return { ...next, status: what.status };
    case "policy":
      return { ...next, policy: what.policy };
    case "metadata":
      return { ...next, metadata: what.metadata };
    case "flags":
      return { ...next, collapsed: what.collapsed, excluded: what.excluded };
    case "deleted":
      return { ...next, deletedAt: change.at };
    default:
      return unreachable(what);
  }
}
