import type { Mutant } from "./mutant.ts";

const laws = "test/fuzz/fuzz-syntax.test.ts";
const scanner = "src/core/syntax/reply-scanner.ts";
const openings = "src/core/syntax/match/openings.ts";
const plain = "src/core/syntax/match/plain-pieces.ts";
const matching = "src/core/syntax/match/token-match.ts";
const quoting = "src/core/syntax/match/quoting.ts";
const writing = "src/core/syntax/write/write-calls.ts";
const coercion = "src/core/syntax/call/coerce.ts";
const json = "src/core/syntax/call/json-reader.ts";
const caretCases = "src/core/syntax/grammars/caret.test.ts";
const tagCases = "src/core/syntax/grammars/tags.test.ts";
const readerCases = "src/core/syntax/syntax-reader.test.ts";

/** Defects of the scanner, the grammars, the writer and the coercion. */
export const mutants: readonly Mutant[] = [
  {
    name: "what was held back is forgotten",
    file: scanner,
    search: 'this.#run(this.#held === "" ? piece : this.#held + piece, from);',
    replacement: "this.#run(piece, from);",
    test: laws,
    only: "^xml.*any cut",
  },
  {
    name: "what is held at the end is not shown",
    file: scanner,
    search: "    this.#run(this.#held, 0);\n",
    replacement: "",
    test: caretCases,
  },
  {
    name: "a tag that goes on is not compared with what was expected",
    file: "src/core/syntax/match/edge-matcher.ts",
    search: "context.expected.length > length && context.expected.startsWith(piece)",
    replacement: "context.expected.length > length",
    test: tagCases,
  },
  {
    name: "a call in a fence runs",
    file: openings,
    search: "      if (this.#quoting.isQuoted) {",
    replacement: "      if (this.#quoting.isQuoted && at < 0) {",
    test: laws,
    only: "^hermes.*a call in a fence",
  },
  {
    name: "a call in the middle of a line begins one",
    file: openings,
    search: 'opening.at === "line-start" && !this.#quoting.atLineStart',
    replacement: 'opening.at === "line-start" && at < 0',
    test: caretCases,
  },
  {
    name: "a call that is open at the end is judged as if it were whole",
    file: scanner,
    search: "if (calls.call !== null || calls.isMeant) calls.truncated(this.#registers, at);",
    replacement: "if (calls.call !== null) calls.end(at);",
    test: laws,
    only: "^xml.*a reply that was cut off",
  },
  {
    name: "CRLF stays in values of several lines",
    file: scanner,
    search: "if (code === 13 && state.normalisesLineEnds) {",
    replacement: "if (code === 13 && code < 0) {",
    test: caretCases,
  },
  {
    name: "a line break at the end of a piece is taken before it is known what follows",
    file: plain,
    search: "if (at + 1 === length) return at;",
    replacement: "if (at + 1 === length) return length;",
    test: caretCases,
  },
  {
    name: "a piece of a JSON string is shown and not kept",
    file: json,
    search: "    this.#arguments.add(piece);\n",
    replacement: "",
    test: laws,
    only: "^hermes.*any cut",
  },
  {
    name: "a quote in a piece of a JSON string is text",
    file: json,
    search: "if (code === quote || code === backslash) return false;",
    replacement: "if (code === backslash) return false;",
    test: tagCases,
  },
  {
    name: "half a character passes",
    file: scanner,
    search: "else call.holdsHalf();",
    replacement: "else call.parameter = call.parameter;",
    test: "src/core/syntax/half-characters.test.ts",
  },
  {
    name: "the policy lets every call begin",
    file: "src/core/syntax/base/policy.ts",
    search: 'case "serial-one":\n      return false;',
    replacement: 'case "serial-one":\n      return true;',
    test: caretCases,
  },
  {
    name: "a line's end at a cut reply's end counts",
    file: matching,
    search: 'at === input.length && context.end === "stopped" ? at : noMatch;',
    replacement: 'at === input.length && context.end !== "open" ? at : noMatch;',
    test: caretCases,
  },
  {
    name: "a run that may go on is taken as it is",
    file: matching,
    search: "context.expectedUnits = most - end - 1;\n      return needsMore;",
    replacement: "context.expectedUnits = 0;",
    test: laws,
    only: "^caret.*any cut",
  },
  {
    name: "a shorter fence closes a longer one",
    file: quoting,
    search: "this.#runLength >= this.#fenceLength",
    replacement: "this.#runLength >= 3",
    test: laws,
    only: "^xml.*a call in a fence",
  },
  {
    name: "a block quote quotes nothing in a model's own tags",
    file: quoting,
    search: 'this.#blockQuotes = quoting !== "fences";',
    replacement: 'this.#blockQuotes = quoting === "fences-and-spans";',
    test: laws,
    only: "^hermes.*a block quote",
  },
  {
    name: "an indented code block opens a fence",
    file: quoting,
    search: "if (code === 32 && this.#column <= 3) return;",
    replacement: "if (code === 32 && this.#column <= 9) return;",
    test: "src/core/syntax/match/quoting.test.ts",
  },
  {
    name: "a value that holds its closing tag is written as it is",
    file: writing,
    search: "!writing.avoid.some((mark)",
    replacement: "!writing.avoid.every((mark)",
    test: laws,
    only: "^xml.*reading what was written",
  },
  {
    name: "CDATA is not divided at its own end marker",
    file: writing,
    search: "`${mark.slice(0, 2)}]]><![CDATA[${mark.slice(2)}`",
    replacement: "mark",
    test: laws,
    only: "^xml.*reading what was written",
  },
  {
    name: "dashes inside a value close it",
    file: writing,
    search: 'if (!delimiter.test(value)) return "-".repeat(count);',
    replacement: 'if (!delimiter.test(value) || count === 3) return "---";',
    test: laws,
    only: "^caret.*reading what was written",
  },
  {
    name: "a value that swallowed a tag runs",
    file: "src/core/syntax/call/forgotten-tags.ts",
    search: 'if (!tag.isOpening || tag.name === "" || beginsLine(suspect, text)) return true;',
    replacement: "",
    test: laws,
    only: "^qwen-xml.*15.1",
  },
  {
    name: "a guessed end takes a piece of a tag",
    file: "src/core/syntax/call/forgotten-tags.ts",
    search: "return closer.startsWith(last) || closer.endsWith(last);",
    replacement: "return false;",
    test: laws,
    only: "^qwen-xml.*15.1",
  },
  {
    name: "what is no boolean is false",
    file: coercion,
    search: 'lower === "false" ? false : undefined',
    replacement: "false",
    test: "src/core/syntax/call/coerce.test.ts",
  },
  {
    name: "a pair of halves as two escapes is shown in halves",
    file: json,
    search: "this.#highHalf = text;",
    replacement: "this.#takes(text, at);",
    test: "src/core/syntax/call/native-arguments.test.ts",
  },
  {
    name: "a bracket inside a string counts",
    file: json,
    search: 'this.#quote === "" ? this.#outside',
    replacement: 'this.#quote === "" || this.#depth > 1 ? this.#outside',
    test: tagCases,
  },
  {
    name: "the stream's rest is read after the policy ended the reply",
    file: "src/core/syntax/syntax-reader.ts",
    search: 'this.#put({ type: "finished", reason: "tool-use", usage: noUsage });\n        this.#isOver = true;',
    replacement: 'this.#put({ type: "finished", reason: "tool-use", usage: noUsage });',
    test: readerCases,
  },
];
