import { unreachable } from "../../../core/base/assert.ts";
import { noUsage, type Usage } from "../../../core/message/usage.ts";
import { noTemplate, type TemplateState } from "../shared/delta-template.ts";
import type { NativeSource } from "../shared/native.ts";
import { responsesApi } from "./api.ts";

/** One content part of a message; its block starts with its first text. */
export interface OpenPart {
  readonly type: "text" | "refusal";
  readonly index: number;
  readonly sent: string;
}

/** An item of the reply, under its position on the wire: some servers change items' ids on the way. */
export type Item =
  | { readonly type: "message"; readonly index: number; readonly parts: ReadonlyMap<number, OpenPart> }
  | {
      readonly type: "reasoning";
      readonly index: number;
      readonly sent: string;
      /** Kind and number of the part that grew last. */
      readonly part: string | undefined;
    }
  /** `isBroken`: its pieces contradict its whole form, or one of them could not be read. */
  | { readonly type: "call"; readonly index: number; readonly sent: string; readonly isBroken: boolean }
  /** A call with plain-text input, which is complete only at its end. */
  | { readonly type: "custom-call"; readonly index: number }
  /** An item that is kept whole. Its place among the others is where it began. */
  | { readonly type: "unread"; readonly index: number }
  | { readonly type: "done" };

/** The decoding state of one reply. */
export interface DecodeState extends TemplateState {
  readonly model: string | undefined;
  readonly responded: boolean;
  /** Number of the next block, in order of arrival. */
  readonly nextIndex: number;
  readonly items: ReadonlyMap<number, Item>;
  /** The positions of items by their ids. */
  readonly placesById: ReadonlyMap<string, number>;
  /** The names of tools with plain-text input that the client runs; undefined when the server does not list its tools. */
  readonly customTools: ReadonlySet<string> | undefined;
  /** The position whose text is longer by `tail` than `items` shows: events of one form follow each other. */
  readonly growing: { readonly at: number; readonly part: number } | undefined;
  readonly calledTools: boolean;
  readonly refused: boolean;
  readonly usage: Usage;
  readonly ended: boolean;
}

export const startState: DecodeState = {
  ...noTemplate,
  growing: undefined,
  model: undefined,
  responded: false,
  nextIndex: 0,
  items: new Map(),
  placesById: new Map(),
  customTools: undefined,
  calledTools: false,
  refused: false,
  usage: noUsage,
  ended: false,
};

/** Returns the state with the tail written into its items. */
export function settled(state: DecodeState): DecodeState {
  const { growing, tail } = state;
  if (growing === undefined || tail === undefined) return state;
  const { at, part } = growing;
  const text = tail;
  const item = state.items.get(at);
  const rest: DecodeState = { ...state, growing: undefined, tail: undefined };
  if (item === undefined) return rest;
  switch (item.type) {
    case "reasoning":
    case "call":
      return put(rest, at, { ...item, sent: item.sent + text });
    case "message": {
      const before = item.parts.get(part);
      if (before === undefined) return rest;
      const parts = new Map(item.parts).set(part, { ...before, sent: before.sent + text });
      return put(rest, at, { ...item, parts });
    }
    case "done":
    case "unread":
    case "custom-call":
      return rest;
    default:
      return unreachable(item);
  }
}

/** Returns the state with another item at a position. */
export function put(state: DecodeState, at: number, item: Item): DecodeState {
  return { ...state, items: new Map(state.items).set(at, item) };
}

/** The wire's name for an item that receives pieces. */
export function kindOf(item: Item): string | undefined {
  switch (item.type) {
    case "message":
    case "reasoning":
      return item.type;
    case "call":
      return "function_call";
    case "custom-call":
      return "custom_tool_call";
    case "unread":
    case "done":
      return undefined;
  }
}

/** The origin of the reply's blocks. */
export function sourceOf({ model }: DecodeState): NativeSource {
  return { api: responsesApi, model };
}
