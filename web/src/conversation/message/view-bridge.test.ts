import { expect, test } from "vitest";
import type { ToolMessage } from "../../../../src/core/message/types.ts";
import { answerView, firstNotes } from "./view-bridge.ts";

const ask = (method: string, params: object = {}): object => ({ jsonrpc: "2.0", id: 1, method, params });
const note = (method: string, params: object = {}): object => ({ jsonrpc: "2.0", method, params });

test.each([
  ["no message", "hello", { type: "nothing" }],
  ["another protocol", { method: "ui/initialize", id: 1 }, { type: "nothing" }],
  ["its readiness", note("ui/notifications/initialized"), { type: "begun" }],
  ["its size", note("ui/notifications/size-changed", { height: 300 }), { type: "size", height: 300 }],
  ["a size that is none", note("ui/notifications/size-changed", { height: Number.NaN }), { type: "nothing" }],
  ["a note that is not known", note("ui/notifications/sing"), { type: "nothing" }],
  ["a call of a tool", ask("tools/call", { name: "delete" }), { type: "answer", message: { error: { code: -32601 } } }],
  ["a message to the model", ask("ui/message"), { type: "answer", message: { error: { code: -32601 } } }],
  ["an address", ask("ui/open-link", { url: "https://example.org" }), { type: "link", url: "https://example.org" }],
  ["a script", ask("ui/open-link", { url: "javascript:0" }), { type: "answer", message: { error: { code: -32602 } } }],
  ["a ping", ask("ping"), { type: "answer", message: { id: 1, result: {} } }],
])("a view that sends %s gets no more than it may have", (_name, data, expected) => {
  expect(answerView(data)).toMatchObject(expected);
});

test("a view learns its call's arguments and result, and nothing else", () => {
  const content = [{ type: "text", text: '{"grams":7}' }] as const;
  const result = { role: "tool", tool_call_id: "a", tool_name: "b", outcome: "ok", content } as unknown as ToolMessage;
  expect(firstNotes({ of: "yarn" }, result)).toEqual([
    { method: "ui/notifications/tool-input", params: { arguments: { of: "yarn" } } },
    {
      method: "ui/notifications/tool-result",
      params: { content, isError: false, structuredContent: { grams: 7 } },
    },
  ]);
});
