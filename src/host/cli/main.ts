import { quickAnswer } from "./quick-answer.ts";
import { processTerminal } from "./base/terminal.ts";

const args = process.argv.slice(2);
const terminal = processTerminal();
const quick = quickAnswer(args);
let code = 0;
if (quick === null) {
  const { runCommandLine } = await import("./run.ts");
  code = await runCommandLine(args, terminal);
} else terminal.print(quick);
// The command has finished: open handles must not keep the process alive.
process.exit(code === 0 ? process.exitCode : code);
