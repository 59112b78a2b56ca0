import { expect, test } from "vitest";
import { lookAheadMax, type Token } from "../base/grammar.ts";
import { noRegisters } from "../base/registers.ts";
import { compileTokens } from "./compile-tokens.ts";
import { matchTokens, needsMore, noMatch, type InputEnd, type MatchContext } from "./token-match.ts";

function contextAt(end: InputEnd): MatchContext {
  return {
    end,
    registers: { key: "path", name: "look" },
    captured: noRegisters,
    expected: "",
    expectedRun: "name",
    expectedUnits: 0,
    isKnownParameter: (key) => key === "path",
    isKnownTool: (name) => name === "look",
  };
}

const name: Token = { run: "name", min: 1, max: 4, into: "name" };
const digits: Token = { run: "digit", min: 0, max: 3 };
const lineEnd: Token = { lineEnd: "only" };
const orEnd: Token = { lineEnd: "or-end" };
const optional: Token = { lineEnd: "optional" };
const far = " ".repeat(lookAheadMax + 1);

/** The verdict while more may come, after the model has stopped, and after the reply was cut off. */
type Verdicts = readonly [open: number, stopped: number, cut: number];

test.each<readonly [what: string, tokens: readonly Token[], input: string, verdicts: Verdicts]>([
  ["a whole text", ["<a>"], "<a>b", [3, 3, 3]],
  ["half a text", ["<a>"], "<a", [needsMore, noMatch, noMatch]],
  ["another text", ["<a>"], "<b>", [noMatch, noMatch, noMatch]],
  ["a register in a text", ["</{key}>"], "</path>", [7, 7, 7]],
  ["another register in a text", ["</{key}>"], "</patch>", [noMatch, noMatch, noMatch]],
  ["a run that another character ends", [name], "ab>", [2, 2, 2]],
  ["a run that may go on", [name], "ab", [needsMore, 2, 2]],
  ["a run as long as it may be, at the end", [name], "abcd", [needsMore, 4, 4]],
  ["a run as long as it may be", [name], "abcd>", [4, 4, 4]],
  ["a run that is too long", [name], "abcde", [noMatch, noMatch, noMatch]],
  ["no run where one is due", [name], ">", [noMatch, noMatch, noMatch]],
  ["a run that has not begun", [name], "", [needsMore, noMatch, noMatch]],
  ["no run where none is due", [digits, ">"], ">", [1, 1, 1]],
  ["a character that goes on in a run but begins none", [{ run: "name", min: 0, max: 3 }, "-"], "-", [1, 1, 1]],
  ["space up to a text", [{ space: true }, "<"], " \n\t<", [4, 4, 4]],
  ["space that may go on", [{ space: true }], " \n", [needsMore, 2, 2]],
  ["blanks up to a line's end", [{ blanks: true }], " \t\n", [2, 2, 2]],
  ["space further than an edge looks", [{ space: true }, "<"], `${far}<`, [noMatch, noMatch, noMatch]],
  ["a line's end", [lineEnd], "\n", [1, 1, 1]],
  ["a line's end of two characters", [lineEnd], "\r\n", [2, 2, 2]],
  ["half a line's end of two characters", [lineEnd], "\r", [needsMore, noMatch, noMatch]],
  ["a carriage return alone", [lineEnd], "\rx", [noMatch, noMatch, noMatch]],
  ["a line's end that may come", [lineEnd], "", [needsMore, noMatch, noMatch]],
  ["a line's end, or the reply's", [orEnd], "", [needsMore, 0, noMatch]],
  ["text where a line's end or the reply's is due", [orEnd], "x", [noMatch, noMatch, noMatch]],
  ["a line's end that is optional and may come", [optional], "", [needsMore, 0, 0]],
  ["a line's end that is optional and there", [optional], "\r\nx", [2, 2, 2]],
  ["a line's end that is optional and not there", [optional], "x", [0, 0, 0]],
  ["the reply's end", [{ replyEnd: true }], "", [needsMore, 0, noMatch]],
  ["text instead of the reply's end", [{ replyEnd: true }], "x", [noMatch, noMatch, noMatch]],
  ["a known parameter", [{ knownParameter: true }], "", [0, 0, 0]],
  ["a known tool", [{ knownTool: true }], "", [0, 0, 0]],
  ["a tool that the tokens before name", [name, { knownTool: true }, ">"], "see>", [noMatch, noMatch, noMatch]],
  ["one of two texts ahead", [{ ahead: [["<a>"], ["<b>"]] }], "<b>", [0, 0, 0]],
  ["half of one of two texts ahead", [{ ahead: [["<a>"], ["<b>"]] }], "<", [needsMore, noMatch, noMatch]],
  ["neither of two texts ahead", [{ ahead: [["<a>"], ["<b>"]] }], "<c>", [noMatch, noMatch, noMatch]],
])("%s: %j in %j", (_what, tokens, input, [open, stopped, cut]) => {
  const verdicts = (["open", "stopped", "cut"] as const).map((end) => {
    return matchTokens(compileTokens(tokens), input, 0, contextAt(end));
  });
  expect(verdicts).toEqual([open, stopped, cut]);
});

test("runs are captured by their registers, and a later text may repeat them", () => {
  const context = contextAt("open");
  expect(matchTokens(compileTokens(["<", name, "></{name}>"]), "<see></see>", 0, context)).toBe(11);
  expect(context.captured).toEqual({ name: "see" });
});

test.each<readonly [what: string, tokens: readonly Token[], input: string, hint: Partial<MatchContext>]>([
  ["the rest of a text", ["<tool>"], "<to", { expected: "ol>", expectedUnits: 0 }],
  ["the rest of a text with a register", ["</{key} end"], "</pa", { expected: "th end" }],
  ["more of a run", [{ run: "digit", min: 1, max: 9 }], "12", { expectedRun: "digit", expectedUnits: 6 }],
])("an undecided match says what would continue it: %s", (_what, tokens, input, hint) => {
  const context = contextAt("open");
  expect(matchTokens(compileTokens(tokens), input, 0, context)).toBe(needsMore);
  expect(context).toMatchObject(hint);
});
