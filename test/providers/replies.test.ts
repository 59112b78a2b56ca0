import { describe, expect, test } from "vitest";
import { anthropicCodec } from "../../src/adapters/providers/anthropic/codec.ts";
import { plainAnthropicCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import * as anthropicReply from "../../src/adapters/providers/anthropic/encode-reply.ts";
import type { Codec } from "../../src/adapters/providers/codec.ts";
import { chatCodec } from "../../src/adapters/providers/openai-chat/codec.ts";
import { plainChatCompat } from "../../src/adapters/providers/openai-chat/compat.ts";
import * as chatReply from "../../src/adapters/providers/openai-chat/encode-reply.ts";
import type { SseEvent } from "../../src/adapters/providers/sse.ts";
import { stableDeepEqual } from "../../src/core/base/json.ts";
import { assemble, assembledMessage, emptyAssembly } from "../../src/core/model/assemble.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import { recordedStreams, recordingsFolder } from "./recordings.ts";
import { replay } from "./replay.ts";

/** A recording in which a second message begins in the middle of a call of the first. */
const dropsACall = "42223f0dd7ac";

const anthropic = anthropicCodec(plainAnthropicCompat);
const chat = chatCodec(plainChatCompat);
const origin = { api: "test", provider: "test", model: "test" };

function decode<State>(codec: Codec<State>, events: readonly SseEvent[]): readonly StreamPart[] {
  let state = codec.start;
  const parts: StreamPart[] = [];
  for (const event of events) {
    const decoded = codec.decodeChunk(state, event);
    state = decoded.state;
    parts.push(...decoded.parts);
  }
  return [...parts, ...codec.decodeEnd(state)];
}

function asAnthropic(parts: readonly StreamPart[]): readonly SseEvent[] {
  let state = anthropicReply.startReply;
  return parts.flatMap((part) => {
    const written = anthropicReply.encodeReplyPart(state, part);
    state = written.state;
    return written.events;
  });
}

function asChat(parts: readonly StreamPart[]): readonly SseEvent[] {
  let state = chatReply.startReply;
  return parts.flatMap((part) => {
    const written = chatReply.encodeReplyPart(state, part);
    state = written.state;
    return written.events;
  });
}

/** What every wire can carry of a reply: texts, thoughts, refusals joined, and the calls. */
function gist(parts: readonly StreamPart[]): unknown {
  const assembly = parts.reduce(assemble, emptyAssembly);
  const content = assembledMessage(assembly, origin)?.content ?? [];
  const joined = (type: "text" | "thinking" | "refusal"): string =>
    content.map((block) => (block.type === type ? block.text : "")).join("");
  return {
    text: joined("text"),
    thinking: joined("thinking"),
    refusal: joined("refusal"),
    calls: content.flatMap((block) =>
      block.type === "tool-use" ? [{ id: block.id, name: block.name, parameters: block.parameters }] : [],
    ),
    end: assembly.end.type === "finished" ? assembly.end.usage : assembly.end.type,
  };
}

/** What the Messages format carries on top: the order of the blocks, signatures, and blocks that only it reads. */
function blocks(parts: readonly StreamPart[]): unknown {
  const content = assembledMessage(parts.reduce(assemble, emptyAssembly), origin)?.content ?? [];
  return content
    .filter((block) => block.type !== "refusal" && !(block.type === "text" && block.text === ""))
    .map(({ ...block }) => ({ ...block, native: undefined, rawParameters: undefined }));
}

describe.skipIf(recordingsFolder === null)("a reply that is written again", () => {
  const replies = recordedStreams()
    .filter((row) => row.api === "anthropic" || row.api === "chat")
    .flatMap((row) => {
      const bytes = new TextEncoder().encode(row.body);
      const parts = row.api === "anthropic" ? replay(anthropic, bytes, []) : replay(chat, bytes, []);
      return parts.map((reply) => ({ id: row.id, api: row.api, parts: reply }));
    });

  test.each([
    ["as a Messages stream", (parts: readonly StreamPart[]) => decode(anthropic, asAnthropic(parts))],
    ["as a Chat Completions stream", (parts: readonly StreamPart[]) => decode(chat, asChat(parts))],
    [
      "as a Messages body",
      (parts: readonly StreamPart[]) => anthropic.decodeReply(anthropicReply.encodeReplyBody(asAnthropic(parts))),
    ],
    [
      "as a Chat Completions body",
      (parts: readonly StreamPart[]) => chat.decodeReply(chatReply.encodeReplyBody(parts)),
    ],
  ])("%s says the same", (_name, again) => {
    for (const { id, parts } of replies) {
      // What an error body leaves out, and what arrived before it, is not at stake here.
      if (parts.at(-1)?.type !== "finished") continue;
      // Nor is a call that was begun and dropped: a stream cannot take back what it has sent.
      if (id === dropsACall) continue;
      expect({ id, gist: gist(again(parts)) }).toEqual({ id, gist: gist(parts) });
    }
  });

  test("as a Messages stream, one of Anthropic's keeps its blocks, their order and their signatures", () => {
    const differing = replies.filter(
      ({ api, parts }) =>
        api === "anthropic" && !stableDeepEqual(blocks(decode(anthropic, asAnthropic(parts))), blocks(parts)),
    );
    expect(differing.map(({ id }) => id)).toEqual([]);
  });
});
