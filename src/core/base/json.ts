/** A JSON value. Stored data and wire messages consist of these only. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. Its keys may be any text, including `__proto__` and `constructor`. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/**
 * Whether two plain values are deeply equal. The order of keys does not count, the order of arrays does; an absent key
 * equals an undefined value.
 */
export function stableDeepEqual(a: unknown, b: unknown): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((element, index) => stableDeepEqual(element, b[index]));
  }
  const left = definedEntries(a);
  const right = new Map(definedEntries(b));
  return (
    left.length === right.size && left.every(([key, value]) => right.has(key) && stableDeepEqual(value, right.get(key)))
  );
}

/** Writes JSON with keys in code-unit order at every depth, so that equal values give equal text. For hashing. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((element) => canonicalJson(element ?? null)).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = definedEntries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`);
    return `{${fields.join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}

/** Whether a value is an object and not an array; does not check the fields. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function definedEntries(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, field]) => field !== undefined);
}
