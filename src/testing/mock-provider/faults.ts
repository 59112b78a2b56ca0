/** A fault of one request. A fault that cuts a stream cuts an unstreamed reply in half. */
export type Fault =
  /** An answer that is not a reply, with the given headers and body. */
  | {
      readonly type: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** An answer that is not a reply, in the provider's own form for that status; `retryAfter` is the header's value. */
  | { readonly type: "refusal"; readonly status: RefusalStatus; readonly retryAfter?: string }
  /** The stream ends after this many events, without its end; the connection closes in order. */
  | { readonly type: "half-stream"; readonly events: number }
  /** Like `half-stream`, but the connection is reset. */
  | { readonly type: "reset"; readonly events: number }
  /** Like `half-stream`, but the connection ends without closing TLS. Needs a provider started with `tls`. */
  | { readonly type: "tls-cut"; readonly events: number }
  /** Like `half-stream`, but nothing more comes and the connection stays open. */
  | { readonly type: "stall"; readonly events: number }
  /** The server accepts the request and never answers. */
  | { readonly type: "silence" }
  /** An error event follows after this many events, given as the text of its data line. */
  | { readonly type: "error-event"; readonly events: number; readonly data: string; readonly name?: string }
  /** After this many events, the provider reports in its format that it is overloaded. */
  | { readonly type: "overloaded-event"; readonly events: number }
  /** The end of the stream (`message_stop`, `[DONE]`) is missing. */
  | { readonly type: "no-end" }
  /** The event at this index, counted from 0, comes twice. */
  | { readonly type: "duplicate"; readonly at: number }
  /** The event at this index, counted from 0, comes after the next one. */
  | { readonly type: "reorder"; readonly at: number }
  /** Each write holds this many bytes, which cuts through characters and line ends. */
  | { readonly type: "split"; readonly bytes: number; readonly crlf?: boolean }
  /** Like `split`, with a wait of `everyMs` milliseconds between writes. */
  | { readonly type: "drip"; readonly bytes: number; readonly everyMs: number }
  /** The last event is cut in the middle and the stream ends. */
  | { readonly type: "half-event" }
  /** A line of this many bytes comes first. */
  | { readonly type: "long-line"; readonly bytes: number }
  /** One piece of text has this many characters. */
  | { readonly type: "big-delta"; readonly characters: number }
  /**
   * Arguments of calls are invalid JSON. Where the format sends objects, the provider reports that it cannot parse them
   * (MALFORMED_FUNCTION_CALL).
   */
  | { readonly type: "broken-arguments" }
  /** All calls of the reply have the same id. */
  | { readonly type: "same-ids" }
  /** A reply without content. */
  | { readonly type: "empty-content" }
  /** A web page, with status 200 or another. */
  | { readonly type: "web-page"; readonly status?: number }
  /** Status 200 with an empty body. */
  | { readonly type: "empty" }
  /** A compressed answer of a few bytes that unpacks to this many. */
  | { readonly type: "gzip-bomb"; readonly bytes: number; readonly status?: number }
  /** The reply with a wrong content type. */
  | { readonly type: "content-type"; readonly value: string }
  /** Lines end in CR LF. */
  | { readonly type: "crlf" };

/** The statuses that providers, and proxies before them, answer instead of a reply. */
export const refusalStatuses = [400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504, 529] as const;
export type RefusalStatus = (typeof refusalStatuses)[number];
