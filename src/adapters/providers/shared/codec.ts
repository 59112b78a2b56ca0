import type { JsonObject } from "../../../core/base/json.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import type { SseEvent } from "./sse.ts";

/** Everything that the HTTP client needs to know about one wire format. Pure: the client only moves bytes. */
export interface Codec<State> {
  /** Name of the wire format, stored with the content that it wrote. */
  readonly api: string;
  /** Path below the base URL, including the version. */
  path(model: string, stream: boolean): string;
  headers(apiKey: string | undefined): Readonly<Record<string, string>>;
  encode(request: ModelRequest, stream: boolean): JsonObject;
  readonly start: State;
  decodeChunk(state: State, event: SseEvent): Decoded<State>;
  /**
   * Ends the stream: gives `finished` when the reply was complete, else `failed`; gives nothing when either was already
   * sent.
   */
  decodeEnd(state: State): readonly StreamPart[];
  /** Reads a reply that came as one JSON body. Ends with `finished` or `failed`. */
  decodeReply(body: unknown): readonly StreamPart[];
}

export interface Decoded<State> {
  readonly state: State;
  readonly parts: readonly StreamPart[];
}

/** A request as a client sent it. */
export interface DecodedRequest {
  readonly request: ModelRequest;
  readonly stream: boolean;
}
