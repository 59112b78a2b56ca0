import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import { callGrown, callStarted } from "../shared/call-parts.ts";
import type { Decoded } from "../shared/codec.ts";
import { numberAt, objectAt, textAt, withoutKeys } from "../shared/json-read.ts";
import { closed, closing, type DecodeState, type OpenCall, withBrokenCalls } from "./decode-state.ts";

/** Reads a piece of a call. */
export function callTool(state: DecodeState, delta: JsonObject): Decoded<DecodeState> {
  // Some servers send every kind of call in each piece, empty where it is another.
  const custom = delta["type"] === "custom" || delta["function"] === undefined ? objectAt(delta, "custom") : undefined;
  const called = custom ?? objectAt(delta, "function");
  const name = textAt(called, "name") ?? "";
  const id = textAt(delta, "id") ?? "";
  const at = numberAt(delta, "index");
  const args: unknown = called?.["arguments"];
  const text = typeof args === "string" ? args : isJsonObject(args) ? JSON.stringify(args) : "";
  const input = textAt(custom, "input");
  const place = placeOf(state.calls, { at, id, name });
  const known = state.calls[place] ?? {
    at,
    id: undefined,
    started: undefined,
    early: "",
    input: undefined,
    isBroken: false,
    extras: {},
  };
  const isLost = isUnread(called, name) && custom === undefined;
  const before = withCallExtras(isLost && !known.isBroken ? { ...known, isBroken: true } : known, delta, input);
  // A piece that names no call among several numbered ones may belong to any.
  const isNumbered = state.calls.length > 1 && state.calls.some((call) => call.at !== undefined);
  if (at === undefined && id === "" && name === "" && isNumbered) return { state: withBrokenCalls(state), parts: [] };
  if (before.started !== undefined) {
    const { index } = before.started;
    const grown = before === known ? state : { ...state, calls: put(state.calls, place, before) };
    return { state: grown, parts: callGrown(index, text) };
  }
  const ownId = before.id ?? (id === "" ? undefined : id);
  const early = before.early + text;
  if (name === "")
    return { state: { ...state, calls: put(state.calls, place, { ...before, id: ownId, early }) }, parts: [] };
  const index = state.nextIndex;
  return {
    state: {
      ...closed(state),
      nextIndex: index + 1,
      calls: put(state.calls, place, { ...before, id: ownId, started: { index }, early: "" }),
    },
    parts: [...closing(state), callStarted(index, { id: ownId, name }), ...callGrown(index, early)],
  };
}

/**
 * Whether a piece has something other than arguments in their place; only a call's first piece may have none, and then no
 * field that may be they under another name.
 */
function isUnread(called: JsonObject | undefined, name: string): boolean {
  const args = called?.["arguments"];
  if (typeof args === "string" || isJsonObject(args)) return false;
  if (args === undefined && Object.keys(called ?? {}).some((key) => /arg|param|input/i.test(key))) return true;
  return name === "" || (args !== undefined && args !== null);
}

/** The call with the fields of a piece besides its name and arguments, and with a custom tool's input. */
function withCallExtras(known: OpenCall, delta: JsonObject, input: string | undefined): OpenCall {
  const isPlain = delta["type"] === undefined || delta["type"] === "function" || delta["type"] === "";
  const added = withoutKeys(delta, "index", "id", "function", "custom", ...(isPlain ? ["type"] : []));
  const grown = input === undefined ? known : { ...known, input: (known.input ?? "") + input };
  return Object.keys(added).length === 0 ? grown : { ...grown, extras: { ...grown.extras, ...added } };
}

/**
 * Finds the call of a piece: the call with its number, unless the piece brings a new id and a name; without a number the
 * call with its id; without either the newest call, unless the piece brings a name. A position past the end is a new call.
 */
function placeOf(
  calls: readonly OpenCall[],
  piece: { readonly at: number | undefined; readonly id: string; readonly name: string },
): number {
  const fresh = calls.length;
  if (piece.at !== undefined) {
    const found = calls.findLastIndex((call) => call.at === piece.at);
    const call = calls[found];
    if (call === undefined) return fresh;
    const another = piece.id !== "" && call.id !== undefined && call.id !== piece.id && piece.name !== "";
    return another ? fresh : found;
  }
  if (piece.id !== "") {
    const found = calls.findLastIndex((call) => call.id === piece.id);
    return found === -1 ? fresh : found;
  }
  return piece.name === "" && fresh > 0 ? fresh - 1 : fresh;
}

function put(calls: readonly OpenCall[], place: number, call: OpenCall): readonly OpenCall[] {
  return place === calls.length ? [...calls, call] : calls.with(place, call);
}
