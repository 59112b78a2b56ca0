import { describe, expect, test } from "vitest";
import type { AssistantContentBlock } from "../../src/core/message/types.ts";
import { readStructuredReply } from "../../src/core/syntax/structured-reply.ts";
import { requestOf, wires } from "./wires.ts";

const schema = {
  type: "object",
  properties: { city: { type: "string" }, people: { type: "integer", minimum: 0 } },
  required: ["city"],
  additionalProperties: false,
};
const asked = { ...requestOf([{ role: "user", content: [{ type: "text", text: "Where?" }] }]), outputSchema: schema };

describe("20.14 a request for a reply that fits a schema", () => {
  test.each(Object.entries(wires))("asks %s for it in a way that it accepts", (_name, wire) => {
    const body = wire.encode(asked);
    expect(wire.fault(body)).toBeNull();
    expect(JSON.stringify(body).split(JSON.stringify(schema))).toHaveLength(2);
  });

  test("keeps the effort of Claude's thinking", () => {
    expect(wires["Claude 4.8"]?.encode({ ...asked, thinking: "high" })).toMatchObject({
      output_config: { effort: "high", format: { type: "json_schema", schema } },
    });
  });
});

describe("readStructuredReply", () => {
  const read = (...content: readonly [AssistantContentBlock, ...AssistantContentBlock[]]): unknown =>
    readStructuredReply({ role: "assistant", content }, schema);

  test("returns the object of a reply, whichever blocks hold it", () => {
    const value = { city: "Oslo", people: 7 };
    const [first, second] = ['{"city":"Oslo",', '"people":7}'];
    expect(
      read({ type: "thinking", text: "hm" }, { type: "text", text: first }, { type: "text", text: second }),
    ).toEqual({ ok: true, value });
  });

  test.each([
    ["text around it", "Here: {}", "not JSON"],
    ["the end missing", '{"city":"Os', "not JSON"],
    ["a list", "[]", "not an object"],
    ["a required field missing", "{}", "does not fit the schema"],
    ["a value of another type", '{"city":7}', "at city does not fit the schema"],
    ["a further field", '{"city":"Oslo","sky":"blue"}', "does not fit the schema"],
  ])("says what is wrong with a reply with %s", (_what, text, problem) => {
    expect(read({ type: "text", text })).toMatchObject({
      ok: false,
      error: expect.stringContaining(problem) as unknown,
    });
  });

  test("says that the model refused", () => {
    expect(read({ type: "refusal", text: "No." })).toEqual({ ok: false, error: "The model refused: No." });
  });
});
