import type { JsonObject } from "../../../core/base/json.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import { nativeOf, type NativeSource } from "./native.ts";

/** The parts of a tool call, which every format tells in another way. */

/** A call begins. One that has no id of its own is named by its place. */
export function callStarted(
  index: number,
  said: { readonly id: string | undefined; readonly name: string },
): StreamPart {
  return { type: "tool-call-start", index, id: said.id ?? `call_${index}`, name: said.name };
}

/** Its arguments grow by a piece of JSON; by nothing, where that is empty. */
export function callGrown(index: number, text: string): readonly StreamPart[] {
  return text === "" ? [] : [{ type: "tool-call-delta", index, text }];
}

/** It is whole, with what its API wants back beside name and arguments. */
export function callEnded(index: number, source: NativeSource, extras: JsonObject | undefined): StreamPart {
  return { type: "tool-call-end", index, ...nativeOf(source, extras) };
}
