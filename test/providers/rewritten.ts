import { claudeCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import { decodeRequest as decodeAnthropic } from "../../src/adapters/providers/anthropic/decode-request.ts";
import { encodeRequest as encodeAnthropic } from "../../src/adapters/providers/anthropic/encode.ts";
import { geminiCompat } from "../../src/adapters/providers/gemini/compat.ts";
import { decodeRequest as decodeGemini } from "../../src/adapters/providers/gemini/decode-request.ts";
import { encodeRequest as encodeGemini } from "../../src/adapters/providers/gemini/encode.ts";
import { readGeminiPath } from "../../src/adapters/providers/gemini/endpoint.ts";
import { chatCompats, chatServerOf } from "../../src/adapters/providers/openai-chat/compat.ts";
import { decodeRequest as decodeChat } from "../../src/adapters/providers/openai-chat/decode-request.ts";
import { encodeRequest as encodeChat } from "../../src/adapters/providers/openai-chat/encode.ts";
import { responsesCompat } from "../../src/adapters/providers/openai-responses/compat.ts";
import { decodeRequest as decodeResponses } from "../../src/adapters/providers/openai-responses/decode-request.ts";
import { encodeRequest as encodeResponses } from "../../src/adapters/providers/openai-responses/encode.ts";
import type { RecordedRequest } from "./recordings.ts";

/** Reads a recorded request and writes it again for the server that accepted it; undefined for other endpoints. */
export function rewritten(row: RecordedRequest): unknown {
  switch (row.api) {
    case "anthropic": {
      const { request, stream } = decodeAnthropic(row.req);
      return encodeAnthropic(request, claudeCompat(request.model), stream);
    }
    case "chat": {
      const { request, stream } = decodeChat(row.req);
      return encodeChat(request, chatCompats[chatServerOf(row.url)], stream);
    }
    case "responses": {
      const { request, stream } = decodeResponses(row.req);
      return encodeResponses(request, responsesCompat(request.model), stream);
    }
    case "gemini": {
      const target = readGeminiPath(row.url) ?? { model: "", stream: false };
      return encodeGemini(decodeGemini(row.req, target).request, geminiCompat(target.model));
    }
    default:
      return undefined;
  }
}
