import { ahead, end, meant, problem, space } from "../base/grammar.ts";
import type { Syntax } from "../base/syntax.ts";
import { quotingOf } from "./mark-quoting.ts";
import { reasoningOpenings, reasoningStates } from "./reasoning-tags.ts";

const callKeys = { nameKeys: ["name"], argumentKeys: ["arguments", "parameters"], idKeys: ["id"] } as const;

const unclosed = (close: string) =>
  problem(
    "MALFORMED_CALL",
    `{name}: expected ${close} after the call's JSON, not '{found}'. The call was not run: write it again.`,
  );

/** One JSON object with the tool's name and its arguments between tags. */
function taggedCall(id: string, title: string, open: string, close: string): Syntax {
  return {
    id,
    title,
    tier: "model",
    grammar: {
      quoting: quotingOf(open),
      startInReasoning: "think",
      openings: [
        ...reasoningOpenings,
        { at: "anywhere", on: [open, space, ahead(["{"])], do: [meant], to: "call" },
        { at: "anywhere", on: [open, space, ahead(["[", space, "{"])], do: [meant], to: "calls" },
      ],
      states: {
        calls: { type: "json", payload: { type: "calls", ...callKeys }, to: "listClose" },
        listClose: {
          type: "choice",
          skipSpace: true,
          edges: [{ on: [close], to: "text" }],
          otherwise: { type: "go", to: "text" },
        },
        ...reasoningStates,
        call: { type: "json", payload: { type: "call", ...callKeys }, to: "close" },
        close: {
          type: "choice",
          skipSpace: true,
          edges: [{ on: [close], do: [end], to: "text" }],
          otherwise: { type: "problem", problem: unclosed(close), skip: "character" },
        },
      },
    },
    writing: {
      type: "json",
      wrapper: ["", ""],
      call: [`${open}\n`, `\n${close}`],
      between: "\n",
      keys: { name: "name", arguments: "arguments" },
    },
    results: { open: "<tool_response>\n", close: "\n</tool_response>" },
    explanation: "Call a tool by writing one JSON object with its name and its arguments between the tags.",
  };
}

/** A JSON list of such objects, between tags or after one. */
function listedCalls(
  id: string,
  title: string,
  open: string,
  close: string,
  keys = { nameKeys: ["name"], argumentKeys: ["arguments", "parameters"], idKeys: ["id"] },
  startInReasoning = "think",
): Syntax {
  return {
    id,
    title,
    tier: "model",
    grammar: {
      quoting: quotingOf(open),
      startInReasoning,
      openings: [
        ...reasoningOpenings,
        { at: "anywhere", on: [open, space, ahead(["[", space, "{"])], do: [meant], to: "calls" },
        ...(close === ""
          ? []
          : [{ at: "anywhere", on: [open, space, ahead(["{"])], do: [meant], to: "call" } as const]),
      ],
      states: {
        ...reasoningStates,
        call: { type: "json", payload: { type: "call", ...keys }, to: "callClose" },
        callClose: {
          type: "choice",
          skipSpace: true,
          edges: close === "" ? [] : [{ on: [close], do: [end], to: "text" }],
          otherwise: { type: "problem", problem: unclosed(close), skip: "character" },
        },
        calls: { type: "json", payload: { type: "calls", ...keys }, to: close === "" ? "text" : "close" },
        close: {
          type: "choice",
          skipSpace: true,
          edges: close === "" ? [] : [{ on: [close], to: "text" }],
          otherwise: { type: "go", to: "text" },
        },
      },
    },
    writing: {
      type: "json",
      wrapper: [`${open}[`, `]${close}`],
      call: ["", ""],
      between: ", ",
      keys: { name: keys.nameKeys[0] ?? "name", arguments: keys.argumentKeys[0] ?? "arguments" },
    },
    results: { open: "<tool_response>\n", close: "\n</tool_response>" },
    explanation:
      "Call tools by writing a JSON list of objects, each with a tool's name and its arguments, behind the mark.",
  };
}

export const hermes = taggedCall("hermes", "Hermes", "<tool_call>", "</tool_call>");
export const toolRequest = taggedCall("tool-request", "Tool request", "[TOOL_REQUEST]", "[END_TOOL_REQUEST]");
export const nemotron = listedCalls("nemotron", "Nemotron", "<TOOLCALL>", "</TOOLCALL>");
export const toolCallsList = listedCalls("tool-calls-list", "List of tool calls", "<tool_calls>", "</tool_calls>");
export const functools = listedCalls("functools", "Functools", "functools", "");
export const granite = listedCalls("granite", "Granite", "<|tool_call|>", "");
export const cohere = listedCalls(
  "cohere",
  "Cohere Command",
  "<|START_ACTION|>",
  "<|END_ACTION|>",
  {
    nameKeys: ["tool_name"],
    argumentKeys: ["parameters"],
    idKeys: ["tool_call_id"],
  },
  "cohereThink",
);
