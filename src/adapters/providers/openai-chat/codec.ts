import type { Codec } from "../shared/codec.ts";
import { type ChatCompat, openAiModelCompat } from "./compat.ts";
import { type DecodeState, startState } from "./decode-state.ts";
import { decodeChunk, decodeEnd, decodeReply } from "./decode.ts";
import { chatApi } from "./api.ts";
import { encodeRequest } from "./encode.ts";

/** The Chat Completions format of one endpoint. */
export function chatCodec(compat: ChatCompat): Codec<DecodeState> {
  return {
    api: chatApi,
    path: () => "/v1/chat/completions",
    headers: (apiKey): Readonly<Record<string, string>> =>
      apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    encode: (request, stream) => encodeRequest(request, openAiModelCompat(request.model, compat), stream),
    start: compat.finishReason ? startState : { ...startState, mayJustStop: true },
    decodeChunk,
    decodeEnd,
    decodeReply,
  };
}
