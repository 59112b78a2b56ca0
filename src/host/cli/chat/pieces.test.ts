import { describe, expect, test } from "vitest";
import type { Question } from "../../../core/turn/state/question.ts";
import { approvalLines, questionLines, readAnswer, readApproval } from "./ask-person.ts";
import { cellsOf, clipped, clippedFront } from "./cell-width.ts";
import { exactJson, safeLine, safeText } from "../base/safe-text.ts";
import { failureWords, resultSummary, seconds } from "./words.ts";
import { callSummary } from "./words.ts";
import { Wrapper } from "./wrap-text.ts";

describe("text for a terminal", () => {
  test("safeText escapes what a terminal would obey, and keeps what people write", () => {
    expect(safeText("ok \u001b[31m \u202e \u2028 \u0085 é 👩‍👩‍👧 \ud800")).toBe(
      "ok \\u001b[31m \\u202e \\u2028 \\u0085 é 👩‍👩‍👧 \ufffd",
    );
    expect(safeLine(" a\r\n  b\tc ")).toBe("a b    c");
  });

  test("exactJson shows every character, also invisible ones", () => {
    expect(exactJson({ c: "rm\u200b -rf \u00ad\u202e/\u{e0041}\u0007" })).toBe(
      '{"c":"rm\\u200b -rf \\u00ad\\u202e/\\udb40\\udc41\\u0007"}',
    );
  });

  test("clipped cuts by cells and never inside a grapheme", () => {
    expect([cellsOf("织机ab"), cellsOf("e\u0301"), cellsOf("👩‍👩‍👧")]).toEqual([6, 1, 2]);
    expect([clipped("织机织机", 5), clipped("abc", 3), clippedFront("abcdef", 4)]).toEqual(["织机…", "abc", "…def"]);
  });

  test("Wrapper wraps between words however the text is cut into pieces", () => {
    const text = "The quick brown fox jumps over 织机织机织机 and-a-very-long-word-that-fits-nowhere.\n\n- end ";
    const whole = wrapped([text], 17);
    for (const size of [1, 2, 3, 7]) {
      const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, "gu")) ?? [];
      expect(wrapped(pieces, 17)).toBe(whole);
    }
    expect(whole.split("\n").every((line) => cellsOf(line) <= 17)).toBe(true);
  });
});

function wrapped(pieces: readonly string[], columns: number): string {
  const wrapper = new Wrapper();
  return pieces.map((piece) => wrapper.push(piece, columns)).join("") + wrapper.flush(columns);
}

describe("an approval", () => {
  const call = { name: "bash", parameters: { command: "echo 1\nrm -rf \u202ex ", timeout: 3 } };
  const request = { reason: "tier", expiresAt: 61_000 } as const;

  test("shows the exact arguments and the reason for asking", () => {
    expect(approvalLines(call, request, { now: 1_000, whole: false })).toEqual([
      "⚠ May bash run? (calls like this need your approval here)",
      "    command:",
      "    │echo 1│",
      "    │rm -rf \\u202ex │",
      "    timeout: 3",
      "  y once · c in this conversation · a always · n no (n, then why or what to do instead)",
      "  Without an answer the call is denied in 1 min 0 s.",
    ]);
  });

  test("says when lines are hidden, and shows them on request", () => {
    const long = { ...call, parameters: { command: "x\n".repeat(100) } };
    const some = approvalLines(long, request, { now: 0, whole: false });
    expect(some.join("\n")).toContain("and 62 more lines, which your answer covers too");
    expect(approvalLines(long, request, { now: 0, whole: true })).toHaveLength(some.length + 61);
  });

  test.each<[string, unknown]>([
    ["y", { type: "allow", remember: "once" }],
    [" C ", { type: "allow", remember: "conversation" }],
    ["always", { type: "allow", remember: "always" }],
    ["n", { type: "deny", note: "" }],
    ["no, use ls instead", { type: "deny", note: "use ls instead" }],
    ["?", { type: "show" }],
    ["yep", null],
    ["", null],
    ["nothing", null],
  ])("accepts the answer %j", (line, expected) => {
    const read = readApproval(line);
    expect(read.ok ? read.value : null).toEqual(expected);
  });
});

describe("a question", () => {
  const question: Question = {
    question: "Which\u001b one?",
    options: [
      { label: "Left", description: "the old way" },
      { label: "Right", preview: "a\nb" },
    ],
    multiple: false,
  };

  test("lists its options by number", () => {
    expect(questionLines(question, { place: 1, of: 2 })).toEqual([
      "? 1 of 2: Which\\u001b one?",
      "  1 Left: the old way",
      "  2 Right",
      "      a",
      "      b",
      "  A number, or your own words; /skip lets the model decide.",
    ]);
  });

  test.each<[string, boolean, unknown]>([
    ["2", false, { chosen: ["Right"] }],
    ["left", false, { chosen: ["Left"] }],
    ["1, 2", true, { chosen: ["Left", "Right"] }],
    ["2 - but later", false, { chosen: ["Right"], note: "but later" }],
    ["neither of them", false, { chosen: ["neither of them"] }],
    ["1 2", false, null],
    ["3", false, null],
    ["", false, null],
  ])("accepts the answer %j (several allowed: %s)", (line, multiple, expected) => {
    const read = readAnswer(line, { ...question, multiple });
    expect(read.ok ? read.value : null).toEqual(expected);
  });
});

describe("words", () => {
  test("callSummary shows the arguments that say most", () => {
    expect(callSummary({ name: "bash", parameters: { command: "ls\n-la", timeout: 3 } }, 80)).toBe(
      "bash ls -la timeout=3",
    );
    expect(
      callSummary({ name: "canvas_apply_patch", parameters: { lease_id: "l", patch: "@@\n+a\n+b\n-c" } }, 80),
    ).toBe("canvas_apply_patch +2 −1");
    expect(callSummary({ name: "x", parameters: { a: "y".repeat(99) } }, 20)).toHaveLength(20);
  });

  test("resultSummary shows the outcome, and the reason of a failure", () => {
    const result = { role: "tool", tool_call_id: "1" as never, tool_name: "x", outcome: "error" } as const;
    const content = [{ type: "text", text: '{"code":"STALE_EPOCH","message":"A person took control."}' }] as const;
    const wish = { tookMs: 1_500, withText: true, cellsMax: 80 };
    expect(resultSummary({ ...result, content }, wish)).toBe("failed · 1.5 s · STALE_EPOCH · A person took control.");
  });

  test("seconds formats a time for people", () => {
    expect([-5, 1_234, 59_900, 64_000, 3_700_000].map(seconds)).toEqual([
      "0.0 s",
      "1.2 s",
      "60 s",
      "1 min 4 s",
      "1 h 1 min",
    ]);
  });

  test("every class of failure says what happened, what is safe and what to do", () => {
    for (const words of Object.values(failureWords)) {
      expect(Object.values(words).every((part: string) => part.length > 10)).toBe(true);
    }
  });
});
