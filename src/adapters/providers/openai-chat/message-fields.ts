import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import { listAt } from "../shared/json-read.ts";
import type { DecodeState } from "./decode-state.ts";

/** The fields of a message that are read, or that mean nothing to later requests. */
export const readFields: ReadonlySet<string> = new Set(
  "role,content,refusal,tool_calls,function_call,annotations,images,audio,executed_tools,reasoning,reasoning_content,reasoning_text,reasoning_details,token_ids".split(
    ",",
  ),
);

/** Keeps the fields of a message that Heddle has no term for; the last value of each counts. */
export function withRest(state: DecodeState, delta: JsonObject): DecodeState {
  const ran = listAt(delta, "executed_tools").filter(isJsonObject);
  const rest = Object.entries(delta).filter(([key, value]) => !readFields.has(key) && value !== null && value !== "");
  if (rest.length === 0 && ran.length === 0) return state;
  const executed = [...state.executed];
  for (const tool of ran) {
    const at = executed.findIndex((known) => known["index"] !== undefined && known["index"] === tool["index"]);
    if (at === -1) executed.push(tool);
    else executed[at] = { ...executed[at], ...tool };
  }
  return { ...state, executed, fields: { ...state.fields, ...Object.fromEntries(rest) } };
}
