/** Time in milliseconds. Wall time is shown and stored; monotonic time decides. */
export interface Clock {
  now(): number;
  monotonic(): number;
  /** How long the calling thread has been busy; where absent, monotonic time is used. */
  threadMs?(): number;
  /** Calls back once after `delayMs`; the returned function cancels. */
  setTimer(delayMs: number, callback: () => void): () => void;
}

/** Randomness suitable for ids and tokens. */
export interface Random {
  /** Returns `count` random bytes. */
  bytes(count: number): Uint8Array;
}

/** The facts of a log line besides its event: numbers and names, never content or secrets. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Writes JSON lines without content or secrets. */
export interface Logger {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/** The clock, randomness and log that a workspace uses. Tests pass their own. */
export interface Platform {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}
