import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { plainForeignSchema } from "./foreign-schema.ts";
import { offeredTool } from "./offered-tool.ts";

function plain(schema: JsonObject): JsonObject | string {
  const read = plainForeignSchema(schema);
  return read.ok ? read.value : read.error;
}

const string = { type: "string" };

describe("plainForeignSchema", () => {
  test.each<[string, JsonObject, Json]>([
    ["an empty schema becomes an object with any parameters", {}, { type: "object", properties: {} }],
    [
      "parts that all apply are closed where all are",
      { allOf: [{ additionalProperties: false }, { properties: { a: string } }], additionalProperties: false },
      { type: "object", properties: { a: string } },
    ],
    [
      "a constant keeps its keys, but none that names a prototype",
      { type: "object", properties: { a: { const: JSON.parse('{"x":{"__proto__":1,"y":2}}') as Json } } },
      { type: "object", properties: { a: { enum: [{ x: { y: 2 } }], type: "object" } } },
    ],
    [
      "a plain schema is unchanged",
      { type: "object", properties: { q: { ...string, minLength: 1 } }, required: ["q"], additionalProperties: false },
      { type: "object", properties: { q: { ...string, minLength: 1 } }, required: ["q"], additionalProperties: false },
    ],
    [
      "keywords without meaning for a model are dropped",
      { $schema: "x", $id: "y", $comment: "z", type: "object", properties: { a: { not: {}, title: "A" } } },
      { type: "object", properties: { a: { title: "A" } } },
    ],
    [
      "local references are inlined, with the keywords beside them",
      {
        type: "object",
        properties: { a: { $ref: "#/$defs/A~1B", description: "here" }, b: { $ref: "#/definitions/b" } },
        $defs: { "A/B": { ...string, description: "there" } },
        definitions: { b: { type: "array", items: { $ref: "#/$defs/A~1B" } } },
      },
      {
        type: "object",
        properties: {
          a: { ...string, description: "here" },
          b: { type: "array", items: { ...string, description: "there" } },
        },
      },
    ],
    [
      "recursive, remote and dangling references are left open",
      {
        type: "object",
        properties: {
          tree: { $ref: "#/$defs/tree" },
          far: { $ref: "https://evil.example/schema.json" },
          none: { $ref: "#/$defs/none" },
        },
        $defs: { tree: { type: "object", properties: { child: { $ref: "#/$defs/tree" } } } },
      },
      {
        type: "object",
        properties: { tree: { type: "object", properties: { child: {} } }, far: {}, none: {} },
      },
    ],
    [
      "a constant becomes an enum of one value",
      { type: "object", properties: { kind: { const: "x" }, none: { const: null } } },
      { type: "object", properties: { kind: { enum: ["x"], type: "string" }, none: { enum: [null], type: "null" } } },
    ],
    [
      "alternatives at the top become one object",
      {
        anyOf: [
          { type: "object", properties: { id: string, a: string }, required: ["id", "a"] },
          { type: "object", properties: { id: string, b: string }, required: ["id", "b"] },
        ],
      },
      { type: "object", properties: { id: string, a: string, b: string }, required: ["id"] },
    ],
    [
      "the parts of allOf become one object",
      {
        allOf: [
          { properties: { a: string }, required: ["a"] },
          { properties: { b: string }, required: ["b"] },
        ],
      },
      { type: "object", properties: { a: string, b: string }, required: ["a", "b"] },
    ],
    [
      "required names without a description are dropped",
      { type: "object", properties: { a: string }, required: ["a", "b", 7] },
      { type: "object", properties: { a: string }, required: ["a"] },
    ],
    ["an object or null becomes an object", { type: ["object", "null"] }, { type: "object", properties: {} }],
    [
      "free names stay allowed when their pattern is dropped",
      { type: "object", properties: {}, patternProperties: { "^x": string }, additionalProperties: false },
      { type: "object", properties: {} },
    ],
  ])("%s", (_name, schema, expected) => {
    expect(plain(schema)).toEqual(expected);
  });

  test.each<[string, JsonObject, string]>([
    ["not an object", { type: "string" }, "not an object"],
    ["a name that providers refuse", { properties: { päth: string } }, "named"],
    [
      "too many values",
      { properties: Object.fromEntries(Array.from({ length: 2_001 }, (_, at) => [`p${at}`, {}])) },
      "more than",
    ],
    ["too deep", nested(40), "deeper than"],
  ])("plainForeignSchema refuses, with a reason, %s", (_name, schema, reason) => {
    expect(plain(schema)).toContain(reason);
  });

  test.each(["not", "$defs", "if", "dependencies"])(
    "offeredTool refuses a schema nested without end under %s",
    (key) => {
      const deep = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`) as Json;
      const tool = { name: "t", description: "", inputSchema: { type: "object", [key]: deep }, hints: {} };
      const offered = offeredTool({ server: "s", reach: "r", isElsewhere: true }, tool, "s_t");
      expect(offered.ok ? "offered" : offered.error).toContain("deeper than");
    },
  );

  test("plainForeignSchema stops at the bound when references triple at each level", () => {
    const defs = Object.fromEntries(
      Array.from({ length: 8 }, (_, level) => {
        const next = { $ref: `#/$defs/l${level + 1}` };
        return [`l${level}`, { type: "object", properties: { a: next, b: next, c: next } }];
      }),
    );
    expect(plain({ type: "object", properties: { a: { $ref: "#/$defs/l0" } }, $defs: defs })).toContain("more than");
  });

  test("plainForeignSchema turns any schema into an object schema without references, or refuses it", () => {
    const key = fc.constantFrom(
      "type",
      "properties",
      "$ref",
      "$defs",
      "anyOf",
      "oneOf",
      "allOf",
      "items",
      "required",
      "const",
      "enum",
      "a",
      "__proto__",
    );
    const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
      schema: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.constantFrom<Json>("object", "string", "#", "#/a", "#/$defs/a", "#/properties/a", null, true, 7),
        fc.array(tie("schema"), { maxLength: 3 }),
        fc.dictionary(key, tie("schema"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, schema, { maxKeys: 6 }), (given) => {
        const read = plainForeignSchema(given);
        if (!read.ok) {
          expect(read.error).not.toBe("");
          return;
        }
        expect(read.value["type"]).toBe("object");
        expect(JSON.stringify(keysOf(read.value))).not.toMatch(/"(?:\$ref|\$defs|__proto__|const)"/);
      }),
      { numRuns: scaled(300) },
    );
  });

  test("plainForeignSchema drops a key __proto__ without side effects", () => {
    const schema: unknown = JSON.parse('{"properties": {"__proto__": {"type": "string"}, "a": {"__proto__": 1}}}');
    const read = plainForeignSchema(schema as JsonObject);
    expect(read).toEqual({ ok: true, value: { type: "object", properties: { a: {} } } });
  });
});

/** Returns every key where a schema is expected; keys of plain data are skipped. */
function keysOf(schema: Json): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(keysOf);
  if (!isJsonObject(schema)) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === "enum" || key === "required" || key === "type") return [key];
    if (key === "properties" && isJsonObject(value)) return Object.values(value).flatMap(keysOf);
    return [key, ...(["anyOf", "oneOf", "allOf", "items"].includes(key) ? keysOf(value) : [])];
  });
}

function nested(levels: number): JsonObject {
  let schema: JsonObject = string;
  for (let level = 0; level < levels; level += 1) schema = { type: "object", properties: { in: schema } };
  return schema;
}
