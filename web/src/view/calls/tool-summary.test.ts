import { describe, expect, test } from "vitest";
import { errorTable } from "../../../../src/core/base/errors.ts";
import type { ToolCallId } from "../../../../src/core/base/ids.ts";
import type { ToolMessage, ToolOutcome } from "../../../../src/core/message/types.ts";
import { allFeatures, toolSpecs } from "../../../../src/core/tool/registry.ts";
import { hasWords, phraseOf } from "./tool-phrases.ts";
import { countChanges, summariseTool } from "./tool-summary.ts";

function result(outcome: ToolOutcome, answer: unknown): ToolMessage {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  return { role: "tool", tool_call_id: "c1" as ToolCallId, tool_name: "x", outcome, content: [{ type: "text", text }] };
}

describe("a tool call on one line", () => {
  test.each([
    ["canvas_check_out", {}, { lease_id: "l", title: "Notes" }, "started editing Notes"],
    ["canvas_read_lines", { start_line: 3, end_line: 9 }, { text: "" }, "read lines 3–9"],
    ["canvas_read_lines", { start_line: 3, end_line: 3 }, { text: "" }, "read line 3"],
    ["canvas_grep", { query: "loom" }, { matches: [{}, {}] }, "found 2 matching lines for “loom”"],
    ["canvas_grep", { query: "loom" }, { matches: [] }, "found no matching lines for “loom”"],
    ["canvas_grep", { query: "/^#{1,6} /" }, { matches: [{}] }, "found 1 matching line"],
    [
      "kernel_search",
      { query: "loom" },
      { blocks: [{ matches: [{}] }, { matches: [{}, {}] }] },
      "found 3 matching lines for “loom”",
    ],
    ["canvas_check_in", {}, {}, "finished editing the canvas"],
    ["block_create", { metadata: { path: "notes.md" } }, {}, "created notes.md"],
    ["canvas_outline", {}, { headings: [{}, {}] }, "read the outline of the canvas, 2 headings"],
    ["canvas_outline", { section: "2.1" }, { headings: [{}] }, "read the outline of section 2.1, 1 heading"],
    ["canvas_read_lines", { section: "Guide", list_item: "3.1" }, {}, "read item 3.1 of section Guide"],
    ["read_files", { files: [{ path: "a.ts" }] }, {}, "read a.ts"],
    ["read_files", { files: [{ path: "a.ts" }, { path: "b.ts" }] }, {}, "read 2 files"],
    ["bash", { command: "npm test" }, {}, "ran npm test"],
    ["agent_Run", { title: "Run npm test" }, {}, "Run npm test"],
    ["agent_Run", {}, {}, "Run"],
    ["agent_ask_person", { title: "ask_person" }, {}, "asked you"],
    ["bash", { command: "npm test" }, { ended: "exited", exit_code: 0 }, "ran npm test"],
    ["bash", { command: "false" }, { ended: "exited", exit_code: 1 }, "ran false · exit code 1"],
    ["bash", { command: "x" }, { ended: "signalled", signal: "SIGSEGV" }, "ran x · killed by SIGSEGV"],
    ["bash", { command: "x" }, { ended: "timed_out" }, "ran x · timed out"],
    ["bash", { command: "yes" }, { ended: "too_much_output" }, "ran yes · stopped: too much output"],
    ["bash", { command: "make" }, { ended: "out_of_memory" }, "ran make · stopped: too much memory"],
    ["keyword_search", { keywords: ["loom", "weft"] }, { files: [{}, {}] }, "found 2 files with “loom weft”"],
    ["keyword_search", { keywords: ["loom"] }, { files: [] }, "found no files with “loom”"],
    ["keyword_search", { keywords: ["loom"] }, { files: [{}] }, "found 1 file with “loom”"],
    ["spawn_sub_agents", { tasks: [{}, {}] }, {}, "started 2 sub-agents"],
    ["somebody_elses_tool", { title: "Plan" }, {}, "somebody elses tool Plan"],
  ])("%s says what was done", (name, parameters, answer, sentence) => {
    const summary = summariseTool({
      name,
      parameters,
      result: result("ok", answer),
      status: null,
      canvasTitle: "Welcome",
    });
    expect(summary.sentence).toBe(sentence);
    expect(summary.stage).toBe("ok");
  });

  test("a patch says from which revision to which, and how many lines it added and removed", () => {
    const summary = summariseTool({
      name: "canvas_apply_patch",
      parameters: {
        patch: "--- a\n+++ b\n@@ -1,2 +1,4 @@\n keep\n-old\n+new\n+more\n+lines\n",
        base_revision_id: "4-aaaaaaaa",
      },
      result: result("ok", { ok: true, new_revision_id: "5-bbbbbbbb" }),
      status: null,
      canvasTitle: null,
    });
    expect(summary.sentence).toBe("patch applied");
    expect(summary.change).toEqual({ added: 3, removed: 1 });
  });

  test("a call that control was taken from shows the code and what it means", () => {
    const answer = { ok: false, code: "STALE_EPOCH", message: errorTable.STALE_EPOCH.sentence, details: {} };
    const parameters = { patch: "" };
    const call = { name: "canvas_apply_patch", parameters, status: null, canvasTitle: null };
    const summary = summariseTool({ ...call, result: result("cancelled", answer) });
    expect([summary.stage, summary.sentence]).toEqual(["cancelled", "patch · cancelled"]);
    expect(summary.refusal).toEqual({ code: "STALE_EPOCH", message: errorTable.STALE_EPOCH.sentence });
  });

  test("a refusal shows its code and what to do about it", () => {
    const summary = summariseTool({
      name: "canvas_apply_patch",
      parameters: { patch: "" },
      result: result("error", { code: "STALE_EPOCH" }),
      status: null,
      canvasTitle: null,
    });
    expect(summary.sentence).toBe("patch · refused");
    expect(summary.refusal?.code).toBe("STALE_EPOCH");
    expect(summary.refusal?.message).toContain("took control");
    expect(summary.change).toBeNull();
  });

  test("a bare text is shown as it is", () => {
    const call = { name: "canvas_grep", parameters: { query: "x" }, status: null, canvasTitle: null };
    expect(summariseTool({ ...call, result: result("error", "boom") }).refusal?.message).toBe("boom");
  });

  test.each([
    ["running", "running npm test", "running"],
    ["approval", "run npm test · waiting for you", "asking"],
    ["answer", "run npm test · waiting for your answer", "asking"],
    ["its-turn", "run npm test · waiting for its turn", "waiting"],
    ["left", "run npm test · no result", "waiting"],
    [null, "running npm test", "waiting"],
  ] as const)("a call without a result says what it waits for: %s", (status, sentence, stage) => {
    const call = { name: "bash", parameters: { command: "npm test" }, result: null, canvasTitle: null };
    expect(summariseTool({ ...call, status })).toMatchObject({ sentence, stage });
  });

  test("a cancelled and a skipped call say so", () => {
    const call = { name: "canvas_read_all", parameters: {}, status: null, canvasTitle: "Plan" };
    expect(summariseTool({ ...call, result: result("cancelled", "{}") }).sentence).toBe(
      "read all of the canvas · cancelled",
    );
    expect(summariseTool({ ...call, result: result("skipped", "{}") }).sentence).toBe(
      "read all of the canvas · skipped",
    );
  });
});

