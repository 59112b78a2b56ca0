import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { isBoundedJsonObject, messageJsonDepthMax } from "../../message/json-bounds.ts";

/** The most values and levels of a foreign schema after its references are inlined. */
const valuesMax = 2_000;
const depthMax = 32;

/** Every provider accepts parameters with such names. */
const parameterName = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * Converts a foreign JSON Schema into one that every provider and every syntax accepts: an object at the top, local
 * references inlined, no keyword that some of them refuse. Recursive and remote references are left open, because
 * the server validates what it receives anyway. Refuses, with a reason, a schema that cannot be converted.
 */
export function plainForeignSchema(schema: JsonObject): Result<JsonObject, string> {
  // Dropped keywords are hashed and compared too, by recursion, so the nesting is checked first.
  if (!isBoundedJsonObject(schema)) return err(`its parameters are nested deeper than ${messageJsonDepthMax} levels`);
  try {
    const cleaner = new Cleaner(schema);
    const plain = asOneObject(cleaner.schema(schema, [], 0));
    const { properties } = plain;
    const odd = isJsonObject(properties)
      ? Object.keys(properties).find((name) => !parameterName.test(name))
      : undefined;
    if (odd === undefined) return ok(plain);
    return err(`no provider accepts a parameter named ${JSON.stringify(odd.slice(0, 80))}`);
  } catch (problem) {
    if (problem instanceof Unusable) return err(problem.message);
    throw problem;
  }
}

class Unusable extends Error {}

/** Keywords that mean nothing to a model, or that are inlined where they are used. */
const dropped: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$anchor",
  "$dynamicAnchor",
  "$dynamicRef",
  "$vocabulary",
  "$comment",
  "$defs",
  "definitions",
  "$ref",
  "propertyNames",
  "patternProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "dependentSchemas",
  "dependentRequired",
  "dependencies",
  "if",
  "then",
  "else",
  "not",
  "const",
  "__proto__",
]);
const oneSchema: ReadonlySet<string> = new Set(["items", "additionalProperties", "contains", "additionalItems"]);
const listOfSchemas: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);

class Cleaner {
  readonly #root: JsonObject;
  #values = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  schema(schema: Json, above: readonly string[], depth: number): JsonObject {
    this.#count(depth);
    if (!isJsonObject(schema)) return {};
    const { $ref: reference } = schema;
    const referred = typeof reference === "string" ? this.#referred(reference, above, depth) : {};
    const own = Object.entries(schema).flatMap(([key, value]): [string, Json][] =>
      dropped.has(key) ? [] : [[key, this.#keyword(key, value, above, depth + 1)]],
    );
    const plain: Record<string, Json> = { ...referred, ...Object.fromEntries(own) };
    if ("const" in schema) Object.assign(plain, this.#constant(schema["const"] ?? null, plain, depth));
    // The dropped patterns may have allowed further names.
    if ("patternProperties" in schema && plain["additionalProperties"] === false) delete plain["additionalProperties"];
    return withKnownRequired(plain);
  }

  #keyword(key: string, value: Json, above: readonly string[], depth: number): Json {
    if (key === "properties") {
      if (!isJsonObject(value)) return {};
      const entries = Object.entries(value).filter(([name]) => name !== "__proto__");
      return Object.fromEntries(entries.map(([name, property]) => [name, this.schema(property, above, depth)]));
    }
    if (listOfSchemas.has(key)) {
      return Array.isArray(value) ? value.map((each: Json) => this.schema(each, above, depth)) : [];
    }
    if (oneSchema.has(key)) {
      if (typeof value === "boolean") return value;
      // The older form of the items of a tuple.
      return Array.isArray(value) ? {} : this.schema(value, above, depth);
    }
    return this.#data(value, depth);
  }

  #referred(reference: string, above: readonly string[], depth: number): JsonObject {
    if (above.includes(reference)) return {};
    const found = reference.startsWith("#") ? pointed(this.#root, reference.slice(1)) : undefined;
    return found === undefined ? {} : this.schema(found, [...above, reference], depth + 1);
  }

  #constant(value: Json, plain: JsonObject, depth: number): JsonObject {
    const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    return { enum: [this.#data(value, depth)], ...("type" in plain ? {} : { type }) };
  }

  #data(value: Json, depth: number): Json {
    this.#count(depth);
    if (Array.isArray(value)) return value.map((each: Json) => this.#data(each, depth + 1));
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value).filter(([key]) => key !== "__proto__");
    return Object.fromEntries(entries.map(([key, each]) => [key, this.#data(each, depth + 1)]));
  }

  #count(depth: number): void {
    this.#values += 1;
    if (this.#values > valuesMax) throw new Unusable(`its parameters are described by more than ${valuesMax} values`);
    if (depth > depthMax) throw new Unusable(`its parameters are nested deeper than ${depthMax} levels`);
  }
}

/** Returns the value at a JSON pointer. */
function pointed(root: JsonObject, pointer: string): Json | undefined {
  let at: Json | undefined = root;
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

/** Some providers refuse a schema that requires an undescribed parameter. */
function withKnownRequired(schema: JsonObject): JsonObject {
  const { required, properties, ...rest } = schema;
  const known = isJsonObject(properties) ? properties : {};
  const asked = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  const kept = asked.filter((name) => Object.hasOwn(known, name));
  return {
    ...rest,
    ...(properties === undefined ? {} : { properties: known }),
    ...(kept.length === 0 ? {} : { required: kept }),
  };
}

/**
 * Merges alternatives at the top into one object that takes the parameters of any and requires those that all require.
 */
function asOneObject(schema: JsonObject): JsonObject {
  const { anyOf, oneOf, allOf, ...rest } = schema;
  let whole = objectOf(rest);
  for (const part of schemasIn(allOf)) whole = joined(whole, objectOf(asOneObject(part)), true);
  for (const alternatives of [schemasIn(anyOf), schemasIn(oneOf)]) {
    const [first, ...others] = alternatives.map((each) => objectOf(asOneObject(each)));
    if (first === undefined) continue;
    whole = joined(
      whole,
      others.reduce((all, each) => joined(all, each, false), first),
      true,
    );
  }
  return whole;
}

function schemasIn(list: Json | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function objectOf(schema: JsonObject): JsonObject {
  const { type } = schema;
  const isObject = type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
  if (!isObject) throw new Unusable("its parameters are not an object");
  const { properties } = schema;
  return { ...schema, type: "object", properties: isJsonObject(properties) ? properties : {} };
}

/** Merges two sets of parameters; requires what either requires (`both`: a call fits both) or what each requires. */
function joined(a: JsonObject, b: JsonObject, both: boolean): JsonObject {
  const [left, right] = [requiredBy(a), requiredBy(b)];
  const required = both ? [...new Set([...left, ...right])] : left.filter((name) => right.includes(name));
  const { required: _required, additionalProperties: _closed, ...rest } = { ...b, ...a };
  const closed = a["additionalProperties"] === false && b["additionalProperties"] === false;
  const properties = { ...objectAt(b, "properties"), ...objectAt(a, "properties") };
  return {
    ...rest,
    properties,
    ...(required.length === 0 ? {} : { required }),
    ...(closed ? { additionalProperties: false } : {}),
  };
}

function requiredBy(schema: JsonObject): readonly string[] {
  const { required } = schema;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

function objectAt(schema: JsonObject, key: string): JsonObject {
  const value = schema[key];
  return isJsonObject(value) ? value : {};
}
