import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";

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

/** Texts that streams repeat to the letter, such as a ping or the end of the first block, and what they say. */
const valuesByText = new Map<string, unknown>();
const repeatedUnitsMax = 128;
const repeatedMax = 256;

/** Parses untrusted JSON of which short texts come again and again; undefined when it is invalid. */
export function parseRepeatedJson(text: string): unknown {
  if (text.length > repeatedUnitsMax) return parseJson(text);
  const known = valuesByText.get(text);
  if (known !== undefined) return known;
  const value = parseJson(text);
  if (valuesByText.size >= repeatedMax) valuesByText.clear();
  // A piece of a longer text would keep all of it.
  valuesByText.set(Buffer.from(text).toString(), value);
  return value;
}

/** Returns the fields of an object except some. */
export function withoutKeys(fields: JsonObject, ...keys: readonly string[]): JsonObject {
  return fieldsWhere(fields, (key) => !keys.includes(key));
}

/** Returns the fields of an object that pass a test. Most objects have known fields alone, of which none does. */
export function fieldsWhere(fields: JsonObject, test: (key: string, value: unknown) => boolean): JsonObject {
  let passed: [string, Json][] | undefined;
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    if (value !== undefined && test(key, value)) (passed ??= []).push([key, value]);
  }
  // From entries, since a field may be called `__proto__`.
  return passed === undefined ? nothing : Object.fromEntries(passed);
}

const nothing: JsonObject = {};
