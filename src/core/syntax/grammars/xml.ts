import { ahead, begin, end, keyName, parameter, problem, space, toolName, valueEnd } from "../base/grammar.ts";
import type { Syntax } from "../base/syntax.ts";
import { inCdata, unexpectedText, valueStates } from "./cdata.ts";
import { reasoningOpenings, reasoningStates } from "./reasoning-tags.ts";

/** `<tool:NAME>` with a `<param:KEY>` for each value; a value is raw up to its own closing tag. */
export const xml: Syntax = {
  id: "xml",
  title: "XML",
  tier: "taught",
  models: "Any: the prompt explains it",
  sources: ["#xml-xml"],
  grammar: {
    quoting: "fences-and-spans",
    startInReasoning: "think",
    guard: {
      type: "tags",
      tags: [
        { around: "value", open: "<param:", openEnd: ">", close: "</param:", closeEnd: ">" },
        { around: "call", open: "<tool:", openEnd: ">", close: "</tool:", closeEnd: ">" },
      ],
      instead: inCdata,
    },
    openings: [
      ...reasoningOpenings,
      { at: "anywhere", on: ["<tool:", toolName, ">", { knownTool: true }], do: [begin], to: "item" },
      // An unknown name may be prose about tags; it counts as a call only when it continues like one.
      {
        at: "anywhere",
        on: ["<tool:", toolName, ">", ahead([space, "<param:"], [space, "</tool:"])],
        do: [begin],
        to: "item",
      },
    ],
    states: {
      ...reasoningStates,
      item: {
        type: "choice",
        skipSpace: true,
        edges: [
          { on: ["<param:", keyName, ">"], do: [parameter("schema")], to: "value" },
          { on: ["</tool:{name}>"], do: [end], to: "text" },
          {
            on: ["</tool:", { run: "name", min: 1, max: 64, into: "other" }, ">"],
            do: [
              {
                type: "problem",
                problem: problem(
                  "MALFORMED_CALL",
                  "{name}: the call was closed with </tool:{other}> instead of </tool:{name}>. It was not run: write it again.",
                ),
              },
              end,
            ],
            to: "text",
          },
          {
            on: ["<tool:", { run: "name", min: 1, max: 64, into: "other" }, ">"],
            do: [
              {
                type: "problem",
                problem: problem(
                  "MALFORMED_CALL",
                  "{name}: the call of {other} is inside it; close one call before the next. It was not run: write it again.",
                ),
              },
            ],
            to: "item",
          },
          {
            on: ["</param:", { run: "key", min: 1, max: 64, into: "other" }, ">"],
            do: [
              {
                type: "problem",
                problem: problem(
                  "MALFORMED_CALL",
                  "{name}: </param:{other}> closes a parameter that is not open. The call was not run: write it again.",
                ),
              },
            ],
            to: "item",
          },
        ],
        otherwise: { type: "problem", problem: unexpectedText, skip: "character" },
      },
      ...valueStates({
        lead: [],
        ends: [{ on: ["</param:{key}>"], do: [valueEnd], to: "item" }],
        cdataClose: ["</param:{key}>"],
        to: "item",
      }),
    },
  },
  writing: {
    type: "fields",
    wrapper: ["", ""],
    call: ["<tool:{name}>\n", "</tool:{name}>"],
    between: "\n",
    field: ["<param:{key}>", "</param:{key}>\n"],
    avoid: ["</param:{key}>", "<![CDATA["],
    lists: "repeated",
  },
  results: { open: '<result tool="{name}" outcome="{outcome}">\n', close: "\n</result>" },
  explanation:
    "Call a tool by writing its tags into your reply. Write each value between its tags exactly as it is, over several lines if needed, without entities; write a value that holds its own closing tag as <![CDATA[…]]>. A list is its parameter repeated, or JSON; objects are JSON.",
};
