import type { Opening, State } from "../base/grammar.ts";

/** `<think>` and `<thinking>` at a line's start: the reasoning tags of open models. */
export const reasoningOpenings: readonly Opening[] = [
  { at: "line-start", on: ["<think>"], to: "think" },
  { at: "line-start", on: ["<thinking>"], to: "thinking" },
];

export const reasoningStates: { readonly [name: string]: State } = {
  think: { type: "reasoning", ends: [{ on: ["</think>"], to: "text" }] },
  thinking: { type: "reasoning", ends: [{ on: ["</thinking>"], to: "text" }] },
};
