import type { Brand } from "./brand.ts";

/** A namespace of blocks: one canvas, or the live blocks of one conversation. */
export type DocumentId = Brand<string, "DocumentId">;
/** The id of a block, as `document/replica/seq`. Ids are never reused. */
export type BlockId = Brand<string, "BlockId">;
/** The id of a folder of this machine that conversations can work in. */
export type FolderId = Brand<string, "FolderId">;
/** The id of a conversation. */
export type RootId = Brand<string, "RootId">;
/** The id of a message at one place of a conversation's tree; never reused after deletion. */
export type NodeId = Brand<string, "NodeId">;
/** The id of a run: one turn machine at the head of one branch. */
export type RunId = Brand<string, "RunId">;
/** The id of a turn of a run, from a person's message back to idle; the unit of "undo the agent's turn". */
export type TurnId = Brand<string, "TurnId">;
/** The id of a lease of a canvas, from a check-out to its end. */
export type LeaseId = Brand<string, "LeaseId">;
/** The id of one tool call, the provider's or ours; pairs the call with its result. */
export type ToolCallId = Brand<string, "ToolCallId">;
/** The id of a suggestion: what one tool call of an agent would change in a canvas. */
export type SuggestionId = Brand<string, "SuggestionId">;
/** The id of a hunk of a suggestion, which is kept or rejected separately: `suggestion.number`. */
export type HunkId = Brand<string, "HunkId">;
/** The id of a draft: a branch's own state of documents. */
export type DraftId = Brand<string, "DraftId">;
/** The id of a thread of comments: `c` and seven random characters, short enough for a model to repeat. */
export type ThreadId = Brand<string, "ThreadId">;
/** The id of an entry of the trash; sorts by the time of the deletion. */
export type TrashId = Brand<string, "TrashId">;
/** The id of an actor across sessions: a person or a model. */
export type ActorId = Brand<string, "ActorId">;
/** The id of a person with an account. */
export type PersonId = Brand<string, "PersonId">;
/** The id of a group of people. */
export type GroupId = Brand<string, "GroupId">;
/** The id of a share link; the link itself has a secret besides. */
export type LinkId = Brand<string, "LinkId">;
/** The id of one mutation request of a client; a request sent again after a lost answer takes effect once. */
export type RequestId = Brand<string, "RequestId">;

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * Makes an id that sorts by time: prefix, underscore, 10 characters of UTC milliseconds, 12 random characters (base 32).
 * `entropy` has at least 12 bytes.
 */
export function timeSortedId(prefix: string, timeMs: number, entropy: Uint8Array): string {
  let time = "";
  for (let rest = timeMs, i = 0; i < 10; i += 1, rest = Math.floor(rest / 32)) time = alphabet.charAt(rest % 32) + time;
  let random = "";
  for (let i = 0; i < 12; i += 1) random += alphabet.charAt((entropy[i] ?? 0) % 32);
  return `${prefix}_${time}${random}`;
}

/** Returns the next id after one of `timeSortedId`, for what begins in its millisecond. */
export function idBehind(id: string): string {
  const last = alphabet.at(-1) ?? "";
  const start = id.indexOf("_") + 1;
  let at = id.length - 1;
  while (at > start && id[at] === last) at -= 1;
  const raised = alphabet.charAt(alphabet.indexOf(id.charAt(at)) + 1);
  return id.slice(0, at) + raised + alphabet.charAt(0).repeat(id.length - at - 1);
}
