import type { Codec } from "../shared/codec.ts";
import { interactionsApi } from "./api.ts";
import type { InteractionsCompat } from "./compat.ts";
import { type DecodeState, startState } from "./decode-state.ts";
import { decodeChunk, decodeEnd, decodeReply } from "./decode.ts";
import { encodeRequest } from "./encode.ts";

/** The path below the base URL; the body names the model. */
export const interactionsPath = "/v1beta/interactions";

/** The revision of the API that the codec reads; without it a server may answer in an older form. */
const revision = "2026-05-20";

/** The Interactions format of one endpoint. */
export function interactionsCodec(compat: InteractionsCompat): Codec<DecodeState> {
  return {
    api: interactionsApi,
    path: () => interactionsPath,
    headers: (apiKey): Readonly<Record<string, string>> => ({
      "api-revision": revision,
      ...(apiKey === undefined ? {} : { "x-goog-api-key": apiKey }),
    }),
    encode: (request, stream) => encodeRequest(request, compat, stream),
    start: startState,
    decodeChunk,
    decodeEnd,
    decodeReply,
  };
}
