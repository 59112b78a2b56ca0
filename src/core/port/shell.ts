import type { Refusal } from "../base/errors.ts";
import type { Result } from "../base/result.ts";

/** How a command came to its end. What it printed never decides this. */
export type CommandEnd =
  | { readonly type: "exited"; readonly code: number }
  /** Ended by a signal, such as `SIGSEGV`; not by us. */
  | { readonly type: "signalled"; readonly signal: string }
  | { readonly type: "timed-out" }
  | { readonly type: "cancelled" }
  /** It printed more than `commandBytesMax` and was ended. */
  | { readonly type: "flooded" };

/** A command to be run, and whom to tell of it. */
export interface CommandRun {
  /** Milliseconds. */
  readonly timeLimitMs: number;
  /** What it prints, in the order in which it comes, of both streams; what is no UTF-8 is replaced. */
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs commands in a working folder, in a sandbox: they read no secrets, write nowhere but in that folder and one of their
 * own for what is temporary, and reach no network but `hosts`. When `run` resolves, every process of the command is gone,
 * those in the background too; after an abort or its time limit within 100 ms.
 */
export interface Shell {
  /** Where commands may connect to; none: there is no network at all. */
  readonly hosts: readonly string[];
  /** Refused with SANDBOX_UNAVAILABLE, and nothing run, where there is no sandbox; the refusal says what is missing. */
  run(command: string, run: CommandRun): Promise<Result<CommandEnd, Refusal>>;
  /** Ends what runs, and lets go. */
  close(): Promise<void>;
}

/** How much a command may print, of both streams together. */
export const commandBytesMax = 64 * 1024 * 1024;
