import { decodeReply as decodeAnthropic } from "../../src/adapters/providers/anthropic/decode.ts";
import { decodeReply as decodeGemini } from "../../src/adapters/providers/gemini/decode.ts";
import { decodeReply as decodeChat } from "../../src/adapters/providers/openai-chat/decode.ts";
import { decodeReply as decodeResponses } from "../../src/adapters/providers/openai-responses/decode.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";

/** Readers of replies in one body, by the format names that recordings use. */
export const replyReaders: Readonly<Record<string, (body: unknown) => readonly StreamPart[]>> = {
  anthropic: decodeAnthropic,
  chat: decodeChat,
  responses: decodeResponses,
  gemini: decodeGemini,
};
