import type { Brand } from "./brand.ts";

/** A namespace of blocks: one canvas, or the live blocks of one conversation. */
export type DocumentId = Brand<string, "DocumentId">;
/** The id of a block, as `document/replica/seq`. It is never used again. */
export type BlockId = Brand<string, "BlockId">;
/** The id of a conversation. */
export type RootId = Brand<string, "RootId">;
/** One message at one place of a conversation's tree; never used again once it is deleted. */
export type NodeId = Brand<string, "NodeId">;
/** The id of a run: one turn machine at the head of one branch. */
export type RunId = Brand<string, "RunId">;
/** One journey of a run from a person's message back to rest; what "undo the agent's turn" takes back. */
export type TurnId = Brand<string, "TurnId">;
/** One lease of a canvas, from a check-out to its end. */
export type LeaseId = Brand<string, "LeaseId">;
/** The provider's or our id of one tool call; pairs it with its result. */
export type ToolCallId = Brand<string, "ToolCallId">;
/** What one tool call of an agent suggests for a canvas. */
export type SuggestionId = Brand<string, "SuggestionId">;
/** One place of a suggestion, kept or rejected by itself: `suggestion.number`. */
export type HunkId = Brand<string, "HunkId">;
/** Who acts, across sessions: a person or a model. */
export type ActorId = Brand<string, "ActorId">;
/** One mutation request of a client; sent again after a lost answer, it takes effect once. */
export type RequestId = Brand<string, "RequestId">;

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * An id that sorts by time: prefix, underscore, 10 characters of UTC milliseconds, 12 characters of randomness (base 32).
 * `entropy` holds at least 12 bytes.
 */
export function timeSortedId(prefix: string, timeMs: number, entropy: Uint8Array): string {
  let time = "";
  for (let rest = timeMs, i = 0; i < 10; i += 1, rest = Math.floor(rest / 32)) time = alphabet.charAt(rest % 32) + time;
  let random = "";
  for (let i = 0; i < 12; i += 1) random += alphabet.charAt((entropy[i] ?? 0) % 32);
  return `${prefix}_${time}${random}`;
}
