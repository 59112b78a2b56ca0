import { runCommandLine } from "./run.ts";
import { processTerminal } from "./base/terminal.ts";

const code = await runCommandLine(process.argv.slice(2), processTerminal());
// What is still open is of no use any more: the command has said that it is done.
process.exit(code);
