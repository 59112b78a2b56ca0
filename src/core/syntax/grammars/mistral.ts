import { ahead, begin, meant, problem, space, toolName } from "../base/grammar.ts";
import type { Syntax } from "../base/syntax.ts";
import { reasoningOpenings, reasoningStates } from "./reasoning-tags.ts";

/** `[TOOL_CALLS]` before a JSON list (to v7), a name and its arguments (v11), or name, id and arguments (v13). */
export const mistral: Syntax = {
  id: "mistral",
  title: "Mistral",
  tier: "model",
  models: "Mistral, Ministral, Magistral, Devstral",
  sources: [
    "https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/function_call/mistral_detector.py",
    "https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/mistral_tool_parser.py",
  ],
  grammar: {
    quoting: "fences",
    startInReasoning: "mistralThink",
    openings: [
      ...reasoningOpenings,
      { at: "anywhere", on: ["[TOOL_CALLS]", space, ahead(["[", space, "{"])], do: [meant], to: "calls" },
      { at: "anywhere", on: ["[TOOL_CALLS]", toolName, ahead(["{"], ["["])], do: [begin], to: "arguments" },
    ],
    states: {
      ...reasoningStates,
      calls: {
        type: "json",
        payload: { type: "calls", nameKeys: ["name"], argumentKeys: ["arguments"], idKeys: ["id"] },
        to: "text",
      },
      arguments: {
        type: "choice",
        edges: [
          { on: ["[CALL_ID]", { run: "id", min: 1, max: 40 }, "[ARGS]"], to: "json" },
          { on: ["[ARGS]"], to: "json" },
          { on: [ahead(["{"])], to: "json" },
        ],
        otherwise: {
          type: "problem",
          problem: problem(
            "MALFORMED_CALL",
            "{name}: expected its arguments, not '{found}'. The call was not run: write it again.",
          ),
          skip: "character",
        },
      },
      json: { type: "json", payload: { type: "arguments" }, to: "text" },
    },
  },
  writing: {
    type: "json",
    wrapper: ["", ""],
    call: ["[TOOL_CALLS]{name}[ARGS]", ""],
    between: "",
    keys: null,
  },
  results: { open: "[TOOL_RESULTS]", close: "[/TOOL_RESULTS]" },
  explanation: "Call a tool by writing [TOOL_CALLS], its name, [ARGS] and its arguments as JSON.",
};
