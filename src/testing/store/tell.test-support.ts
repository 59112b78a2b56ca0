import { writeSync } from "node:fs";

const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Puts a line straight into standard output: what is told survives the process, what is not was never told to anybody.
 * Waits where whoever listens is slow: a pipe takes no more than it holds.
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
