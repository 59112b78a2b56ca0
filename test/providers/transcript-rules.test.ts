import { describe, expect, test } from "vitest";
import type { ToolCallId } from "../../src/core/base/ids.ts";
import type { AssistantContentBlock, Message, ToolUseBlock } from "../../src/core/message/types.ts";
import { requestOf, type Wire, wires } from "./wires.ts";

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const use = (id: string): ToolUseBlock => ({ type: "tool-use", id: id as ToolCallId, name: "look", parameters: {} });
const asking = (first: AssistantContentBlock, ...rest: readonly AssistantContentBlock[]): Message => ({
  role: "assistant",
  content: [first, ...rest],
});
const result = (id: string, text: string): Message => ({
  role: "tool",
  tool_call_id: id as ToolCallId,
  tool_name: "look",
  content: [{ type: "text", text }],
  outcome: "ok",
});
const text = (said: string): AssistantContentBlock => ({ type: "text", text: said });

const strictest = ["Claude 4.8", "openai", "Responses, gpt-5.4", "Gemini 3", "Interactions, Gemini 3"].flatMap(
  (name): readonly (readonly [string, Wire])[] => {
    const wire = wires[name];
    return wire === undefined ? [] : [[name, wire]];
  },
);

/** Histories that a provider would refuse, and the texts sent instead, in order. */
const rules: readonly (readonly [string, readonly Message[], readonly string[]])[] = [
  [
    "TR1 an unanswered call gets a result, always in the same words",
    [user("hi"), asking(use("a"), use("b")), result("a", "A"), user("go on")],
    ["hi", "A", "No result of this call was recorded.", "go on"],
  ],
  [
    "TR1 a message between a call and its result is moved behind the result",
    [user("hi"), asking(use("a")), user("wait"), result("a", "A")],
    ["hi", "A", "wait"],
  ],
  [
    "TR2 a result without a call becomes words",
    [user("hi"), result("ghost", "boo"), asking(text("well")), user("x")],
    ["Result of look:", "boo"],
  ],
  [
    "TR3 results are sent in the order of their calls",
    [user("hi"), asking(use("a"), use("b")), result("b", "second"), result("a", "first")],
    ["hi", "first", "second"],
  ],
  [
    "TR4 after an assistant's message the model is asked to continue, always in the same words",
    [user("hi"), asking(text("well"))],
    ["well", "Continue."],
  ],
  [
    "TR5 nothing empty is sent, and nothing is dropped that would leave two messages of one side in a row",
    [user("  "), asking(text(""), text("well"), text(" \n")), user("x")],
    ["(empty message)", "well", "x"],
  ],
  [
    "TR7 an interrupted reply is marked with fixed words",
    [user("hi"), { role: "assistant", content: [{ type: "text", text: "I was" }], interrupted: true }, user("x")],
    ["I was", "[interrupted by user]", "x"],
  ],
];

describe.each(strictest)("a history that %s would refuse", (_name, wire) => {
  test.each(rules)("%s", (_rule, messages, texts) => {
    const body = wire.encode(requestOf(messages));
    expect(wire.fault(body)).toBeNull();
    const sent = JSON.stringify(body[wire.path]);
    let at = 0;
    for (const said of texts) {
      const found = sent.indexOf(said, at);
      expect(`${said}: ${found >= 0}`).toBe(`${said}: true`);
      at = found + said.length;
    }
    // A repair is always the same, so that earlier requests stay the beginning of later ones (TR6).
    expect(wire.encode(requestOf(messages))).toEqual(body);
    expect(sent).not.toMatch(/"text":"\s*"/);
  });
});
