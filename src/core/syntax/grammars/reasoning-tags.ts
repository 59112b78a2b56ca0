import type { Opening, State } from "../base/grammar.ts";

/**
 * The marks around reasoning, of all models: servers combine models and syntaxes freely, and no call inside reasoning
 * may run. A mark written like any other text opens reasoning unless it is quoted, because sentences name it.
 */
export const reasoningMarks: readonly ReasoningMarks[] = [
  { state: "think", open: "<think>", close: "</think>", at: "unquoted" },
  { state: "thinking", open: "<thinking>", close: "</thinking>", at: "unquoted" },
  { state: "seedThink", open: "<seed:think>", close: "</seed:think>", at: "unquoted" },
  { state: "longcatThink", open: "<longcat_think>", close: "</longcat_think>", at: "unquoted" },
  { state: "mistralThink", open: "[THINK]", close: "[/THINK]", at: "unquoted" },
  { state: "cohereThink", open: "<|START_THINKING|>", close: "<|END_THINKING|>", at: "anywhere" },
  { state: "gemmaThought", open: "<|channel>thought", close: "<channel|>", at: "anywhere" },
  { state: "kimiThink", open: "<|open|>think<|sep|>", close: "<|close|>think<|sep|>", at: "anywhere" },
  { state: "apertusThought", open: "<|inner_prefix|>", close: "<|inner_suffix|>", at: "anywhere" },
  { state: "inklingThought", open: "<|content_thinking|>", close: "<|end_message|>", at: "anywhere" },
  { state: "minimaxThink", open: "<mm:think>", close: "</mm:think>", at: "unquoted" },
  { state: "panguThought", open: "[unused16]", close: "[unused17]", at: "anywhere" },
  { state: "graniteThought", open: "Here is my thought process:", close: "Here is my response:", at: "reply-start" },
  { state: "graniteThoughts", open: "Here's my thought process:", close: "Here's my response:", at: "reply-start" },
];

interface ReasoningMarks {
  /** The state that reads it. */
  readonly state: string;
  readonly open: string;
  readonly close: string;
  readonly at: Opening["at"];
}

export const reasoningOpenings: readonly Opening[] = reasoningMarks.map(({ state, open, at }) => ({
  at,
  on: [open],
  to: state,
}));

export const reasoningStates: { readonly [name: string]: State } = Object.fromEntries(
  reasoningMarks.map(({ state, close }) => [state, { type: "reasoning", ends: [{ on: [close], to: "text" }] }]),
);
