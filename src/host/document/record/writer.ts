import type { Refusal } from "../../../core/base/errors.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { AgentId } from "../../../core/text/types.ts";
import type { Agents } from "../../replica/replica-registry.ts";
import type { Author } from "./types.ts";

/**
 * An author, and the agent that numbers the operations: a page numbers its own, so the server writes for it through another.
 */
export interface Writer extends Author {
  readonly hand: AgentId;
}

/** Returns the writer for an author that only the server writes for: a model's run, or the server itself. */
export function ownHand(author: Author): Writer {
  return { ...author, hand: author.agent };
}

/** Returns the writer for an author; for a page, its server replica, because the page numbers its own operations. */
export async function writerOf(agents: Pick<Agents, "handOf">, author: Author): Promise<Result<Writer, Refusal>> {
  if (author.actor.type !== "person") return ok(ownHand(author));
  const hand = await agents.handOf(author.agent);
  return hand.ok ? ok({ ...author, hand: hand.value }) : hand;
}
