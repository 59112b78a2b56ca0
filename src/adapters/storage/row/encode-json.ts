import { assert } from "../../../core/base/assert.ts";

/** Encodes a value as JSON; asserts that the guard accepts it, so that nothing unreadable is stored. */
export function encodeJson<Value>(value: Value, guard: (value: unknown) => value is Value, form: string): string {
  assert(guard(value), `a ${form} to be stored is well formed`);
  return JSON.stringify(value);
}

const textsByValue = new WeakMap<object, string>();

/**
 * Encodes a value that row after row repeats, such as the typing person: checks and encodes it once. The value must never
 * change.
 */
export function encodeLastingJson<Value extends object>(
  value: Value,
  guard: (value: unknown) => value is Value,
  form: string,
): string {
  const known = textsByValue.get(value);
  if (known !== undefined) return known;
  const text = encodeJson(value, guard, form);
  textsByValue.set(value, text);
  return text;
}

/** An integer column's value, exact in a double. */
export function encodeInteger(value: number, name: string): number {
  assert(Number.isSafeInteger(value), `${name} is a whole number`);
  return value;
}

/** Copies bytes for the storage thread without the rest of their buffer. */
export function encodeBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}
