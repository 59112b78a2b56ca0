import type { JsonObject } from "../../../core/base/json.ts";
import { noUsage, type Usage } from "../../../core/message/usage.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import { noTemplate, type TemplateState } from "../shared/delta-template.ts";
import { textAt } from "../shared/json-read.ts";
import { nativeOf, type NativeSource } from "../shared/native.ts";
import { chatApi } from "./api.ts";

/** The block that text is added to; tool calls stay open beside it until the reply ends. */
type OpenBlock =
  | { readonly type: "none" }
  | { readonly type: "text"; readonly index: number }
  | { readonly type: "refusal"; readonly index: number }
  | { readonly type: "thinking"; readonly index: number; readonly details: readonly JsonObject[] };

/** A call that is arriving. Its part starts only once its name is known. */
export interface OpenCall {
  /** The wire's number of the call; undefined when the server gives none. */
  readonly at: number | undefined;
  readonly id: string | undefined;
  readonly started: { readonly index: number } | undefined;
  /** Arguments that arrived before the name. */
  readonly early: string;
  /** The plain-text input of a custom tool, which is complete only at the end; undefined for a function. */
  readonly input: string | undefined;
  /** A piece of the arguments could not be read, or could not be told from another call's. */
  readonly isBroken: boolean;
  /** Further fields of the call, such as a signature that must be sent back with it. */
  readonly extras: JsonObject;
}

/** The decoding state of one reply. */
export interface DecodeState extends TemplateState {
  readonly model: string | undefined;
  readonly responded: boolean;
  /** Number of the next block, in order of arrival. */
  readonly nextIndex: number;
  readonly open: OpenBlock;
  readonly calls: readonly OpenCall[];
  readonly finishReason: string | undefined;
  /** The sources of the text as the server lists them, for a part of it or for the whole reply. */
  readonly annotations: readonly JsonObject[];
  readonly sources: JsonObject;
  /** The tools that the server ran itself, by their numbers. */
  readonly executed: readonly JsonObject[];
  /** Fields of the message that Heddle has no term for. */
  readonly fields: JsonObject;
  /** Whether the server may end without a finish reason once it has said something. */
  readonly mayJustStop: boolean;
  readonly refused: boolean;
  readonly usage: Usage;
  readonly ended: boolean;
}

export const startState: DecodeState = {
  ...noTemplate,
  model: undefined,
  responded: false,
  nextIndex: 0,
  open: { type: "none" },
  calls: [],
  finishReason: undefined,
  annotations: [],
  sources: {},
  executed: [],
  fields: {},
  mayJustStop: false,
  refused: false,
  usage: noUsage,
  ended: false,
};

/** The state in which nothing is open; the sources of the closed text are cleared. */
export function closed(state: DecodeState): DecodeState {
  const annotations = state.open.type === "text" ? [] : state.annotations;
  return { ...state, open: { type: "none" }, tail: undefined, annotations };
}

/** The field in which a detail holds its text. */
export function wordsKey(detail: JsonObject): "text" | "summary" {
  return typeof detail["text"] === "string" ? "text" : "summary";
}

/** The details of the open thinking, with the tail added to the last one. */
export function openDetails({ open, tail }: DecodeState): readonly JsonObject[] {
  if (open.type !== "thinking") return [];
  const last = open.details.at(-1);
  if (last === undefined || tail === undefined) return open.details;
  const key = wordsKey(last);
  return open.details.with(open.details.length - 1, { ...last, [key]: `${textAt(last, key) ?? ""}${tail}` });
}

/** Closes the block that text was added to. */
export function closing(state: DecodeState): readonly StreamPart[] {
  switch (state.open.type) {
    case "none":
    case "refusal":
      return [];
    case "text": {
      const { annotations, sources } = state;
      const extras = { ...(annotations.length === 0 ? {} : { annotations }), ...sources };
      return [{ type: "text-end", index: state.open.index, ...nativeOf(sourceOf(state), extras) }];
    }
    case "thinking": {
      const { index } = state.open;
      const details = openDetails(state);
      return [
        {
          type: "thinking-end",
          index,
          ...nativeOf(sourceOf(state), details.length === 0 ? {} : { reasoning_details: details }),
        },
      ];
    }
  }
}

export function sourceOf({ model }: DecodeState): NativeSource {
  return { api: chatApi, model };
}

/** An event that cannot be read may hold a piece of any call that is open. */
export function withBrokenCalls(state: DecodeState): DecodeState {
  return state.calls.every((call) => call.isBroken)
    ? state
    : { ...state, calls: state.calls.map((call) => ({ ...call, isBroken: true })) };
}
