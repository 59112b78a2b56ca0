import { assert } from "../../../core/base/assert.ts";

/** JSON text of a value that the matching guard will read back; asserted here so that nothing unreadable is stored. */
export function encodeJson<Value>(value: Value, guard: (value: unknown) => value is Value, form: string): string {
  assert(guard(value), `a ${form} to be stored is well formed`);
  return JSON.stringify(value);
}

const textsByValue = new WeakMap<object, string>();

/** The same for a value that stands in row after row, as who types does: checked and written once. It is never changed. */
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

/** An integer column's value; whole, and exact in a double. */
export function encodeInteger(value: number, name: string): number {
  assert(Number.isSafeInteger(value), `${name} is a whole number`);
  return value;
}

/** Bytes that travel to the storage thread without the rest of the buffer that they may be a part of. */
export function encodeBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}
