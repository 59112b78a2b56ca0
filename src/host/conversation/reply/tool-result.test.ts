import { expect, test } from "vitest";
import type { LeaseId, ToolCallId } from "../../../core/base/ids.ts";
import { failedToolAnswer, toolMessage } from "./tool-result.ts";

const call = { id: "call_1" as ToolCallId, name: "canvas_read_all", parameters: {} };

test("a tool's message names revision and lease where the answer has them, and neither where it has none", () => {
  const held = { ok: true, content: { text: "a" }, revisionId: "1-abc", leaseId: "lease_1" as LeaseId } as const;
  expect(toolMessage(call, held)).toEqual({
    role: "tool",
    tool_call_id: "call_1",
    tool_name: "canvas_read_all",
    content: [{ type: "text", text: '{"text":"a"}' }],
    outcome: "ok",
    revision_id: "1-abc",
    lease_id: "lease_1",
  });
  const plain = toolMessage(call, { ok: true, content: { text: "a" } });
  expect(plain).not.toHaveProperty("revision_id");
  expect(plain).not.toHaveProperty("lease_id");
});

test("a tool that threw answers TOOL_FAILED with the reason, as an error", () => {
  const message = toolMessage(call, failedToolAnswer(new Error("the disk is full")));
  expect(message.outcome).toBe("error");
  expect(JSON.stringify(message.content)).toMatch(/TOOL_FAILED.*the disk is full/);
});
