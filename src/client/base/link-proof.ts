import { sha256Hex } from "../../core/base/hash.ts";

/** Fewest and most characters of a share link's password. */
export const linkPasswordUnits = { min: 8, max: 128 } as const;

const rounds = 600_000;

/**
 * Makes what a visitor sends to prove that they know a share link's password: PBKDF2-HMAC-SHA-256 (RFC 8018) with the link's secret
 * as salt, 32 bytes in hex digits. The server keeps its hash alone, so it never learns the password. Takes about 0.2 s.
 */
export async function linkProof(secret: string, password: string): Promise<string> {
  const { subtle } = globalThis.crypto;
  const encoder = new TextEncoder();
  const key = await subtle.importKey("raw", encoder.encode(password.normalize("NFKC")), "PBKDF2", false, [
    "deriveBits",
  ]);
  const salt = encoder.encode(secret);
  const bits = await subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt, iterations: rounds }, key, 256);
  return Array.from(new Uint8Array(bits), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Makes what the server keeps of a link: the hash of its secret, and of the proof of its password where it has one. */
export async function linkHashes(
  secret: string,
  password: string | null,
): Promise<{ readonly hash: string; readonly proofHash?: string }> {
  const hash = sha256Hex(secret);
  return password === null ? { hash } : { hash, proofHash: sha256Hex(await linkProof(secret, password)) };
}
