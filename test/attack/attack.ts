/** Where an attacker finds the server. */
export interface Target {
  readonly port: number;
  /** The server's process. */
  readonly pid: number;
  /** For attackers who were let in. */
  readonly token: string;
  /** How long the attack lasts. */
  readonly seconds: number;
  /** Reduces counts for `npm test`. */
  readonly short: boolean;
}

/** What the rest of the server's users may notice, and what an attack may leave behind. */
export interface Bound {
  /** How much longer others' keystrokes take than right before the attack. */
  readonly p99Ms: number;
  readonly slowestMs: number;
  readonly memoryMb: number;
  /** Descriptors beyond those before, at the most during the attack, and some seconds after it. */
  readonly descriptors: number;
  readonly descriptorsAfter: number;
}

/** One way to hurt a server from outside. */
export interface Attack {
  readonly says: string;
  /** Attacks until the time is up; returns what it noticed, which is empty if the server did what it should. */
  run(target: Target): Promise<readonly string[]>;
  readonly bound: Bound;
}

export const usualBound: Bound = {
  p99Ms: 100,
  slowestMs: 250,
  memoryMb: 50,
  descriptors: 200,
  descriptorsAfter: 8,
};
