import {
  ahead,
  begin,
  end,
  keyName,
  losesName,
  lost,
  maybeLineEnd,
  meant,
  namesNothing,
  parameter,
  space,
  toolName,
  valueEnd,
  type Action,
  type Edge,
  type Grammar,
  type Opening,
  type State,
  type TagForm,
  type Token,
} from "../base/grammar.ts";
import type { Writing } from "../base/syntax.ts";
import { unexpectedText, valueStates } from "./cdata.ts";
import type { Dialect } from "./dialect.ts";
import { guardOf } from "./dialect-guard.ts";
import { entityStates } from "./entities.ts";
import { chain, firstLiteral, isModelMark, splitAt, stepsOf, tokensOf, type SplitMark } from "./marks.ts";

/** The marks of a dialect with tags, taken apart; one for each prefix. */
interface TagMarks {
  readonly head: string;
  readonly tail: string;
  readonly callClose: string;
  readonly key: SplitMark;
  readonly typed: SplitMark | undefined;
  readonly valueClose: string;
}

const closeAheadMax = 76;

/** The marks of each prefix, and what is the same in all. */
interface TagShape {
  readonly dialect: Dialect;
  readonly marks: readonly [TagMarks, ...TagMarks[]];
  /** The part of the section's marks without white space around; empty without a section. */
  readonly sectionOpen: string;
  readonly sectionClose: string;
  /** The state after a call. */
  readonly after: "calls" | "text";
  /** Whether a value's end is only known by what follows. */
  readonly guesses: boolean;
  /** Whether values begin and end on lines of their own. */
  readonly hasLines: boolean;
}

/** The calls of a dialect with a pair of tags around each value. */
export function tagCalls(
  dialect: Dialect,
): Pick<Grammar, "openings" | "states" | "closesByGuess" | "guard" | "nested"> & { readonly writing: Writing } {
  const shape = shapeOf(dialect);
  const { guesses } = shape;
  const hasGuard = dialect.escape === "cdata";
  return {
    openings: [...objectOpenings(dialect), ...openingsOf(shape)],
    states: { ...callStates(shape), ...itemStates(shape), ...valueStatesOf(shape) },
    ...(guesses ? { closesByGuess: true } : {}),
    ...(hasGuard ? { guard: guardOf(guardPairs(shape)) } : {}),
    ...nestedOf(dialect),
    writing: writingOf(shape),
  };
}

/** The tags of elements in a value are those of a value, with the element's name for the parameter's. */
function nestedOf({ value: [open, close] = ["", ""], nested_item: item }: Dialect): Pick<Grammar, "nested"> {
  const [opening, closing] = [splitAt(open, "key"), splitAt(close, "key")];
  if (item === undefined || opening === undefined || closing === undefined) return {};
  const ends = { openEnd: opening.after, closeEnd: closing.after };
  return { nested: { open: opening.before, close: closing.before, ...ends, item } };
}

function shapeOf(dialect: Dialect): TagShape {
  const [callOpen = "", callClose = ""] = dialect.call ?? [];
  const [valueOpen = "", valueClose = ""] = dialect.value ?? [];
  const marks = (dialect.prefixes ?? [""]).map((prefix): TagMarks => {
    const put = (text: string): string => text.replaceAll("{prefix}", prefix);
    const name = splitAt(put(callOpen), "name") ?? { before: put(callOpen), after: "" };
    return {
      head: name.before.trim(),
      tail: name.after,
      callClose: put(callClose).trim(),
      key: splitAt(put(valueOpen), "key") ?? { before: put(valueOpen), after: "" },
      typed: dialect.typed_value === undefined ? undefined : splitAt(put(dialect.typed_value), "key"),
      valueClose: put(valueClose).trim(),
    };
  }) as unknown as [TagMarks, ...TagMarks[]];
  return {
    dialect,
    marks,
    sectionOpen: dialect.section?.[0].trim() ?? "",
    sectionClose: dialect.section?.[1].trim() ?? "",
    after: dialect.section === undefined ? "text" : "calls",
    guesses: !valueClose.includes("{key}") && dialect.escape === "cdata",
    hasLines: valueOpen.endsWith("\n"),
  };
}

/** What follows a name without a mark of its own. */
function behindName({ key, callClose }: TagMarks): Token {
  return ahead(["\n"], ["\r\n"], [firstLiteral(key.before)], [firstLiteral(callClose)]);
}

function nameTokens(mark: TagMarks): readonly Token[] {
  const tail = tokensOf(mark.tail);
  return tail.some((token) => typeof token === "string") ? [toolName, ...tail] : [toolName, behindName(mark)];
}

const shortHead = 24;

/** The state behind the first mark of a call, for each prefix. */
function headState(at: number): string {
  return `head${at}`;
}

