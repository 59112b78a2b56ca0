import { assert } from "../../../core/base/assert.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import { shapesPath } from "./json-schema.ts";

/**
 * Returns an example of a value that fits a schema: its required fields, or the first optional one if none is required.
 */
export function exampleOf(schema: JsonObject, shapes: JsonObject): Json {
  const { $ref: reference, examples, const: constant, enum: choices } = schema;
  if (Array.isArray(examples)) return (examples as readonly Json[])[0] ?? null;
  if (typeof reference === "string") return exampleOf(shapeNamed(reference, shapes), shapes);
  if (constant !== undefined) return constant;
  if (Array.isArray(choices)) return (choices as readonly Json[])[0] ?? null;
  const alternative = alternativesOf(schema).find(({ type }) => type !== "null");
  if (alternative !== undefined) return exampleOf(alternative, shapes);
  const { type, items, minimum } = schema;
  if (type === "object") return exampleOfObject(schema, shapes);
  if (type === "array") return isJsonObject(items) ? [exampleOf(items, shapes)] : [];
  if (type === "integer" || type === "number") return typeof minimum === "number" ? minimum : 1;
  if (type === "boolean") return false;
  return type === "string" ? "text" : {};
}

/** Returns the alternatives of a schema; none if it is not a union. */
export function alternativesOf(schema: JsonObject): readonly JsonObject[] {
  const listed = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(listed) ? (listed as readonly Json[]).filter(isJsonObject) : [];
}

/** Returns the shape that a reference names. */
export function shapeNamed(reference: string, shapes: JsonObject): JsonObject {
  const shape = shapes[reference.slice(shapesPath.length)];
  assert(isJsonObject(shape), `${reference} is a shape of the document`);
  return shape;
}

function exampleOfObject({ properties, required }: JsonObject, shapes: JsonObject): JsonObject {
  const entries = isJsonObject(properties) ? Object.entries(properties) : [];
  const needed = Array.isArray(required) ? (required as readonly Json[]) : [];
  const shown = needed.length === 0 ? entries.slice(0, 1) : entries.filter(([name]) => needed.includes(name));
  return Object.fromEntries(
    shown.map(([name, property]) => [name, isJsonObject(property) ? exampleOf(property, shapes) : null]),
  );
}
