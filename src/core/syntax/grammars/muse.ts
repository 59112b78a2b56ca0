import * as v from "valibot";
import { space, type Opening, type Token } from "../base/grammar.ts";
import type { Syntax } from "../base/syntax.ts";
import { compileDialect } from "./compile-dialect.ts";
import { dialectSchema } from "./dialect.ts";

const ends = ["<|eom|>", "<|eot|>"] as const;
const recipient: Token = { run: "id", min: 1, max: 40 };
const role: Token = { run: "word", min: 1, max: 16 };

const calls = compileDialect(
  v.parse(dialectSchema, {
    id: "muse-glimmer",
    title: "Muse Glimmer",
    models: "Muse Glimmer",
    sources: [
      "https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/function_call/muse_glimmer_format.py",
      "https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/muse_glimmer_tool_parser.py",
    ],
    calls: "tags",
    section: ["<atem:function_calls>\n", "\n</atem:function_calls>"],
    call: ['<atem:invoke name="{name}">\n', "</atem:invoke>"],
    value: ['<atem:parameter name="{key}">', "</atem:parameter>\n"],
    text_marks: [...ends],
    prompt:
      "Call a tool by writing its tags into your reply, several calls inside one pair of outer tags. Write each value between its tags exactly as it is; lists and objects are JSON.",
  }),
);

/** A message begins with a header that names its recipient; a server may cut the first header's beginning off. */
function header(to: readonly Token[], state: string): readonly Opening[] {
  return [
    { at: "reply-start", on: to, to: state },
    { at: "anywhere", on: ["<|start|>", role, space, ...to], to: state },
  ];
}

/** Messages to recipients: reasoning to the model itself, text to the user, and calls. */
export const museGlimmer: Syntax = {
  ...calls,
  grammar: calls.grammar && {
    ...calls.grammar,
    startInReasoning: "museThought",
    openings: [
      ...header(["to=self<|message|>"], "museThought"),
      ...header(["to=", recipient, "<|message|>"], "text"),
      ...calls.grammar.openings,
    ],
    states: {
      ...calls.grammar.states,
      museThought: { type: "reasoning", ends: ends.map((mark) => ({ on: [mark], to: "text" })) },
    },
  },
};
