import { type JsonObject, stableDeepEqual } from "../../../core/base/json.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import { callGrown, callStarted } from "../shared/call-parts.ts";
import type { Decoded } from "../shared/codec.ts";
import { parseJson, textAt } from "../shared/json-read.ts";
import { put, type DecodeState, type OpenPart } from "./decode-state.ts";
import { reasoningSeparator } from "./item.ts";

/** Items of a streamed reply: how each begins and grows. */

/** Starts an item; its kind decides whether its pieces are read. */
export function itemAdded(before: DecodeState, at: number, item: JsonObject): Decoded<DecodeState> {
  // An announced item cannot begin again, which would run a call twice.
  if (before.items.has(at)) return { state: before, parts: [] };
  const index = before.nextIndex;
  const id = textAt(item, "id");
  const placesById = id === undefined ? before.placesById : new Map(before.placesById).set(id, at);
  const state: DecodeState = { ...before, nextIndex: index + 1, placesById };
  switch (textAt(item, "type") ?? "") {
    case "message":
      return { state: put(state, at, { type: "message", index, parts: new Map() }), parts: [] };
    case "reasoning":
      return {
        state: put(state, at, { type: "reasoning", index, sent: "", part: undefined }),
        parts: [{ type: "thinking-start", index }],
      };
    case "function_call":
      return {
        state: put({ ...state, calledTools: true }, at, { type: "call", index, sent: "", isBroken: false }),
        parts: [callStart(item, index)],
      };
    case "custom_tool_call":
      if (ranAtServer(state, item)) return { state: put(state, at, { type: "unread", index }), parts: [] };
      return {
        state: put({ ...state, calledTools: true }, at, { type: "custom-call", index }),
        parts: [callStart(item, index)],
      };
    default:
      return { state: put(state, at, { type: "unread", index }), parts: [] };
  }
}

/** xAI reports the searches that it ran itself as calls of tools that the client never offered. */
function ranAtServer({ customTools }: DecodeState, item: JsonObject): boolean {
  return customTools !== undefined && !customTools.has(textAt(item, "name") ?? "");
}

/** Returns the part that starts a call. */
function callStart(item: JsonObject, index: number): StreamPart {
  return callStarted(index, { id: textAt(item, "call_id") ?? textAt(item, "id"), name: textAt(item, "name") ?? "" });
}

/** Grows a part of a message; its block starts with its first text. */
export function partGrew(
  state: DecodeState,
  at: number,
  grown: { readonly part: number; readonly type: OpenPart["type"]; readonly text: string },
): Decoded<DecodeState> {
  if (grown.text === "") return { state, parts: [] };
  const begun = itemAdded(state, at, { type: "message" }).state;
  const item = begun.items.get(at);
  if (item?.type !== "message") return { state, parts: [] };
  const before = item.parts.get(grown.part);
  const isFirst = item.parts.size === 0;
  const part = before ?? { type: grown.type, index: isFirst ? item.index : begun.nextIndex, sent: "" };
  const { index, type } = part;
  const parts = new Map(item.parts).set(grown.part, { ...part, sent: part.sent + grown.text });
  const fresh = before === undefined;
  return {
    state: {
      ...put(begun, at, { ...item, parts }),
      nextIndex: fresh && !isFirst ? index + 1 : begun.nextIndex,
      refused: begun.refused || type === "refusal",
    },
    parts:
      type === "refusal"
        ? [{ type: "refusal", index, text: grown.text }]
        : [...(fresh ? [{ type: "text-start" as const, index }] : []), { type: "text-delta", index, text: grown.text }],
  };
}

/** Adds the whole text of a part, for servers that send no pieces. */
export function partSaid(
  state: DecodeState,
  at: number,
  said: { readonly part: number; readonly text: string },
): Decoded<DecodeState> {
  const item = state.items.get(at);
  const isFirst = item === undefined || (item.type === "message" && item.parts.size === 0);
  return isFirst ? partGrew(state, at, { ...said, type: "text" }) : { state, parts: [] };
}

/** Adds the whole arguments of a call, for such servers, or compares the pieces with them. */
export function callSaid(state: DecodeState, at: number, text: string): Decoded<DecodeState> {
  const item = state.items.get(at);
  if (item?.type !== "call") return { state, parts: [] };
  if (item.sent === "") return callGrew(state, at, text);
  return contradicts(item.sent, text)
    ? { state: put(state, at, { ...item, isBroken: true }), parts: [] }
    : { state, parts: [] };
}

/** Whether the pieces of a call's arguments cannot be the beginning of their whole form. */
export function contradicts(sent: string, whole: string): boolean {
  if (sent === "" || whole === "" || whole.startsWith(sent)) return false;
  const [ours, theirs] = [parseJson(sent), parseJson(whole)];
  return ours === undefined || theirs === undefined || !stableDeepEqual(ours, theirs);
}

/** Grows a part of a reasoning item, even when the server did not announce the item. */
export function reasoningGrew(
  state: DecodeState,
  at: number,
  grown: { readonly part: string; readonly text: string },
): Decoded<DecodeState> {
  const added = itemAdded(state, at, { type: "reasoning" });
  const item = added.state.items.get(at);
  if (item?.type !== "reasoning" || grown.text === "") return added;
  const text = (item.part === undefined || item.part === grown.part ? "" : reasoningSeparator) + grown.text;
  return {
    state: put(added.state, at, { ...item, sent: item.sent + text, part: grown.part }),
    parts: [...added.parts, { type: "thinking-delta", index: item.index, text }],
  };
}

/** Grows the arguments of a call; undefined for a piece that could not be read. */
export function callGrew(state: DecodeState, at: number, text: string | undefined): Decoded<DecodeState> {
  const item = state.items.get(at);
  if (item?.type !== "call") return { state, parts: [] };
  if (text === undefined) return { state: put(state, at, { ...item, isBroken: true }), parts: [] };
  if (text === "") return { state, parts: [] };
  return {
    state: put(state, at, { ...item, sent: item.sent + text }),
    parts: callGrown(item.index, text),
  };
}
