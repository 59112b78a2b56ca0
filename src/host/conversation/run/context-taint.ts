import { must } from "../../../core/base/assert.ts";
import type { NodeId } from "../../../core/base/ids.ts";
import type { ForestNode, Taint } from "../../../core/forest/types.ts";
import type { Message } from "../../../core/message/types.ts";
import { joinTaints, noTaint, taintOf, wholeTaint } from "../../../core/turn/taint.ts";
import type { ConversationPorts } from "../base/conversation-ports.ts";

/**
 * What is in the context at a node. A branch that goes on with another's summary holds what that one held; what stands
 * below a message that was taken out holds what that one had brought in.
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
    // What was deleted may have held anything, and nobody here knows what a model elsewhere had read.
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

/** Whether no turn of this workspace made a model's message or a tool's result: it was imported, or appended by a program. */
function isFromElsewhere({ message, turnId, actor }: ForestNode): boolean {
  if (turnId !== null) return false;
  // A person who rewrites an answer says it themselves.
  return message.role === "tool" || (message.role === "assistant" && actor.type !== "person");
}
