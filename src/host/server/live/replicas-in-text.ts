import type { AgentActor } from "../../../core/protocol/base/messages.ts";
import { decodeDocument } from "../../../core/text/document.ts";
import { trustedLimits } from "../../../core/text/trusted-limits.ts";
import type { AgentId } from "../../../core/text/types.ts";
import type { Agents } from "../../replica/replica-registry.ts";

/** Who wrote the text that an encoded document holds. */
export function agentsInText(document: Uint8Array, agents: Agents): readonly AgentActor[] {
  const decoded = decodeDocument(document, trustedLimits);
  if (!decoded.ok) return [];
  const { value: text } = decoded;
  return named(new Set(text.blame(0, text.length).map((span) => span.id.agent)), agents);
}

/** The agents of a set with the actors that they stand for. */
export function named(set: Iterable<AgentId>, agents: Agents): readonly AgentActor[] {
  const found: AgentActor[] = [];
  for (const agent of set) {
    const actor = agents.actorOf(agent);
    if (actor !== undefined) found.push({ agent, actor });
  }
  return found;
}
