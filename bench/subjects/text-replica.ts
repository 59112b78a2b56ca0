/** A replica that edits and merges others' updates, with any engine behind it. */
export interface Replica {
  readonly length: number;
  /** Whether its memory is collected. */
  readonly collected: boolean;
  text(): string;
  /** Replaces [at, at + removed); returns the update to send. */
  write(at: number, removed: number, insert: string): Uint8Array;
  /** Merges another replica's update. Heddle also computes what changed in the text. */
  merge(update: Uint8Array): void;
  /** Returns its whole history as one update. */
  everything(): Uint8Array;
  /** Returns the form to store, history included. */
  save(): Uint8Array;
  /** Frees memory that no collector sees. */
  free(): void;
}

export type MakeReplica = (agent: number) => Replica;

/** An engine by its name. */
export interface Engine {
  readonly name: string;
  /** Creates a replica of an empty text. A watched one computes what each update changed, as an editor needs it. */
  make(agent: number, watched: "watched" | "unwatched"): Replica;
  /** Opens a replica from the bytes of `save`. */
  load(saved: Uint8Array): Replica;
}

/** One commit: patches that follow one another, in UTF-16 units. */
export type ReplayTxn = readonly { readonly at: number; readonly removed: number; readonly insert: string }[];
