import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";

/** Returns the object under a key of an unknown value, or undefined. */
export function objectAt(value: unknown, key: string): JsonObject | undefined {
  const found = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(found) ? found : undefined;
}

/** Returns the list under a key of an unknown value; empty when there is none. */
export function listAt(value: unknown, key: string): readonly unknown[] {
  const found: unknown = isJsonObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
}

/** Returns the string under a key of an unknown value, or undefined. */
export function textAt(value: unknown, key: string): string | undefined {
  const found = isJsonObject(value) ? value[key] : undefined;
  return typeof found === "string" ? found : undefined;
}

/** Returns the finite number under a key of an unknown value, or undefined. */
export function numberAt(value: unknown, key: string): number | undefined {
  const found = isJsonObject(value) ? value[key] : undefined;
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

/** Parses untrusted JSON; undefined when it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the fields of an object except some. */
export function withoutKeys(fields: JsonObject, ...keys: readonly string[]): JsonObject {
  // Most objects have known fields alone.
  if (Object.keys(fields).every((key) => keys.includes(key))) return nothing;
  // Entries, since a field may be called `__proto__`.
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)));
}

const nothing: JsonObject = {};
