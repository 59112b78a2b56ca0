/** What goes wrong with one request. */
export type Fault =
  /** An answer that is no reply; headers and body as given. */
  | {
      readonly type: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** The stream ends after so many events, without its end; the connection closes in order. */
  | { readonly type: "half-stream"; readonly events: number }
  /** As before, but the connection is reset. */
  | { readonly type: "reset"; readonly events: number }
  /** As before, but nothing more comes and the connection stays open. */
  | { readonly type: "stall"; readonly events: number }
  /** The server takes the request and never answers. */
  | { readonly type: "silence" }
  /** After so many events comes an error event, as text of its data line. */
  | { readonly type: "error-event"; readonly events: number; readonly data: string; readonly name?: string }
  /** The end of the stream (`message_stop`, `[DONE]`) is left out. */
  | { readonly type: "no-end" }
  /** Each write holds so many bytes, which cuts through characters and line ends. */
  | { readonly type: "split"; readonly bytes: number }
  /** The last event is cut in the middle and the stream ends. */
  | { readonly type: "half-event" }
  /** A line of so many bytes comes in front. */
  | { readonly type: "long-line"; readonly bytes: number }
  /** 200, a web page. */
  | { readonly type: "web-page" }
  /** 200, nothing. */
  | { readonly type: "empty" }
  /** The reply, under a content type that is wrong. */
  | { readonly type: "content-type"; readonly value: string }
  /** Lines end in CR LF. */
  | { readonly type: "crlf" };
