import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";

/** The object under a key of something unknown, or undefined. */
export function objectAt(value: unknown, key: string): JsonObject | undefined {
  const found = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(found) ? found : undefined;
}

/** The list under a key of something unknown; empty where there is none. */
export function listAt(value: unknown, key: string): readonly unknown[] {
  const found: unknown = isJsonObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
}

/** The string under a key of something unknown, or undefined. */
export function textAt(value: unknown, key: string): string | undefined {
  const found = isJsonObject(value) ? value[key] : undefined;
  return typeof found === "string" ? found : undefined;
}

/** The finite number under a key of something unknown, or undefined. */
export function numberAt(value: unknown, key: string): number | undefined {
  const found = isJsonObject(value) ? value[key] : undefined;
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

/** Parses JSON that came from outside; undefined where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The fields of an object but some. */
export function withoutKeys(fields: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)));
}
