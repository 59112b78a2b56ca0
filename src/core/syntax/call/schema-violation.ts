import { Validator, type OutputUnit, type Schema } from "@cfworker/json-schema";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";

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
  const validator = validatorOf(schema);
  if (validator === null) return undefined;
  try {
    const { valid, errors } = validator.validate(parameters);
    return valid ? undefined : innermost(errors);
  } catch {
    return undefined;
  }
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
