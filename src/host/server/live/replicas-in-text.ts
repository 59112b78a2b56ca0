import type { ReplicaActor } from "../../../core/protocol/base/messages.ts";
import { decodeDocument } from "../../../core/text/document.ts";
import { trustedLimits } from "../../../core/text/trusted-limits.ts";
import type { ReplicaId } from "../../../core/text/types.ts";
import type { Replicas } from "../../replica/replica-registry.ts";

/** Returns the authors of the text in an encoded document. */
export function agentsInText(document: Uint8Array, agents: Agents): readonly AgentActor[] {
  const decoded = decodeDocument(document, trustedLimits);
  if (!decoded.ok) return [];
  const { value: text } = decoded;
  return named(new Set(text.blame(0, text.length).map((span) => span.id.replica)), replicas);
}

/** Returns the replicas of a set with the actors they belong to. */
export function named(set: Iterable<ReplicaId>, agents: Agents): readonly AgentActor[] {
  const found: AgentActor[] = [];
  for (const agent of set) {
    const actor = agents.actorOf(agent);
    if (actor !== undefined) found.push({ agent, actor });
  }
  return found;
}
