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
 * Bounds a provider's reply, part by part: one beyond a bound becomes a failure, after which nothing is taken. Impossible
 * counts become 0. Removes the API key, which some providers repeat when they refuse it.
 */
export class ReplyBounds {
  readonly #apiKey: string | undefined;
  #units = 0;
  #opaqueUnits = 0;
  #calls = 0;
  #blocks = 0;
  #over = false;

  constructor(apiKey: string | undefined) {
    this.#apiKey = apiKey;
  }

  /** Whether the reply went beyond a bound, so that what follows is not read. */
  get over(): boolean {
    return this.#over;
  }

  take(part: StreamPart): StreamPart {
    switch (part.type) {
      case "text-delta":
      case "thinking-delta":
      case "tool-call-delta":
      case "refusal":
        this.#units += part.text.length;
        return this.#units > replyBounds.units
          ? this.#beyond(`a reply of more than ${replyBounds.units} characters`)
          : part;
      case "tool-call-start":
        this.#calls += 1;
        return this.#calls > replyBounds.calls
          ? this.#beyond(`more than ${replyBounds.calls} tool calls in one reply`)
          : { ...part, id: nameOf(part.id), name: nameOf(part.name) };
      case "opaque":
        return this.#opaque(part);
      case "text-end":
      case "thinking-end":
      case "tool-call-end":
        return isBounded(part.native) ? part : this.#beyond(tooDeep);
      case "finished":
        return { ...part, usage: countsOf(part.usage) };
      case "failed":
        return { ...part, failure: boundedFailure(part.failure, this.#apiKey) };
      case "text-start":
      case "thinking-start":
        return this.#block(part);
      case "response-started":
        return part;
    }
  }

  #block(part: StreamPart): StreamPart {
    this.#blocks += 1;
    return this.#blocks > replyBounds.blocks
      ? this.#beyond(`more than ${replyBounds.blocks} pieces in one reply`)
      : part;
  }

  #opaque(part: Extract<StreamPart, { readonly type: "opaque" }>): StreamPart {
    const counted = this.#block(part);
    if (counted !== part) return counted;
    if (!isBoundedJsonObject(part.raw)) return this.#beyond(tooDeep);
    this.#opaqueUnits += JSON.stringify(part.raw).length;
    return this.#opaqueUnits > replyBounds.opaqueUnits ? this.#beyond("too much content that is not text") : part;
  }

  #beyond(what: string): StreamPart {
    this.#over = true;
    return { type: "failed", failure: { class: "unknown", message: `The provider sent ${what}.`, retryable: false } };
  }
}

const tooDeep = `something nested more than ${messageJsonDepthMax} deep`;

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
