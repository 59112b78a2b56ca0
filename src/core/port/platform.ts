/** Time. Wall time is for showing and storing; monotonic time decides. Both in milliseconds. */
export interface Clock {
  now(): number;
  monotonic(): number;
  /** Calls back once after `delayMs`; the returned function cancels. */
  setTimer(delayMs: number, callback: () => void): () => void;
}

/** Randomness fit for ids and tokens. */
export interface Random {
  /** `count` random bytes. */
  bytes(count: number): Uint8Array;
}

/** What a line of the log says besides its event: numbers and names, never content or secrets. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** JSON lines without content or secrets. */
export interface Logger {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/** The clock, the randomness and the log that a workspace uses. A test gives its own. */
export interface Platform {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}
