import { expect, test } from "vitest";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { UnfinishedBlock } from "../base/ports.ts";
import { placeOfLeft } from "./recovery.ts";

const node = (id: string, turnId: string, message: object): ForestNode =>
  ({ id, turnId, message }) as unknown as ForestNode;
const words = (text: string): object => ({ type: "text", text });
const result = (callId: string): object => ({ role: "tool", tool_call_id: callId, content: [words("Done.")] });
const nodes = [
  node("other", "before", { role: "assistant", content: [words("Here it is.")] }),
  node("asked", "now", { role: "user", content: [words("Here it is.")] }),
  node("said", "now", { role: "assistant", content: [{ type: "thinking", text: "Hm." }, words("Here it is.\n")] }),
  node("first", "now", result("call-1")),
  node("second", "now", result("call-2")),
];

function place(kind: "text" | "thinking" | "tool_result", text: string, metadata: object = {}): unknown {
  const left = { kind, text, metadata: { turn_id: "now", ...metadata } } as unknown as UnfinishedBlock;
  return placeOfLeft(nodes, left);
}

test("a block that a dead process left points at its words in the messages of its turn", () => {
  expect(place("text", "Here it is.  ")).toEqual({ nodeId: "said", block: 1 });
  expect(place("thinking", "Hm.")).toEqual({ nodeId: "said", block: 0 });
  expect(place("text", "Here it was.")).toBeNull();
  expect(place("text", "Here it is.", { turn_id: "later" })).toBeNull();
});

test("a result's block points at the result of its call, whatever it says", () => {
  expect(place("tool_result", "Do", { tool_call_id: "call-2" })).toEqual({ nodeId: "second", block: 0 });
  expect(place("tool_result", "Done.", { tool_call_id: "call-3" })).toBeNull();
});
