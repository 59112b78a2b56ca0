import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { assert } from "../../base/assert.ts";
import { refusal, type Refusal } from "../../base/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { ToolDefinition } from "../../model/request.ts";
import { anyObject } from "./any-object.ts";
import type { ToolInput, ToolSpec } from "./types.ts";

/**
 * Returns a tool as a model sees it: one plain object schema, without references or alternatives, which some providers
 * refuse.
 */
export function toolDefinition(spec: ToolSpec): ToolDefinition {
  const schema = toJsonSchema(spec.input, {
    typeMode: "input",
    // A model need not know that blanks around a text are trimmed; checks beyond JSON Schema are reported when they fail.
    ignoreActions: ["trim", "check"],
    overrideSchema: ({ valibotSchema }) =>
      valibotSchema === anyObject ? { type: "object" } : valibotSchema.type === "custom" ? {} : undefined,
  });
  const inputSchema = plainSchema(JSON.parse(JSON.stringify(schema)));
  assert(isJsonObject(inputSchema) && inputSchema["type"] === "object", `the input of ${spec.name} is an object`);
  return { name: spec.name, description: spec.description, inputSchema };
}

/**
 * Reads the parameters of a call. A refusal is INVALID_PARAMS and lists, for each mistake, its path and the expected
 * value. An optional parameter given as null counts as absent.
 */
export function readToolInput<Spec extends ToolSpec>(
  spec: Spec,
  parameters: JsonObject,
): Result<ToolInput<Spec>, Refusal> {
  const input: Spec["input"] = spec.input;
  const first = v.safeParse(input, parameters);
  if (first.success) return ok(first.output);
  const second = v.safeParse(input, withoutNulls(parameters, first.issues));
  return second.success ? ok(second.output) : err(invalidParams(spec, second.issues));
}

const droppedKeywords: ReadonlySet<string> = new Set(["$schema", "propertyNames"]);

/**
 * Merges alternatives into one object with all their properties, requiring those that all require; constants become
 * enums.
 */
function plainSchema(schema: unknown): Json {
  if (Array.isArray(schema)) return schema.map(plainSchema);
  if (!isJsonObject(schema)) return isScalar(schema) ? schema : null;
  const { oneOf } = schema;
  if (Array.isArray(oneOf)) return mergedObject(oneOf.filter(isJsonObject));
  const entries = Object.entries(schema)
    .filter(([key, value]) => !droppedKeywords.has(key) && value !== Number.MAX_SAFE_INTEGER)
    .map(([key, value]): [string, Json] => (key === "const" ? ["enum", [value]] : [key, plainSchema(value)]));
  const plain: JsonObject = Object.fromEntries(entries);
  return "const" in schema && !("type" in plain) ? { type: typeof schema["const"], ...plain } : plain;
}

function mergedObject(alternatives: readonly JsonObject[]): JsonObject {
  const properties: Record<string, Json> = {};
  let required: readonly Json[] | undefined;
  for (const alternative of alternatives) {
    const plain = plainSchema(alternative);
    assert(isJsonObject(plain) && isJsonObject(plain["properties"]), "alternatives are objects");
    for (const [name, property] of Object.entries(plain["properties"])) {
      properties[name] = name in properties ? joinedProperty(properties[name], property) : property;
    }
    const own = Array.isArray(plain["required"]) ? plain["required"] : [];
    required = required === undefined ? own : required.filter((name) => own.includes(name));
  }
  return { type: "object", properties, required: required ?? [], additionalProperties: false };
}

/** The tag of the alternatives takes any of their values; other shared properties are the same in all. */
function joinedProperty(known: Json | undefined, other: Json): Json {
  if (!isJsonObject(known) || !isJsonObject(other)) return other;
  const values = [known["enum"], other["enum"]].flatMap((list) => (Array.isArray(list) ? list : []));
  return values.length === 0 ? known : { ...known, enum: values };
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

type Issue = v.BaseIssue<unknown>;

/** Returns the parameters without the nulls that issues report. */
function withoutNulls(parameters: JsonObject, issues: readonly Issue[]): JsonObject {
  const paths = new Set(issues.filter((issue) => issue.input === null).map((issue) => v.getDotPath(issue)));
  const copy = (value: Json, path: string): Json => {
    const below = (key: string | number): string => (path === "" ? String(key) : `${path}.${key}`);
    if (Array.isArray(value)) return value.map((element, index) => copy(element, below(index)));
    return isJsonObject(value) ? copyObject(value, below) : value;
  };
  const copyObject = (value: JsonObject, below: (key: string) => string): JsonObject =>
    Object.fromEntries(
      Object.entries(value)
        .filter(([key, field]) => field !== null || !paths.has(below(key)))
        .map(([key, field]) => [key, copy(field, below(key))]),
    );
  return copyObject(parameters, (key) => key);
}

const mistakesShownMax = 5;

function invalidParams(spec: ToolSpec, issues: readonly Issue[]): Refusal {
  const mistakes = issues.slice(0, mistakesShownMax).map(mistakeOf);
  const problems = mistakes.map((mistake) => `${mistake.path}: ${mistake.problem}`).join("; ");
  return refusal(
    "INVALID_PARAMS",
    { tool: spec.name, mistakes },
    `${spec.name} was not run. ${problems}. Correct this and call it again.`,
  );
}

interface Mistake {
  readonly path: string;
  readonly problem: string;
}

function mistakeOf(issue: Issue): Mistake {
  const path = v.getDotPath(issue) ?? "(the parameters)";
  if (issue.expected === "never") return { path, problem: "there is no such parameter" };
  if (issue.type === "strict_object" && issue.received === "undefined") return { path, problem: "is required" };
  if (issue.type === "check") return { path, problem: issue.message };
  if (issue.type === "non_empty") return { path, problem: "must not be empty" };
  const wants = wanted(issue);
  const received = issue.received === null ? "" : `, not ${issue.received.slice(0, 80)}`;
  return { path, problem: `must be ${wants}${received}` };
}

function wanted(issue: Issue): string {
  switch (issue.type) {
    case "string":
    case "number":
    case "boolean":
      return `a ${issue.type}`;
    case "array":
      return "an array";
    case "strict_object":
    case "object_with_rest":
      return "an object";
    case "custom":
      return issue.message;
    case "safe_integer":
      return "a whole number";
    case "min_value":
      return `at least ${expectedBound(issue)}`;
    case "max_value":
      return `at most ${expectedBound(issue)}`;
    case "min_length":
      return `at least ${expectedBound(issue)} long`;
    case "max_length":
      return `at most ${expectedBound(issue)} long`;
    default:
      return `one of ${(issue.expected ?? "").replaceAll(/[()]/g, "").replaceAll(" | ", ", ")}`;
  }
}

function expectedBound(issue: Issue): string {
  return (issue.expected ?? "").replace(/^[<>]=/, "");
}
