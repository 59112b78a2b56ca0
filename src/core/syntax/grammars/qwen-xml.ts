import {
  ahead,
  begin,
  end,
  keyName,
  losesName,
  lost,
  maybeLineEnd,
  parameter,
  space,
  toolName,
  valueEnd,
  type Action,
  type Grammar,
} from "../base/grammar.ts";
import type { Syntax } from "../base/syntax.ts";
import { inCdata, unexpectedText, valueStates } from "./cdata.ts";
import { reasoningOpenings, reasoningStates } from "./reasoning-tags.ts";

const unclosedEnd: Action = { type: "value-end", guessed: "</parameter>" };
const closesValue = ahead([space, "<parameter="], [space, "</function>"]);

/** `<function=NAME>` with `<parameter=KEY>` lines; the elements around a call differ between models. */
function functionSyntax(id: string, title: string, wrapper: string, startInReasoning: string): Syntax {
  const [open, close] = [`<${wrapper}>`, `</${wrapper}>`];
  const grammar: Grammar = {
    quoting: "fences-and-block-quotes",
    startInReasoning,
    closesByGuess: true,
    guard: {
      type: "tags",
      tags: [
        { around: "value", open: "<parameter=", openEnd: ">", close: "</parameter>" },
        { around: "call", open: "<function=", openEnd: ">", close: "</function>" },
        { around: "call", open, close },
      ],
      instead: inCdata,
    },
    openings: [
      ...reasoningOpenings,
      { at: "anywhere", on: [open, space, ahead(["<function="])], to: "function" },
      { at: "anywhere", on: ["<function=", toolName, ">", { knownTool: true }], do: [begin], to: "item" },
    ],
    states: {
      ...reasoningStates,
      function: {
        type: "choice",
        skipSpace: true,
        edges: [
          {
            on: ["<function=", toolName, ">"],
            do: [{ type: "set", register: "wrapped", value: "yes" }, begin],
            to: "item",
          },
        ],
        otherwise: losesName,
      },
      lost: lost(
        { on: ["</function>"], do: [end], to: "after" },
        { on: [close], do: [end], to: "text" },
        { on: [open], do: [end], to: "function" },
      ),
      item: {
        type: "choice",
        skipSpace: true,
        edges: [
          { on: ["<parameter=", keyName, ">"], do: [parameter("schema")], to: "value" },
          { on: ["</function>"], when: { wrapped: "yes" }, do: [end], to: "after" },
          { on: ["</function>"], do: [end], to: "text" },
        ],
        otherwise: { type: "problem", problem: unexpectedText, skip: "character" },
      },
      after: {
        type: "choice",
        skipSpace: true,
        edges: [
          { on: [close], to: "text" },
          { on: ["<function=", toolName, ">"], do: [begin], to: "item" },
        ],
        otherwise: { type: "go", to: "text" },
      },
      ...valueStates({
        lead: [maybeLineEnd],
        ends: [
          { on: [maybeLineEnd, "</parameter>", closesValue], do: [valueEnd], to: "item" },
          // A forgotten closing tag is inferred only where the next one begins a line.
          { on: [{ lineEnd: "only" }, ahead(["<parameter="], ["</function>"])], do: [unclosedEnd], to: "item" },
        ],
        cdataClose: [maybeLineEnd, "</parameter>"],
        to: "item",
      }),
    },
  };
  return {
    id,
    title,
    tier: "model",
    grammar,
    writing: {
      type: "fields",
      wrapper: ["", ""],
      call: [`${open}\n<function={name}>\n`, `</function>\n${close}`],
      between: "\n",
      field: ["<parameter={key}>\n", "\n</parameter>\n"],
      avoid: ["</parameter>", "<parameter=", "</function>", "<![CDATA[", "\r"],
      lists: "json",
    },
    results: { open: "<tool_response>\n", close: "\n</tool_response>" },
    explanation:
      "Call a tool by writing its tags into your reply. Write each value on its own lines between its tags, exactly as it is; lists and objects are JSON.",
  };
}

/** Qwen3-Coder, Qwen 3.5 and later, MiMo, Nemotron 3. */
export const qwenXml = functionSyntax("qwen-xml", "Qwen XML", "tool_call", "think");
export const seedOss = functionSyntax("seed-oss", "Seed OSS", "seed:tool_call", "seedThink");
