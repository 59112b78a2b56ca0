import { acp, acpForm, acpHelp } from "./acp/acp.ts";
import { backup, backupForm, backupHelp } from "./data/backup.ts";
import { chat, chatForm, chatHelp } from "./chat/chat.ts";
import { readCommandLine } from "./base/command-line.ts";
import { contextCommand, contextForm, contextHelp } from "./data/context.ts";
import { doctor, doctorForm } from "./doctor.ts";
import { exportCommand, exportForm, exportHelp } from "./data/export.ts";
import { filesCommand, filesForm, filesHelp } from "./data/files.ts";
import { doctorHelp, generalHelp, serveHelp } from "./help.ts";
import { importCommand, importForm, importHelp } from "./data/import.ts";
import { modelsCommand, modelsForm, modelsHelp } from "./data/models.ts";
import { mcpCommand, mcpForm, mcpHelp } from "./mcp/mcp.ts";
import { runForm, runHelp, runPrompt } from "./one-shot/run-prompt.ts";
import { packageVersion } from "./base/package-root.ts";
import { replayCommand, replayForm, replayHelp } from "./data/replay.ts";
import { serve, serveForm } from "./serve.ts";
import { syntaxCommand, syntaxForm, syntaxHelp } from "./syntax.ts";
import { styled, type Terminal } from "./base/terminal.ts";
import { trashCommand, trashForm, trashHelp } from "./data/trash.ts";
import { tokenCommand, tokenForm, tokenHelp } from "./data/token.ts";
import { traceCommand, traceForm, traceHelp } from "./data/trace.ts";

const commands = {
  serve: { form: serveForm, help: serveHelp, run: serve },
  chat: { form: chatForm, help: chatHelp, run: chat },
  run: { form: runForm, help: runHelp, run: runPrompt },
  acp: { form: acpForm, help: acpHelp, run: acp },
  backup: { form: backupForm, help: backupHelp, run: backup },
  import: { form: importForm, help: importHelp, run: importCommand },
  export: { form: exportForm, help: exportHelp, run: exportCommand },
  trace: { form: traceForm, help: traceHelp, run: traceCommand },
  context: { form: contextForm, help: contextHelp, run: contextCommand },
  files: { form: filesForm, help: filesHelp, run: filesCommand },
  trash: { form: trashForm, help: trashHelp, run: trashCommand },
  replay: { form: replayForm, help: replayHelp, run: replayCommand },
  models: { form: modelsForm, help: modelsHelp, run: modelsCommand },
  token: { form: tokenForm, help: tokenHelp, run: tokenCommand },
  mcp: { form: mcpForm, help: mcpHelp, run: mcpCommand },
  syntax: { form: syntaxForm, help: syntaxHelp, run: syntaxCommand },
  doctor: { form: doctorForm, help: doctorHelp, run: doctor },
} as const;

type CommandName = keyof typeof commands;

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

const wrongLineExit = 2;

/** Runs one command line, without the program's name. Returns the exit code. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  const forms = Object.values(commands).map(({ form }) => form);
  const [first = ""] = args;
  if (first === "help") return help(args[1] ?? "", terminal);
  const bare = args.length === 0;
  const read = readCommandLine(bare ? ["serve", "--open"] : args, forms, serveForm);
  if (!read.ok) {
    terminal.note(styled(terminal, "red", `heddle: ${read.error}`));
    terminal.note('"heddle --help" lists the commands.');
    return wrongLineExit;
  }
  const { command, switches } = read.value;
  if (switches.has("version")) {
    terminal.print(packageVersion());
    return 0;
  }
  if (switches.has("help")) return help(isCommand(first) ? first : "", terminal);
  return isCommand(command) ? commands[command].run(read.value, terminal) : wrongLineExit;
}

function help(command: string, terminal: Terminal): number {
  terminal.print(isCommand(command) ? commands[command].help : generalHelp);
  return 0;
}
