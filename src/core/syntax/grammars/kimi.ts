import {
  ahead,
  begin,
  end,
  losesName,
  lost,
  namesNothing,
  problem,
  space,
  toolName,
  type Problem,
  type TagForm,
} from "../base/grammar.ts";
import type { Syntax } from "../base/syntax.ts";
import { inCdata, unexpectedText, valueStates } from "./cdata.ts";
import { reasoningOpenings, reasoningStates } from "./reasoning-tags.ts";

const unclosed: Problem = problem(
  "MALFORMED_CALL",
  "{name}: expected the closing mark after the call's JSON, not '{found}'. The call was not run: write it again.",
);

/** Kimi K2: a section of calls, each named `functions.NAME:INDEX`. */
export const kimiK2: Syntax = {
  id: "kimi-k2",
  title: "Kimi K2",
  tier: "model",
  models: "Kimi K2",
  // The template writes the calls' ids, which begin with `functions.`.
  templateMarks: ["<|tool_calls_section_begin|>", "<|tool_call_begin|>", "<|tool_call_argument_begin|>"],
  sources: [
    "https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/function_call/kimik2_detector.py",
    "https://github.com/ggml-org/llama.cpp/blob/master/models/templates/moonshotai-Kimi-K2.jinja",
  ],
  grammar: {
    quoting: "fences",
    startInReasoning: "think",
    openings: [
      ...reasoningOpenings,
      { at: "anywhere", on: ["<|tool_calls_section_begin|>", space, ahead(["<|tool_call_begin|>"])], to: "calls" },
    ],
    states: {
      ...reasoningStates,
      calls: {
        type: "choice",
        skipSpace: true,
        edges: [
          { on: ["<|tool_call_begin|>", space, ahead(["functions."])], do: [{ type: "meant" }], to: "prefixed" },
          { on: ["<|tool_call_begin|>"], do: [{ type: "meant" }], to: "name" },
          { on: ["<|tool_calls_section_end|>"], to: "text" },
        ],
        otherwise: { type: "go", to: "text" },
      },
      prefixed: {
        type: "choice",
        edges: [{ on: [space, "functions."], to: "name" }],
        otherwise: { type: "go", to: "name" },
      },
      name: {
        type: "choice",
        skipSpace: true,
        edges: [
          {
            on: [toolName, ":", { run: "digit", min: 1, max: 6, into: "index" }, space, ahead(["<"])],
            do: [begin],
            to: "mark",
          },
        ],
        otherwise: losesName,
      },
      lost: lost(
        { on: ["<|tool_call_end|>"], do: [end], to: "calls" },
        { on: ["<|tool_call_begin|>"], do: [end, { type: "meant" }], to: "name" },
        { on: ["<|tool_calls_section_end|>"], do: [end], to: "text" },
      ),
      mark: {
        type: "choice",
        skipSpace: true,
        edges: [{ on: ["<|tool_call_argument_begin|>"], to: "arguments" }],
        otherwise: { type: "problem", problem: unclosed, skip: "character" },
      },
      arguments: { type: "json", payload: { type: "arguments" }, to: "close" },
      close: {
        type: "choice",
        skipSpace: true,
        edges: [{ on: ["<|tool_call_end|>"], do: [end], to: "calls" }],
        otherwise: { type: "problem", problem: unclosed, skip: "character" },
      },
    },
  },
  writing: {
    type: "json",
    wrapper: ["<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"],
    call: ["<|tool_call_begin|>functions.{name}:{index}<|tool_call_argument_begin|>", "<|tool_call_end|>"],
    between: "",
    keys: null,
  },
  results: { open: "## Return of {name}\n", close: "" },
  explanation: "Call a tool by its name, a colon and a number from 0, and its arguments as JSON, between the marks.",
};

const [open, close, sep] = ["<|open|>", "<|close|>", "<|sep|>"];

