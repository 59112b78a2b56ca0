/** What goes wrong with one request. Where a reply comes as one body, what cuts a stream cuts that body in half. */
export type Fault =
  /** An answer that is no reply; headers and body as given. */
  | {
      readonly type: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** An answer that is no reply, in the provider's own words for that status; `retryAfter` as the header is to say it. */
  | { readonly type: "refusal"; readonly status: RefusalStatus; readonly retryAfter?: string }
  /** The stream ends after so many events, without its end; the connection closes in order. */
  | { readonly type: "half-stream"; readonly events: number }
  /** As before, but the connection is reset. */
  | { readonly type: "reset"; readonly events: number }
  /** As before, but the connection ends without TLS having been closed. Wants a provider that was started with `tls`. */
  | { readonly type: "tls-cut"; readonly events: number }
  /** As before, but nothing more comes and the connection stays open. */
  | { readonly type: "stall"; readonly events: number }
  /** The server takes the request and never answers. */
  | { readonly type: "silence" }
  /** After so many events comes an error event, as text of its data line. */
  | { readonly type: "error-event"; readonly events: number; readonly data: string; readonly name?: string }
  /** After so many events the provider says, as its format has it, that it is overloaded. */
  | { readonly type: "overloaded-event"; readonly events: number }
  /** The end of the stream (`message_stop`, `[DONE]`) is left out. */
  | { readonly type: "no-end" }
  /** The event at this place, counted from 0, comes twice. */
  | { readonly type: "duplicate"; readonly at: number }
  /** The event at this place, counted from 0, comes after the next one. */
  | { readonly type: "reorder"; readonly at: number }
  /** Each write holds so many bytes, which cuts through characters and line ends. */
  | { readonly type: "split"; readonly bytes: number; readonly crlf?: boolean }
  /** As before, with a wait of so many milliseconds in between. */
  | { readonly type: "drip"; readonly bytes: number; readonly everyMs: number }
  /** The last event is cut in the middle and the stream ends. */
  | { readonly type: "half-event" }
  /** A line of so many bytes comes in front. */
  | { readonly type: "long-line"; readonly bytes: number }
  /** One piece of text has so many characters. */
  | { readonly type: "big-delta"; readonly characters: number }
  /** Arguments of calls are no JSON; where they are objects, the provider says that it cannot read them (MALFORMED_FUNCTION_CALL). */
  | { readonly type: "broken-arguments" }
  /** All calls of the reply have one id. */
  | { readonly type: "same-ids" }
  /** A reply that says nothing. */
  | { readonly type: "empty-content" }
  /** A web page, under 200 or another status. */
  | { readonly type: "web-page"; readonly status?: number }
  /** 200, nothing. */
  | { readonly type: "empty" }
  /** A compressed answer of a few bytes that unpacks to so many. */
  | { readonly type: "gzip-bomb"; readonly bytes: number; readonly status?: number }
  /** The reply, under a content type that is wrong. */
  | { readonly type: "content-type"; readonly value: string }
  /** Lines end in CR LF. */
  | { readonly type: "crlf" };

/** The statuses that providers and what stands before them answer instead of a reply. */
export const refusalStatuses = [400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504, 529] as const;
export type RefusalStatus = (typeof refusalStatuses)[number];
