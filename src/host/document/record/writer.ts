import type { Refusal } from "../../../core/base/errors.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { AgentId } from "../../../core/text/types.ts";
import type { Agents } from "../../replica/replica-registry.ts";
import type { Author } from "./types.ts";

/** An author, and the agent that makes the operations: a page numbers its own, so the server writes for it by another. */
export interface Writer extends Author {
  readonly hand: AgentId;
}

/** An author whose operations nobody else makes: a model's run, or the server itself. */
export function ownHand(author: Author): Writer {
  return { ...author, hand: author.agent };
}

/** Returns the writer of an author; for a page, another agent than the page itself, which numbers its own operations. */
export async function writerOf(agents: Pick<Agents, "handOf">, author: Author): Promise<Result<Writer, Refusal>> {
  if (author.actor.type !== "person") return ok(ownHand(author));
  const hand = await agents.handOf(author.agent);
  return hand.ok ? ok({ ...author, hand: hand.value }) : hand;
}
