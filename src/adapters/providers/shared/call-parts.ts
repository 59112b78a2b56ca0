import type { JsonObject } from "../../../core/base/json.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import { nativeOf, type NativeSource } from "./native.ts";

/** The stream parts of a tool call, shared by every format. */

/** Starts a call. A call without an id is named by its index. */
export function callStarted(
  index: number,
  said: { readonly id: string | undefined; readonly name: string },
): StreamPart {
  return { type: "tool-call-start", index, id: said.id ?? `call_${index}`, name: said.name };
}

/** Adds a piece of JSON to a call's arguments; returns nothing for an empty piece. */
export function callGrown(index: number, text: string): readonly StreamPart[] {
  return text === "" ? [] : [{ type: "tool-call-delta", index, text }];
}

/** Ends a call, with the fields besides name and arguments that its API needs back. */
export function callEnded(
  index: number,
  source: NativeSource,
  extras: JsonObject | undefined,
  isBroken = false,
): StreamPart {
  return {
    type: "tool-call-end",
    index,
    ...(isBroken ? { argumentsError: lostPiece } : {}),
    ...nativeOf(source, extras),
  };
}

/** Why a call does not run whose arguments may have a hole that leaves them valid JSON. */
const lostPiece =
  "A piece of the arguments was lost on the way or could not be read, so they may be wrong. The call was not run: send it again.";
