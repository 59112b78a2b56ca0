import { acp, acpForm, acpHelp } from "./acp/acp.ts";
import { auditCommand, auditForm, auditHelp } from "./data/audit.ts";
import { backup, backupForm, backupHelp } from "./data/backup.ts";
import { chat, chatForm, chatHelp } from "./chat/chat.ts";
import { completion, completionForm, completionHelp } from "./completion.ts";
import { readCommandLine, type CommandForm } from "./base/command-line.ts";
import { contextCommand, contextForm, contextHelp } from "./data/context.ts";
import { doctor, doctorForm } from "./doctor.ts";
import { exportCommand, exportForm, exportHelp } from "./data/export.ts";
import { filesCommand, filesForm, filesHelp } from "./data/files.ts";
import { generalHelp } from "./general-help.ts";
import { doctorHelp, serveHelp } from "./help.ts";
import { importCommand, importForm, importHelp } from "./data/import.ts";
import { modelsCommand, modelsForm, modelsHelp } from "./data/models.ts";
import { mcpCommand, mcpForm, mcpHelp } from "./mcp/mcp.ts";
import { askHelp, runForm, runHelp, runPrompt } from "./one-shot/run-prompt.ts";
import { packageVersion } from "./base/package-root.ts";
import { compact, compactForm, compactHelp } from "./data/compact.ts";
import { drill, drillForm, drillHelp } from "./data/drill.ts";
import { migrate, migrateForm, migrateHelp } from "./data/migrate.ts";
import { recover, recoverForm, recoverHelp } from "./data/recover.ts";
import { peopleCommand, peopleForm, peopleHelp } from "./data/people.ts";
import { replayCommand, replayForm, replayHelp } from "./data/replay.ts";
import { serve, serveForm } from "./serve.ts";
import { syntaxCommand, syntaxForm, syntaxHelp } from "./syntax.ts";
import * as change from "./content/change-commands.ts";
import * as read from "./content/read-commands.ts";
import { budgetsCommand, budgetsForm, budgetsHelp } from "./content/budgets-command.ts";
import { shareCommand, shareForm, shareHelp } from "./content/share-command.ts";
import { searchCommand, searchForm, searchHelp } from "./content/search-command.ts";
import { styled, type Terminal } from "./base/terminal.ts";
import { trashCommand, trashForm, trashHelp } from "./data/trash.ts";
import { mcpServersCommand, mcpServersForm, mcpServersHelp } from "./data/mcp-servers.ts";
import { providersCommand, providersForm, providersHelp } from "./data/providers.ts";
import { tokenCommand, tokenForm, tokenHelp } from "./data/token.ts";
import { traceCommand, traceForm, traceHelp } from "./data/trace.ts";

const commands = {
  serve: { form: serveForm, help: serveHelp, run: serve },
  chat: { form: chatForm, help: chatHelp, run: chat },
  run: { form: runForm, help: runHelp, run: runPrompt },
  ask: { form: { ...runForm, name: "ask" }, help: askHelp, run: runPrompt },
  tree: { form: read.treeForm, help: read.treeHelp, run: read.treeCommand },
  log: { form: read.logForm, help: read.logHelp, run: read.logCommand },
  show: { form: read.showForm, help: read.showHelp, run: read.showCommand },
  edit: { form: change.editForm, help: change.editHelp, run: change.editCommand },
  diff: { form: read.diffForm, help: read.diffHelp, run: read.diffCommand },
  blame: { form: read.blameForm, help: read.blameHelp, run: read.blameCommand },
  undo: { form: change.undoForm, help: change.undoHelp, run: change.undoCommand },
  search: { form: searchForm, help: searchHelp, run: searchCommand },
  approve: { form: change.approveForm, help: change.approveHelp, run: change.approveCommand },
  tools: { form: change.toolsForm, help: change.toolsHelp, run: change.toolsCommand },
  acp: { form: acpForm, help: acpHelp, run: acp },
  backup: { form: backupForm, help: backupHelp, run: backup },
  drill: { form: drillForm, help: drillHelp, run: drill },
  migrate: { form: migrateForm, help: migrateHelp, run: migrate },
  compact: { form: compactForm, help: compactHelp, run: compact },
  recover: { form: recoverForm, help: recoverHelp, run: recover },
  import: { form: importForm, help: importHelp, run: importCommand },
  export: { form: exportForm, help: exportHelp, run: exportCommand },
  trace: { form: traceForm, help: traceHelp, run: traceCommand },
  context: { form: contextForm, help: contextHelp, run: contextCommand },
  files: { form: filesForm, help: filesHelp, run: filesCommand },
  trash: { form: trashForm, help: trashHelp, run: trashCommand },
  replay: { form: replayForm, help: replayHelp, run: replayCommand },
  models: { form: modelsForm, help: modelsHelp, run: modelsCommand },
  providers: { form: providersForm, help: providersHelp, run: providersCommand },
  "mcp-servers": { form: mcpServersForm, help: mcpServersHelp, run: mcpServersCommand },
  people: { form: peopleForm, help: peopleHelp, run: peopleCommand },
  audit: { form: auditForm, help: auditHelp, run: auditCommand },
  share: { form: shareForm, help: shareHelp, run: shareCommand },
  budgets: { form: budgetsForm, help: budgetsHelp, run: budgetsCommand },
  token: { form: tokenForm, help: tokenHelp, run: tokenCommand },
  mcp: { form: mcpForm, help: mcpHelp, run: mcpCommand },
  syntax: { form: syntaxForm, help: syntaxHelp, run: syntaxCommand },
  doctor: { form: doctorForm, help: doctorHelp, run: doctor },
  completion: { form: completionForm, help: completionHelp, run: completion(() => formsOf()) },
} as const;

type CommandName = keyof typeof commands;

function formsOf(): readonly CommandForm[] {
  return Object.values(commands).map(({ form }) => form);
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

const wrongLineExit = 2;

/** Runs one command line, without the program's name. Returns the exit code. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  const forms = formsOf();
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
