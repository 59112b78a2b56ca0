import type { Listening } from "./child.ts";

/** How clients talk to one kind of server. */
export interface Wire {
  readonly path: (room: string) => string;
  /** The handshake of a client of a room; `read` gets every frame until it returns true. */
  join(options: JoinOptions): Joining;
}

export interface JoinOptions {
  readonly listening: Listening;
  readonly room: string;
  /** The client's number, counted over all rooms. */
  readonly client: number;
}

export interface Joining {
  /** The first frames, ready to send. */
  readonly opening: readonly Buffer[];
  /** Reads a frame; returns true once the client has joined. */
  joined(frame: Buffer): boolean;
  /** Returns a writer that types letters; call it once the client has joined. */
  writer(): Writer;
  /** Returns the marks of the updates that a frame delivers. */
  delivered(frame: Buffer): readonly string[];
}

export interface Writer {
  /** The next update, ready to send, and the mark that identifies it on arrival. */
  next(letters: string): { readonly frame: Buffer; readonly mark: string };
  /** Merges what others wrote. */
  hear(frame: Buffer): void;
}
