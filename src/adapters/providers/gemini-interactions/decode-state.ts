import type { Json, JsonObject } from "../../../core/base/json.ts";
import { noUsage, type Usage } from "../../../core/message/usage.ts";
import { noTemplate, type TemplateState } from "../shared/delta-template.ts";
import type { NativeSource } from "../shared/native.ts";
import { interactionsApi } from "./api.ts";

/** A step of the reply, under its number on the wire. */
export type OpenStep =
  | {
      readonly type: "thought";
      readonly index: number;
      readonly signature: string | undefined;
      /** Parts of the summary that are no plain text. */
      readonly kept: readonly JsonObject[];
      readonly rest: JsonObject;
    }
  | {
      readonly type: "output";
      /** The block of the text that is growing; undefined before the first text and after a picture. */
      readonly index: number | undefined;
      readonly annotations: readonly Json[];
      /** How many contents of the step have begun. */
      readonly begun: number;
      readonly rest: JsonObject;
    }
  | {
      readonly type: "call";
      readonly index: number;
      /** The arguments that the start gave, which are valid while no piece follows. */
      readonly given: JsonObject | undefined;
      readonly extras: JsonObject;
      /** Its arguments, or a piece of them, could not be read. */
      readonly isBroken: boolean;
    }
  /** A step that is kept whole. */
  | { readonly type: "unread"; readonly index: number; readonly raw: JsonObject }
  | { readonly type: "done" };

/** The decoding state of one reply. */
export interface DecodeState extends TemplateState {
  readonly model: string | undefined;
  readonly responded: boolean;
  /** Number of the next block, in order of arrival. */
  readonly nextIndex: number;
  readonly steps: ReadonlyMap<number, OpenStep>;
  readonly calledTools: boolean;
  /** Whether the provider's filter held a step back. */
  readonly filtered: boolean;
  readonly usage: Usage;
  readonly ended: boolean;
}

export const startState: DecodeState = {
  ...noTemplate,
  model: undefined,
  responded: false,
  nextIndex: 0,
  steps: new Map(),
  calledTools: false,
  filtered: false,
  usage: noUsage,
  ended: false,
};

/** Returns the state with another step at a number. */
export function put(state: DecodeState, at: number, step: OpenStep): DecodeState {
  return { ...state, steps: new Map(state.steps).set(at, step) };
}

/** The origin of the reply's blocks. */
export function sourceOf({ model }: DecodeState): NativeSource {
  return { api: interactionsApi, model };
}
