import { messageBytesMax, sentTooMuch } from "./message-size.ts";

/** Thrown for a body that is larger than the longest allowed message. */
export class TooLarge extends Error {}

/**
 * Returns a fetch that bounds every body: a plain body as a whole, an event stream per event, so that a connection may stay
 * open for days. Redirects are left to the caller.
 */
export function boundedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body } = response;
    if (body === null) return response;
    const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
    const { status, statusText, headers } = response;
    const bounded = new Response(body.pipeThrough(byteBound(isStream)), { status, statusText, headers });
    // The caller compares the address of the response.
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
