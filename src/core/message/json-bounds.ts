import { isJsonObject, type JsonObject } from "../base/json.ts";

/** How deep JSON inside a message may nest: far deeper than tools need, far less than would overflow a recursion. */
export const messageJsonDepthMax = 256;

/**
 * Whether a value is a JSON object nested at most `messageJsonDepthMax` deep. Checks without recursion, because the value
 * is untrusted.
 */
export function isBoundedJsonObject(value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false;
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= messageJsonDepthMax; depth += 1) {
    const next: unknown[] = [];
    for (const each of level) {
      if (Array.isArray(each)) for (const element of each) next.push(element);
      else if (typeof each === "object" && each !== null) {
        for (const field of Object.values(each)) if (field !== undefined) next.push(field);
      } else if (!isJsonScalar(each)) return false;
    }
    if (next.length === 0) return true;
    level = next;
  }
  return false;
}

function isJsonScalar(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}
