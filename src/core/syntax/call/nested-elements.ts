import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { runEnd, spaceEnd } from "../base/characters.ts";
import { nameMax, type NestedForm } from "../base/grammar.ts";
import { nestingMax } from "../base/nesting.ts";
import { admitted, coerceText, itemsOf } from "./coerce.ts";

/** How a value of nested elements is read. */
interface NestedRead {
  readonly form: NestedForm;
  readonly schema: JsonObject;
  /** Whether a tool declares a parameter of this name. */
  readonly isParameter: (name: string) => boolean;
}

/** A value, and the offset behind it. */
interface Found {
  readonly value: Json;
  readonly end: number;
}

/**
 * Reads a list or an object that is written as nested elements: nothing but elements and white space, each closed, and each
 * leaf as its schema wants it. Undefined for anything else, which may be the sign of a forgotten tag; so may an element that
 * the schema does not name and that is a parameter.
 */
export function readNested(text: string, read: NestedRead): Json | undefined {
  const { types } = admitted(read.schema);
  if (types.has("string") || !(types.has("array") || types.has("object"))) return undefined;
  if (!text.startsWith(read.form.open, spaceEnd(text, 0))) return undefined;
  const found = elementsAt(text, 0, read, 0);
  return found?.end === text.length ? found.value : undefined;
}

/** Reads elements up to a closing tag, or to the end. */
function elementsAt(text: string, from: number, read: NestedRead, depth: number): Found | undefined {
  const { form, schema } = read;
  const { types } = admitted(schema);
  if (depth > nestingMax) return undefined;
  const items: Json[] = [];
  const fields = new Map<string, Json>();
  let at = spaceEnd(text, from);
  while (text.startsWith(form.open, at) && !text.startsWith(form.close, at)) {
    const start = at + form.open.length;
    const end = runEnd("key", text, start, start + nameMax);
    const name = text.slice(start, end);
    const isItem = types.has("array") && name === form.item;
    const child = isItem ? itemsOf(schema) : fieldOf(read, name);
    if (name === "" || child === undefined || fields.has(name) || !text.startsWith(form.openEnd, end)) return undefined;
    const inside = contentAt(text, end + form.openEnd.length, { ...read, schema: child }, depth);
    const close = `${form.close}${name}${form.closeEnd}`;
    if (inside === undefined || !text.startsWith(close, inside.end)) return undefined;
    if (isItem) items.push(inside.value);
    else fields.set(name, inside.value);
    at = spaceEnd(text, inside.end + close.length);
  }
  if (fields.size === 0) return { value: items, end: at };
  return items.length > 0 || !types.has("object") ? undefined : { value: Object.fromEntries(fields), end: at };
}

/** Reads what is between the tags of an element: further elements, or a leaf up to the next tag. */
function contentAt(text: string, from: number, read: NestedRead, depth: number): Found | undefined {
  const { form, schema } = read;
  const first = spaceEnd(text, from);
  if (text.startsWith(form.open, first) && !text.startsWith(form.close, first)) {
    return elementsAt(text, from, read, depth + 1);
  }
  const end = text.indexOf(form.close, from);
  const leaf = text.slice(from, Math.max(from, end));
  if (end === -1 || leaf.includes(form.open)) return undefined;
  const value = coerceText(leaf, schema);
  return value.ok && value.value.warning === undefined ? { value: value.value.value, end } : undefined;
}

/** Returns the schema of an object's field; undefined where the element is more likely a parameter that lost its place. */
function fieldOf({ schema, isParameter }: NestedRead, name: string): JsonObject | undefined {
  for (const alternative of admitted(schema).byType.get("object") ?? []) {
    const { properties, additionalProperties } = alternative;
    const known = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (isJsonObject(known)) return known;
    if (isJsonObject(additionalProperties) && !isParameter(name)) return additionalProperties;
  }
  return isParameter(name) ? undefined : {};
}
