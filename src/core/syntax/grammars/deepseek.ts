import {
  begin,
  blanks,
  end,
  lineEnd,
  losesName,
  lost,
  maybeLineEnd,
  meant,
  problem,
  toolName,
  type Problem,
} from "../base/grammar.ts";
import type { Syntax } from "../base/syntax.ts";
import { reasoningOpenings, reasoningStates } from "./reasoning-tags.ts";

const mark = (name: string): string => `<｜tool▁${name}｜>`;

const broken: Problem = problem(
  "MALFORMED_CALL",
  "{name}: the call has a wrong mark at '{found}'. It was not run: write it again.",
);

/** DeepSeek V3 (arguments in a fenced block after the name) and V3.1 (arguments directly after it). */
function deepseek(id: string, title: string, isFenced: boolean): Syntax {
  return {
    id,
    title,
    tier: "model",
    grammar: {
      quoting: "fences",
      startInReasoning: "think",
      openings: [...reasoningOpenings, { at: "anywhere", on: [mark("calls▁begin")], to: "calls" }],
      states: {
        ...reasoningStates,
        calls: {
          type: "choice",
          skipSpace: true,
          edges: [
            { on: [mark("call▁begin")], do: [meant], to: "name" },
            { on: [mark("calls▁end")], to: "text" },
          ],
          otherwise: { type: "go", to: "text" },
        },
        name: {
          type: "choice",
          edges: isFenced
            ? [{ on: ["function", mark("sep"), toolName, blanks, lineEnd], do: [begin], to: "fence" }]
            : [{ on: [toolName, mark("sep")], do: [begin], to: "arguments" }],
          otherwise: losesName,
        },
        lost: lost(
          { on: [mark("call▁end")], do: [end], to: "calls" },
          { on: [mark("call▁begin")], do: [end, meant], to: "name" },
          { on: [mark("calls▁end")], do: [end], to: "text" },
        ),
        fence: {
          type: "choice",
          skipSpace: true,
          edges: [{ on: ["```json", blanks, lineEnd], to: "arguments" }],
          otherwise: { type: "problem", problem: broken, skip: "character" },
        },
        arguments: { type: "json", payload: { type: "arguments" }, to: "close" },
        close: {
          type: "choice",
          skipSpace: true,
          edges: isFenced
            ? [{ on: ["```", maybeLineEnd, mark("call▁end")], do: [end], to: "calls" }]
            : [{ on: [mark("call▁end")], do: [end], to: "calls" }],
          otherwise: { type: "problem", problem: broken, skip: "character" },
        },
      },
    },
    writing: {
      type: "json",
      wrapper: [mark("calls▁begin"), mark("calls▁end")],
      call: isFenced
        ? [`${mark("call▁begin")}function${mark("sep")}{name}\n\`\`\`json\n`, `\n\`\`\`${mark("call▁end")}`]
        : [`${mark("call▁begin")}{name}${mark("sep")}`, mark("call▁end")],
      between: isFenced ? "\n" : "",
      keys: null,
    },
    results: { open: "<｜tool▁output▁begin｜>", close: "<｜tool▁output▁end｜>" },
    explanation: "Call tools between the marks, each with its name and its arguments as JSON.",
  };
}

export const deepseekV3 = deepseek("deepseek-v3", "DeepSeek V3", true);
export const deepseekV31 = deepseek("deepseek-v3.1", "DeepSeek V3.1", false);
