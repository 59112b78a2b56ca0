import {
  ahead,
  begin,
  end,
  keyName,
  losesName,
  lost,
  meant,
  parameter,
  space,
  toolName,
  valueEnd,
  type Edge,
  type TagForm,
} from "../base/grammar.ts";
import type { Syntax } from "../base/syntax.ts";
import { inCdata, unexpectedText, valueStates } from "./cdata.ts";
import { quotingOf } from "./mark-quoting.ts";
import { reasoningOpenings, reasoningStates } from "./reasoning-tags.ts";

/** The differences between the members of the family. */
interface InvokeMarks {
  readonly id: string;
  readonly title: string;
  /** The element around the calls. */
  readonly wrapper: string;
  /** The text between `<` or `</` and `invoke` or `parameter`; the first is written, all are read. */
  readonly prefixes: readonly string[];
  /** Whether `string="true"` or `"false"` on a parameter says how to read its value. */
  readonly isTyped: boolean;
}

/** `<invoke name="NAME">` with a `<parameter name="KEY">` for each value, several in one wrapper. */
function invokeSyntax({ id, title, wrapper, prefixes, isTyped }: InvokeMarks): Syntax {
  const [prefix = ""] = prefixes;
  const all = (make: (prefix: string) => readonly Edge[]): readonly Edge[] => prefixes.flatMap(make);
  const wrapperOpen = `<${wrapper}>`;
  const closesValue = ahead(
    ...prefixes.flatMap((p) => [
      [space, `<${p}parameter name="`],
      [space, `</${p}invoke>`],
    ]),
  );
  return {
    id,
    title,
    tier: "model",
    grammar: {
      quoting: quotingOf(wrapperOpen),
      startInReasoning: "think",
      closesByGuess: true,
      guard: {
        type: "tags",
        tags: [
          ...prefixes.flatMap((p): TagForm[] => [
            { around: "value", open: `<${p}parameter name="`, openEnd: '"', openUntil: ">", close: `</${p}parameter>` },
            { around: "call", open: `<${p}invoke name="`, openEnd: '"', openUntil: ">", close: `</${p}invoke>` },
          ]),
          { around: "call", open: wrapperOpen, close: `</${wrapper}>` },
        ],
        instead: inCdata,
      },
      openings: [
        ...reasoningOpenings,
        ...prefixes.map((p) => ({
          at: "anywhere" as const,
          on: [wrapperOpen, space, `<${p}invoke name="`],
          do: [meant],
          to: "name",
        })),
      ],
      states: {
        ...reasoningStates,
        name: {
          type: "choice",
          edges: [{ on: [toolName, '">'], do: [begin], to: "item" }],
          otherwise: losesName,
        },
        lost: lost(
          ...all((p) => [
            { on: [`</${p}invoke>`], do: [end], to: "between" },
            { on: [`<${p}invoke name="`], do: [end, meant], to: "name" },
          ]),
          { on: [`</${wrapper}>`], do: [end], to: "text" },
        ),
        item: {
          type: "choice",
          skipSpace: true,
          edges: all((p) => [
            ...(isTyped
              ? [
                  {
                    on: [`<${p}parameter name="`, keyName, '" string="true">'],
                    do: [parameter("string")],
                    to: "value",
                  },
                  { on: [`<${p}parameter name="`, keyName, '" string="false">'], do: [parameter("json")], to: "plain" },
                ]
              : []),
            { on: [`<${p}parameter name="`, keyName, '">'], do: [parameter("schema")], to: "value" },
            { on: [`</${p}invoke>`], do: [end], to: "between" },
            ...(isTyped ? [{ on: [ahead(["{"])], to: "body" }] : []),
          ]),
          otherwise: { type: "problem", problem: unexpectedText, skip: "character" },
        },
        // Some write all arguments as one object.
        ...(isTyped ? { body: { type: "json", payload: { type: "arguments" }, to: "bodyEnd" } as const } : {}),
        bodyEnd: {
          type: "choice",
          skipSpace: true,
          edges: all((p) => [{ on: [`</${p}invoke>`], do: [end], to: "between" }]),
          otherwise: { type: "problem", problem: unexpectedText, skip: "character" },
        },
        between: {
          type: "choice",
          skipSpace: true,
          edges: [
            ...all((p) => [{ on: [`<${p}invoke name="`], do: [meant], to: "name" }]),
            { on: [`</${wrapper}>`], to: "text" },
          ],
          otherwise: { type: "go", to: "text" },
        },
        ...valueStates({
          lead: [],
          ends: all((p) => [{ on: [`</${p}parameter>`, closesValue], do: [valueEnd], to: "item" }]),
          cdataClose: [`</${prefix}parameter>`],
          to: "item",
        }),
      },
    },
    writing: {
      type: "fields",
      wrapper: [`${wrapperOpen}\n`, `\n</${wrapper}>`],
      call: [`<${prefix}invoke name="{name}">\n`, `</${prefix}invoke>`],
      between: "\n",
      field: [`<${prefix}parameter name="{key}"${isTyped ? ' string="true"' : ""}>`, `</${prefix}parameter>\n`],
      ...(isTyped ? { typedField: `<${prefix}parameter name="{key}" string="false">` } : {}),
      avoid: [...prefixes.map((p) => `</${p}parameter>`), "<![CDATA["],
      lists: "json",
    },
    results: {
      open: '<function_results>\n<result>\n<tool_name>{name}</tool_name>\n<output outcome="{outcome}">\n',
      close: "\n</output>\n</result>\n</function_results>",
    },
    explanation:
      "Call a tool by writing its tags into your reply, several calls inside one pair of outer tags. Write each value between its tags exactly as it is; lists and objects are JSON.",
  };
}

/** The text form of Anthropic's models. */
export const invoke: Syntax = invokeSyntax({
  id: "invoke",
  title: "Invoke",
  wrapper: "function_calls",
  prefixes: ["", "antml:"],
  isTyped: false,
});

export const minimax: Syntax = invokeSyntax({
  id: "minimax",
  title: "MiniMax M2",
  wrapper: "minimax:tool_call",
  prefixes: [""],
  isTyped: false,
});

export const deepseekDsml: Syntax = invokeSyntax({
  id: "deepseek-v3.2",
  title: "DeepSeek V3.2",
  wrapper: "｜DSML｜function_calls",
  prefixes: ["｜DSML｜"],
  isTyped: true,
});

export const deepseekV4: Syntax = invokeSyntax({
  id: "deepseek-v4",
  title: "DeepSeek V4",
  wrapper: "｜DSML｜tool_calls",
  prefixes: ["｜DSML｜"],
  isTyped: true,
});