test("the headers of a diff are not counted as changes", () => {
  expect(countChanges("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")).toEqual({ added: 1, removed: 1 });
});

test("every tool that a model can be given has words of its own, also before its arguments are there", () => {
  for (const { name } of toolSpecs(allFeatures)) {
    expect(hasWords(name), name).toBe(true);
    const phrase = phraseOf(name, { input: {}, answer: {}, canvas: "Plan" });
    for (const words of Object.values(phrase)) expect(words).toMatch(/^[a-z][^_]*$/u);
  }
});

test.each([
  [
    "canvas_apply_patch",
    "ok",
    { ok: true, awaiting_review: true, revision_id: "4-01234567" },
    "patch suggested",
    "by-policy",
  ],
  ["canvas_apply_patch", "ok", { ok: true, revision_id: "4-01234567" }, "patch applied", null],
  [
    "canvas_apply_patch",
    "error",
    { ok: false, code: "STALE_EPOCH", message: "Kept.", details: { kept_as_suggestion: true } },
    "patch · refused",
    "too-late",
  ],
  ["canvas_apply_patch", "error", { ok: false, code: "STALE_EPOCH", message: "No." }, "patch · refused", null],
] as const)(
  "%s that ended %s says whether something of it waits for a person",
  (name, outcome, answer, words, waits) => {
    const parameters = { patch: "@@ -1 +1 @@\n-a\n+b\n" };
    const summary = summariseTool({
      name,
      parameters,
      result: result(outcome, answer),
      status: null,
      canvasTitle: null,
    });
    expect([summary.sentence, summary.suggested]).toEqual([words, waits]);
  },
);

test("a question that nobody answered is called that, since nothing was asked to be allowed", () => {
  const denied = { parameters: {}, result: result("denied", "No."), status: null, canvasTitle: null };
  expect(summariseTool({ ...denied, name: "ask_user" }).sentence).toBe("ask you · not answered");
  expect(summariseTool({ ...denied, name: "bash" }).sentence).toContain("not allowed");
});
