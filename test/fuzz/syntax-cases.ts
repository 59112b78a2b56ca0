import fc from "fast-check";
import type { JsonObject } from "../../src/core/base/json.ts";
import type { Edge, Grammar, Token } from "../../src/core/syntax/base/grammar.ts";
import type { Syntax } from "../../src/core/syntax/base/syntax.ts";
import type { SyntaxTool } from "../../src/core/syntax/base/tools.ts";
import type { CallToWrite } from "../../src/core/syntax/write/write-calls.ts";

const text: JsonObject = { type: "string" };
const anyOf = (...alternatives: readonly JsonObject[]): JsonObject => ({ anyOf: alternatives });

/** Tools whose parameters use every form that Heddle's schemas have. */
export const fuzzTools: readonly SyntaxTool[] = [
  {
    name: "write_file",
    description: "Writes a file.",
    access: "write",
    inputSchema: {
      type: "object",
      properties: { path: text, content: text, append: { type: "boolean", default: false } },
      required: ["path", "content"],
      additionalProperties: false,
    },
  },
  {
    name: "read_files",
    description: "Reads files.",
    access: "read",
    inputSchema: {
      type: "object",
      properties: {
        paths: { type: "array", items: text },
        limits: { type: "array", items: { type: "integer" } },
        limit: { type: "integer" },
        ratio: { type: "number" },
        mode: { type: "string", enum: ["fast", "whole", "true", "5"] },
        note: anyOf(text, { type: "null" }),
        either: anyOf({ type: "boolean" }, { type: "integer" }, text),
        several: anyOf(text, { type: "array", items: text }),
        options: { type: "object", properties: { deep: { type: "boolean" }, name: text } },
        edits: { type: "array", items: { type: "object", properties: { old: text, new: text } } },
        anything: {},
      },
      required: [],
    },
  },
  { name: "stop", description: "Stops.", inputSchema: { type: "object", properties: {}, additionalProperties: false } },
];

const commonMarks = [
  "^^^",
  "^^^\n",
  "\n^^^\n",
  "^^^^write_file\n",
  "^^^stop\n^^^",
  "--- content",
  "\n--- content\n",
  "\n--- path\n",
  "---",
  "content ---\n",
  "!json ",
  "[",
  "]",
  "\n]\n",
  "  - ",
  "<![CDATA[",
  "]]>",
  "]]",
  "```",
  "\n```\n",
  "~~~\n",
  "> ",
  "`",
  "\r\n",
  "\r",
  "\n",
  " ",
  "  ",
  "\t",
  '"',
  "\\",
  "\\u",
  "{",
  "}",
  "true",
  "null",
  "5",
  "-0",
  "\u2028",
  "\u0000",
  "👩‍👩‍👧",
  "é",
  "😀",
  "<think>",
  "</think>",
  "</param:path>",
  "</param:content>",
  "<param:path>",
  "</tool:write_file>",
  "<tool:stop></tool:stop>",
  "</parameter>",
  "<parameter=path>",
  "\n</function>\n",
  "<",
  "&lt;",
  "</",
] as const;

/** The literal texts that a grammar looks for. */
function marksOf(grammar: Grammar): readonly string[] {
  const inTokens = (tokens: readonly Token[]): readonly string[] =>
    tokens.flatMap((token) =>
      typeof token === "string"
        ? [
            token
              .replaceAll("{name}", "stop")
              .replaceAll("{key}", "path")
              .replaceAll("{fence}", "^^^")
              .replaceAll("{dashes}", "---"),
          ]
        : "ahead" in token
          ? token.ahead.flatMap(inTokens)
          : [],
    );
  const inEdges = (edges: readonly Edge[]): readonly string[] => edges.flatMap((edge) => inTokens(edge.on));
  const inStates = Object.values(grammar.states).flatMap((state) =>
    state.type === "choice" ? inEdges(state.edges) : state.type === "json" ? [] : inEdges(state.ends),
  );
  return [...new Set([...inEdges(grammar.openings), ...inStates])];
}

const units = fc.string({ unit: fc.constantFrom("a", "b", "z", "0", " ", ".", "-", ":", "é", "😀"), maxLength: 6 });

