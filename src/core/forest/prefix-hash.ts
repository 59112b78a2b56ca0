import { sha256Hex } from "../base/hash.ts";
import { comparisonKey } from "../message/normalize.ts";
import type { Message } from "../message/types.ts";

/**
 * Names a conversation up to and including `message`: the hash of the parent's prefix hash (null directly below the root)
 * and of the message as it is compared. Equal hashes, equal conversations so far; one look-up finds a prefix of any length.
 */
export function prefixHash(parentHash: string | null, message: Message): string {
  return sha256Hex(`${parentHash ?? ""}\n${comparisonKey(message)}`);
}
