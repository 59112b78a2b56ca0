import type { JsonPayload } from "../base/grammar.ts";
import { JsonCalls } from "./json-calls.ts";
import { JsonReader } from "./json-reader.ts";
import type { ReplyCalls } from "./reply-calls.ts";

/** The JSON of a reply while it streams: its reader, and the calls that its events become. */
export class JsonPart {
  readonly #calls: JsonCalls;
  readonly #reader: JsonReader;

  constructor(payload: JsonPayload, calls: ReplyCalls) {
    this.#calls = new JsonCalls(calls, payload.type);
    this.#reader = new JsonReader(payload, this.#calls);
  }

  /** `done`: the outermost bracket has closed. `broken`: the text cannot be such JSON. */
  get state(): JsonReader["state"] {
    return this.#reader.state;
  }

  /** Consumes a piece that only continues a text; false when the piece does more. `base` is the piece's offset in the reply. */
  goesOn(piece: string, base: number): boolean {
    this.#calls.inputAt = base;
    return this.#reader.goesOn(piece);
  }

  /** Reads on; returns the offset after the consumed input. `base` is the input's offset in the reply. */
  read(input: string, from: number, { base, isEnd }: { readonly base: number; readonly isEnd: boolean }): number {
    this.#calls.inputAt = base;
    return this.#reader.read(input, from, isEnd);
  }
}
