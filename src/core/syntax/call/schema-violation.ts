import type { OutputUnit, Schema } from "@cfworker/json-schema";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { Validator } from "./validator-package.ts";

/** Why arguments break their tool's schema. */
export interface SchemaViolation {
  /** The place in the arguments, as `options.deep` or `edits[1].old`; empty for the arguments as a whole. */
  readonly path: string;
  readonly keyword: string;
  /** The validator's sentence. */
  readonly why: string;
}

const validators = new WeakMap<JsonObject, Validator | null>();

/**
 * Holds arguments against the whole of a tool's JSON schema (2020-12): nested types, alternatives, patterns, bounds.
 * Formats are notes to readers and not enforced; a schema that cannot be read enforces nothing. Returns the innermost
 * violation.
 */
export function schemaViolation(schema: JsonObject, parameters: JsonObject): SchemaViolation | undefined {
  if (fitsFlat(flatOf(schema), parameters)) return undefined;
  const validator = validatorOf(schema);
  if (validator === null) return undefined;
  try {
    const { valid, errors } = validator.validate(parameters);
    return valid ? undefined : innermost(errors);
  } catch {
    return undefined;
  }
}

/** A schema whose parameters have one type each and no other bound: most tools'. */
interface FlatSchema {
  readonly types: ReadonlyMap<string, string>;
  readonly required: readonly string[];
}

const flats = new WeakMap<JsonObject, FlatSchema | null>();
const notes = ["title", "description", "default", "examples", "$schema", "$comment"];
const flatKeys = new Set(["type", "properties", "required", "additionalProperties", ...notes]);
const flatParameterKeys = new Set(["type", ...notes]);
const flatTypes = new Set<Json | undefined>(["string", "boolean", "number"]);

/** Returns the types of a flat schema; null for any other one, which the validator reads. */
function flatOf(schema: JsonObject): FlatSchema | null {
  const known = flats.get(schema);
  if (known !== undefined) return known;
  const flat = readFlat(schema);
  flats.set(schema, flat);
  return flat;
}

function readFlat(schema: JsonObject): FlatSchema | null {
  const { type, properties, required = [] } = schema;
  if (type !== "object" || !isJsonObject(properties)) return null;
  if (!Array.isArray(required) || !required.every((name) => typeof name === "string")) return null;
  if (Object.keys(schema).some((key) => !flatKeys.has(key))) return null;
  const types = new Map<string, string>();
  for (const [name, one] of Object.entries(properties)) {
    if (!isJsonObject(one) || Object.keys(one).some((key) => !flatParameterKeys.has(key))) return null;
    if (typeof one["type"] !== "string" || !flatTypes.has(one["type"])) return null;
    types.set(name, one["type"]);
  }
  return { types, required };
}

/** Whether arguments fit a flat schema; false where the validator has to say what is wrong, or may allow more. */
function fitsFlat(flat: FlatSchema | null, parameters: JsonObject): boolean {
  if (flat === null) return false;
  const { types: typesByName, required } = flat;
  for (const name of Object.keys(parameters)) {
    const type = typesByName.get(name);
    if (type === undefined || typeof parameters[name] !== type) return false;
  }
  return required.every((name) => Object.hasOwn(parameters, name));
}

function validatorOf(schema: JsonObject): Validator | null {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const created = isStandard(schema) ? new Validator(withoutFormats(schema) as Schema, "2020-12", false) : null;
  validators.set(schema, created);
  return created;
}

const types = new Set<Json>(["null", "boolean", "integer", "number", "array", "object", "string"]);

/** Whether every type in a schema is JSON Schema's; some servers write `OBJECT`, which nothing would fit. */
function isStandard(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.every(isStandard);
  if (!isJsonObject(schema)) return true;
  const { type } = schema;
  if (typeof type === "string" && !types.has(type)) return false;
  return Object.values(schema).every(isStandard);
}

/** Keywords whose values map names to schemas, so that `format` there is a name. */
const maps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

function withoutFormats(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutFormats);
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (key === "format" && typeof value === "string") return [];
      if (key === "enum" || key === "const" || key === "default") return [[key, value]];
      if (maps.has(key) && isJsonObject(value)) {
        return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutFormats(one)]))]];
      }
      return [[key, withoutFormats(value)]];
    }),
  );
}

function innermost(errors: readonly OutputUnit[]): SchemaViolation | undefined {
  let deepest: OutputUnit | undefined;
  for (const error of errors) {
    if (deepest === undefined || depthOf(error) >= depthOf(deepest)) deepest = error;
  }
  if (deepest === undefined) return undefined;
  return { path: pathOf(deepest.instanceLocation), keyword: deepest.keyword, why: deepest.error };
}

function depthOf({ instanceLocation }: OutputUnit): number {
  return instanceLocation.split("/").length;
}

/** Writes a JSON pointer as a program would. */
function pathOf(pointer: string): string {
  let path = "";
  for (const part of pointer.split("/").slice(1)) {
    const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (/^\d+$/.test(name)) path += `[${name}]`;
    else path += path === "" ? name : `.${name}`;
  }
  return path;
}
