import {
  ahead,
  begin,
  end,
  keyName,
  lost,
  meant,
  nameMax,
  namesNothing,
  parameter,
  problem,
  space,
  toolName,
  type Grammar,
  type Notation,
  type Problem,
  type Token,
} from "../base/grammar.ts";
import type { Syntax } from "../base/syntax.ts";
import { reasoningOpenings, reasoningStates } from "./reasoning-tags.ts";

/** Values as Python writes them; JSON's words are read too. */
const python: Notation = {
  quotes: [
    ['"', '"'],
    ["'", "'"],
  ],
  unquotedKeys: false,
  words: { True: true, False: false, None: null },
};

/** Something else than a named value. */
const notNamed: Problem = problem(
  "MALFORMED_CALL",
  "{name}: expected named values, not '{found}'. The call was not run: write it again.",
);

/** The named values of a call; `after` follows its closing bracket. */
export const namedValues = {
  item: {
    type: "choice",
    skipSpace: true,
    edges: [
      { on: [keyName, "="], do: [parameter("json")], to: "value" },
      { on: [","], to: "item" },
      { on: [")"], do: [end], to: "after" },
    ],
    otherwise: { type: "problem", problem: notNamed, skip: "character" },
  },
  value: { type: "json", payload: { type: "value", notation: python }, to: "item" },
} as const satisfies Grammar["states"];

/** Marks that some servers leave around the list. */
const pythonMarks = ["<|python_start|>", "<|python_end|>"] as const;

/** `[f(a="x", b=1), g()]` at the beginning of the reply, or between marks, where the brackets may be missing. */
function pythonic(id: string, title: string, open: string, close: string): Syntax {
  const isMarked = open !== "";
  return {
    id,
    title,
    tier: "model",
    grammar: {
      quoting: "fences",
      startInReasoning: "think",
      openings: [
        ...reasoningOpenings,
        {
          at: isMarked ? "anywhere" : "reply-start",
          on: [open === "" ? "[" : `${open}[`, toolName, "(", ...(isMarked ? [] : [{ knownTool: true } as const])],
          do: [begin],
          to: "item",
        },
        isMarked
          ? { at: "anywhere", on: [open, toolName, "("], do: [begin], to: "item" }
          : { at: "anywhere", on: [pythonMarks[0], space, "[", toolName, "("], do: [begin], to: "item" },
      ],
      states: {
        ...reasoningStates,
        ...namedValues,
        after: {
          type: "choice",
          skipSpace: true,
          edges: [
            { on: [",", space, toolName, "("], do: [begin], to: "item" },
            ...(isMarked ? [{ on: [close], to: "text" }] : [{ on: ["]", space, pythonMarks[1]], to: "text" }]),
            { on: [`]${close}`], to: "text" },
          ],
          otherwise: { type: "go", to: "text" },
        },
      },
    },
    writing: {
      type: "arguments",
      wrapper: [`${open}[`, `]${close}`],
      call: ["{name}(", ")"],
      between: ", ",
      assign: "=",
      separator: ", ",
      quotes: ['"', '"'],
      words: { true: "True", false: "False", null: "None" },
    },
    results: { open: "<tool_response>\n", close: "\n</tool_response>" },
    explanation: "Call tools as a list of Python calls with named arguments.",
  };
}

export const pythonicCalls: Syntax = {
  ...pythonic("pythonic", "Pythonic", "", ""),
  models: "Llama 3.2 and 4, ToolACE",
  templateMarks: ["<|eot|>", "<|python_start|>"],
  sources: [
    "https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/pythonic_tool_parser.py",
    "https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/llama4_pythonic_tool_parser.py",
  ],
};
export const lfm2: Syntax = {
  ...pythonic("lfm2", "LFM2", "<|tool_call_start|>", "<|tool_call_end|>"),
  models: "LFM2, LFM2.5",
  sources: [
    "https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/function_call/lfm2_detector.py",
    "https://github.com/ggml-org/llama.cpp/blob/master/models/templates/llama-cpp-lfm2.jinja",
  ],
};

/** The marks of a model that writes `call:NAME{key:value}`. */
interface BraceMarks extends Pick<Syntax, "id" | "title" | "models" | "sources" | "results"> {
  readonly open: string;
  readonly close: string;
  /** Before and after each string. */
  readonly quote: string;
  readonly reasoning: string;
}

