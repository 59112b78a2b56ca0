import { cancelledFailure } from "../shared/errors.ts";
import { PrefixFold } from "../../../core/base/prefix-fold.ts";
import type { Message } from "../../../core/message/types.ts";
import { noUsage } from "../../../core/message/usage.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import type { LanguageModel, ModelInfo } from "../../../core/port/language-model.ts";
import { scribeReply } from "./reply.ts";

/** Waits; returns early when the signal aborts. Tests pass a function that does not wait. */
export type Sleep = (delayMs: number, signal: AbortSignal) => Promise<void>;

/** The built-in scribe: no network, no key, and the same reply for the same conversation. */
const scribeInfo: ModelInfo = {
  id: "scripted/scribe",
  name: "Scribe (built-in author)",
  contextTokensMax: 1_000_000,
  outputTokensMax: 64_000,
  tools: true,
  thinking: false,
  local: true,
};

/** The scribe's name in place of a wire format. */
export const scriptedApi = "scripted";

/** One token every 25 ms: about as fast as a person reads. */
const tokenMs = 25;
/** No one reads arguments of a call while they stream, so they stream faster. */
const argumentPieces = /[\s\S]{1,32}/gu;

/** The length of messages as JSON; each request of a long conversation has all of the one before. */
const lengthOf = new PrefixFold<Message, number>(1, (length, rest) =>
  rest.reduce((sum, message) => sum + JSON.stringify(message).length + 1, length),
);

export function createScribe(sleep: Sleep): LanguageModel {
  return { info: scribeInfo, api: scriptedApi, stream: (request, signal) => speak(request, signal, sleep) };
}

async function* speak(
  request: ModelRequest,
  signal: AbortSignal,
  sleep: Sleep,
): AsyncGenerator<StreamPart, void, undefined> {
  const reply = scribeReply(request);
  let tokens = 0;
  for (const part of partsOf(reply)) {
    if (part.type === "text-delta" || part.type === "tool-call-delta") {
      await sleep(tokenMs, signal);
      tokens += 1;
    }
    if (signal.aborted) {
      yield { type: "failed", failure: cancelledFailure };
      return;
    }
    yield part;
  }
  const inputTokens = Math.ceil(lengthOf.of(request.messages) / 4);
  yield {
    type: "finished",
    reason: reply.call === undefined ? "end-turn" : "tool-use",
    usage: { ...noUsage, inputTokens, outputTokens: tokens },
  };
}

function partsOf(reply: ReturnType<typeof scribeReply>): readonly StreamPart[] {
  const parts: StreamPart[] = [{ type: "response-started", model: "scribe" }];
  if (reply.text !== "") {
    parts.push({ type: "text-start", index: 0 });
    for (const text of reply.text.match(/\s*\S{1,12}|\s+$/gu) ?? []) parts.push({ type: "text-delta", index: 0, text });
    parts.push({ type: "text-end", index: 0 });
  }
  if (reply.call !== undefined) {
    const { id, name, parameters } = reply.call;
    parts.push({ type: "tool-call-start", index: 1, id, name });
    // Cuts between characters: half a surrogate pair would not survive on a wire.
    for (const text of JSON.stringify(parameters).match(argumentPieces) ?? [])
      parts.push({ type: "tool-call-delta", index: 1, text });
    parts.push({ type: "tool-call-end", index: 1 });
  }
  return parts;
}
