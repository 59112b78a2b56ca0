import { describe, expect, test } from "vitest";
import { lineHash } from "../../base/lines.ts";
import { planLineEdits, type LineOperation } from "./line-edit.ts";
import { applyChanges } from "../change/text-change.ts";

function edit(text: string, ...operations: LineOperation[]): unknown {
  const plan = planLineEdits(text, operations);
  return plan.ok ? applyChanges(text, plan.value) : { code: plan.error.code, ...plan.error.details };
}

function insert(line: number, content: string): LineOperation {
  return { op: "insert", line, content };
}

function remove(start_line: number, end_line: number): LineOperation {
  return { op: "delete", start_line, end_line };
}

function replace(start_line: number, end_line: number, content: string, expected_text?: string): LineOperation {
  return { op: "replace", start_line, end_line, content, expected_text };
}

describe("insert", () => {
  test.each(["world", "world\n", "a\r\nb", "\n"])("B-03 into an empty text adds exactly %j", (content) => {
    expect(edit("", insert(0, content))).toBe(content);
  });

  test("several insertions into an empty text become separate lines", () => {
    expect(edit("", insert(0, "a"), insert(0, ""), insert(0, "b\n"), insert(0, "c"))).toBe("a\nb\nc");
  });

  test.each([
    ["hello", "hello\nworld"],
    ["hello\n", "hello\nworld\n"],
    ["hello\r\nyou", "hello\r\nyou\r\nworld"],
  ])("B-04 at the end of %j adds a line", (text, expected) => {
    const count = text.includes("you") ? 2 : 1;
    expect(edit(text, insert(count, "world"))).toBe(expected);
    expect(edit(text, insert(count, "world\n"))).toBe(expected);
  });

  test("B-05 past the last line is refused with the requested and the possible lines", () => {
    expect(edit("a\nb\n", insert(3, "x"))).toEqual({ code: "LINE_OUT_OF_RANGE", requested: 3, max: 2, op_index: 0 });
  });

  test("empty content adds no line, and a newline adds a blank one", () => {
    expect(edit("a\nb\n", insert(1, ""))).toBe("a\nb\n");
    expect(edit("a\nb\n", insert(1, "\n"))).toBe("a\n\nb\n");
    expect(edit("a", insert(1, "\n"))).toBe("a\n\n");
  });

  test.each([[{ line: -1 }], [{ line: 0.5 }], [{}]])("a line number of %j is INVALID_PARAMS", (address) => {
    expect(edit("a", { op: "insert", content: "x", ...address })).toMatchObject({
      code: "INVALID_PARAMS",
      path: "line",
    });
  });
});

