import type { ErrorCode } from "../../base/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { repeatedKey } from "../../base/repeated-key.ts";
import { shortened } from "../../base/shortened.ts";
import { isTooDeep } from "../base/nesting.ts";

/** The types of JSON Schema, in the order in which a text is tried as one of several. */
const typeOrder = ["null", "boolean", "integer", "number", "array", "object", "string"] as const;
type ValueType = (typeof typeOrder)[number];

/** What a schema admits: for each type, the schemas that admit it; a schema without a type admits all. */
export interface Admitted {
  readonly types: ReadonlySet<ValueType>;
  readonly byType: ReadonlyMap<ValueType, readonly JsonObject[]>;
}

/** A value that fits the schema, with a warning when it does not fit exactly. */
export interface Coerced {
  readonly value: Json;
  readonly warning?: string;
}

/** Why a value does not fit the schema; the text follows the parameter's name. */
export interface Uncoercible {
  readonly code: Extract<ErrorCode, "BAD_TYPE" | "TEXT_MALFORMED">;
  readonly problem: string;
}

const admittedBySchema = new WeakMap<JsonObject, Admitted>();

/** Returns what a schema admits; computed once per schema. */
export function admitted(schema: JsonObject): Admitted {
  const known = admittedBySchema.get(schema);
  if (known !== undefined) return known;
  const byType = new Map<ValueType, JsonObject[]>();
  for (const alternative of alternatives(schema)) {
    for (const type of typesNamed(alternative)) byType.set(type, [...(byType.get(type) ?? []), alternative]);
  }
  const found: Admitted = { types: new Set(byType.keys()), byType };
  admittedBySchema.set(schema, found);
  return found;
}

/** Whether the schema wants only an array (or null). */
function wantsArray(schema: JsonObject): boolean {
  const { types } = admitted(schema);
  return types.has("array") && types.size === (types.has("null") ? 2 : 1);
}

/** Returns the schema of an array's elements; by default one that admits everything. */
export function itemsOf(schema: JsonObject): JsonObject {
  for (const alternative of admitted(schema).byType.get("array") ?? []) {
    if (isJsonObject(alternative["items"])) return alternative["items"];
  }
  return {};
}

/**
 * Reads a value from text. Strict: a text that is not a boolean is not false. A string is taken unchanged, entities
 * included.
 */
export function coerceText(text: string, schema: JsonObject): Result<Coerced, Uncoercible> {
  const { types, byType } = admitted(schema);
  if (types.size === 1 && types.has("string") && schema["enum"] === undefined) return ok({ value: text });
  const trimmed = text.trim();
  for (const type of typeOrder) {
    for (const candidate of byType.get(type) ?? []) {
      const value = readAs(type, type === "string" ? text : trimmed, candidate);
      if (value === undefined) continue;
      if (isAmong(value, candidate)) return ok({ value });
    }
  }
  if (types.has("integer") && /^-?\d+$/.test(trimmed)) {
    const warning = `is a whole number beyond ${Number.MAX_SAFE_INTEGER} and was kept as text`;
    return ok({ value: trimmed, warning });
  }
  if (wantsArray(schema) && !isBrokenList(trimmed)) {
    const element = coerceText(text, itemsOf(schema));
    return element.ok ? ok({ ...element.value, value: [element.value.value] }) : element;
  }
  return bad(`must be ${wanted(schema)}, not ${shown(trimmed)}`);
}

/** Whether a text that is no list was meant as one: brackets on both sides, or quoted elements with a bracket or comma. */
function isBrokenList(text: string): boolean {
  return /^\[[^]*\]$|^\[\s*(?:["'[{]|-?\d+\s*,)|["'}\]]\s*\]$|^"[^"]*"\s*,\s*"/.test(text);
}

/** Reads the elements of a list from texts. */
export function coerceList(elements: readonly string[], schema: JsonObject): Result<Coerced, Uncoercible> {
  if (!admitted(schema).types.has("array")) return bad(`must be ${wanted(schema)}, not a list`);
  const items = itemsOf(schema);
  const values: Json[] = [];
  let warning: string | undefined;
  for (const element of elements) {
    const read = coerceText(element, items);
    if (!read.ok) return read;
    values.push(read.value.value);
    warning ??= read.value.warning;
  }
  return ok({ value: values, ...(warning === undefined ? {} : { warning }) });
}

/**
 * Reads a value from JSON, putting a single value into an array wherever the schema wants one; null and arrays
 * stay. A value of another type than the schema's is refused.
 */
export function coerceJson(value: Json, schema: JsonObject): Result<Coerced, Uncoercible> {
  if (!isFiniteAll(value)) return bad("holds a number that is too large");
  const wrapped = wrapScalars(value, schema);
  const { types, byType } = admitted(schema);
  const type = typeOf(wrapped);
  const fits = types.has(type) || (type === "integer" && types.has("number"));
  if (!fits) return bad(`must be ${wanted(schema)}, not ${shown(JSON.stringify(value))}`);
  const candidates = byType.get(type) ?? byType.get("number") ?? [];
  if (!candidates.some((candidate) => isAmong(wrapped, candidate))) {
    return bad(`must be ${wanted(schema)}, not ${shown(JSON.stringify(value))}`);
  }
  return ok({ value: wrapped });
}

/** Puts single values into arrays where the schema wants only an array, at every depth. */
function wrapScalars(value: Json, schema: JsonObject): Json {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    return value.map((element) => wrapScalars(element, items));
  }
  if (value !== null && wantsArray(schema)) return [wrapScalars(value, itemsOf(schema))];
  if (!isJsonObject(value)) return value;
  const properties = admitted(schema)
    .byType.get("object")
    ?.map((candidate) => candidate["properties"])
    .find(isJsonObject);
  if (properties === undefined) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return [key, isJsonObject(own) ? wrapScalars(field, own) : field];
    }),
  );
}

