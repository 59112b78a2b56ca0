import { isBoundedJsonObject, messageJsonDepthMax } from "../../../core/message/json-bounds.ts";
import type { NativeExtras } from "../../../core/message/types.ts";
import type { Usage } from "../../../core/message/usage.ts";
import type { ModelFailure } from "../../../core/model/failure.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";

/** Bounds of a reply: far above what any model writes, far below what would block the server. */
export const replyBounds = {
  /** UTF-16 units of text, thinking and arguments together: the limit of a block. */
  units: 16 * 1024 * 1024,
  /** UTF-16 units of everything that is not text, written as JSON. */
  opaqueUnits: 32 * 1024 * 1024,
  calls: 256,
  /** Pieces of text, thinking and other content, each of which is shown separately. */
  blocks: 2_000,
  /** UTF-16 units of a call's id, and of its name. */
  nameUnits: 256,
  /** UTF-16 units of an error message. */
  messageUnits: 2_000,
} as const;

/** Replaces a key in texts that people read. */
const keyPlaceholder = "[key]";

/**
 * Bounds a provider's reply: a reply beyond a bound ends as a failure that keeps what came before. Impossible counts become
 * 0. Removes the API key, which some providers repeat when they refuse it.
 */
export async function* boundedReply(
  parts: AsyncIterable<StreamPart>,
  apiKey: string | undefined,
): AsyncGenerator<StreamPart, void, undefined> {
  let units = 0;
  let opaqueUnits = 0;
  let calls = 0;
  let blocks = 0;
  for await (const part of parts) {
    if (part.type === "text-start" || part.type === "thinking-start" || part.type === "opaque") blocks += 1;
    if (blocks > replyBounds.blocks) return yield beyond(`more than ${replyBounds.blocks} pieces in one reply`);
    switch (part.type) {
      case "text-delta":
      case "thinking-delta":
      case "tool-call-delta":
      case "refusal":
        units += part.text.length;
        if (units > replyBounds.units) return yield beyond(`a reply of more than ${replyBounds.units} characters`);
        yield part;
        break;
      case "tool-call-start":
        calls += 1;
        if (calls > replyBounds.calls) return yield beyond(`more than ${replyBounds.calls} tool calls in one reply`);
        yield { ...part, id: nameOf(part.id), name: nameOf(part.name) };
        break;
      case "opaque":
        if (!isBoundedJsonObject(part.raw)) return yield beyond(tooDeep);
        opaqueUnits += JSON.stringify(part.raw).length;
        if (opaqueUnits > replyBounds.opaqueUnits) return yield beyond("too much content that is not text");
        yield part;
        break;
      case "text-end":
      case "thinking-end":
      case "tool-call-end":
        if (!isBounded(part.native)) return yield beyond(tooDeep);
        yield part;
        break;
      case "finished":
        yield { ...part, usage: countsOf(part.usage) };
        break;
      case "failed":
        yield { ...part, failure: boundedFailure(part.failure, apiKey) };
        break;
      case "response-started":
      case "text-start":
      case "thinking-start":
        yield part;
    }
  }
}

const tooDeep = `something nested more than ${messageJsonDepthMax} deep`;

function beyond(what: string): StreamPart {
  return { type: "failed", failure: { class: "unknown", message: `The provider sent ${what}.`, retryable: false } };
}

function isBounded(native: NativeExtras | undefined): boolean {
  return native === undefined || isBoundedJsonObject(native.data);
}

function boundedFailure(failure: ModelFailure, apiKey: string | undefined): ModelFailure {
  const { message, providerCode } = failure;
  return {
    ...failure,
    message: shortened(withoutKey(message, apiKey), replyBounds.messageUnits),
    ...(providerCode === undefined
      ? {}
      : { providerCode: shortened(withoutKey(providerCode, apiKey), replyBounds.nameUnits) }),
  };
}

/** Returns a text with any occurrence of the key replaced. */
export function withoutKey(text: string, apiKey: string | undefined): string {
  return apiKey === undefined || apiKey === "" ? text : text.replaceAll(apiKey, keyPlaceholder);
}

function nameOf(text: string): string {
  return text.slice(0, replyBounds.nameUnits).toWellFormed();
}

function shortened(text: string, unitsMax: number): string {
  return text.length <= unitsMax ? text : `${text.slice(0, unitsMax - 1).toWellFormed()}…`;
}

function countsOf(usage: Usage): Usage {
  return {
    inputTokens: countOf(usage.inputTokens),
    outputTokens: countOf(usage.outputTokens),
    cachedInputTokens: countOf(usage.cachedInputTokens),
    thinkingTokens: countOf(usage.thinkingTokens),
    ...(usage.cacheWriteTokens === undefined ? {} : { cacheWriteTokens: countOf(usage.cacheWriteTokens) }),
  };
}

/** Returns a whole number from 0 up; 0 for anything else. */
function countOf(tokens: number): number {
  const whole = Math.round(tokens);
  return Number.isSafeInteger(whole) && whole > 0 ? whole : 0;
}
