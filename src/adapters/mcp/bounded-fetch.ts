import { messageBytesMax, sentTooMuch } from "./message-size.ts";

/** Said of a body that is larger than any message may be. */
export class TooLarge extends Error {}

/**
 * Fetches with every body bounded: as a whole, and an event stream from one event to the next, so that a connection may
 * stay open for days. Redirects are the caller's to judge.
 */
export function boundedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body } = response;
    if (body === null) return response;
    const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
    const { status, statusText, headers } = response;
    const bounded = new Response(body.pipeThrough(byteBound(isStream)), { status, statusText, headers });
    // The caller compares where an answer came from.
    Object.defineProperty(bounded, "url", { value: response.url });
    return bounded;
  };
}

function byteBound(betweenEvents: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let wasEnd = false;
  return new TransformStream({
    transform(chunk, controller) {
      if (!betweenEvents) bytes += chunk.length;
      else
        for (const byte of chunk) {
          if (byte === 13) continue;
          // An empty line ends an event.
          bytes = byte === 10 && wasEnd ? 0 : bytes + 1;
          wasEnd = byte === 10;
        }
      if (bytes > messageBytesMax) controller.error(new TooLarge(sentTooMuch));
      else controller.enqueue(chunk);
    },
  });
}
