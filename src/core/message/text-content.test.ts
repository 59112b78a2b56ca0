import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assistant, use, user } from "./message.test-support.ts";
import { graphemeFloor, isGraphemeBoundary } from "./graphemes.ts";
import { cutBlocks, joinedText, textBlocksOf, withBlanksJoined } from "./text-content.ts";
import type { TextBlock } from "./types.ts";

const text = (words: string): TextBlock => ({ type: "text", text: words });
const signed = (words: string): TextBlock => ({ ...text(words), native: { api: "x", data: {} } });

describe("a message of only text", () => {
  test("textBlocksOf returns the blocks of a text message and null for any other", () => {
    expect(textBlocksOf(user("a"))).toEqual([text("a")]);
    expect(textBlocksOf({ role: "assistant", content: [...assistant("a").content, use("b")] })).toBe(null);
  });

  test.each<[string, readonly TextBlock[], readonly TextBlock[]]>([
    ["nothing", [], []],
    ["an empty block", [text(""), text("a"), text("")], [text("a")]],
    ["blanks at the start", [text(" "), text("a")], [text(" a")]],
    ["blanks between", [text("a"), text("\n\n"), text("b")], [text("a\n\n"), text("b")]],
    ["blanks at the end", [text("a"), text(" "), text(" ")], [text("a  ")]],
    ["blanks alone", [text(" "), text("\n")], [text(" \n")]],
    ["blanks beside a signed block", [signed("a"), text(" "), text("b")], [signed("a"), text(" b")]],
    ["an empty block that is signed", [signed(""), text("a")], [signed(""), text("a")]],
  ])("withBlanksJoined of %s joins blank blocks and loses no character", (_name, blocks, expected) => {
    expect(withBlanksJoined(blocks)).toEqual(expected);
  });

  test("a block that is not cut keeps its native extras, on either side", () => {
    const blocks = [signed("ab"), signed("cd")];
    expect(cutBlocks(blocks, 2)).toEqual({ before: [signed("ab")], after: [signed("cd")] });
    expect(cutBlocks(blocks, 1)).toEqual({ before: [text("a")], after: [text("b"), signed("cd")] });
    expect(cutBlocks(blocks, 0)).toEqual({ before: [], after: blocks });
  });

  test("cutBlocks at any position loses no character and leaves no empty block in either half", () => {
    const blocks = fc.array(fc.constantFrom("", " ", "a", "bc", "\n").map(text), { maxLength: 5 });
    fc.assert(
      fc.property(blocks, fc.nat(8), (some, at) => {
        const whole = joinedText(some);
        const { before, after } = cutBlocks(some, at);
        expect([joinedText(before), joinedText(after)]).toEqual([whole.slice(0, at), whole.slice(at)]);
        expect([...before, ...after].every((block) => block.text !== "")).toBe(true);
        expect(withBlanksJoined(before)).toEqual(before);
      }),
    );
  });
});

describe("graphemeFloor", () => {
  test.each([
    ["", 0, 0],
    ["abc", 2, 2],
    ["abc", 9, 3],
    ["abc", -1, 0],
    ["😀x", 1, 0],
    ["e\u0301x", 1, 0],
    ["a\r\nb", 2, 1],
    ["🇩🇪🇫🇷", 6, 4],
    ["👩‍👩‍👧", 7, 0],
    ["\ud83d", 0, 0],
  ])("graphemeFloor of %j at %d is %d", (words, at, expected) => {
    expect(graphemeFloor(words, at)).toBe(expected);
    expect(isGraphemeBoundary(words, expected)).toBe(true);
  });
});
