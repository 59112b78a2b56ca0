import {
  ahead,
  begin,
  end,
  losesName,
  lost,
  meant,
  problem,
  space,
  toolName,
  type Edge,
  type Grammar,
  type JsonPayload,
  type Opening,
  type Problem,
  type State,
  type Token,
} from "../base/grammar.ts";
import type { Writing } from "../base/syntax.ts";
import type { Dialect } from "./dialect.ts";
import { chain, isModelMark, splitAt, stepsOf, tokensOf } from "./marks.ts";

type CallPayload = Extract<JsonPayload, { readonly type: "call" | "calls" }>;
type JsonDialectParts = Pick<Grammar, "openings" | "states"> & { readonly writing: Writing };

/** The calls of a dialect whose arguments are JSON: the tool is named in the call's mark or in the JSON. */
export function jsonCalls(dialect: Dialect): JsonDialectParts {
  const [open = "", close = ""] = dialect.call ?? [];
  const name = splitAt(open, "name");
  const also = dialect.also ?? [];
  const given = name === undefined ? keyedCalls(dialect, [[open, close], ...also]) : namedCalls(dialect);
  const others = name === undefined || also.length === 0 ? { openings: [], states: {} } : keyedCalls(dialect, also);
  const [sectionOpen, sectionClose] = dialect.section ?? ["", ""];
  const isList = dialect.list === true;
  return {
    openings: [...given.openings, ...others.openings],
    states: { ...given.states, ...others.states },
    writing: {
      type: "json",
      wrapper: isList ? [`${open}[`, `]${close}`] : [sectionOpen, sectionClose],
      call: isList ? ["", ""] : [open, close],
      between: isList ? ", " : dialect.between,
      keys: dialect.name_is_key === true ? null : (dialect.keys ?? (name === undefined ? usualKeys : null)),
      ...(dialect.name_is_key === true ? { namesByKey: true } : {}),
    },
  };
}

const usualKeys = { name: "name", arguments: "arguments" } as const;

const unclosed = (close: string): Problem =>
  problem(
    "MALFORMED_CALL",
    `{name}: expected ${close} after the call's JSON, not '{found}'. The call was not run: write it again.`,
  );

const wrongMark: Problem = problem(
  "MALFORMED_CALL",
  "{name}: the call has a wrong mark at '{found}'. It was not run: write it again.",
);

const skipping = (told: Problem): Extract<State, { readonly type: "choice" }>["otherwise"] => ({
  type: "problem",
  problem: told,
  skip: "character",
});

/** Calls whose mark names the tool. */
function namedCalls(dialect: Dialect): Pick<Grammar, "openings" | "states"> {
  const [open = "", close = ""] = dialect.call ?? [];
  const { before, after } = splitAt(open, "name") ?? { before: open, after: "" };
  const heads = stepsOf(before.trim());
  const tail = tokensOf(after);
  const closer = tokensOf(close.trim());
  const [section, sectionEnd] = (dialect.section ?? ["", ""]).map((mark) => mark.trim()) as [string, string];
  const next = section === "" ? "text" : "calls";
  const first = heads[0] ?? [];
  const tailStart = tail.find((token) => typeof token === "string");
  const isFirst = tailStart === tail[0];
  const behind: Token = ahead(
    tailStart === undefined ? [space, "{"] : [...(isFirst ? [] : [space]), tailStart.slice(0, 12)],
  );
  const begins: Edge = { on: first, do: [meant], to: "head" };
  const opening: readonly Opening[] =
    section !== ""
      ? [{ at: "anywhere", on: [section, space, ahead([first[0] ?? ""])], do: [meant], to: "calls" }]
      : isModelMark(before) && dialect.text_marks?.includes(before) !== true
        ? [{ ...begins, at: "anywhere" }]
        : [{ at: "anywhere", on: [...tokensOf(before.trim()), toolName, behind], do: [begin], to: "tail" }];
  return {
    openings: opening,
    states: {
      ...(section === ""
        ? {}
        : {
            calls: {
              type: "choice",
              skipSpace: true,
              edges: [begins, { on: [sectionEnd], to: "text" }],
              otherwise: { type: "go", to: "text" },
            },
          }),
      ...chain("head", [...heads.slice(1), [toolName, behind]], { do: [begin], to: "tail" }, losesName),
      ...chain("tail", [...stepsOf(after), []], { to: "arguments" }, skipping(wrongMark)),
      lost: lost(
        ...(closer.length === 0 ? [] : [{ on: closer, do: [end], to: next }]),
        { on: first, do: [end, meant], to: "head" },
        ...(section === "" ? [] : [{ on: [sectionEnd], do: [end], to: "text" }]),
      ),
      arguments: {
        type: "json",
        payload: dialect.keys === undefined ? { type: "arguments" } : { type: "call", ...namesOf(dialect) },
        to: "close",
      },
      close: {
        type: "choice",
        skipSpace: closer.length > 0,
        edges: [{ on: closer, do: [end], to: next }],
        otherwise: skipping(wrongMark),
      },
    },
  };
}

/** The keys of a call's JSON. */
function namesOf({ keys = usualKeys, name_is_key: namesByKey }: Dialect): Omit<CallPayload, "type"> {
  // Models mix the two usual keys up.
  const others = ["arguments", "parameters"].filter((key) => keys.name === "name" && key !== keys.arguments);
  return {
    nameKeys: [keys.name],
    argumentKeys: [keys.arguments, ...others],
    idKeys: ["id", "tool_call_id"],
    ...(namesByKey === true ? { namesByKey } : {}),
  };
}

/** Calls whose JSON names the tool. */
function keyedCalls(
  dialect: Dialect,
  pairs: readonly (readonly [string, string])[],
): Pick<Grammar, "openings" | "states"> {
  const keys = dialect.keys ?? usualKeys;
  const names = namesOf(dialect);
  const states: Record<string, State> = {};
  const openings: Opening[] = [];
  for (const [at, [open, close]] of pairs.entries()) {
    const mark = tokensOf(open.trim());
    const closer = tokensOf(close.trim());
    const [call, calls] = [`call${at}`, `calls${at}`];
    const place: Opening["at"] =
      dialect.calls === "fence" ? "line-start" : open.trim() === "" ? "reply-start" : "anywhere";
    const lists: Opening = {
      at: place,
      on: [...mark, space, ahead(["[", space, "{", ...(mark.length === 0 ? [space, `"${keys.name}"`] : [])])],
      do: [meant],
      to: calls,
    };
    const objects: Opening = { at: place, on: [...mark, space, ahead(["{"])], do: [meant], to: call };
    openings.push(
      ...(mark.length === 0 || (closer.length === 0 && dialect.list === true) ? [lists] : [objects, lists]),
    );
    const payload = (type: "call" | "calls"): JsonPayload => ({ type, ...names });
    states[call] = { type: "json", payload: payload("call"), to: `${call}End` };
    states[`${call}End`] = {
      type: "choice",
      skipSpace: closer.length > 0,
      edges: [{ on: closer, do: [end], to: "text" }],
      otherwise: skipping(unclosed(close.trim())),
    };
    states[calls] = { type: "json", payload: payload("calls"), to: closer.length === 0 ? "text" : `${calls}End` };
    states[`${calls}End`] = {
      type: "choice",
      skipSpace: true,
      edges: closer.length === 0 ? [] : [{ on: closer, to: "text" }],
      otherwise: { type: "go", to: "text" },
    };
  }
  const section = (dialect.section ?? []).map((mark): Opening => ({ at: "anywhere", on: [mark.trim()], to: "text" }));
  return { openings: [...openings, ...section], states };
}
