import type { ErrorCode } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";

/** What one stretch of a reply is. Pieces of one kind (and of one parameter) that follow each other are one. */
export type FragmentBody =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** Tags that belong to no call: around reasoning, channels, wrappers. */
  | { readonly type: "markup" }
  /** `call` counts the calls of a reply from 0. */
  | { readonly type: "call-start"; readonly call: number; readonly name: string; readonly id?: string }
  /** `isJson`: the pieces are JSON, so that they are no text even where the schema wants one. */
  | { readonly type: "parameter-start"; readonly call: number; readonly name: string; readonly isJson?: true }
  /** A piece of a value as text, without its escapes; a value that is no string comes in one piece. */
  | { readonly type: "parameter"; readonly call: number; readonly name: string; readonly text: string }
  | { readonly type: "parameter-end"; readonly call: number; readonly name: string }
  /** The call is complete and valid: only now may it run. */
  | CallEnd
  /** The call is over and must not run; the message is for the model. */
  | {
      readonly type: "call-error";
      readonly call: number;
      readonly name: string;
      readonly code: ErrorCode;
      readonly message: string;
    }
  /** A call of a tool that is not shown: this instead of all other fragments of the call. */
  | (Omit<CallEnd, "type"> & { readonly type: "hidden-call" })
  /** A call that the policy does not allow. The reply is over; `keep` is where the last allowed call ended. */
  | { readonly type: "call-refused"; readonly name: string; readonly keep: number }
  /** Text after the last call that the policy allows. The reply is over. */
  | { readonly type: "stop"; readonly keep: number }
  /** What came after the reply was over. */
  | { readonly type: "dropped" }
  /** At the end of a reply without calls: a call of a known tool stood where it is not read. */
  | { readonly type: "quoted-call"; readonly name: string; readonly where: "fence" | "reasoning" };

interface CallEnd {
  readonly type: "call-end";
  readonly call: number;
  readonly name: string;
  readonly parameters: JsonObject;
  /** The arguments as they came, where they came as JSON. */
  readonly json?: string;
  /** What was kept although it was not quite as the schema asks. */
  readonly warnings: readonly string[];
}

/** A stretch [start, end) of the reply in UTF-16 units, and what it is. The fragments of a reply tile it. */
export type Fragment = FragmentBody & { readonly start: number; readonly end: number };

/** The same fragments with pieces that follow each other joined: equal for every way in which the input was cut. */
export function mergeFragments(fragments: readonly Fragment[]): readonly Fragment[] {
  const merged: Fragment[] = [];
  for (const fragment of fragments) {
    const last = merged.at(-1);
    const joined = last === undefined ? undefined : join(last, fragment);
    if (joined === undefined) merged.push(fragment);
    else merged[merged.length - 1] = joined;
  }
  return merged;
}

function join(a: Fragment, b: Fragment): Fragment | undefined {
  if (a.type === "text" && b.type === "text") return { ...a, text: a.text + b.text, end: b.end };
  if (a.type === "reasoning" && b.type === "reasoning") return { ...a, text: a.text + b.text, end: b.end };
  if (a.type === "parameter" && b.type === "parameter" && a.call === b.call && a.name === b.name) {
    return { ...a, text: a.text + b.text, end: b.end };
  }
  return (a.type === "markup" || a.type === "dropped") && a.type === b.type ? { ...a, end: b.end } : undefined;
}
