import {
  ahead,
  begin,
  end,
  keyName,
  lost,
  namesNothing,
  parameter,
  space,
  toolName,
  valueEnd,
} from "../base/grammar.ts";
import type { Syntax } from "../base/syntax.ts";
import { inCdata, unexpectedText, valueStates } from "./cdata.ts";
import { reasoningOpenings, reasoningStates } from "./reasoning-tags.ts";

/** `<tool_call>NAME` with pairs of key and value; the tags carry a prefix in some models. */
function pairsSyntax(id: string, title: string, prefix: string): Syntax {
  const tag = (name: string): string => `<${prefix}${name}>`;
  const closing = (name: string): string => `</${prefix}${name}>`;
  return {
    id,
    title,
    tier: "model",
    grammar: {
      quoting: "fences-and-block-quotes",
      startInReasoning: prefix === "" ? "think" : "longcatThink",
      closesByGuess: true,
      guard: {
        type: "tags",
        tags: [
          { around: "value", open: tag("arg_key"), close: closing("arg_key") },
          { around: "value", open: tag("arg_value"), close: closing("arg_value") },
          { around: "call", open: tag("tool_call"), close: closing("tool_call") },
        ],
        instead: inCdata,
      },
      openings: [
        ...reasoningOpenings,
        {
          at: "anywhere",
          on: [tag("tool_call"), toolName, ahead(["\n"], ["\r\n"], [`<${prefix}arg_key`], [closing("tool_call")])],
          do: [begin],
          to: "item",
        },
        {
          at: "anywhere",
          on: [
            tag("tool_call"),
            space,
            toolName,
            { knownTool: true },
            ahead(["\n"], ["\r\n"], [`<${prefix}arg_key`], [closing("tool_call")]),
          ],
          do: [begin],
          to: "item",
        },
        {
          at: "anywhere",
          on: [tag("tool_call"), space, ahead([tag("arg_key")], [closing("tool_call")])],
          do: [namesNothing],
          to: "lost",
        },
      ],
      states: {
        lost: lost({ on: [closing("tool_call")], do: [end], to: "text" }),
        ...reasoningStates,
        item: {
          type: "choice",
          skipSpace: true,
          edges: [
            {
              on: [tag("arg_key"), keyName, closing("arg_key")],
              to: "pair",
            },
            { on: [closing("tool_call")], do: [end], to: "text" },
          ],
          otherwise: { type: "problem", problem: unexpectedText, skip: "character" },
        },
        pair: {
          type: "choice",
          skipSpace: true,
          edges: [{ on: [tag("arg_value")], do: [parameter("schema")], to: "value" }],
          otherwise: { type: "problem", problem: unexpectedText, skip: "character" },
        },
        ...valueStates({
          lead: [],
          ends: [
            {
              on: [closing("arg_value"), ahead([space, tag("arg_key")], [space, closing("tool_call")])],
              do: [valueEnd],
              to: "item",
            },
          ],
          cdataClose: [closing("arg_value")],
          to: "item",
        }),
      },
    },
    writing: {
      type: "fields",
      wrapper: ["", ""],
      call: [`${tag("tool_call")}{name}\n`, closing("tool_call")],
      between: "\n",
      field: [`${tag("arg_key")}{key}${closing("arg_key")}\n${tag("arg_value")}`, `${closing("arg_value")}\n`],
      avoid: [closing("arg_value"), "<![CDATA["],
      lists: "json",
    },
    results: { open: "<tool_response>\n", close: "\n</tool_response>" },
    explanation:
      "Call a tool by writing its name and pairs of key and value between the tags. Write each value exactly as it is; lists and objects are JSON.",
  };
}

/** GLM 4.5 to 5, Ling 3. */
export const glm = pairsSyntax("glm", "GLM", "");
export const longcat = pairsSyntax("longcat", "LongCat", "longcat_");