/** `call:NAME{key:value}` between marks, strings in marks of their own. */
function braced({ open, close, quote, reasoning, ...rest }: BraceMarks): Syntax {
  const notation: Notation = {
    quotes: [
      [quote, quote],
      ['"', '"'],
    ],
    unquotedKeys: true,
    words: {},
  };
  return {
    ...rest,
    tier: "model",
    grammar: {
      quoting: "fences",
      startInReasoning: reasoning,
      openings: [
        ...reasoningOpenings,
        { at: "anywhere", on: [`${open}call:`, toolName], do: [begin], to: "brace" },
        { at: "anywhere", on: [open], do: [namesNothing], to: "lost" },
      ],
      states: {
        ...reasoningStates,
        lost: lost({ on: [close], do: [end], to: "text" }),
        brace: {
          type: "choice",
          edges: [{ on: ["{"], to: "item" }],
          otherwise: { type: "problem", problem: notNamed, skip: "character" },
        },
        item: {
          type: "choice",
          skipSpace: true,
          edges: [
            { on: [keyName, ":"], do: [parameter("json")], to: "value" },
            { on: [","], to: "item" },
            { on: ["}", space, close], do: [end], to: "text" },
          ],
          otherwise: { type: "problem", problem: notNamed, skip: "character" },
        },
        value: { type: "json", payload: { type: "value", notation }, to: "item" },
      },
    },
    writing: {
      type: "arguments",
      wrapper: ["", ""],
      call: [`${open}call:{name}{`, `}${close}`],
      between: "",
      assign: ":",
      separator: ",",
      quotes: [quote, quote],
      words: { true: "true", false: "false", null: "null" },
    },
    explanation: "Call a tool by its name and its named values in braces, between the marks.",
  };
}

export const gemma4 = braced({
  id: "gemma4",
  title: "Gemma 4",
  models: "Gemma 4",
  sources: ["https://github.com/ggml-org/llama.cpp/blob/master/models/templates/gemma4.jinja"],
  open: "<|tool_call>",
  close: "<tool_call|>",
  quote: '<|"|>',
  reasoning: "gemmaThought",
  results: { open: "<|tool_response>", close: "<tool_response|>" },
});

export const functionGemma = braced({
  id: "functiongemma",
  title: "FunctionGemma",
  models: "FunctionGemma",
  sources: ["https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/functiongemma_tool_parser.py"],
  open: "<start_function_call>",
  close: "<end_function_call>",
  quote: "<escape>",
  reasoning: "think",
  results: {
    open: "<start_function_response>response:{name}{value:<escape>",
    close: "<escape>}<end_function_response>",
  },
});

/** The beginning of an object with a name and arguments; with a name alone it is data. */
const namedWith = (key: string): readonly Token[] => [
  ...["{", '"name"', ":", '"'].flatMap((text) => [text, space]).slice(0, -1),
  { run: "name", min: 1, max: nameMax },
  ...['"', ",", `"${key}"`].flatMap((text) => [text, space]),
  ":",
];

/** Llama 3: the reply is one JSON object with a name and parameters, perhaps after a mark. */
export const llamaJson: Syntax = {
  id: "llama3-json",
  title: "Llama 3 JSON",
  tier: "model",
  models: "Llama 3.1 to 3.3, Llama 4",
  templateMarks: ["<|eot_id|>", '"parameters"', "<|python_tag|>"],
  sources: [
    "https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/function_call/llama32_detector.py",
    "https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/llama_tool_parser.py",
  ],
  grammar: {
    quoting: "fences",
    startInReasoning: "think",
    openings: [
      ...reasoningOpenings,
      { at: "anywhere", on: ["<|python_tag|>", space, ahead(["{"])], do: [meant], to: "call" },
      { at: "reply-start", on: [ahead(...["parameters", "arguments"].map(namedWith))], do: [meant], to: "call" },
    ],
    states: {
      ...reasoningStates,
      call: {
        type: "json",
        payload: { type: "call", nameKeys: ["name"], argumentKeys: ["parameters", "arguments"], idKeys: [] },
        to: "after",
      },
      after: { type: "choice", edges: [{ on: [], do: [end], to: "more" }], otherwise: { type: "go", to: "text" } },
      more: {
        type: "choice",
        skipSpace: true,
        edges: [{ on: [";", space, ahead(["{"])], do: [meant], to: "call" }],
        otherwise: { type: "go", to: "text" },
      },
    },
  },
  writing: {
    type: "json",
    wrapper: ["", ""],
    call: ["", ""],
    between: "; ",
    keys: { name: "name", arguments: "parameters" },
  },
  results: { open: "<tool_response>\n", close: "\n</tool_response>" },
  explanation: "Call a tool by answering with nothing but a JSON object of its name and its parameters.",
};
