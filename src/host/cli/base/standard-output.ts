import { writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { errorCodeOf } from "../../../core/base/error-code.ts";
import { reasonOf } from "../../../core/base/reason.ts";

/** The file descriptor. */
const standardOutput = 1;

/** Writes to standard output. Output that finds no room is told once, and the process then ends with 1 in place of 0. */
export function writeOutput(text: string): void {
  const { stdout } = process;
  if (stdout instanceof Socket) {
    stdout.write(text);
    return;
  }
  try {
    // The stream of a file writes once and takes no notice of a part that did not fit.
    writeFileSync(standardOutput, text);
  } catch (problem) {
    outputFailed(problem);
  }
}

/** Takes what a write to standard output failed with. Its reader may leave (a pipe to `head`): that is no failure. */
export function outputFailed(problem: unknown): void {
  if (errorCodeOf(problem) === "EPIPE" || process.exitCode !== undefined) return;
  process.exitCode = 1;
  process.stderr.write(`heddle: The output could not be written: ${reasonOf(problem)}\n`);
}
