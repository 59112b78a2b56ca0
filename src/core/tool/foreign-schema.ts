import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { err, ok, type Result } from "../base/result.ts";
import { isBoundedJsonObject, messageJsonDepthMax } from "../message/json-bounds.ts";

/** How large a schema of somebody else's may become once its references are written out. */
const valuesMax = 2_000;
const depthMax = 32;

/** Every provider takes parameters of these names. */
const parameterName = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * Makes a JSON Schema of somebody else's into one that every provider and every syntax takes: an object at the top, local
 * references written out, no keyword that some of them refuse. What a reference to itself would allow is left open, and
 * so is what stands elsewhere; the server still judges what it is sent. Refused with a reason where that cannot be done.
 */
export function plainForeignSchema(schema: JsonObject): Result<JsonObject, string> {
  // What is left out below is named by hash and compared as well, and that is done level by level on the stack.
  if (!isBoundedJsonObject(schema)) return err(`its parameters are nested deeper than ${messageJsonDepthMax} levels`);
  try {
    const cleaner = new Cleaner(schema);
    const plain = asOneObject(cleaner.schema(schema, [], 0));
    const { properties } = plain;
    const odd = isJsonObject(properties)
      ? Object.keys(properties).find((name) => !parameterName.test(name))
      : undefined;
    if (odd === undefined) return ok(plain);
    return err(`no provider takes a parameter named ${JSON.stringify(odd.slice(0, 80))}`);
  } catch (problem) {
    if (problem instanceof Unusable) return err(problem.message);
    throw problem;
  }
}

class Unusable extends Error {}

/** Say nothing to a model, or are written out where they are used. */
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
    // What its names may be besides is not said any more.
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
      // An older way to say the items of a tuple.
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

/** The value that a JSON pointer leads to. */
function pointed(root: JsonObject, pointer: string): Json | undefined {
  let at: Json | undefined = root;
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

/** Some providers refuse a schema that requires what it does not describe. */
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

/** Alternatives at the top become one object that takes the parameters of any, and requires those that all require. */
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
  if (!isObject) throw new Unusable("its parameters are no object");
  const { properties } = schema;
  return { ...schema, type: "object", properties: isJsonObject(properties) ? properties : {} };
}

/** Both sets of parameters; required is what either requires (`both`: a call fits both) or what each requires. */
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
