import { unreachable } from "../../core/base/assert.ts";
import type { BlockChangeBody, BlockHeader } from "../../core/block/types.ts";

/** A block's header after one more mutation. */
export function headerAfter(header: BlockHeader, what: BlockChangeBody, at: number): BlockHeader {
  const next = { ...header, version: header.version + 1, updatedAt: at };
  switch (what.type) {
    case "created":
    case "text":
      return next;
    case "status":
      return { ...next, status: what.status };
    case "policy":
      return { ...next, policy: what.policy };
    case "metadata":
      return { ...next, metadata: what.metadata };
    default:
      return unreachable(what);
  }
}
