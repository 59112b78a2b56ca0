import { hash } from "node:crypto";
import { prefixText } from "../../../core/forest/prefix-hash.ts";
import { comparisonKey } from "../../../core/message/normalize.ts";
import type { Message } from "../../../core/message/types.ts";

/**
 * What core's `prefixHash` makes, in its two halves and by Node's own SHA-256, which takes a tenth of the time: a store
 * keeps the one of the message, and below a change makes the other again for every message of a conversation.
 */

/** Names what a message says: half of its prefix hash. */
export function messageHash(message: Message): string {
  return sha256(comparisonKey(message));
}

/** The prefix hash of a message below one that has the hash `above`. */
export function prefixHashBelow(above: string, hashOfMessage: string): string {
  return sha256(prefixText(above, hashOfMessage));
}

/** SHA-256 of the text's UTF-8 bytes, 64 hex digits. */
function sha256(text: string): string {
  return hash("sha256", text);
}
