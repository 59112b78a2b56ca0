import type { PaidNode } from "../../../core/model/paid-requests.ts";

/** Returns what a node shows of its costs, and nothing else. */
export function paidNode({ usage, actor, turnId, request, variants }: PaidNode): PaidNode {
  return {
    usage,
    actor,
    turnId,
    ...(request === undefined ? {} : { request }),
    ...(variants === undefined ? {} : { variants }),
  };
}
