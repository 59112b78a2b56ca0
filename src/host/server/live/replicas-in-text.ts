import type { ReplicaActor } from "../../../core/protocol/base/messages.ts";
import { decodeDocument } from "../../../core/text/document.ts";
import { trustedLimits } from "../../../core/text/trusted-limits.ts";
import type { ReplicaId } from "../../../core/text/types.ts";
import type { Replicas } from "../../replica/replica-registry.ts";

/** Who wrote the text that an encoded document holds. */
export function replicasInText(document: Uint8Array, replicas: Replicas): readonly ReplicaActor[] {
  const decoded = decodeDocument(document, trustedLimits);
  if (!decoded.ok) return [];
  const { value: text } = decoded;
  return named(new Set(text.blame(0, text.length).map((span) => span.id.replica)), replicas);
}

/** Names the actors of the replicas in a set. */
export function named(set: Iterable<ReplicaId>, replicas: Replicas): readonly ReplicaActor[] {
  const found: ReplicaActor[] = [];
  for (const replica of set) {
    const actor = replicas.actorOf(replica);
    if (actor !== undefined) found.push({ replica, actor });
  }
  return found;
}
