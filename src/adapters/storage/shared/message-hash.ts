import { hash } from "node:crypto";
import { prefixText } from "../../../core/forest/prefix-hash.ts";
import { comparisonKey } from "../../../core/message/normalize.ts";
import type { Message } from "../../../core/message/types.ts";

/**
 * Core's `prefixHash` in its two halves, with Node's SHA-256, which takes a tenth of the time. A store keeps the hash of
 * each message; a change above changes only the other half, for every message below.
 */

/** Hashes a message's content: half of its prefix hash. */
export function messageHash(message: Message): string {
  return sha256(comparisonKey(message));
}

/** Returns the prefix hash of a message whose parent has the hash `above`. */
export function prefixHashBelow(above: string, hashOfMessage: string): string {
  return sha256(prefixText(above, hashOfMessage));
}

/** SHA-256 of the text's UTF-8 bytes, 64 hexadecimal digits. */
function sha256(text: string): string {
  return hash("sha256", text);
}
