import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import { callEnded, callGrown, callStarted } from "../shared/call-parts.ts";
import type { Decoded } from "../shared/codec.ts";
import { listAt, objectAt, textAt, withoutKeys } from "../shared/json-read.ts";
import { nativeOf } from "../shared/native.ts";
import { interactionsApi } from "./api.ts";
import { type DecodeState, type OpenStep, put, sourceOf } from "./decode-state.ts";
import { callExtras, readThought, signatureOf } from "./step.ts";

/** Steps of a streamed reply: how each begins, grows and ends. */

type Step<Type extends OpenStep["type"]> = Extract<OpenStep, { readonly type: Type }>;

/** Starts a step. What it already holds is read as if it had come in pieces. */
export function stepStarted(before: DecodeState, at: number, step: JsonObject): Decoded<DecodeState> {
  // A step cannot begin again, which would run a call twice.
  if (before.steps.has(at)) return { state: before, parts: [] };
  const index = before.nextIndex;
  const state: DecodeState = { ...before, nextIndex: index + 1 };
  switch (textAt(step, "type") ?? "") {
    case "model_output": {
      const rest = withoutKeys(step, "type", "content");
      const open: OpenStep = { type: "output", index: undefined, annotations: [], begun: 0, rest };
      return grown(put(before, at, open), at, listAt(step, "content").filter(isJsonObject));
    }
    case "thought": {
      const { text, signature, data } = readThought(step);
      const kept = listAt(data, "summary").filter(isJsonObject);
      const rest = objectAt(data, "step") ?? {};
      return {
        state: put(state, at, { type: "thought", index, signature, kept, rest }),
        parts: [
          { type: "thinking-start", index },
          ...(text === "" ? [] : [{ type: "thinking-delta" as const, index, text }]),
        ],
      };
    }
    case "function_call": {
      const { arguments: given } = step;
      const isBroken = given !== undefined && !isJsonObject(given);
      const call: OpenStep = {
        type: "call",
        index,
        given: isJsonObject(given) ? given : undefined,
        extras: callExtras(step),
        isBroken: isBroken || hasRenamedArguments(step),
      };
      return {
        state: put({ ...state, calledTools: true }, at, call),
        parts: [callStarted(index, { id: textAt(step, "id"), name: textAt(step, "name") ?? "" })],
      };
    }
    default:
      return { state: put(state, at, { type: "unread", index, raw: step }), parts: [] };
  }
}

function hasRenamedArguments(step: JsonObject): boolean {
  return step["arguments"] === undefined && Object.keys(step).some((key) => key.startsWith("arguments"));
}

/** Adds contents to a step of the model's words, one after the other. */
function grown(state: DecodeState, at: number, contents: readonly JsonObject[]): Decoded<DecodeState> {
  const parts: StreamPart[] = [];
  let current = state;
  for (const content of contents) {
    const step = current.steps.get(at);
    if (step?.type !== "output") break;
    // A content that comes whole begins a block of its own.
    const closed = textClosed(current, at, step);
    const added = contentAdded(closed.state, at, content);
    current = added.state;
    parts.push(...closed.parts, ...added.parts);
  }
  return { state: current, parts };
}

/** Adds a piece of text, or a picture, to a step of the model's words. */
function contentAdded(state: DecodeState, at: number, content: JsonObject): Decoded<DecodeState> {
  const step = state.steps.get(at);
  if (step?.type !== "output") return { state, parts: [] };
  if (textAt(content, "type") !== "text") {
    const closed = textClosed(state, at, step);
    const index = closed.state.nextIndex;
    // Alone in its step it is sent back as a step; behind others it joins them.
    const raw: JsonObject = step.begun > 0 ? content : { type: "model_output", content: [content], ...step.rest };
    const opened: OpenStep = { ...step, index: undefined, annotations: [], begun: step.begun + 1 };
    return {
      state: put({ ...closed.state, nextIndex: index + 1 }, at, opened),
      parts: [...closed.parts, { type: "opaque", index, api: interactionsApi, raw }],
    };
  }
  const text = textAt(content, "text") ?? "";
  const annotations = listAt(content, "annotations") as readonly Json[];
  if (text === "" && annotations.length === 0) return { state, parts: [] };
  const { index } = step;
  if (index !== undefined && annotations.length === 0) return { state, parts: [{ type: "text-delta", index, text }] };
  const own = index ?? state.nextIndex;
  const opened: OpenStep = {
    ...step,
    index: own,
    annotations: [...step.annotations, ...annotations],
    begun: step.begun + (index === undefined ? 1 : 0),
  };
  return {
    state: put(index === undefined ? { ...state, nextIndex: own + 1 } : state, at, opened),
    parts: [
      ...(index === undefined ? [{ type: "text-start" as const, index: own }] : []),
      ...(text === "" ? [] : [{ type: "text-delta" as const, index: own, text }]),
    ],
  };
}