/** A call whose arguments are one JSON object behind a mark of its own, with or without the group of its tool. */
function objectOpenings({ json_call: mark }: Dialect): readonly Opening[] {
  const split = mark === undefined ? undefined : splitAt(mark, "name");
  if (split === undefined) return [];
  const behind = [...tokensOf(split.after), space, ahead(["{"])];
  const group: readonly Token[] = [{ run: "name", min: 1, max: 24 }, "/"];
  return [[], group].map((before): Opening => ({
    at: "anywhere",
    on: [split.before, ...before, toolName, ...behind],
    do: [begin],
    to: "body",
  }));
}

function openingsOf({ dialect, marks, sectionOpen }: TagShape): readonly Opening[] {
  if (dialect.section !== undefined) {
    const bare = dialect.bare_calls === true ? marks : [];
    const toCalls: Opening[] = marks.map(({ head }) => ({
      at: "anywhere",
      on: [sectionOpen, space, ahead([firstLiteral(head).slice(0, shortHead)])],
      do: [meant],
      to: "calls",
    }));
    return [
      ...toCalls,
      ...bare.map((mark): Opening => ({
        at: "anywhere",
        on: [mark.head, ...nameTokens(mark), { knownTool: true }],
        do: [begin],
        to: "item",
      })),
    ];
  }
  return marks.flatMap((mark, at): readonly Opening[] => {
    const { head, callClose, key, tail } = mark;
    if (isModelMark(head)) return [{ at: "anywhere", on: stepsOf(head)[0] ?? [], do: [meant], to: headState(at) }];
    const isOpen = tokensOf(tail).every((token) => typeof token !== "string");
    return [
      { at: "anywhere", on: [head, ...nameTokens(mark)], do: [begin], to: "item" },
      ...(isOpen
        ? [
            {
              at: "anywhere" as const,
              on: [head, space, toolName, { knownTool: true as const }, behindName(mark)],
              do: [begin],
              to: "item",
            },
          ]
        : []),
      {
        at: "anywhere",
        on: [
          head,
          space,
          ahead([firstLiteral(key.before)], [firstLiteral(callClose)], ...(isOpen ? [] : [tokensOf(tail)])),
        ],
        do: [namesNothing],
        to: "lost",
      },
    ];
  });
}

/** Between calls, in a call's opening mark, and in a call that names nothing. */
function callStates(shape: TagShape): { readonly [name: string]: State } {
  const { dialect, marks, sectionOpen, sectionClose, after } = shape;
  const hasSection = dialect.section !== undefined;
  const ofAll = (make: (mark: TagMarks, at: number) => readonly Edge[]): readonly Edge[] => marks.flatMap(make);
  const heads = marks.map(({ head }) => stepsOf(head));
  const beginsCall = (actions: readonly Action[]): readonly Edge[] =>
    ofAll((_mark, at) => [{ on: heads[at]?.[0] ?? [], do: actions, to: headState(at) }]);
  return {
    ...(hasSection
      ? {
          calls: {
            type: "choice",
            skipSpace: true,
            edges: [...beginsCall([meant]), { on: [sectionClose], to: "text" }],
            otherwise: { type: "go", to: "text" },
          },
        }
      : {}),
    ...Object.assign(
      {},
      ...marks.map((mark, at) => {
        const [first, ...rest] = [...(heads[at]?.slice(1) ?? []), nameTokens(mark)];
        const steps = joinLast([first ?? [], ...rest]);
        return chain(headState(at), steps, { do: [begin], to: "item" }, losesName);
      }),
    ),
    lost: lost(
      ...ofAll(({ callClose }) => [{ on: tokensOf(callClose), do: [end], to: after }]),
      ...beginsCall([end, meant]),
      ...(hasSection
        ? [
            { on: [sectionClose], do: [end], to: "text" },
            { on: [sectionOpen], do: [end], to: "calls" },
          ]
        : []),
    ),
  };
}

/** Joins a short mark with the name that follows it, so that a mark without a name is no half of a call. */
function joinLast(steps: readonly (readonly Token[])[]): readonly (readonly Token[])[] {
  const [before, last] = [steps.at(-2), steps.at(-1)];
  if (before === undefined || last === undefined) return steps;
  const units = [...before, ...last].reduce((sum, token) => sum + (typeof token === "string" ? token.length : 0), 0);
  return units <= 14 ? [...steps.slice(0, -2), [...before, ...last]] : steps;
}

