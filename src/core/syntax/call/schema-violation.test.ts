import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import type { JsonObject } from "../../base/json.ts";
import { outcome } from "../base/syntax.test-support.ts";
import { judgeJson } from "./judge-parameters.ts";
import { schemaViolation } from "./schema-violation.ts";

const schema: JsonObject = {
  type: "object",
  properties: {
    options: { type: "object", properties: { deep: { type: "boolean" } }, required: ["deep"] },
    one: { oneOf: [{ type: "object", properties: { a: { type: "integer" } }, required: ["a"] }, { type: "string" }] },
    headers: { type: "object", patternProperties: { "^x-": { type: "string" } }, additionalProperties: false },
    edits: { type: "array", items: { type: "object", properties: { old: { type: "string" } } } },
    count: { type: "integer", minimum: 1 },
    when: { type: "string", format: "date" },
    format: { type: "string" },
  },
};
const tool = { name: "work", description: "", inputSchema: schema };

const rows: readonly (readonly [args: JsonObject, path: string | null])[] = [
  [{ options: { deep: true } }, null],
  [{ options: { deep: "yes" } }, "options.deep"],
  [{ options: {} }, "options"],
  [{ one: { a: 1 } }, null],
  [{ one: "text" }, null],
  [{ one: { a: "x" } }, "one"],
  [{ headers: { "x-a": "1" } }, null],
  [{ headers: { "x-a": 1 } }, "headers"],
  [{ headers: { b: "1" } }, "headers"],
  [{ edits: [{ old: "a" }, { old: 5 }] }, "edits[1].old"],
  [{ count: 0 }, "count"],
  [{ when: "tomorrow", format: "long" }, null],
];

test("15.10 a tool of plain types is judged as the validator judges it", () => {
  const flat: JsonObject = {
    type: "object",
    properties: { path: { type: "string" }, deep: { type: "boolean" }, lines: { type: "number" } },
    required: ["path"],
  };
  const value = fc.oneof(
    fc.string(),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constant(null),
  );
  const named = fc.dictionary(fc.constantFrom("path", "deep", "lines", "other"), value);
  fc.assert(
    fc.property(named, fc.option(fc.boolean(), { nil: undefined }), (parameters, additionalProperties) => {
      const schema = additionalProperties === undefined ? flat : { ...flat, additionalProperties };
      // No definitions bound nothing, and send the schema to the validator.
      const validated = schemaViolation({ ...schema, $defs: {} }, parameters);
      expect(schemaViolation(schema, parameters)).toEqual(validated);
    }),
    { numRuns: scaled(300) },
  );
});

test("a schema of plain types for another value than an object fits no arguments", () => {
  const properties = { path: { type: "string" } };
  expect(schemaViolation({ type: "array", properties }, { path: "a" })).toMatchObject({ keyword: "type" });
  expect(
    schemaViolation({ type: "object", properties, additionalProperties: { type: "number" } }, { n: "a" }),
  ).toMatchObject({
    path: "n",
  });
});

describe("15.7 the whole schema of a tool is enforced", () => {
  test.each(rows)("%j in a native call", (args, path) => {
    const judged = judgeJson(tool, JSON.stringify(args));
    if (path === null) expect(judged).toMatchObject({ ok: true, value: { parameters: args } });
    else expect(judged.ok ? "it runs" : judged.error.message).toContain(path);
  });

  test.each(["hermes", "qwen-xml", "caret", "xml", "gemma4"])("and in %s", (id) => {
    const json = '{"deep": "yes"}';
    const written: Record<string, string> = {
      hermes: `<tool_call>\n{"name": "work", "arguments": {"options": ${json}}}\n</tool_call>`,
      "qwen-xml": `<tool_call>\n<function=work>\n<parameter=options>\n${json}\n</parameter>\n</function>\n</tool_call>`,
      caret: `^^^work\noptions: ${json}\n^^^`,
      xml: `<tool:work>\n<param:options>${json}</param:options>\n</tool:work>`,
      gemma4: `<|tool_call>call:work{options:{deep:<|"|>yes<|"|>}}<tool_call|>`,
    };
    expect(outcome(id, written[id] ?? "", { tools: [tool] })).toEqual([{ error: "BAD_TYPE" }]);
  });

  test("a schema with words of another dialect enforces nothing", () => {
    const foreign = { ...tool, inputSchema: { type: "object", properties: { a: { type: "STRING" } } } };
    expect(judgeJson(foreign, '{"a": {"b": 1}}')).toMatchObject({ ok: true });
  });
});