/** Kimi K3: elements of marks, with a type for each argument. */
export const kimiK3: Syntax = {
  id: "kimi-k3",
  title: "Kimi K3",
  tier: "model",
  models: "Kimi K3",
  sources: [
    "https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/function_call/kimik3_detector.py",
    "https://github.com/ggml-org/llama.cpp/blob/master/models/templates/Kimi-K3.jinja",
  ],
  grammar: {
    quoting: "fences",
    startInReasoning: "kimiThink",
    closesByGuess: true,
    guard: {
      type: "tags",
      tags: [
        {
          around: "value",
          open: `${open}argument key="`,
          openEnd: '"',
          openUntil: sep,
          close: `${close}argument${sep}`,
        },
        { around: "call", open: `${open}call tool="`, openEnd: '"', openUntil: sep, close: `${close}call${sep}` },
        { around: "call", open: `${open}tools${sep}`, close: `${close}tools${sep}` },
        // A mark alone is the rest of a tag.
        ...[open, close, sep].map((mark): TagForm => ({ around: "value", open: mark, close: mark })),
      ],
      instead: inCdata,
    },
    openings: [
      ...reasoningOpenings,
      { at: "anywhere", on: [`${open}tools${sep}`], to: "calls" },
      // Marks around the answer, which is text.
      { at: "anywhere", on: [`${open}response${sep}`], to: "text" },
      { at: "anywhere", on: [`${close}response${sep}`], to: "text" },
    ],
    states: {
      ...reasoningStates,
      calls: {
        type: "choice",
        skipSpace: true,
        edges: [
          { on: [`${open}call tool="`, toolName, '"'], do: [begin], to: "index" },
          { on: [`${open}call`], do: [namesNothing], to: "lost" },
          { on: [`${close}tools${sep}`], to: "text" },
        ],
        otherwise: { type: "go", to: "text" },
      },
      lost: lost(
        { on: [`${close}call${sep}`], do: [end], to: "calls" },
        { on: [`${close}tools${sep}`], do: [end], to: "text" },
      ),
      index: {
        type: "choice",
        edges: [
          // Calls are identified by position: models repeat indices.
          { on: [' index="', { run: "digit", min: 1, max: 6 }, `"${sep}`], to: "item" },
          { on: [sep], to: "item" },
        ],
        otherwise: { type: "problem", problem: unexpectedText, skip: "character" },
      },
      item: {
        type: "choice",
        skipSpace: true,
        edges: [
          { on: [`${open}argument key="`, { run: "key", min: 1, max: 64, into: "key" }, '"'], to: "kind" },
          { on: [`${close}call${sep}`], do: [end], to: "calls" },
        ],
        otherwise: { type: "problem", problem: unexpectedText, skip: "character" },
      },
      kind: {
        type: "choice",
        edges: [
          { on: [` type="string"${sep}`], do: [{ type: "parameter", as: "string" }], to: "value" },
          {
            on: [' type="', { run: "word", min: 1, max: 16 }, `"${sep}`],
            do: [{ type: "parameter", as: "json" }],
            to: "plain",
          },
        ],
        otherwise: { type: "problem", problem: unexpectedText, skip: "character" },
      },
      ...valueStates({
        lead: [],
        ends: [
          {
            on: [`${close}argument${sep}`, ahead([space, `${open}argument`], [space, `${close}call`])],
            do: [{ type: "value-end" }],
            to: "item",
          },
        ],
        cdataClose: [`${close}argument${sep}`],
        to: "item",
      }),
    },
  },
  writing: {
    type: "fields",
    wrapper: [`${open}tools${sep}`, `${close}tools${sep}`],
    call: [`${open}call tool="{name}" index="{index}"${sep}`, `${close}call${sep}`],
    between: "",
    field: [`${open}argument key="{key}" type="string"${sep}`, `${close}argument${sep}`],
    typedField: `${open}argument key="{key}" type="json"${sep}`,
    avoid: [`${close}argument${sep}`, "<![CDATA["],
    lists: "json",
  },
  results: { open: "## Return of {name}\n", close: "" },
  explanation:
    "Call tools with marked elements, one for each call and each argument; values of another type than string are JSON.",
};
