import { anthropicCodec } from "../../src/adapters/providers/anthropic/codec.ts";
import { claudeCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import { geminiCodec } from "../../src/adapters/providers/gemini/codec.ts";
import { geminiCompat } from "../../src/adapters/providers/gemini/compat.ts";
import { interactionsCodec } from "../../src/adapters/providers/gemini-interactions/codec.ts";
import { interactionsCompat } from "../../src/adapters/providers/gemini-interactions/compat.ts";
import { chatCodec } from "../../src/adapters/providers/openai-chat/codec.ts";
import { plainChatCompat } from "../../src/adapters/providers/openai-chat/compat.ts";
import { responsesCodec } from "../../src/adapters/providers/openai-responses/codec.ts";
import { responsesCompat } from "../../src/adapters/providers/openai-responses/compat.ts";
import type { Codec } from "../../src/adapters/providers/shared/codec.ts";
import type { SseEvent } from "../../src/adapters/providers/shared/sse.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import { replay } from "./replay.ts";

/** A format's decoder, with its private state type hidden. */
export interface StreamDecoder {
  readonly api: string;
  /** Decodes every reply of a recording, its bytes cut at these places. */
  replies(bytes: Uint8Array, cuts: readonly number[]): readonly (readonly StreamPart[])[];
  /** Decodes one reply, event by event. */
  start(): { push(event: SseEvent): readonly StreamPart[]; end(): readonly StreamPart[] };
}

/** The decoders by the format names that recordings use. */
const streamDecoders: Readonly<Record<string, StreamDecoder>> = {
  anthropic: decoderOf(anthropicCodec(claudeCompat("claude-opus-4-8"))),
  chat: decoderOf(chatCodec(plainChatCompat)),
  responses: decoderOf(responsesCodec(responsesCompat("gpt-5.4"))),
  "gemini-stream": decoderOf(geminiCodec(geminiCompat("gemini-3-flash-preview"))),
  interactions: decoderOf(interactionsCodec(interactionsCompat("gemini-3-flash-preview"))),
};

export function decoderFor(api: string): StreamDecoder {
  const decoder = streamDecoders[api];
  if (decoder === undefined) throw new Error(`No decoder reads recordings of ${api}.`);
  return decoder;
}

function decoderOf<State>(codec: Codec<State>): StreamDecoder {
  return {
    api: codec.api,
    replies: (bytes, cuts) => replay(codec, bytes, cuts),
    start: () => {
      let state = codec.start;
      return {
        push: (event) => {
          const decoded = codec.decodeChunk(state, event);
          state = decoded.state;
          return decoded.parts;
        },
        end: () => codec.decodeEnd(state),
      };
    },
  };
}
