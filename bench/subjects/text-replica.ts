/** A replica that writes and takes in what others wrote, whichever engine is behind it. */
export interface Replica {
  readonly length: number;
  /** Whether it lives in memory that the collector looks after. */
  readonly collected: boolean;
  text(): string;
  /** Replaces [at, at + removed); gives the update to send. */
  write(at: number, removed: number, insert: string): Uint8Array;
  /** Takes in another's update. Heddle's also works out what changed in the text. */
  merge(update: Uint8Array): void;
  /** Its whole history as one update. */
  everything(): Uint8Array;
  /** As it would be kept on disk, history included. */
  save(): Uint8Array;
  /** Gives back memory that no collector sees. */
  free(): void;
}

export type MakeReplica = (agent: number) => Replica;

/** An engine by its name. */
export interface Engine {
  readonly name: string;
  /** A replica of an empty text. One that is watched works out what each update changed, as an editor on screen needs it. */
  make(agent: number, watched: "watched" | "unwatched"): Replica;
  /** A replica from what `save` gave. */
  load(saved: Uint8Array): Replica;
}

/** One commit: patches that follow one another, in UTF-16 units. */
export type ReplayTxn = readonly { readonly at: number; readonly removed: number; readonly insert: string }[];