/** Whether no text in a value holds half a character. */
export function isWellFormed(value: Json): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (!isJsonObject(value)) return true;
  return Object.entries(value).every(([key, field]) => key.isWellFormed() && isWellFormed(field));
}

/** Whether every number in a value is finite; JSON's `1e400` parses to Infinity, which JSON cannot represent. */
function isFiniteAll(value: Json): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isFiniteAll);
}

/** Describes in words what a schema wants. */
export function wanted(schema: JsonObject): string {
  const { types, byType } = admitted(schema);
  const choices = (byType.get("string") ?? [])
    .flatMap((candidate) => valuesNamed(candidate) ?? [])
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  const words = [...types]
    .filter((type) => type !== "integer" || !types.has("number"))
    .map((type) => (type === "string" && choices.length > 0 ? `one of ${choices.join(", ")}` : typeWords[type]));
  return words.join(" or ");
}

const typeWords: Record<ValueType, string> = {
  null: "null",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  array: "a list",
  object: "a JSON object",
  string: "text",
};

const numberSyntax = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function readAs(type: ValueType, text: string, schema: JsonObject): Json | undefined {
  switch (type) {
    case "null":
      return text === "null" ? null : undefined;
    case "boolean": {
      const lower = text.length > 5 ? "" : text.toLowerCase();
      return lower === "true" ? true : lower === "false" ? false : undefined;
    }
    case "integer": {
      const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
      return Number.isSafeInteger(value) ? value + 0 : undefined;
    }
    case "number": {
      const value = numberSyntax.test(text) ? Number(text) : Number.NaN;
      return Number.isFinite(value) ? value + 0 : undefined;
    }
    case "array": {
      const value = text.startsWith("[") ? parsed(text) : undefined;
      return Array.isArray(value) ? wrapScalars(value, schema) : undefined;
    }
    case "object": {
      const value = text.startsWith("{") ? parsed(text) : undefined;
      return isJsonObject(value) ? wrapScalars(value, schema) : undefined;
    }
    case "string":
      return text;
  }
}

function parsed(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isTooDeep(value) || !isFiniteAll(value) || repeatedKey(text) !== undefined ? undefined : value;
  } catch {
    return undefined;
  }
}

function isAmong(value: Json, schema: JsonObject): boolean {
  const values = valuesNamed(schema);
  return (
    values === undefined || values.some((named) => named === value || JSON.stringify(named) === JSON.stringify(value))
  );
}

function valuesNamed(schema: JsonObject): readonly Json[] | undefined {
  if (Array.isArray(schema["enum"])) return schema["enum"];
  return "const" in schema ? [schema["const"] ?? null] : undefined;
}

function alternatives(schema: JsonObject): readonly JsonObject[] {
  const listed = [schema["anyOf"], schema["oneOf"]].flatMap((list) =>
    Array.isArray(list) ? list.filter(isJsonObject) : [],
  );
  const own = listed.length === 0 ? [schema] : listed.flatMap(alternatives);
  return schema["nullable"] === true ? [...own, { type: "null" }] : own;
}

function typesNamed(schema: JsonObject): readonly ValueType[] {
  const { type } = schema;
  const named = (Array.isArray(type) ? type : [type]).filter((name): name is ValueType =>
    typeOrder.some((known) => known === name),
  );
  if (named.length > 0) return named;
  const values = valuesNamed(schema);
  return values === undefined ? typeOrder : [...new Set(values.map(typeOf))];
}

function typeOf(value: Json): ValueType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value === "string" ? "string" : "object";
}

const shownUnitsMax = 80;

function shown(text: string): string {
  return `'${shortened(text, shownUnitsMax)}'`;
}

function bad(problem: string): Result<never, Uncoercible> {
  return err({ code: "BAD_TYPE", problem });
}
