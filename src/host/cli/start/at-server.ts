import type { Refusal } from "../../../core/base/errors.ts";
import type { Result } from "../../../core/base/result.ts";
import type { CommandLine } from "../base/command-line.ts";
import { printRefusal } from "../base/print-refusal.ts";
import type { Terminal } from "../base/terminal.ts";
import { reachServer, type ReachedServer } from "./reach-server.ts";

/** Does one thing at the server that a command line means, and returns the exit code; a refusal is printed. */
export async function atServer(
  line: CommandLine,
  terminal: Terminal,
  work: (server: ReachedServer) => Promise<Result<unknown, Refusal>>,
): Promise<number> {
  const reached = await reachServer(line, terminal);
  if (!reached.ok) return printRefusal(terminal, reached.error);
  try {
    const done = await work(reached.value);
    return done.ok ? 0 : printRefusal(terminal, done.error);
  } finally {
    await reached.value.close();
  }
}
