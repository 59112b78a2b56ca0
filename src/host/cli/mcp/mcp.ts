import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { writeOutput } from "../base/standard-output.ts";
import { stopSignal } from "../base/stop-signals.ts";
import { printRefusal } from "../base/print-refusal.ts";
import type { Terminal } from "../base/terminal.ts";
import { findServer, serverValues, type FoundServer } from "../start/reach-server.ts";
import { Bridge } from "./bridge.ts";
import { readLines } from "./message-lines.ts";

export const mcpForm: CommandForm = { name: "mcp", values: [...serverValues], switches: [] };

export const mcpHelp = `heddle mcp: a Model Context Protocol server for agents of other programs

Examples
  claude mcp add heddle -- heddle mcp          for Claude Code
  codex mcp add heddle -- heddle mcp           for Codex
  heddle mcp --data ./notes                    the workspace of another data folder
  heddle mcp --url http://127.0.0.1:7420       a server that runs, with its token in HEDDLE_TOKEN

A program starts this command and speaks with it over standard input and output. It joins the Heddle server that runs
on the data folder; where none does, it brings its own, which ends with it. docs/mcp.md has the configuration of each
program, and of /mcp, the same over HTTP.

Flags
  --data DIR      the data folder                              HEDDLE_DATA
  --url URL       the address of a running server
  --token TOKEN   its token                                    HEDDLE_TOKEN
  --store URL     the database, where this command starts it   HEDDLE_DATABASE_URL`;

/** How long answers may take that are due when the input ends, and then a server of our own to stop: two seconds in all. */
const answersMs = 1_100;
const stopMs = 900;

/** Serves the program at standard input until it closes it. Returns the exit code. */
export async function mcpCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  const stopped = stopSignal();
  const first = await findServer(line, terminal);
  if (!first.ok) {
    return printRefusal(terminal, first.error);
  }
  let found: FoundServer = first.value;
  const bridge = new Bridge({
    session: randomBytes(12).toString("hex"),
    address: first.value.address,
    write: (text) => writeOutput(`${text}\n`),
    note: (sentence) => terminal.note(sentence),
    async findAgain() {
      await found.stop();
      const again = await findServer(line, terminal);
      if (!again.ok) return again;
      found = again.value;
      return { ok: true, value: again.value.address };
    },
  });
  const ended = readLines(process.stdin, (text) => bridge.receive(text));
  // What was asked before the input ended is answered: `echo … | heddle mcp` shows it.
  await Promise.race([ended.then(() => Promise.race([bridge.settled(), delay(answersMs)])), stopped]);
  bridge.close();
  await Promise.race([found.stop(), delay(stopMs)]);
  return 0;
}