describe("replace and delete", () => {
  test("B-06 replaces a line in the middle, and the last line without a final newline", () => {
    expect(edit("a\nb\nc", replace(1, 2, "X"))).toBe("a\nX\nc");
    expect(edit("a\nb\nc", replace(2, 3, "X"))).toBe("a\nb\nX");
    expect(edit("a\nb\nc", replace(2, 3, "X\n"))).toBe("a\nb\nX");
    expect(edit("a\nb", remove(1, 2))).toBe("a");
    expect(edit("a\nb\n", replace(1, 2, "X"))).toBe("a\nX\n");
  });

  test("B-07 a replacement by nothing deletes; a deletion of no lines changes nothing and succeeds", () => {
    expect(edit("a\nb\nc", replace(1, 2, ""))).toBe("a\nc");
    expect(planLineEdits("a\nb\nc", [remove(1, 1)])).toEqual({ ok: true, value: [] });
    expect(planLineEdits("a\nb\nc", [replace(1, 2, "b")])).toEqual({ ok: true, value: [] });
    expect(planLineEdits("a\nb\nc", [])).toEqual({ ok: true, value: [] });
  });

  test("a text beyond the greatest length may become shorter or keep its length, and not grow", () => {
    expect(planLineEdits("abcdef\n", [replace(0, 1, "x")], 5).ok).toBe(true);
    expect(planLineEdits("abcdef\n", [replace(0, 1, "ABCDEF")], 5).ok).toBe(true);
    expect(planLineEdits("abcdef\n", [replace(0, 1, "ABCDEFG")], 5).ok).toBe(false);
  });

  test("a deletion of every line empties the text", () => {
    expect(edit("a\nb", remove(0, 2))).toBe("");
    expect(edit("a\nb\n", replace(0, 2, ""))).toBe("");
  });

  test("a blank line that becomes the last one remains a line", () => {
    expect(edit("a\n\nb", remove(2, 3))).toBe("a\n\n");
    expect(edit("a\nb", replace(1, 2, "\n"))).toBe("a\n\n");
  });

  test("B-08 an end before the start is INVALID_PARAMS, and an end past the text is LINE_OUT_OF_RANGE", () => {
    expect(edit("a\nb", remove(1, 0))).toMatchObject({
      code: "INVALID_PARAMS",
      start_line: 1,
      end_line: 0,
      op_index: 0,
    });
    expect(edit("a\nb", remove(1, 3))).toEqual({ code: "LINE_OUT_OF_RANGE", requested: 3, max: 2, op_index: 0 });
    expect(edit("a\nb", remove(7, 9))).toEqual({ code: "LINE_OUT_OF_RANGE", requested: 7, max: 2, op_index: 0 });
  });

  test("B-09 expected text that matches is replaced; otherwise the refusal shows the actual text", () => {
    expect(edit("a\nb\nc", replace(0, 2, "X", "a\nb"))).toBe("X\nc");
    expect(edit("a\nb\nc", replace(0, 2, "X", "a\nB"))).toEqual({
      code: "CONTENT_MISMATCH",
      expected: "a\nB",
      actual: "a\nb",
      start_line: 0,
      end_line: 2,
      op_index: 0,
    });
  });

  test("B-09 an extra newline at the end of the expected text is named in the refusal", () => {
    const plan = planLineEdits("a\nb\n", [replace(0, 1, "X", "a\n")]);
    expect(plan).toMatchObject({
      error: { code: "CONTENT_MISMATCH", message: expect.stringContaining("one newline too many") },
    });
  });

  test("B-10 multi-byte lines before the range do not matter", () => {
    expect(edit("日本語\nx\ny", replace(1, 2, "X", "x"))).toBe("日本語\nX\ny");
  });

  test("B-14 expected text compares exactly, including its blank lines", () => {
    expect(edit("a\nb\n\n", replace(1, 3, "X", "b"))).toMatchObject({ code: "CONTENT_MISMATCH", actual: "b\n" });
    expect(edit("a\nb\n\n", replace(1, 3, "X", "b\n"))).toBe("a\nX\n");
    expect(edit("a\nb\n\n", replace(3, 3, "X", ""))).toBe("a\nb\n\nX\n");
    expect(edit("a\nb\n\n", replace(4, 4, "X", ""))).toMatchObject({ code: "LINE_OUT_OF_RANGE" });
  });

  test("B-15 the text keeps its line ends, and new lines get them", () => {
    expect(edit("a\r\nb\r\nc", remove(1, 2))).toBe("a\r\nc");
    expect(edit("a\r\nb\r\nc", replace(1, 2, "x\ny", "b"))).toBe("a\r\nx\r\ny\r\nc");
    expect(edit("a\r\nb\r\nc", replace(0, 2, "x", "a\r\nb"))).toBe("x\r\nc");
  });
});

