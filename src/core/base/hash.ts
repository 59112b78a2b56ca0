import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** SHA-256 of the text's UTF-8 bytes, as 64 hex digits. */
export function sha256Hex(text: string): string {
  return sha256HexOfBytes(utf8ToBytes(text));
}

/** SHA-256 of bytes, as 64 hex digits. */
export function sha256HexOfBytes(bytes: Uint8Array): string {
  return bytesToHex(sha256(bytes));
}

/** The first 8 hex digits of the SHA-256: short enough to read aloud, used in revision ids. */
export function hash8(text: string): string {
  return sha256Hex(text).slice(0, 8);
}
