import type { AgentId } from "../../core/text/types.ts";
import type { Author } from "./types.ts";

/** An author, and the agent that makes the operations: a page numbers its own, so the server writes for it by another. */
export interface Writer extends Author {
  readonly hand: AgentId;
}

/** An author whose operations nobody else makes: a model's run, or the server itself. */
export function ownHand(author: Author): Writer {
  return { ...author, hand: author.agent };
}
