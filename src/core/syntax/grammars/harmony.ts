import { ahead, begin, blanks, end, problem, space, toolName, type Edge } from "../base/grammar.ts";
import type { Syntax } from "../base/syntax.ts";

const stops = ["<|end|>", "<|call|>", "<|return|>"] as const;
const messageEnds = (to: string): readonly Edge[] => stops.map((stop) => ({ on: [stop], to }));
const recipient = [" to=functions.", toolName] as const;

/** The channels of gpt-oss: reasoning, calls and the answer are messages, each after a header. */
export const harmony: Syntax = {
  id: "harmony",
  title: "Harmony",
  tier: "model",
  models: "gpt-oss",
  sources: [
    "https://github.com/openai/harmony",
    "https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/function_call/gpt_oss_detector.py",
  ],
  grammar: {
    quoting: "fences",
    startInReasoning: "analysis",
    openings: [
      { at: "anywhere", on: ["<|start|>assistant"], to: "header" },
      { at: "anywhere", on: ["<|channel|>"], to: "channel" },
      // A server may cut the header's beginning off.
      {
        at: "reply-start",
        on: ["to=functions.", toolName, ahead(["<|channel|>"], [space, "<|message|>"])],
        to: "header",
      },
      ...stops.map((stop) => ({ at: "anywhere" as const, on: [stop], to: "text" })),
    ],
    states: {
      header: {
        type: "choice",
        edges: [
          { on: recipient, to: "header" },
          { on: ["<|channel|>"], to: "channel" },
          { on: [blanks, "<|constrain|>", { run: "word", min: 1, max: 16 }], to: "header" },
          { on: [" ", { run: "word", min: 1, max: 16 }, ahead([space, "<|message|>"])], to: "header" },
          { on: [space, "<|message|>"], when: { name: "*" }, do: [begin], to: "arguments" },
          { on: [space, "<|message|>"], when: { channel: "analysis" }, to: "analysis" },
          { on: [space, "<|message|>"], to: "text" },
        ],
        otherwise: { type: "go", to: "text" },
      },
      channel: {
        type: "choice",
        edges: [{ on: [{ run: "word", min: 1, max: 16, into: "channel" }], to: "header" }],
        otherwise: { type: "go", to: "text" },
      },
      analysis: { type: "reasoning", ends: messageEnds("text") },
      arguments: { type: "json", payload: { type: "arguments" }, to: "close" },
      close: {
        type: "choice",
        skipSpace: true,
        edges: [
          ...stops.map((stop): Edge => ({ on: [stop], do: [end], to: "text" })),
          // The last mark ends the generation, and many servers omit it.
          { on: [space, { replyEnd: true }], do: [end], to: "text" },
        ],
        otherwise: {
          type: "problem",
          problem: problem(
            "MALFORMED_CALL",
            "{name}: expected <|call|> after the call's JSON, not '{found}'. The call was not run: write it again.",
          ),
          skip: "character",
        },
      },
    },
  },
  writing: {
    type: "json",
    wrapper: ["", ""],
    call: ["<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>", "<|call|>"],
    between: "<|start|>assistant",
    keys: null,
  },
  results: {
    open: "<|start|>functions.{name} to=assistant<|channel|>commentary<|message|>",
    close: "<|end|>",
  },
  explanation: "Call a tool in a commentary message to functions.NAME, with its arguments as JSON.",
};
