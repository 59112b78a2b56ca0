import type { ErrorCode } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { explainReply, type Explanation } from "./explain-reply.ts";
import type { Fragment } from "./base/fragment.ts";
import type { Syntax } from "./base/syntax.ts";

/** One element of a reply as it was read, for people. Lines count from 1. */
export type ExplainedRow = { readonly line: number } & (
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | {
      readonly type: "call";
      readonly name: string;
      readonly parameters: JsonObject;
      readonly warnings: readonly string[];
    }
  | { readonly type: "error"; readonly name: string; readonly code: ErrorCode; readonly message: string }
  /** It looked like a call but was not read as one. */
  | { readonly type: "not-read"; readonly text: string; readonly why: string }
);

/** The tools, the policy, and how the reply ended. */
type HowRead = Parameters<typeof explainReply> extends [Syntax, string, ...infer Rest] ? Rest : never;

/** Lists a reply as it is read in a syntax, row by row in order. */
export function explainedRows(syntax: Syntax, reply: string, ...how: HowRead): readonly ExplainedRow[] {
  const lines = new LineCount(reply);
  const { fragments, remarks }: Explanation = explainReply(syntax, reply, ...how);
  const starts = new Map<number, number>();
  const rows = fragments.flatMap((fragment): readonly ExplainedRow[] => {
    if (fragment.type === "call-start") starts.set(fragment.call, lines.at(fragment.start));
    const begun = "call" in fragment ? starts.get(fragment.call) : undefined;
    return rowOf(fragment, (offset) => begun ?? lines.at(fragment.start + offset), reply);
  });
  const notRead = remarks.map((remark): ExplainedRow => ({ type: "not-read", ...remark }));
  return [...rows, ...notRead].toSorted((a, b) => a.line - b.line);
}

/** Whether everything that looked like a call was read as one, and every call may run. */
export function allUnderstood(rows: readonly ExplainedRow[]): boolean {
  return rows.every(({ type }) => type !== "error" && type !== "not-read");
}

function rowOf(fragment: Fragment, lineOf: (offset: number) => number, reply: string): readonly ExplainedRow[] {
  const line = lineOf(0);
  switch (fragment.type) {
    case "text":
    case "reasoning":
      // The row begins with the first word.
      return fragment.text.trim() === ""
        ? []
        : [{ type: fragment.type, line: lineOf(fragment.text.search(/\S/u)), text: fragment.text }];
    case "call-end":
    case "hidden-call": {
      const { name, parameters, warnings } = fragment;
      return [{ type: "call", line, name, parameters, warnings }];
    }
    case "call-error": {
      const { name, code, message } = fragment;
      return [{ type: "error", line, name, code, message }];
    }
    case "call-refused": {
      const why = "The policy allows no further call: the reply ends before this one.";
      return [{ type: "not-read", line, text: fragment.name, why }];
    }
    case "stop": {
      const text = firstLine(reply.slice(fragment.start));
      return [
        { type: "not-read", line, text, why: "The policy allows nothing after the last call: the reply ends there." },
      ];
    }
    case "quoted-call":
    case "call-start":
    case "parameter-start":
    case "parameter":
    case "parameter-end":
    case "markup":
    case "dropped":
      return [];
  }
}

const shownUnitsMax = 60;

function firstLine(text: string): string {
  return (text.trimStart().slice(0, shownUnitsMax).split("\n")[0] ?? "").toWellFormed();
}

/** Finds the lines of offsets that mostly rise. */
class LineCount {
  readonly #text: string;
  #line = 1;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  at(place: number): number {
    if (place < this.#at) {
      this.#at = 0;
      this.#line = 1;
    }
    for (; this.#at < place; this.#at += 1) if (this.#text.charCodeAt(this.#at) === 10) this.#line += 1;
    return this.#line;
  }
}
