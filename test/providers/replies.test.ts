import { describe, expect, test } from "vitest";
import { anthropicCodec } from "../../src/adapters/providers/anthropic/codec.ts";
import { plainAnthropicCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import * as anthropicReply from "../../src/adapters/providers/anthropic/encode-reply.ts";
import type { Codec } from "../../src/adapters/providers/shared/codec.ts";
import { geminiCodec } from "../../src/adapters/providers/gemini/codec.ts";
import { geminiCompat } from "../../src/adapters/providers/gemini/compat.ts";
import * as geminiReply from "../../src/adapters/providers/gemini/encode-reply.ts";
import { chatCodec } from "../../src/adapters/providers/openai-chat/codec.ts";
import { plainChatCompat } from "../../src/adapters/providers/openai-chat/compat.ts";
import * as chatReply from "../../src/adapters/providers/openai-chat/encode-reply.ts";
import { responsesCodec } from "../../src/adapters/providers/openai-responses/codec.ts";
import { responsesCompat } from "../../src/adapters/providers/openai-responses/compat.ts";
import * as responsesReply from "../../src/adapters/providers/openai-responses/encode-reply.ts";
import type { SseEvent } from "../../src/adapters/providers/shared/sse.ts";
import { stableDeepEqual } from "../../src/core/base/json.ts";
import type { AssistantContentBlock } from "../../src/core/message/types.ts";
import { assemble, assembledMessage, emptyAssembly } from "../../src/core/model/assemble.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import { recordedStreams, recordingsFolder } from "./recordings.ts";
import { replay } from "./replay.ts";

/** A recording in which a second message begins in the middle of the first one's call. */
const dropsACall = "42223f0dd7ac";

/**
 * Recordings whose blocks differ by intention: lists of tools that end after the text that follows them has begun, and calls
 * whose pieces contradict their whole form.
 */
const rearranged: ReadonlySet<string> = new Set(["98e47b5e972b", "e89235048cf6", "2fd68fc14640", "83385d59d16c"]);

const anthropic = anthropicCodec(plainAnthropicCompat);
const chat = chatCodec(plainChatCompat);
const responses = responsesCodec(responsesCompat("gpt-5.4"));
const gemini = geminiCodec(geminiCompat("gemini-3-flash-preview"));
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

/** Writes a reply as a stream of one of the formats. */
function writer<State>(format: {
  readonly startReply: State;
  encodeReplyPart(state: State, part: StreamPart): { readonly state: State; readonly events: readonly SseEvent[] };
}): (parts: readonly StreamPart[]) => readonly SseEvent[] {
  return (parts) => {
    let state = format.startReply;
    return parts.flatMap((part) => {
      const written = format.encodeReplyPart(state, part);
      state = written.state;
      return written.events;
    });
  };
}

const asAnthropic = writer(anthropicReply);
const asChat = writer(chatReply);
const asResponses = writer(responsesReply);
const asGemini = writer(geminiReply);

/** The content that every wire can carry: joined texts, thoughts and refusals, and the calls. */
function gist(parts: readonly StreamPart[], format: string): unknown {
  // Only Messages reports tokens written to a cache.
  const untold = format.includes("Messages") ? {} : { cacheWriteTokens: undefined };
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
    end: assembly.end.type === "finished" ? { ...assembly.end.usage, ...untold } : assembly.end.type,
  };
}

/**
 * The additional content that a format carries in its own replies: the order of the blocks, signatures, and blocks that
 * only it reads.
 */
function blocks(parts: readonly StreamPart[]): unknown {
  const content = assembledMessage(parts.reduce(assemble, emptyAssembly), origin)?.content ?? [];
  return content
    .filter((block) => block.type !== "refusal" && !(block.type === "text" && block.text === ""))
    .map(({ ...block }) => ({ ...block, native: extras(block), rawParameters: undefined }));
}

function hasBrokenCall(parts: readonly StreamPart[]): boolean {
  const content = assembledMessage(parts.reduce(assemble, emptyAssembly), origin)?.content ?? [];
  return content.some((block) => block.type === "tool-use" && block.argumentsError !== undefined);
}

function replayed(api: string, bytes: Uint8Array): readonly (readonly StreamPart[])[] {
  switch (api) {
    case "anthropic":
      return replay(anthropic, bytes, []);
    case "responses":
      return replay(responses, bytes, []);
    case "gemini-stream":
      return replay(gemini, bytes, []);
    default:
      return replay(chat, bytes, []);
  }
}

/**
 * The content that must be sent back to the provider unchanged. None of our servers writes citations of Anthropic's
 * texts.
 */
function extras(block: AssistantContentBlock): unknown {
  const native = "native" in block ? block.native : undefined;
  if (native === undefined || native.api === "anthropic" || "custom" in native.data) return undefined;
  // A call that had no id on the wire was given one.
  const { callId: _named, ...data } = native.data;
  return Object.keys(data).length === 0 ? undefined : data;
}

describe.skipIf(recordingsFolder === null)("a rewritten reply", () => {
  const replies = recordedStreams().flatMap((row) =>
    replayed(row.api, new TextEncoder().encode(row.body)).map((parts) => ({ id: row.id, api: row.api, parts })),
  );

  test.each([
    ["as a Messages stream", (parts: readonly StreamPart[]) => decode(anthropic, asAnthropic(parts))],
    ["as a Chat Completions stream", (parts: readonly StreamPart[]) => decode(chat, asChat(parts))],
    ["as a Responses stream", (parts: readonly StreamPart[]) => decode(responses, asResponses(parts))],
    ["as a generateContent stream", (parts: readonly StreamPart[]) => decode(gemini, asGemini(parts))],
    [
      "as a Messages body",
      (parts: readonly StreamPart[]) => anthropic.decodeReply(anthropicReply.encodeReplyBody(asAnthropic(parts))),
    ],
    [
      "as a Chat Completions body",
      (parts: readonly StreamPart[]) => chat.decodeReply(chatReply.encodeReplyBody(parts)),
    ],
    [
      "as a Responses body",
      (parts: readonly StreamPart[]) => responses.decodeReply(responsesReply.encodeReplyBody(parts)),
    ],
    [
      "as a generateContent body",
      (parts: readonly StreamPart[]) => gemini.decodeReply(geminiReply.encodeReplyBody(parts)),
    ],
  ])("%s says the same", (name, again) => {
    for (const { id, parts } of replies) {
      // An error body's missing fields, and text before the error, are not compared here.
      if (parts.at(-1)?.type !== "finished") continue;
      // Nor is a call that was begun and dropped: a stream cannot take it back.
      if (id === dropsACall) continue;
      // Arguments that are not JSON have no form where arguments are objects.
      if (name.includes("generateContent") && hasBrokenCall(parts)) continue;
      expect({ id, gist: gist(again(parts), name) }).toEqual({ id, gist: gist(parts, name) });
    }
  });

  test.each([
    ["a Messages stream", "anthropic", (parts: readonly StreamPart[]) => decode(anthropic, asAnthropic(parts))],
    ["a Responses stream", "responses", (parts: readonly StreamPart[]) => decode(responses, asResponses(parts))],
    ["a generateContent stream", "gemini-stream", (parts: readonly StreamPart[]) => decode(gemini, asGemini(parts))],
  ])("as %s, one that came so keeps its blocks, their order and their signatures", (_name, own, again) => {
    const differing = replies.filter(
      ({ id, api, parts }) =>
        !rearranged.has(id) && api === own && !stableDeepEqual(blocks(again(parts)), blocks(parts)),
    );
    expect(differing.map(({ id }) => id)).toEqual([]);
  });
});
