import { createInterface } from "node:readline";
import { homedir } from "node:os";
import { text } from "node:stream/consumers";
import type { UserFolders } from "../../data/data-directory.ts";
import { outputFailed, writeOutput } from "./standard-output.ts";

/** The input, output and environment of a command line; tests replace it. */
export interface Terminal {
  /** Prints the result of the command, for people and pipes. */
  print(line: string): void;
  /** Prints progress and problems. */
  note(line: string): void;
  /** Reads standard input to its end. */
  input(): Promise<string>;
  /** Asks the person at the terminal for a line; absent where nobody can answer. */
  ask?(question: string): Promise<string>;
  /** Whether a person sits at standard input, so that it has no end; false by default. */
  readonly isInputTerminal?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isInteractive: boolean;
  readonly colours: boolean;
}

/** The process's own terminal. Colours for people only: not into pipes, and not with NO_COLOR. */
export function processTerminal(): Terminal {
  const { env, stdin, stdout, stderr } = process;
  stdout.on("error", outputFailed);
  // Nobody can be told of notes that are lost: the command continues without them.
  stderr.on("error", () => {});
  const isInteractive = stdout.isTTY;
  const forced = env["FORCE_COLOR"] !== undefined && env["FORCE_COLOR"] !== "0";
  const refused = env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "";
  return {
    print: (line) => writeOutput(`${line}\n`),
    note: (line) => stderr.write(`${line}\n`),
    input: () => text(stdin),
    ...(stdin.isTTY && stderr.isTTY ? { ask: askLine } : {}),
    isInputTerminal: stdin.isTTY,
    env,
    isInteractive,
    colours: forced || (isInteractive && !refused && env["TERM"] !== "dumb"),
  };
}

/** Asks on standard error, which is a person's also when the output goes into a pipe. */
async function askLine(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise((resolve) => {
      lines.on("close", () => resolve(""));
      lines.question(question, resolve);
    });
  } finally {
    lines.close();
  }
}

/** Returns the user whose folders and variables a command uses. */
export function userOf({ env }: Terminal): UserFolders {
  return { platform: process.platform, home: homedir(), env };
}

const styles = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

export function styled(terminal: Pick<Terminal, "colours">, style: keyof typeof styles, text: string): string {
  return terminal.colours ? `\u001b[${styles[style]}m${text}\u001b[0m` : text;
}