function textClosed(state: DecodeState, at: number, step: Step<"output">): Decoded<DecodeState> {
  const { index, annotations, begun, rest } = step;
  if (index === undefined) return { state, parts: [] };
  const shape: JsonObject = begun > 1 ? { joins: true } : Object.keys(rest).length === 0 ? {} : { step: rest };
  const native = nativeOf(sourceOf(state), { ...(annotations.length === 0 ? {} : { annotations }), ...shape });
  return {
    state: put(state, at, { ...step, index: undefined, annotations: [] }),
    parts: [{ type: "text-end", index, ...native }],
  };
}

/** Grows a step by one piece. Null for a piece of arguments that no open call can take: the stream lost something. */
export function stepGrew(state: DecodeState, at: number, delta: JsonObject): Decoded<DecodeState> | null {
  const type = textAt(delta, "type") ?? "";
  const step = state.steps.get(at);
  if (type.startsWith("arguments")) return callGrew(state, at, delta);
  switch (step?.type) {
    case "output": {
      if (type !== "text_annotation_delta") return contentAdded(state, at, delta);
      const annotations = listAt(delta, "annotations") as readonly Json[];
      return contentAdded(state, at, { type: "text", text: "", annotations });
    }
    case "thought":
      return thoughtGrew(state, at, step, delta);
    case "call": {
      const signature = signatureOf(delta);
      // Anything else in a call may be a piece of its arguments that could not be read.
      if (type !== "thought_signature" || signature === undefined)
        return { state: put(state, at, { ...step, isBroken: true }), parts: [] };
      return { state: put(state, at, { ...step, extras: { ...step.extras, signature } }), parts: [] };
    }
    case "unread":
      return { state: put(state, at, { ...step, raw: { ...step.raw, ...withoutKeys(delta, "type") } }), parts: [] };
    case "done":
    case undefined:
      return { state, parts: [] };
  }
}

function thoughtGrew(state: DecodeState, at: number, step: Step<"thought">, delta: JsonObject): Decoded<DecodeState> {
  const signature = signatureOf(delta);
  if (signature !== undefined) return { state: put(state, at, { ...step, signature }), parts: [] };
  const content = objectAt(delta, "content") ?? delta;
  const text = textAt(content, "text");
  if (text !== undefined)
    return { state, parts: text === "" ? [] : [{ type: "thinking-delta", index: step.index, text }] };
  if (objectAt(delta, "content") === undefined) return { state, parts: [] };
  return { state: put(state, at, { ...step, kept: [...step.kept, content] }), parts: [] };
}

/** Servers have numbered pieces of arguments as the thought before the call; the last open call takes those. */
function callGrew(state: DecodeState, at: number, delta: JsonObject): Decoded<DecodeState> | null {
  const place = state.steps.get(at)?.type === "call" ? at : lastOpenCall(state);
  const step = place === undefined ? undefined : state.steps.get(place);
  if (place === undefined || step?.type !== "call") return null;
  const text = textAt(delta, "arguments");
  if (text === undefined) return { state: put(state, place, { ...step, isBroken: true }), parts: [] };
  const first = step.given !== undefined;
  const odd = first && Object.keys(step.given).length > 0;
  return {
    // Arguments at the start and pieces besides contradict each other.
    state: first ? put(state, place, { ...step, given: undefined, isBroken: step.isBroken || odd }) : state,
    parts: callGrown(step.index, text),
  };
}

function lastOpenCall({ steps }: DecodeState): number | undefined {
  return [...steps].findLast(([, step]) => step.type === "call")?.[0];
}

/** Ends a step. `isBroken`: the stream never said that it ended, so a call may lack a piece. */
export function stepEnded(state: DecodeState, at: number, isBroken = false): Decoded<DecodeState> {
  const step = state.steps.get(at);
  if (step === undefined || step.type === "done") return { state, parts: [] };
  const done = (from: DecodeState): DecodeState => put(from, at, { type: "done" });
  switch (step.type) {
    case "output": {
      const closed = textClosed(state, at, step);
      const error = textAt(objectAt(step.rest, "error"), "message");
      if (error === undefined) return { state: done(closed.state), parts: closed.parts };
      const index = closed.state.nextIndex;
      return {
        state: done({ ...closed.state, nextIndex: index + 1, filtered: true }),
        parts: [...closed.parts, { type: "refusal", index, text: error }],
      };
    }
    case "thought": {
      const { index, signature, kept, rest } = step;
      const native = nativeOf(sourceOf(state), {
        ...(kept.length === 0 ? {} : { summary: kept }),
        ...(Object.keys(rest).length === 0 ? {} : { step: rest }),
      });
      const signed = signature === undefined ? {} : { signature };
      return { state: done(state), parts: [{ type: "thinking-end", index, ...signed, ...native }] };
    }
    case "call": {
      const given = step.given === undefined ? [] : callGrown(step.index, JSON.stringify(step.given));
      const ended = callEnded(step.index, sourceOf(state), step.extras, step.isBroken || isBroken);
      return { state: done(state), parts: [...given, ended] };
    }
    case "unread":
      return {
        state: done(state),
        parts: [{ type: "opaque", index: step.index, api: interactionsApi, raw: step.raw }],
      };
  }
}