/** Texts made of what syntaxes look for, and of other text that is hard to distinguish from it. */
export function hardText(syntax: Syntax, most = 6): fc.Arbitrary<string> {
  const marks = syntax.grammar === null ? [] : marksOf(syntax.grammar);
  const word = fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...commonMarks, ...marks) }, units);
  return fc.array(word, { maxLength: most }).map((words) => words.join(""));
}

const names = ["write_file", "read_files", "stop", "unknown_tool", "path", "paths", "content", "limit"] as const;

/** Arbitrary replies: whole tags, partial tags, names, and any text between. */
export function anyReply(syntax: Syntax): fc.Arbitrary<string> {
  const marks = syntax.grammar === null ? [] : marksOf(syntax.grammar);
  const whole = fc.constantFrom(...commonMarks, ...marks);
  const half = fc.tuple(whole, fc.nat()).map(([mark, at]) => mark.slice(0, at % (mark.length + 1)));
  const tail = fc.tuple(whole, fc.nat()).map(([mark, at]) => mark.slice(at % (mark.length + 1)));
  const word = fc.oneof(
    { weight: 6, arbitrary: whole },
    half,
    tail,
    { weight: 3, arbitrary: fc.constantFrom(...names) },
    units,
    fc.constantFrom("\ud800", "\udc00"),
  );
  return fc.array(word, { maxLength: 24 }).map((words) => words.join(""));
}

/** Calls with any values that their tools' schemas allow. */
export function anyCalls(syntax: Syntax, most = 3): fc.Arbitrary<readonly CallToWrite[]> {
  const value = hardText(syntax);
  const list = fc.array(value, { maxLength: 4 });
  const integer = fc.integer();
  const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((ratio) => ratio + 0);
  const json = fc.jsonValue({ maxDepth: 2, stringUnit: "grapheme" }).map(plain);
  const deep = fc.record({ deep: fc.boolean(), name: value }, { requiredKeys: [], noNullPrototype: true });
  const edit = fc.record({ old: value, new: value }, { requiredKeys: [], noNullPrototype: true });
  const write = fc
    .record(
      { path: value, content: value, append: fc.boolean() },
      { requiredKeys: ["path", "content"], noNullPrototype: true },
    )
    .map((parameters): CallToWrite => ({ name: "write_file", parameters }));
  const read = fc
    .record(
      {
        paths: list,
        limits: fc.array(integer, { maxLength: 3 }),
        limit: integer,
        ratio: number,
        mode: fc.constantFrom("fast", "whole", "true", "5"),
        note: fc.oneof(value, fc.constant(null), fc.constant("null")),
        either: fc.oneof(fc.boolean(), integer, value, fc.constantFrom("true", "5", "FALSE")),
        several: fc.oneof(value, list),
        options: deep,
        edits: fc.array(edit, { maxLength: 3 }),
        anything: fc.oneof(json, value),
      },
      { requiredKeys: [], noNullPrototype: true },
    )
    .map((parameters): CallToWrite => ({ name: "read_files", parameters }));
  const stop = fc.constant<CallToWrite>({ name: "stop", parameters: {} });
  return fc.array(fc.oneof({ weight: 3, arbitrary: write }, { weight: 3, arbitrary: read }, stop), {
    minLength: 1,
    maxLength: most,
  });
}

/** The value as JSON returns it: plain objects, no negative zero. */
function plain(value: unknown): CallToWrite["parameters"][string] {
  return JSON.parse(JSON.stringify(value)) as CallToWrite["parameters"][string];
}

/** Where to cut: numbers that `cutAt` turns into offsets. */
export const anyCuts = fc.array(fc.nat(), { maxLength: 12 });

/** The pieces of a text between cuts; single characters if there are no cuts. */
export function cutAt(reply: string, cuts: readonly number[]): readonly string[] {
  if (cuts.length === 0) return reply.split("");
  const at = [...new Set(cuts.map((cut) => cut % (reply.length + 1)))].toSorted((a, b) => a - b);
  return [...at, reply.length].map((end, index) => reply.slice(index === 0 ? 0 : at[index - 1], end));
}
