import type { Listening } from "./child.ts";

/** How clients of one kind of server speak to it. */
export interface Wire {
  readonly path: (room: string) => string;
  /** Everything that a client of a room has to say before it is in; `read` is given every frame until it says so. */
  join(options: JoinOptions): Joining;
}

export interface JoinOptions {
  readonly listening: Listening;
  readonly room: string;
  /** Which client it is, counted over all rooms. */
  readonly client: number;
}

export interface Joining {
  /** The first frames, ready to be written. */
  readonly opening: readonly Buffer[];
  /** Takes a frame; true once the client is in. */
  joined(frame: Buffer): boolean;
  /** A writer that types letters; made when the client is in. */
  writer(): Writer;
  /** The marks of the updates that a frame delivers. */
  delivered(frame: Buffer): readonly string[];
}

export interface Writer {
  /** The next update, ready to be written, and the mark by which it is known where it arrives. */
  next(letters: string): { readonly frame: Buffer; readonly mark: string };
  /** Takes in what others wrote. */
  hear(frame: Buffer): void;
}
