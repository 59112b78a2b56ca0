import { sha256Hex } from "../base/hash.ts";
import { comparisonKey } from "../message/normalize.ts";
import type { Message } from "../message/types.ts";

/**
 * Names a conversation up to and including `message`, in 64 hex digits: the SHA-256 of the parent's prefix hash (null
 * for a first message) and of the message's own hash. Conversations with equal hashes have said the same so far.
 */
export function prefixHash(parentHash: string | null, message: Message): string {
  return sha256Hex(prefixText(parentHash, sha256Hex(comparisonKey(message))));
}

/**
 * The text whose SHA-256 is a prefix hash, from the SHA-256 of the message's comparison key. Who keeps the latter beside a
 * message can name the conversations below a change without reading what they say.
 */
export function prefixText(parentHash: string | null, messageHash: string): string {
  return `${parentHash ?? ""}\n${messageHash}`;
}
