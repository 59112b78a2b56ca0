import { expect, test } from "vitest";
import type { ToolCallId } from "../../../core/base/ids.ts";
import type { ToolMessage } from "../../../core/message/types.ts";
import { pipeConsole } from "./chat.test-support.ts";
import type { BranchEvent } from "./follow-run.ts";
import { PipeFace } from "./pipe-face.ts";
import { BranchPrinter } from "./teller.ts";

const callId = "call-1" as ToolCallId;
const call: BranchEvent = {
  type: "call",
  call: { id: callId, name: "bash", parameters: { command: "make" } },
  place: 1,
  of: 2,
};

function result(text: string, outcome: ToolMessage["outcome"] = "ok"): ToolMessage {
  return { role: "tool", tool_call_id: callId, tool_name: "bash", content: [{ type: "text", text }], outcome };
}

/** Returns what a reader of pipes gets: the replies, and everything else. */
function shown(...branchEvents: readonly BranchEvent[]): {
  readonly replies: string;
  readonly beside: readonly string[];
} {
  const console = pipeConsole(60);
  let now = 0;
  const printer = new BranchPrinter(new PipeFace(console), () => (now += 1_000));
  for (const branchEvent of branchEvents) printer.print(branchEvent);
  return { replies: console.out(), beside: console.notes().trimEnd().split("\n") };
}

test("a reply's searches and sources follow its words", () => {
  const annotations = [{ type: "url_citation", url: "https://example.org/a", title: "Looms" }];
  const { beside } = shown({
    type: "reply",
    cut: false,
    filtered: false,
    message: {
      role: "assistant",
      content: [
        { type: "opaque", api: "x", raw: { type: "web_search_call", action: { query: "looms" } } },
        { type: "text", text: "Three.", native: { api: "x", data: { annotations } } },
      ],
    },
  });
  expect(beside).toEqual(["⚙ Searched the web: looms", "  Looms: https://example.org/a"]);
});

test("a running tool's output is shown line by line, without colours and progress bars, up to a bound", () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}\n`).join("");
  const { beside } = shown(
    call,
    { type: "output", callId, text: "\u001b[32mok\u001b[0m\n10%\r50%\r100%\nhal" },
    { type: "output", callId, text: `f\n${lines}the end` },
    { type: "result", result: result("all of it"), wasShown: true },
  );
  expect(beside.slice(0, 5)).toEqual(["⚙ Tool 1 of 2: bash make", "  │ ok", "  │ 100%", "  │ half", "  │ line 0"]);
  expect(beside.slice(-4)).toEqual(["  │ line 16", "  │ …", "  │ 14 more lines", "  ✓ done · 1.0 s"]);
});

test("a JSON result for the model is summed up, not shown", () => {
  const { beside } = shown(
    call,
    { type: "output", callId, text: '{"matches":[]}' },
    { type: "result", result: result('{"matches":[]}'), wasShown: true },
  );
  expect(beside).toEqual(["⚙ Tool 1 of 2: bash make", "  ✓ done · 1.0 s"]);
});

test("the reason of a failure is shown in full where there is room", () => {
  const { beside } = shown(call, {
    type: "result",
    result: result("No such file. ".repeat(9), "error"),
    wasShown: false,
  });
  expect(beside[1]).toContain("✗ failed · 1.0 s · No such file. No such file.");
  expect(beside[1]?.length).toBeGreaterThan(120);
});

test("finished thinking is shown on one line, and a broken reply is marked", () => {
  const { replies, beside } = shown(
    { type: "thinking", text: "I wonder\n\nwhat " },
    { type: "thinking", text: "this is." },
    { type: "text", text: "It is" },
    { type: "reply-broken" },
  );
  expect(replies).toBe("It is\n");
  expect(beside).toEqual([
    "✻ Thought for 1.0 s: I wonder what this is.",
    "↯ The reply broke off; its text stays beside the branch.",
  ]);
});
