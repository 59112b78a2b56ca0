import { createInterface, emitKeypressEvents, type Key } from "node:readline";
import { writeOutput } from "../base/standard-output.ts";
import type { KeyPress } from "./edit-line.ts";

/** Where a chat reads and writes: the process's own streams, or a test's. */
export interface Console {
  /** Whether a person sits at both ends. */
  readonly isInteractive: boolean;
  readonly colours: boolean;
  /** Cells of a line. */
  columns(): number;
  write(text: string): void;
  /** Prints progress and problems to standard error. */
  note(line: string): void;
  /** Listens to the person's keys; from then on the terminal echoes nothing. */
  onKey(listener: (key: KeyPress) => void): void;
  onResize(listener: () => void): void;
  /** The lines of an input that is not a terminal. */
  lines(): AsyncIterable<string>;
  /** Called on a signal to end. */
  onInterrupt(listener: () => void): void;
  /** Restores the terminal. */
  close(): void;
}

const bracketedPaste = { on: "\u001b[?2004h", off: "\u001b[?2004l" } as const;

/** Opens the process's own console. */
export function processConsole(colours: boolean): Console {
  const { stdin, stdout, stderr } = process;
  // A dumb terminal has no control sequences, so it counts as a pipe.
  const isInteractive = stdin.isTTY && stdout.isTTY && process.env["TERM"] !== "dumb";
  let isRaw = false;
  return {
    isInteractive,
    colours,
    columns: () => Math.max(10, stdout.columns ?? 80),
    write: writeOutput,
    note: (line) => stderr.write(`${line}\n`),
    onKey(listener) {
      emitKeypressEvents(stdin);
      stdin.setRawMode(true);
      isRaw = true;
      stdout.write(bracketedPaste.on);
      // However the process ends, the next program finds the terminal as it was.
      process.once("exit", () => stdout.write(bracketedPaste.off));
      stdin.on("keypress", (text: string | undefined, key: Key) => {
        const { name, ctrl, meta } = key;
        const isText = text !== undefined && ctrl !== true && meta !== true && !/^\p{Cc}/u.test(text);
        listener({ name, ctrl, meta, ...(isText ? { text } : {}) });
      });
      stdin.on("end", () => listener({ name: "d", ctrl: true }));
      stdin.resume();
    },
    onResize: (listener) => void stdout.on("resize", listener),
    lines: () => createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY }),
    onInterrupt(listener) {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, listener);
    },
    close() {
      if (!isRaw) return;
      stdin.setRawMode(false);
      stdin.pause();
    },
  };
}
