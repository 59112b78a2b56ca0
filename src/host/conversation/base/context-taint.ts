import { must } from "../../../core/base/assert.ts";
import type { NodeId } from "../../../core/base/ids.ts";
import type { ForestNode, Taint } from "../../../core/forest/types.ts";
import type { Message } from "../../../core/message/types.ts";
import { joinTaints, noTaint, taintOf, wholeTaint } from "../../../core/turn/judge/taint.ts";
import type { ConversationPorts } from "./conversation-ports.ts";

/**
 * Returns the taint of the context at a node. A branch that continues another from its summary keeps that branch's taint;
 * nodes below a deleted message keep the taint it brought.
 */
export async function taintAt(
  { store, tools }: Pick<ConversationPorts, "store" | "tools">,
  head: NodeId | null,
): Promise<Taint> {
  let taint = noTaint;
  const seen = new Set<NodeId>();
  for (let next = head; next !== null && !seen.has(next);) {
    seen.add(next);
    const path = await store.path(next);
    // A deleted message may have held anything, and what another program's model had read is unknown.
    if (path.length === 0 || path.some(isFromElsewhere)) return wholeTaint;
    const messages: readonly Message[] = path.map(({ message }) => message);
    taint = path.reduce(
      (sum, node) => joinTaints(sum, node.taint ?? noTaint),
      joinTaints(
        taint,
        taintOf(messages, (name) => tools.facts(name)?.reach ?? null),
      ),
    );
    next = must(path[0], "a path has a first node").continues ?? null;
  }
  return taint;
}

/**
 * Returns whether a model's message or a tool's result came from no turn of this workspace: imported, or appended by a
 * program.
 */
function isFromElsewhere({ message, turnId, actor }: ForestNode): boolean {
  if (turnId !== null) return false;
  // A person who rewrites an answer is its author.
  return message.role === "tool" || (message.role === "assistant" && actor.type !== "person");
}
