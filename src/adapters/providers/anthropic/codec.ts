import type { Codec } from "../shared/codec.ts";
import type { AnthropicCompat } from "./compat.ts";
import { decodeChunk, decodeEnd, decodeReply, type DecodeState, startState } from "./decode.ts";
import { anthropicApi } from "./api.ts";
import { encodeRequest } from "./encode.ts";

/** The Messages format of one endpoint. */
export function anthropicCodec(compat: AnthropicCompat): Codec<DecodeState> {
  return {
    api: anthropicApi,
    path: () => "/v1/messages",
    headers: (apiKey) => ({
      "anthropic-version": "2023-06-01",
      ...(apiKey === undefined ? {} : { "x-api-key": apiKey }),
    }),
    encode: (request, stream) => encodeRequest(request, compat, stream),
    start: startState,
    decodeChunk,
    decodeEnd,
    decodeReply,
  };
}
