import { runCommandLine } from "./run.ts";
import { processTerminal } from "./base/terminal.ts";

const code = await runCommandLine(process.argv.slice(2), processTerminal());
// The command has finished: open handles must not keep the process alive.
process.exit(code);
