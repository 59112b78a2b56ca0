import type { ErrorCode } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";

/** The role of one stretch of a reply. Adjacent pieces of one kind (and of one parameter) count as one. */
export type FragmentBody =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** Tags outside calls: around reasoning, channels, wrappers. */
  | { readonly type: "markup" }
  /** `call` counts the calls of a reply from 0. */
  | { readonly type: "call-start"; readonly call: number; readonly name: string; readonly id?: string }
  /** `isJson`: the pieces are JSON, not text, even when the schema wants text. */
  | { readonly type: "parameter-start"; readonly call: number; readonly name: string; readonly isJson?: true }
  /** A piece of a value as text, without its escapes; a non-string value comes in one piece. */
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
  /** A call of a hidden tool: replaces all other fragments of the call. */
  | (Omit<CallEnd, "type"> & { readonly type: "hidden-call" })
  /** A call that the policy refuses. The reply is over; `keep` is where the last allowed call ended. */
  | { readonly type: "call-refused"; readonly name: string; readonly keep: number }
  /** Text after the last call that the policy allows. The reply is over. */
  | { readonly type: "stop"; readonly keep: number }
  /** Input after the reply was over. */
  | { readonly type: "dropped" }
  /** At the end of a reply without calls: a call of a known tool was written where calls are not read. */
  | { readonly type: "quoted-call"; readonly name: string; readonly where: "fence" | "reasoning" };

interface CallEnd {
  readonly type: "call-end";
  readonly call: number;
  readonly name: string;
  readonly parameters: JsonObject;
  /** The arguments as received, when they came as JSON. */
  readonly json?: string;
  /** Notes on values that were kept although they do not quite fit the schema. */
  readonly warnings: readonly string[];
}

/** A stretch [start, end) of the reply in UTF-16 units, and its role. The fragments of a reply tile it. */
export type Fragment = FragmentBody & { readonly start: number; readonly end: number };

/** Joins adjacent pieces of fragments: the result is equal for every way of cutting the input. */
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
