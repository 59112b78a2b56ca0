import {
  ahead,
  begin,
  blanks,
  elementEnd,
  end,
  keyName,
  lineEnd,
  lineEndOrEnd,
  parameter,
  problem,
  valueEnd,
  type Problem,
  type Token,
} from "../base/grammar.ts";
import type { Syntax } from "../base/syntax.ts";
import { reasoningOpenings, reasoningStates } from "./reasoning-tags.ts";

const someBlanks: Token = { run: "blank", min: 1, max: 16 };
/** The line that ends the call: as many carets as began it. */
const closing: readonly Token[] = ["{fence}", ahead([blanks, lineEndOrEnd])];
const key: readonly Token[] = [blanks, keyName, blanks, ":", blanks];

const unreadableLine: Problem = problem(
  "MALFORMED_CALL",
  "{name}: the line '{found}' is neither `key: value` nor the beginning of a list or of lines. The call was not run: write it again.",
);
const linesAfterLine: Problem = problem(
  "MALFORMED_CALL",
  "{name}: `content: …` after `---` is one line, but more lines follow. The call was not run: write the text between `content ---` and `--- content`.",
);
const emptyMarker: Problem = problem(
  "MALFORMED_CALL",
  "{name}: `{key}: ---` gives no value; write lines of text between `{key} ---` and `--- {key}`. The call was not run: write it again.",
);

/**
 * Lines between fences of carets. Both grammars in one machine: `key: value`, lists in brackets or with dashes, lines of
 * text between `key ---` and `--- key`, and after a line `---` a body, indented under `key: |` or unchanged for
 * `content`.
 */
export const caret: Syntax = {
  id: "caret",
  title: "Caret",
  tier: "taught",
  models: "Any: the prompt explains it",
  sources: ["#caret-by-hand"],
  grammar: {
    quoting: "fences-and-spans",
    startInReasoning: "think",
    guard: { type: "lines" },
    openings: [
      ...reasoningOpenings,
      {
        at: "line-start",
        on: [
          { run: "caret", min: 3, max: 12, into: "fence" },
          { run: "word", min: 1, max: 64, into: "name" },
          blanks,
          lineEnd,
        ],
        do: [begin],
        to: "item",
      },
    ],
    states: {
      ...reasoningStates,
      item: {
        type: "choice",
        edges: [
          { on: closing, do: [end], to: "text" },
          { on: [blanks, lineEnd], to: "item" },
          { on: ["---", blanks, lineEnd], to: "body" },
          {
            on: [blanks, keyName, someBlanks, { run: "dash", min: 3, max: 16, into: "dashes" }, blanks, lineEnd],
            do: [parameter("string")],
            to: "lines",
          },
          { on: [...key, "[", blanks, lineEnd], do: [parameter("list")], to: "list" },
          { on: [...key, "---", blanks, lineEnd], do: [{ type: "problem", problem: emptyMarker }], to: "item" },
          { on: [...key, "|", blanks, lineEnd], do: [parameter("string")], to: "indented" },
          { on: [...key, lineEnd], to: "empty" },
          { on: [...key, "!json", someBlanks], do: [parameter("json")], to: "scalar" },
          { on: key, do: [parameter("schema")], to: "scalar" },
        ],
        otherwise: { type: "problem", problem: unreadableLine, skip: "line" },
      },
      scalar: {
        type: "value",
        ends: [{ on: [blanks, lineEnd], do: [valueEnd], to: "item" }],
        into: "piece",
        normalisesLineEnds: false,
      },
      empty: {
        type: "choice",
        edges: [{ on: [blanks, "- "], do: [parameter("list")], to: "dashElement" }],
        otherwise: { type: "go", do: [parameter("schema"), valueEnd], to: "item" },
      },
      list: {
        type: "choice",
        edges: [
          { on: [blanks, "]", blanks, lineEnd], do: [valueEnd], to: "item" },
          { on: [blanks, lineEnd], to: "list" },
          { on: [someBlanks], to: "element" },
        ],
        otherwise: { type: "go", to: "element" },
      },
      element: {
        type: "value",
        ends: [{ on: [blanks, lineEnd], do: [elementEnd], to: "list" }],
        into: "element",
        normalisesLineEnds: false,
      },
      dashElement: {
        type: "value",
        ends: [{ on: [blanks, lineEnd], do: [elementEnd], to: "dashList" }],
        into: "element",
        normalisesLineEnds: false,
      },
      dashList: {
        type: "choice",
        edges: [{ on: [blanks, "- "], to: "dashElement" }],
        otherwise: { type: "go", do: [valueEnd], to: "item" },
      },
      lines: {
        type: "choice",
        edges: [{ on: ["{dashes}", someBlanks, "{key}", blanks, lineEnd], do: [valueEnd], to: "item" }],
        otherwise: { type: "go", to: "rawLines" },
      },
      rawLines: {
        type: "value",
        ends: [{ on: [lineEnd, "{dashes}", someBlanks, "{key}", blanks, lineEnd], do: [valueEnd], to: "item" }],
        into: "piece",
        normalisesLineEnds: true,
      },
      body: {
        type: "choice",
        edges: [
          { on: closing, do: [end], to: "text" },
          {
            on: [keyName, blanks, ":", blanks, "|", blanks, lineEnd, { knownParameter: true }],
            do: [parameter("string")],
            to: "indented",
          },
          { on: ["content", blanks, ":", someBlanks], do: [parameter("string", "content")], to: "bodyLine" },
        ],
        otherwise: { type: "go", do: [parameter("string", "content")], to: "tail" },
      },
      // `content: one line` is that line; more lines after it could mean either form, so nothing runs.
      bodyLine: {
        type: "value",
        ends: [
          { on: [lineEnd, "---", blanks, lineEnd, ...closing], do: [valueEnd, end], to: "text" },
          { on: [lineEnd, ...closing], do: [valueEnd, end], to: "text" },
          { on: [lineEnd], do: [valueEnd, { type: "problem", problem: linesAfterLine }], to: "item" },
        ],
        into: "piece",
        normalisesLineEnds: false,
      },
      tail: {
        type: "value",
        ends: [
          {
            on: [lineEnd, ...closing],
            do: [valueEnd, end],
            to: "text",
          },
        ],
        into: "piece",
        normalisesLineEnds: true,
      },
      indented: {
        type: "choice",
        edges: [
          { on: ["  "], to: "indentedLine" },
          { on: [blanks, lineEnd], do: [{ type: "piece", text: "\n" }], to: "indented" },
        ],
        otherwise: { type: "go", do: [valueEnd], to: "item" },
      },
      indentedLine: {
        type: "value",
        ends: [
          { on: [lineEnd, "  "], do: [{ type: "piece", text: "\n" }], to: "indentedLine" },
          { on: [lineEnd, blanks, ahead([lineEnd])], do: [{ type: "piece", text: "\n" }], to: "indentedLine" },
          { on: [lineEnd], do: [valueEnd], to: "item" },
        ],
        into: "piece",
        normalisesLineEnds: false,
      },
    },
  },
  writing: { type: "caret" },
  readsNoLastNewline: true,
  results: { open: "^^^result {name} {outcome}\n", close: "\n^^^" },
  explanation:
    "Call a tool with lines between fences of carets, which begin their lines. A value on one line is `key: value`. Write several lines between `key ---` and `--- key`, exactly as they are, even where they hold `^^^`. A list is `key: [`, one element a line, and `]`. Objects are JSON on one line. End the call with a line `^^^`.",
};
