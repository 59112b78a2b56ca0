import { sha256Hex } from "../base/hash.ts";
import { canonicalJson, type JsonObject } from "../base/json.ts";

/**
 * Names what a root was asked for by, so that asking for the same twice gives the same root: the system prompt to the
 * letter, none being another than an empty one, and the settings, whatever the order of their keys.
 */
export function configHashOf(systemPrompt: string | undefined, settings: JsonObject): string {
  return sha256Hex(canonicalJson({ systemPrompt: systemPrompt ?? null, settings }));
}
