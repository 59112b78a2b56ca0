import { writeSync } from "node:fs";

const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes a line straight to standard output, so that a printed line survives the process and an unprinted one was never
 * reported. Waits for a slow reader, since a pipe holds only so much.
 */
export function tell(line: string): void {
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (problem) {
      if (!(problem instanceof Error && "code" in problem && problem.code === "EAGAIN")) throw problem;
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}
