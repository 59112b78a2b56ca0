import type { Codec } from "../../src/adapters/providers/shared/codec.ts";
import { SseReader, type SseEvent } from "../../src/adapters/providers/shared/sse.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";

/** Decodes every reply of a recording. Some recordings hold several replies in sequence; each is decoded separately. */
export function replay<State>(
  codec: Codec<State>,
  bytes: Uint8Array,
  cuts: readonly number[],
): readonly (readonly StreamPart[])[] {
  const reader = new SseReader();
  const replies: StreamPart[][] = [];
  let parts: StreamPart[] = [];
  let state = codec.start;
  const take = (event: SseEvent): void => {
    const decoded = codec.decodeChunk(state, event);
    state = decoded.state;
    parts.push(...decoded.parts);
    if (isOver(parts)) {
      replies.push(parts);
      parts = [];
      state = codec.start;
    }
  };
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    for (const event of reader.push(bytes.subarray(from, cut))) take(event);
    from = cut;
  }
  for (const event of reader.end()) take(event);
  if (parts.length > 0 || replies.length === 0) replies.push([...parts, ...codec.decodeEnd(state)]);
  return replies;
}

function isOver(parts: readonly StreamPart[]): boolean {
  const last = parts.at(-1);
  return last?.type === "finished" || last?.type === "failed";
}
