import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** What is used of Node's crypto where the program runs in Node; a browser's own SHA-256 has no answer at once. */
interface NativeHash {
  hash(algorithm: "sha256", data: string | Uint8Array, output: "hex"): string;
}

interface MaybeNode {
  readonly process?: { readonly getBuiltinModule?: (name: string) => Partial<NativeHash> | undefined };
}

// oxlint-disable-next-line no-restricted-globals -- the same text has the same hash everywhere, only sooner here
const native = (globalThis as MaybeNode).process?.getBuiltinModule?.("node:crypto");
const hashNatively = native?.hash?.bind(native);

/** SHA-256 of the text's UTF-8 bytes, as 64 hex digits. Half a surrogate pair counts as U+FFFD. */
export function sha256Hex(text: string): string {
  return hashNatively?.("sha256", text, "hex") ?? bytesToHex(sha256(utf8ToBytes(text)));
}

/** SHA-256 of bytes, as 64 hex digits. */
export function sha256HexOfBytes(bytes: Uint8Array): string {
  return hashNatively?.("sha256", bytes, "hex") ?? bytesToHex(sha256(bytes));
}

/** The first 8 hex digits of the SHA-256: short enough to read aloud, used in revision ids. */
export function hash8(text: string): string {
  return sha256Hex(text).slice(0, 8);
}