describe("batches", () => {
  test("B-11 a wrong expectation refuses the whole batch and names its operation", () => {
    expect(edit("a\nb\nc", replace(0, 1, "A", "a"), replace(1, 2, "B", "x"), insert(3, "d"))).toMatchObject({
      code: "CONTENT_MISMATCH",
      op_index: 1,
    });
  });

  test("B-12 an operation out of range refuses the whole batch", () => {
    expect(edit("a\nb\nc", insert(0, "x"), replace(1, 2, "B"), remove(3, 5))).toEqual({
      code: "LINE_OUT_OF_RANGE",
      requested: 5,
      max: 3,
      op_index: 2,
    });
  });

  test("B-11 half a character refuses the whole batch and names its operation", () => {
    const half = { code: "TEXT_MALFORMED", op_index: 1 };
    expect(edit("a\nb\n", insert(0, "x"), insert(1, "\ud800"))).toEqual(half);
    expect(edit("a\nb\n", remove(0, 1), replace(1, 2, "y\udc00"))).toEqual(half);
    expect(edit("a\nb\n", insert(0, "\u{1f600}"))).toBe("\u{1f600}\na\nb\n");
  });

  test.each<readonly [name: string, operations: readonly LineOperation[], expected: object | string]>([
    [
      "an operation that is too long by itself",
      [insert(0, "x"), insert(0, "1234567"), remove(0, 1)],
      { actual: 12, op_index: 1 },
    ],
    [
      "the first operation beyond the limit",
      [insert(0, "1234"), insert(0, "5"), insert(0, "6")],
      { actual: 13, op_index: 1 },
    ],
    [
      "the last operation when only line ends are too many",
      [insert(0, "1234"), insert(0, "")],
      { actual: 9, op_index: 1 },
    ],
    ["no operation when a deletion makes room", [insert(0, "1234567"), remove(0, 2)], "1234567\n"],
  ])("B-11 a text that would be too long refuses the whole batch and names %s", (_name, operations, expected) => {
    const plan = planLineEdits("a\nb\n", operations, 8);
    const result = plan.ok ? applyChanges("a\nb\n", plan.value) : { code: plan.error.code, ...plan.error.details };
    expect(result).toEqual(typeof expected === "string" ? expected : { code: "BLOCK_TOO_LARGE", max: 8, ...expected });
  });

  test("B-13 all operations count the original lines", () => {
    expect(edit("a\nb\nc", insert(0, "x\ny"), replace(1, 2, "B"), remove(2, 3))).toBe("x\ny\na\nB");
    expect(edit("a\nb\nc", remove(2, 3), replace(1, 2, "B"), insert(0, "x\ny"))).toBe("x\ny\na\nB");
  });

  test("B-13 operations on the same lines are refused; adjoining ones are not", () => {
    expect(edit("a\nb\nc", remove(0, 2), replace(1, 3, "X"))).toMatchObject({
      code: "OVERLAPPING_OPERATIONS",
      op_index: 1,
      other_op_index: 0,
    });
    expect(edit("a\nb\nc", remove(0, 3), insert(1, "X"))).toMatchObject({
      code: "OVERLAPPING_OPERATIONS",
      op_index: 1,
    });
    expect(edit("a\nb\nc", remove(0, 1), remove(0, 3))).toMatchObject({ code: "OVERLAPPING_OPERATIONS", op_index: 1 });
    expect(edit("a\nb\nc", replace(0, 2, "X"), insert(0, "first"), insert(2, "second"))).toBe("first\nX\nsecond\nc");
    expect(edit("a\nb\nc", remove(0, 3), remove(1, 1))).toBe("");
  });

  test("insertions at one line keep the order of the batch", () => {
    expect(edit("a", insert(1, "x"), insert(1, "y"), insert(0, "0"))).toBe("0\na\nx\ny");
  });
});

describe("anchors", () => {
  const anchor = (line: number, text: string): string => `${line}:${lineHash(text)}`;

  test("an anchor addresses its line, and a range both of its ends", () => {
    expect(edit("a\nb\nc", { op: "replace", anchor: anchor(1, "b"), content: "B" })).toBe("a\nB\nc");
    expect(edit("a\nb\nc", { op: "delete", anchor: `${anchor(0, "a")}..${anchor(1, "b")}` })).toBe("c");
    expect(edit("a\nb\nc", { op: "insert", anchor: anchor(2, "c"), content: "x" })).toBe("a\nb\nx\nc");
  });

  test("an anchor whose line changed is refused with the current line and the places of the old one", () => {
    expect(edit("new\na\nb", { op: "delete", anchor: anchor(1, "b") })).toEqual({
      code: "ANCHOR_MISMATCH",
      anchor: anchor(1, "b"),
      line: 1,
      expected: lineHash("b"),
      actual: lineHash("a"),
      actual_text: "a",
      found_at: [2],
      op_index: 0,
    });
  });

  test("an anchor past the text, malformed or combined with numbers is refused", () => {
    expect(edit("a", { op: "delete", anchor: anchor(1, "b") })).toMatchObject({
      code: "LINE_OUT_OF_RANGE",
      requested: 1,
      max: 0,
    });
    expect(edit("a", { op: "delete", anchor: "0" })).toMatchObject({ code: "INVALID_PARAMS" });
    expect(edit("a\nb", { op: "delete", anchor: `${anchor(1, "b")}..${anchor(0, "a")}` })).toMatchObject({
      code: "INVALID_PARAMS",
    });
    expect(edit("a", { op: "delete", anchor: anchor(0, "a"), start_line: 0 })).toMatchObject({
      code: "INVALID_PARAMS",
    });
    expect(edit("a", { op: "insert", anchor: anchor(0, "a"), line: 0, content: "x" })).toMatchObject({
      code: "INVALID_PARAMS",
    });
  });
});
