import type { JsonObject } from "../base/json.ts";
import type { NativeExtras } from "../message/types.ts";
import type { ModelFailure } from "./failure.ts";
import type { Usage } from "../message/usage.ts";

/** Why a reply ended. */
export type StopReason =
  | "end-turn"
  | "tool-use"
  | "max-tokens"
  | "stop-sequence"
  | "pause"
  | "refusal"
  | "content-filter"
  | "other";

/**
 * One part of a streamed reply. Blocks open with `-start`, grow by `-delta`, close with `-end`; `index` identifies a
 * block
 * within its reply and rises in order of arrival. A stream ends with exactly one `finished` or `failed`, and never
 * throws.
 */
export type StreamPart =
  | { readonly type: "response-started"; readonly id?: string; readonly model?: string }
  | { readonly type: "text-start"; readonly index: number }
  | { readonly type: "text-delta"; readonly index: number; readonly text: string }
  | { readonly type: "text-end"; readonly index: number; readonly native?: NativeExtras }
  | { readonly type: "thinking-start"; readonly index: number }
  | { readonly type: "thinking-delta"; readonly index: number; readonly text: string }
  | {
      readonly type: "thinking-end";
      readonly index: number;
      readonly signature?: string;
      readonly redacted?: string;
      readonly native?: NativeExtras;
    }
  | { readonly type: "tool-call-start"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: "tool-call-delta"; readonly index: number; readonly text: string }
  | {
      readonly type: "tool-call-end";
      readonly index: number;
      /** Why the call must not run, when the reader of the call already knows. */
      readonly argumentsError?: string;
      readonly native?: NativeExtras;
    }
  | { readonly type: "refusal"; readonly index: number; readonly text: string; readonly native?: NativeExtras }
  | { readonly type: "opaque"; readonly index: number; readonly api: string; readonly raw: JsonObject }
  /** `native` is what the API says of the whole reply and may need back. */
  | { readonly type: "finished"; readonly reason: StopReason; readonly usage: Usage; readonly native?: NativeExtras }
  | { readonly type: "failed"; readonly failure: ModelFailure };
