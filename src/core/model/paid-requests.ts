import type { NodeId, TurnId } from "../base/ids.ts";
import type { ForestNode } from "../forest/types.ts";
import type { Usage } from "../message/usage.ts";

/** The fields of a node that show what was paid for it. */
export type PaidNode = Pick<ForestNode, "usage" | "actor" | "turnId" | "request" | "variants"> &
  Partial<Pick<ForestNode, "id" | "createdAt">>;

/** A request to a model that was answered and counted. */
export interface PaidRequest {
  /** `provider/model`. */
  readonly model: string;
  readonly usage: Usage;
  /** The turn that made the request; null outside a turn. */
  readonly turn: TurnId | null;
  /** The message that it produced; null where that is gone. */
  readonly node: NodeId | null;
  /** When it was answered, in UTC milliseconds; null where that is unknown. */
  readonly at: number | null;
}

/** Returns the request that produced a node, and those of equal completions that were paid for too. */
export function paidRequests(node: PaidNode): readonly PaidRequest[] {
  const { id = null, createdAt = null } = node;
  const answers = [{ ...node, at: createdAt }, ...(node.variants ?? [])];
  return answers.flatMap(({ usage, actor, request, at }) => {
    const model = request?.model ?? (actor.type === "model" ? actor.model : null);
    if (usage === null || model === null) return [];
    return [{ model, usage, turn: actor.type === "model" ? actor.turnId : node.turnId, node: id, at }];
  });
}
