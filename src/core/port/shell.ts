import type { Refusal } from "../base/errors.ts";
import type { Result } from "../base/result.ts";

/** How a command ended. What it printed never decides this. */
export type CommandEnd =
  | { readonly type: "exited"; readonly code: number }
  /** Ended by a signal, such as `SIGSEGV`, that Heddle did not send. */
  | { readonly type: "signalled"; readonly signal: string }
  | { readonly type: "timed-out" }
  | { readonly type: "cancelled" }
  /** The command printed more than `commandBytesMax` and was ended. */
  | { readonly type: "flooded" }
  /** Its processes used more memory together than a command may, and were ended. */
  | { readonly type: "out-of-memory" };

/** A command to run, and the receiver of its output. */
export interface CommandRun {
  /** Milliseconds. */
  readonly timeLimitMs: number;
  /** Receives the output of both streams in order of arrival; bytes that are not UTF-8 are replaced. */
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
  /**
   * Receives the new names of files that the command made and that other programs would run or obey by themselves: they were
   * renamed, so that nobody runs them before a person has looked. Called before `run` resolves.
   */
  readonly onHeld?: (paths: readonly string[]) => void;
}

/**
 * Runs commands in a working folder, in a sandbox: they read no secrets, write only to that folder and to a temporary folder
 * of their own, and reach no network except `hosts`. When `run` resolves, every process of the command has ended, including
 * background processes; after an abort or the time limit, within 100 ms.
 */
export interface Shell {
  /** Hosts that commands may connect to; without hosts there is no network at all. */
  readonly hosts: readonly string[];
  /** Refuses with SANDBOX_UNAVAILABLE, and runs nothing, when there is no sandbox; the refusal says what is missing. */
  run(command: string, run: CommandRun): Promise<Result<CommandEnd, Refusal>>;
  /** Ends running commands and releases the sandbox. */
  close(): Promise<void>;
}

/** The most a command may print, in bytes of both streams together. */
export const commandBytesMax = 64 * 1024 * 1024;
