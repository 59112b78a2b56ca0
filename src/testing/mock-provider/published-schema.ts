import { isJsonObject, type Json, type JsonObject } from "../../core/base/json.ts";
import { Validator } from "../../core/syntax/call/validator-package.ts";

/** Where a request breaks the schema that its provider publishes, as a path of keys, and what is wrong there. */
export interface SchemaFault {
  readonly at: string;
  readonly problem: string;
}

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const share = { type: "number", minimum: 0, maximum: 1 } as const;
const texts = { type: "array", items: text } as const;
const count = { type: "integer", minimum: 1 } as const;
const oneOf = (...values: readonly string[]): JsonObject => ({ type: "string", enum: values });
/** Protocol buffers read names of enumerations in any case. */
const anyCase = (...values: readonly string[]): JsonObject =>
  oneOf(...values, ...values.map((value) => value.toLowerCase()));
const record = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: "object",
  properties,
  required,
});
const name = (pattern: string): JsonObject => ({ type: "string", pattern });

const effort = oneOf("none", "minimal", "low", "medium", "high", "xhigh", "max");
const tier = oneOf("auto", "default", "flex", "scale", "priority", "standard_only");
const temperature = { type: "number", minimum: 0, maximum: 2 } as const;
const choiceOfChat = {
  anyOf: [oneOf("none", "auto", "required", "any"), record({ type: oneOf("function", "custom", "allowed_tools") })],
};

/**
 * The fields of requests with their types and enumerations, from the providers' published API descriptions. Fields that
 * are not named here belong to one of the many servers behind a format, or are checked by the rules of the format.
 */
const schemas = {
  anthropic: record(
    {
      model: text,
      max_tokens: count,
      system: { anyOf: [text, { type: "array", items: record({ type: oneOf("text"), text }, ["type", "text"]) }] },
      temperature: share,
      top_p: share,
      top_k: { type: "integer", minimum: 0 },
      stop_sequences: texts,
      stream: flag,
      metadata: record({ user_id: text }),
      service_tier: oneOf("auto", "standard_only"),
      container: { anyOf: [text, { type: "object" }] },
      thinking: record({ type: oneOf("enabled", "disabled", "adaptive"), budget_tokens: { type: "integer" } }, [
        "type",
      ]),
      output_config: record({ effort, format: record({ type: oneOf("json_schema") }, ["type", "schema"]) }),
      tool_choice: record({ type: oneOf("auto", "any", "tool", "none"), name: text }, ["type"]),
      tools: { type: "array", items: record({ name: name("^[a-zA-Z0-9_-]{1,128}$"), description: text }) },
      cache_control: record({ type: oneOf("ephemeral"), ttl: oneOf("5m", "1h") }, ["type"]),
    },
    ["model", "max_tokens", "messages"],
  ),
  chat: record(
    {
      model: text,
      stream: flag,
      temperature,
      top_p: share,
      n: count,
      seed: { type: "integer" },
      max_tokens: { type: "integer" },
      max_completion_tokens: { type: "integer" },
      frequency_penalty: { type: "number", minimum: -2, maximum: 2 },
      presence_penalty: { type: "number", minimum: -2, maximum: 2 },
      stop: { anyOf: [text, texts] },
      parallel_tool_calls: flag,
      store: flag,
      user: text,
      reasoning_effort: effort,
      service_tier: { type: "string" },
      stream_options: record({ include_usage: flag }),
      tool_choice: choiceOfChat,
      response_format: record({ type: oneOf("text", "json_object", "json_schema", "grammar", "regex") }, ["type"]),
      tools: { type: "array", items: record({ type: text }) },
    },
    ["model", "messages"],
  ),
  responses: record(
    {
      model: text,
      instructions: text,
      temperature,
      top_p: share,
      max_output_tokens: { type: "integer", minimum: 16 },
      stream: flag,
      store: flag,
      background: flag,
      parallel_tool_calls: flag,
      previous_response_id: text,
      include: texts,
      service_tier: tier,
      truncation: oneOf("auto", "disabled"),
      reasoning: record({ effort, summary: oneOf("auto", "concise", "detailed") }),
      text: record({
        verbosity: oneOf("low", "medium", "high"),
        format: record({ type: oneOf("text", "json_object", "json_schema") }, ["type"]),
      }),
      tools: { type: "array", items: record({ type: text }) },
    },
    ["model"],
  ),
  gemini: record({
    contents: { anyOf: [{ type: "array", items: record({ role: text }) }, { type: "object" }, text] },
    cachedContent: text,
    toolConfig: record({
      functionCallingConfig: record({
        mode: anyCase("MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"),
        allowedFunctionNames: texts,
      }),
    }),
    generationConfig: record({
      temperature,
      topP: share,
      topK: { type: "number" },
      candidateCount: count,
      maxOutputTokens: { type: "integer" },
      stopSequences: texts,
      responseMimeType: text,
      thinkingConfig: record({
        includeThoughts: flag,
        thinkingBudget: { type: "integer" },
        thinkingLevel: anyCase("MINIMAL", "LOW", "MEDIUM", "HIGH", "THINKING_LEVEL_UNSPECIFIED"),
      }),
    }),
  }),
  interactions: record(
    {
      model: text,
      system_instruction: text,
      store: flag,
      stream: flag,
      background: flag,
      previous_interaction_id: text,
      service_tier: tier,
      tools: {
        type: "array",
        items: record(
          {
            type: oneOf(
              "function",
              "google_search",
              "google_maps",
              "code_execution",
              "url_context",
              "file_search",
              "computer_use",
              "mcp_server",
              "retrieval",
            ),
            name: text,
            description: text,
          },
          ["type"],
        ),
      },
      generation_config: record({
        temperature,
        top_p: share,
        seed: { type: "integer" },
        max_output_tokens: count,
        stop_sequences: texts,
        thinking_level: oneOf("minimal", "low", "medium", "high"),
        thinking_summaries: oneOf("auto", "none"),
        tool_choice: { anyOf: [oneOf("auto", "any", "none", "validated"), record({ allowed_tools: record({}) })] },
      }),
      response_format: {
        anyOf: [record({ type: text }, ["type"]), { type: "array", items: record({ type: text }, ["type"]) }],
      },
    },
    ["model", "input"],
  ),
} as const satisfies Record<string, JsonObject>;

