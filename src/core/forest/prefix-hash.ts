import { sha256Hex } from "../base/hash.ts";
import { comparisonKey } from "../message/normalize.ts";
import type { Message } from "../message/types.ts";

/**
 * Returns the hash of a conversation up to and including `message`, in 64 hex digits: the SHA-256 of the parent's prefix
 * hash (null
 * for a first message) and of the message's own hash. Conversations with equal hashes have said the same so far.
 */
export function prefixHash(parentHash: string | null, message: Message): string {
  return sha256Hex(prefixText(parentHash, sha256Hex(comparisonKey(message))));
}

/**
 * Returns the text whose SHA-256 is a prefix hash, from the SHA-256 of the message's comparison key. A store that keeps
 * the
 * latter can recompute the hashes below a change without reading messages.
 */
export function prefixText(parentHash: string | null, messageHash: string): string {
  return `${parentHash ?? ""}\n${messageHash}`;
}
