import * as v from "valibot";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import { noUsage } from "../../core/message/usage.ts";
import { failureClasses, type ModelFailure } from "../../core/model/failure.ts";
import type { StopReason, StreamPart } from "../../core/model/stream-part.ts";
import type { LanguageModel, ModelInfo } from "../../core/port/language-model.ts";
import { cancelledFailure } from "./shared/errors.ts";
import { scriptedApi, type Sleep } from "./scribe/scribe.ts";

const stopReasons = [
  "end-turn",
  "tool-use",
  "max-tokens",
  "stop-sequence",
  "pause",
  "refusal",
  "content-filter",
  "other",
] as const satisfies readonly StopReason[];

const stepSchema = v.variant("type", [
  v.object({ type: v.literal("text"), text: v.string() }),
  v.object({ type: v.literal("thinking"), text: v.string(), signature: v.optional(v.string()) }),
  v.object({
    type: v.literal("tool-call"),
    name: v.string(),
    /** An object, or broken arguments as text. */
    parameters: v.union([v.custom<JsonObject>(isJsonObject, "an object"), v.string()]),
    id: v.optional(v.string()),
  }),
  /** Waits this many milliseconds. */
  v.object({ type: v.literal("delay"), delayMs: v.pipe(v.number(), v.minValue(0)) }),
  v.object({
    type: v.literal("fail"),
    class: v.picklist(failureClasses),
    message: v.optional(v.string()),
    retryable: v.optional(v.boolean()),
    retryAfterMs: v.optional(v.number()),
  }),
  v.object({ type: v.literal("stop"), reason: v.picklist(stopReasons) }),
]);

/** A list of replies, each a list of steps; one reply per request, in order. Can be written as a JSON file. */
export const scriptSchema = v.array(v.array(stepSchema));
export type Script = v.InferOutput<typeof scriptSchema>;
type ScriptStep = Script[number][number];

const scriptedInfo: ModelInfo = {
  id: "scripted/script",
  name: "Script",
  contextTokensMax: 1_000_000,
  outputTokensMax: 64_000,
  tools: true,
  thinking: true,
  local: true,
};

/**
 * Creates a model that plays a script: one reply per request, in order. After the last, replies say that the script has
 * ended. `sleep` performs the script's delays.
 */
export function scriptedModel(script: Script, sleep: Sleep, info: ModelInfo = scriptedInfo): LanguageModel {
  let next = 0;
  return {
    info,
    api: scriptedApi,
    stream: (_request, signal) => {
      const number = next;
      next += 1;
      return play(script[number] ?? [{ type: "text", text: "The script has no further reply." }], {
        number,
        signal,
        sleep,
      });
    },
  };
}

interface Performance {
  /** The index of the reply in the script, from 0. */
  readonly number: number;
  readonly signal: AbortSignal;
  readonly sleep: Sleep;
}

async function* play(
  steps: readonly ScriptStep[],
  { number, signal, sleep }: Performance,
): AsyncGenerator<StreamPart, void, undefined> {
  yield { type: "response-started", model: "script" };
  let index = 0;
  let reason: StopReason | undefined;
  let calls = 0;
  for (const step of steps) {
    if (step.type === "delay") await sleep(step.delayMs, signal);
    if (signal.aborted) {
      yield { type: "failed", failure: cancelledFailure };
      return;
    }
    switch (step.type) {
      case "delay":
        break;
      case "stop":
        reason = step.reason;
        break;
      case "fail":
        yield { type: "failed", failure: failureOf(step) };
        return;
      case "text":
        yield { type: "text-start", index };
        for (const text of pieces(step.text)) yield { type: "text-delta", index, text };
        yield { type: "text-end", index };
        index += 1;
        break;
      case "thinking":
        yield { type: "thinking-start", index };
        for (const text of pieces(step.text)) yield { type: "thinking-delta", index, text };
        yield { type: "thinking-end", index, ...(step.signature === undefined ? {} : { signature: step.signature }) };
        index += 1;
        break;
      case "tool-call": {
        const json = typeof step.parameters === "string" ? step.parameters : JSON.stringify(step.parameters);
        yield { type: "tool-call-start", index, id: step.id ?? `script_${number + 1}_${calls + 1}`, name: step.name };
        for (const text of pieces(json)) yield { type: "tool-call-delta", index, text };
        yield { type: "tool-call-end", index };
        index += 1;
        calls += 1;
        break;
      }
    }
  }
  yield {
    type: "finished",
    reason: reason ?? (calls > 0 ? "tool-use" : "end-turn"),
    usage: { ...noUsage, outputTokens: index },
  };
}

function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,16}/gu) ?? [];
}

function failureOf(step: Extract<ScriptStep, { readonly type: "fail" }>): ModelFailure {
  const usually = step.class === "network" || step.class === "rate-limit" || step.class === "overloaded";
  return {
    class: step.class,
    message: step.message ?? `The script fails here (${step.class}).`,
    retryable: step.retryable ?? usually,
    ...(step.retryAfterMs === undefined ? {} : { retryAfterMs: step.retryAfterMs }),
  };
}
