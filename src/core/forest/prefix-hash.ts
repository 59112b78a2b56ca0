import { sha256Hex } from "../base/hash.ts";
import { comparisonKey } from "../message/normalize.ts";
import type { Message } from "../message/types.ts";

/**
 * Names a conversation up to and including `message`: the hash of the parent's prefix hash (null directly below the root)
 * and of the hash of the message as it is compared. Equal hashes, equal conversations so far; one look-up finds a prefix of any length.
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