const validators = new Map(
  Object.entries(schemas).map(([api, schema]) => [api, new Validator(schema as object, "2020-12", true)]),
);

/** What was found in requests before; those of one conversation differ in their messages alone. */
const faults = new Map<string, SchemaFault | null>();
const faultsMax = 500;

/** Returns the first field of a request that its provider's published schema refuses; null when it accepts all of them. */
export function requestFault(api: keyof typeof schemas, body: JsonObject): SchemaFault | null {
  const fields = besideMessages(body);
  const key = `${api} ${JSON.stringify(fields)}`;
  const known = faults.get(key);
  if (known !== undefined) return known;
  if (faults.size >= faultsMax) faults.clear();
  const fault = faultIn(api, fields);
  faults.set(key, fault);
  return fault;
}

function faultIn(api: keyof typeof schemas, fields: JsonObject): SchemaFault | null {
  const { valid, errors } = validators.get(api)?.validate(withoutNulls(fields)) ?? { valid: true, errors: [] };
  // The last error is the innermost one.
  const error = errors.at(-1);
  if (valid || error === undefined) return null;
  return { at: error.instanceLocation.replace(/^#\/?/, "").replaceAll("/", "."), problem: error.error };
}

/** The messages of a long history are checked by the rules of their format; here they would cost most of the time. */
function besideMessages(body: JsonObject): JsonObject {
  const { contents } = body;
  return {
    ...body,
    ...("messages" in body ? { messages: [] } : {}),
    ...("input" in body ? { input: [] } : {}),
    ...(Array.isArray(contents)
      ? {
          contents: contents.map((each) =>
            isJsonObject(each) && "role" in each ? { role: each["role"] ?? null } : each,
          ),
        }
      : {}),
  };
}

/** Every field of the APIs that may be left out may be null. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, held]) => (held === null ? [] : [[key, withoutNulls(held)]])),
  );
}

const types: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);
const schemaKeys = new Set(["items", "additionalProperties", "not", "propertyNames"]);
const schemaListKeys = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const schemaMapKeys = new Set(["properties", "$defs", "definitions", "patternProperties"]);

/** Returns what a tool's schema says that JSON Schema does not allow; null when it is valid. */
export function toolSchemaFault(schema: unknown, at: string): SchemaFault | null {
  if (typeof schema === "boolean") return null;
  if (!isJsonObject(schema)) return { at, problem: `${JSON.stringify(schema)} is not of type 'object', 'boolean'` };
  const { type, required, enum: values } = schema;
  for (const each of Array.isArray(type) ? type : type === undefined ? [] : [type])
    if (!types.has(each)) return { at, problem: `${JSON.stringify(each)} is not valid under any of the given schemas` };
  const isTexts = Array.isArray(required) && required.every((key) => typeof key === "string");
  if (required !== undefined && !isTexts) return { at: `${at}.required`, problem: "is not a list of names" };
  if (values !== undefined && !Array.isArray(values)) return { at: `${at}.enum`, problem: "is not of type 'array'" };
  if (schema["nullable"] === true && type === undefined) return { at, problem: "'nullable' is not a keyword" };
  return innerFault(schema, at);
}

function innerFault(schema: JsonObject, at: string): SchemaFault | null {
  for (const [key, value] of Object.entries(schema)) {
    const inner: readonly (readonly [string, unknown])[] = schemaKeys.has(key)
      ? [[key, value]]
      : schemaListKeys.has(key) && Array.isArray(value)
        ? value.map((each, place) => [`${key}.${place}`, each] as const)
        : schemaMapKeys.has(key) && isJsonObject(value)
          ? Object.entries(value).map(([each, held]) => [`${key}.${each}`, held] as const)
          : [];
    for (const [place, held] of inner) {
      const fault = toolSchemaFault(held, `${at}.${place}`);
      if (fault !== null) return fault;
    }
  }
  return null;
}