/** Between values, and in a value's opening mark. */
function itemStates({ dialect, marks, after }: TagShape): { readonly [name: string]: State } {
  const isTyped = dialect.typed_value !== undefined;
  const keyed = (at: number): string => `keyed${at}`;
  const back: Extract<State, { readonly type: "choice" }>["otherwise"] = {
    type: "problem",
    problem: unexpectedText,
    skip: "character",
    to: "item",
  };
  const closers: readonly Edge[] = marks.map(({ callClose }) => ({ on: tokensOf(callClose), do: [end], to: after }));
  const states: Record<string, State> = {
    item: {
      type: "choice",
      skipSpace: true,
      edges: [
        ...marks.map(({ key }, at): Edge => ({ on: [...tokensOf(key.before.trim()), keyName], to: keyed(at) })),
        ...closers,
        ...(dialect.json_body === true ? [{ on: [ahead(["{"])], to: "body" }] : []),
      ],
      otherwise: { type: "problem", problem: unexpectedText, skip: "character" },
    },
  };
  const hasObject = dialect.json_call !== undefined;
  if (dialect.json_body === true || hasObject) {
    // Some write all arguments as one object.
    states["body"] = { type: "json", payload: { type: "arguments" }, to: "bodyEnd" };
    states["bodyEnd"] = {
      type: "choice",
      skipSpace: true,
      edges: hasObject ? [...closers, { on: [], do: [end], to: after }] : closers,
      otherwise: { type: "problem", problem: unexpectedText, skip: "character" },
    };
  }
  for (const [at, { key, typed }] of marks.entries()) {
    const text = tokensOf(key.after.trimEnd());
    states[keyed(at)] = {
      type: "choice",
      edges: [
        { on: text, do: [parameter(isTyped ? "string" : "schema")], to: "value" },
        ...(typed === undefined ? [] : [{ on: tokensOf(typed.after.trimEnd()), do: [parameter("json")], to: "plain" }]),
        // The attribute with the type may be missing.
        ...(isTyped && /^".*>$/.test(key.after.trimEnd())
          ? [{ on: ['">'], do: [parameter("schema")], to: "value" }]
          : []),
      ],
      otherwise: back,
    };
  }
  return states;
}

function valueStatesOf({ dialect, marks, sectionClose, guesses, hasLines }: TagShape): {
  readonly [name: string]: State;
} {
  const lead: readonly Token[] = hasLines ? [maybeLineEnd] : [];
  const follows = ({ valueClose }: TagMarks): Token =>
    ahead(
      ...marks.flatMap(({ key, callClose }) =>
        [firstLiteral(key.before), firstLiteral(callClose)].map((text): readonly Token[] => [
          space,
          text.slice(0, Math.max(8, closeAheadMax - valueClose.length)),
        ]),
      ),
    );
  if (dialect.escape === "entities") return entityStates(marks.map(({ valueClose }) => [...lead, valueClose]));
  const [first] = marks;
  const inferred: readonly Edge[] = marks.map(({ valueClose, key, callClose }) => ({
    // A forgotten closing tag is inferred only where the next one begins a line, and the call's last where its section ends too.
    on: [
      { lineEnd: "only" },
      ahead([firstLiteral(key.before)], [callClose, ...(sectionClose === "" ? [] : [space, sectionClose])]),
    ],
    do: [{ type: "value-end", guessed: valueClose }],
    to: "item",
  }));
  return valueStates({
    lead,
    ends: [
      ...marks.map((mark): Edge => ({
        on: [...lead, mark.valueClose, ...(guesses ? [follows(mark)] : [])],
        do: [valueEnd],
        to: "item",
      })),
      ...(dialect.infer_close === true ? inferred : []),
    ],
    cdataClose: [...lead, first.valueClose],
    to: "item",
  });
}

function guardPairs({ dialect, marks }: TagShape): readonly (readonly [string, string, TagForm["around"]])[] {
  const prefixes = dialect.prefixes ?? [""];
  const [valueOpen = "", valueClose = ""] = dialect.value ?? [];
  const [callOpen = "", callClose = ""] = dialect.call ?? [];
  return [
    ...marks.flatMap((_mark, at) => {
      const put = (text: string): string => text.replaceAll("{prefix}", prefixes[at] ?? "");
      return [
        [put(valueOpen), put(valueClose), "value"],
        [put(callOpen), put(callClose), "call"],
      ] as const;
    }),
    ...(dialect.section === undefined ? [] : [[dialect.section[0], dialect.section[1], "call"] as const]),
  ];
}

function writingOf({ dialect, marks, hasLines }: TagShape): Writing {
  const [prefix = ""] = dialect.prefixes ?? [];
  const put = (text: string): string => text.replaceAll("{prefix}", prefix);
  const [callOpen = "", callClose = ""] = (dialect.call ?? []).map(put);
  const [valueOpen = "", valueClose = ""] = (dialect.value ?? []).map(put);
  const [sectionOpen, sectionClose] = dialect.section ?? ["", ""];
  const isEach = dialect.section_each === true;
  return {
    type: "fields",
    wrapper: isEach ? ["", ""] : [sectionOpen, sectionClose],
    call: isEach ? [`${sectionOpen}${callOpen}`, `${callClose}${sectionClose}`] : [callOpen, callClose],
    between: dialect.between,
    field: [valueOpen, valueClose],
    ...(dialect.typed_value === undefined ? {} : { typedField: put(dialect.typed_value) }),
    avoid:
      dialect.escape === "entities"
        ? []
        : [...marks.map(({ valueClose: mark }) => mark), "<![CDATA[", ...(hasLines ? ["\r"] : [])],
    lists: "json",
    ...(dialect.escape === "entities" ? { escape: "entities" as const } : {}),
  };
}
