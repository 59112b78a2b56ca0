import { begin, meant, space, toolName } from "../base/grammar.ts";
import type { Syntax } from "../base/syntax.ts";
import { namedValues } from "./brackets.ts";
import { quotingOf } from "./mark-quoting.ts";
import { reasoningOpenings, reasoningStates } from "./reasoning-tags.ts";

const [open, close] = ["<function_calls>", "</function_calls>"];

/** Olmo 3: calls with named arguments as in Python, one on each line, between tags. */
export const olmo3: Syntax = {
  id: "olmo3",
  title: "Olmo 3",
  tier: "model",
  models: "Olmo 3",
  sources: ["https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/olmo3_tool_parser.py"],
  grammar: {
    quoting: quotingOf(open),
    startInReasoning: "think",
    openings: [...reasoningOpenings, { at: "anywhere", on: [open, space, toolName, "("], do: [begin], to: "item" }],
    states: {
      ...reasoningStates,
      ...namedValues,
      after: {
        type: "choice",
        skipSpace: true,
        edges: [
          { on: [toolName, "("], do: [meant, begin], to: "item" },
          { on: [close], to: "text" },
        ],
        otherwise: { type: "go", to: "text" },
      },
    },
  },
  writing: {
    type: "arguments",
    wrapper: [`${open}\n`, `\n${close}`],
    call: ["{name}(", ")"],
    between: "\n",
    assign: "=",
    separator: ", ",
    quotes: ['"', '"'],
    words: { true: "true", false: "false", null: "null" },
  },
  results: { open: "<tool_response>\n", close: "\n</tool_response>" },
  explanation: "Call tools between the tags, each on its own line as a Python call with named arguments.",
};
