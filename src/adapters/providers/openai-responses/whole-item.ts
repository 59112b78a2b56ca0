import type { JsonObject } from "../../../core/base/json.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import { callEnded, callGrown } from "../shared/call-parts.ts";
import type { Decoded } from "../shared/codec.ts";
import { listAt, textAt, withoutKeys } from "../shared/json-read.ts";
import { nativeOf } from "../shared/native.ts";
import { responsesApi } from "./api.ts";
import { put, sourceOf, type DecodeState, type Item, type OpenPart } from "./decode-state.ts";
import { contradicts, itemAdded, partGrew } from "./growing-item.ts";
import { callExtras, partExtras, readReasoning } from "./item.ts";

/** Closes an item by its whole form, so that missing pieces are filled in. */
export function itemDone(state: DecodeState, at: number, item: JsonObject): Decoded<DecodeState> {
  const known = state.items.get(at);
  if (known?.type === "done") return { state, parts: [] };
  const opened = known === undefined ? itemAdded(state, at, item) : { state, parts: [] };
  const open = opened.state.items.get(at);
  const closed = ((): Decoded<DecodeState> => {
    // Nothing is kept at the provider, so the ids of its items mean nothing to later requests.
    const said = withoutKeys(item, "id", "status");
    if (open?.type === "message") return messageDone(opened.state, at, said);
    if (open?.type === "reasoning") return reasoningDone(opened.state, open, said);
    if (open?.type === "call") return callDone(opened.state, open, said);
    if (open?.type === "custom-call") return customCallDone(opened.state, open.index, said);
    return open?.type === "unread" ? opaqueDone(opened.state, open.index, item) : { state: opened.state, parts: [] };
  })();
  return { state: put(closed.state, at, { type: "done" }), parts: [...opened.parts, ...closed.parts] };
}

function messageDone(state: DecodeState, at: number, item: JsonObject): Decoded<DecodeState> {
  const parts: StreamPart[] = [];
  let current = state;
  const content = listAt(item, "content");
  // Servers that number reasoning within a reply number its text from 1.
  const before = current.items.get(at);
  const numbers = before?.type === "message" ? [...before.parts.keys()] : [];
  const shift = Math.max(0, ...numbers.map((part) => part - content.length + 1));
  for (const [place, whole] of content.entries()) {
    const part = place + shift;
    const type = textAt(whole, "refusal") === undefined ? "text" : "refusal";
    const rest = restOf(openPart(current, at, part)?.sent ?? "", textAt(whole, type) ?? "");
    const grown = partGrew(current, at, { part, type, text: rest });
    current = grown.state;
    parts.push(...grown.parts);
  }
  const open = current.items.get(at);
  for (const [part, { type, index }] of open?.type === "message" ? open.parts : []) {
    const first = open?.type === "message" && index === open.index;
    const native = nativeOf(sourceOf(state), partExtras(item, content[part - shift], first));
    parts.push(
      type === "refusal" ? { type: "refusal", index, text: "", ...native } : { type: "text-end", index, ...native },
    );
  }
  return { state: current, parts };
}

function openPart(state: DecodeState, at: number, part: number): OpenPart | undefined {
  const item = state.items.get(at);
  return item?.type === "message" ? item.parts.get(part) : undefined;
}

function reasoningDone(
  state: DecodeState,
  open: Extract<Item, { readonly type: "reasoning" }>,
  item: JsonObject,
): Decoded<DecodeState> {
  const { text, signature, data } = readReasoning(item);
  const rest = restOf(open.sent, text);
  const { index } = open;
  return {
    state,
    parts: [
      ...(rest === "" ? [] : [{ type: "thinking-delta" as const, index, text: rest }]),
      {
        type: "thinking-end",
        index,
        ...(signature === undefined ? {} : { signature }),
        ...nativeOf(sourceOf(state), data),
      },
    ],
  };
}

function callDone(
  state: DecodeState,
  open: Extract<Item, { readonly type: "call" }>,
  item: JsonObject,
): Decoded<DecodeState> {
  const whole = textAt(item, "arguments");
  const rest = restOf(open.sent, whole ?? "");
  const { index } = open;
  // A field of another kind in place of the arguments says that something is wrong with the item.
  const isOdd =
    whole === undefined &&
    Object.keys(item).some((key) => key !== "type" && key !== "call_id" && key !== "name") &&
    open.sent === "";
  // The whole form mends a piece that could not be read, as long as the pieces before it fit.
  const isBroken = isOdd || contradicts(open.sent, whole ?? "") || (open.isBroken && open.sent + rest !== whole);
  return {
    state,
    parts: [...callGrown(index, rest), callEnded(index, sourceOf(state), callExtras(item), isBroken)],
  };
}

/** A call with plain-text input becomes a call with one argument. */
function customCallDone(state: DecodeState, index: number, item: JsonObject): Decoded<DecodeState> {
  const input = textAt(item, "input");
  // Without its whole form the input is unknown, and the call must not run.
  if (input === undefined) return { state, parts: [] };
  return {
    state,
    parts: [...callGrown(index, JSON.stringify({ input })), callEnded(index, sourceOf(state), callExtras(item))],
  };
}

function opaqueDone(state: DecodeState, index: number, item: JsonObject): Decoded<DecodeState> {
  if (item["type"] === undefined) return { state, parts: [] };
  return { state, parts: [{ type: "opaque", index, api: responsesApi, raw: item }] };
}

/** The unsent rest of a whole text. Text that was sent cannot be changed. */
function restOf(sent: string, whole: string): string {
  return whole.startsWith(sent) ? whole.slice(sent.length) : "";
}
