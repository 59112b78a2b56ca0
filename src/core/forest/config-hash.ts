import { sha256Hex } from "../base/hash.ts";
import { canonicalJson, type JsonObject } from "../base/json.ts";

/**
 * Returns the hash of a requested root, so that the same request returns the same root: over the exact system prompt
 * (absent differs from empty) and the settings, in any order of keys.
 */
export function configHashOf(systemPrompt: string | undefined, settings: JsonObject): string {
  return sha256Hex(canonicalJson({ systemPrompt: systemPrompt ?? null, settings }));
}
