import type { PaidNode } from "../../../core/model/paid-requests.ts";

/** Returns what a node shows of its costs, and nothing else. */
export function paidNode({ id, createdAt, usage, actor, turnId, request, variants }: PaidNode): PaidNode {
  return {
    ...(id === undefined ? {} : { id }),
    ...(createdAt === undefined ? {} : { createdAt }),
    usage,
    actor,
    turnId,
    ...(request === undefined ? {} : { request }),
    ...(variants === undefined ? {} : { variants }),
  };
}
