import { homedir } from "node:os";
import { text } from "node:stream/consumers";
import type { UserFolders } from "../../data/data-directory.ts";

/** Where a command line speaks and what it knows of its surroundings; tests put their own in its place. */
export interface Terminal {
  /** What was asked for: data, for people and pipes. */
  print(line: string): void;
  /** What happens meanwhile, and what went wrong. */
  note(line: string): void;
  /** What comes on standard input, to its end. */
  input(): Promise<string>;
  /** Whether a person sits at standard input, so that it has no end; not so where left out. */
  readonly isInputTerminal?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isInteractive: boolean;
  readonly colours: boolean;
}

/** The process's own terminal. Colours only for people: not into pipes, and not where NO_COLOR asks for none. */
export function processTerminal(): Terminal {
  const { env, stdin, stdout, stderr } = process;
  // Whoever read what we say may go away (a pipe to `head`, a log that ends): the server goes on without a listener.
  for (const stream of [stdout, stderr]) stream.on("error", () => {});
  const isInteractive = stdout.isTTY;
  const forced = env["FORCE_COLOR"] !== undefined && env["FORCE_COLOR"] !== "0";
  const refused = env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "";
  return {
    print: (line) => stdout.write(`${line}\n`),
    note: (line) => stderr.write(`${line}\n`),
    input: () => text(stdin),
    isInputTerminal: stdin.isTTY,
    env,
    isInteractive,
    colours: forced || (isInteractive && !refused && env["TERM"] !== "dumb"),
  };
}

/** The user whose folders and variables a command goes by. */
export function userOf({ env }: Terminal): UserFolders {
  return { platform: process.platform, home: homedir(), env };
}

const styles = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

export function styled(terminal: Pick<Terminal, "colours">, style: keyof typeof styles, text: string): string {
  return terminal.colours ? `\u001b[${styles[style]}m${text}\u001b[0m` : text;
}
