import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import type { HeddleClient } from "../../../client/base/types.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { FolderId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { CommandAnswer } from "../../../core/protocol/commands.ts";
import { loadConfiguration } from "../../data/load-configuration.ts";
import type { CommandLine } from "../base/command-line.ts";
import { safeLine } from "../base/safe-text.ts";
import { styled, userOf, type Terminal } from "../base/terminal.ts";
import { DeclinedFolders } from "./declined-folders.ts";
import { exposedRefusal } from "./exposed-place.ts";

type KnownFolder = CommandAnswer<"folder.list">["folders"][number];

/** A server, as far as a command asks it about folders. */
export interface FolderServer {
  readonly client: Pick<HeddleClient, "call">;
  /** `http://127.0.0.1:7420`. */
  readonly url: string;
}

/** The folder that the terminal is in; tests give another. */
type Here = string;

/**
 * Settles the folder of a new conversation: the one of `--workspace` (or the setting), which is added to the server if it
 * is not known there; else the nearest known folder around the one that the terminal is in; else that one, if the person
 * says so, who is asked once for each folder. Undefined: the server's default folder; null: none.
 */
export async function workingFolder(
  line: CommandLine,
  terminal: Terminal,
  server: FolderServer,
  here: Here = process.cwd(),
): Promise<Result<FolderId | null | undefined, Refusal>> {
  const settings = loadConfiguration(settingsOf(line), userOf(terminal));
  if (!settings.ok) return settings;
  const named = settings.value.workspace;
  if (!isOnThisMachine(server.url)) {
    return line.values["workspace"] === undefined
      ? ok(undefined)
      : err(elsewhere(line.values["workspace"], server.url));
  }
  const listed = await server.client.call("folder.list", {});
  if (!listed.ok) return listed;
  const { folders, canAdd } = listed.value;
  const wanted = await realFolder(resolve(here, named ?? "."));
  if (!wanted.ok) return named === undefined ? ok(undefined) : wanted;
  const known = named === undefined ? nearestAround(folders, wanted.value) : atPath(folders, wanted.value);
  if (known !== undefined) return known.away === null ? ok(known.id) : err(away(known));
  if (named !== undefined) return add(server, wanted.value);
  // Heddle's own files lie in a home folder, which is no project either.
  const exposed = await exposedRefusal({ ...settings.value, workspace: wanted.value }, userOf(terminal));
  if (exposed !== null || !canAdd) return ok(undefined);
  const declined = new DeclinedFolders(settings.value.data);
  if (await declined.has(wanted.value)) {
    const hint = `The conversation does not work in ${wanted.value}, as you chose before. With --workspace . it does.`;
    terminal.note(styled(terminal, "dim", hint));
    return ok(undefined);
  }
  return askAndAdd(terminal, server, { path: wanted.value, declined });
}

/** Refuses `--workspace` for an existing conversation in another folder: its folder is fixed when it is made. */
export async function refuseOtherFolder(
  { values }: CommandLine,
  { client }: FolderServer,
  conversation: { readonly folderId?: FolderId },
  here: Here = process.cwd(),
): Promise<Refusal | null> {
  const { workspace } = values;
  if (workspace === undefined) return null;
  const listed = await client.call("folder.list", {});
  if (!listed.ok) return listed.error;
  const own = listed.value.folders.find(({ id }) => id === conversation.folderId);
  const wanted = await realFolder(resolve(here, workspace));
  if (own !== undefined && wanted.ok && own.path === wanted.value) return null;
  const works = own === undefined ? "The conversation works in no folder" : `The conversation works in ${own.path}`;
  const message = `${works}, which is fixed when a conversation is made. Leave --workspace out, or begin a new conversation in ${workspace}.`;
  return refusal("INVALID_PARAMS", { workspace }, message);
}

async function askAndAdd(
  terminal: Terminal,
  server: FolderServer,
  { path, declined }: { readonly path: string; readonly declined: DeclinedFolders },
): Promise<Result<FolderId | null | undefined, Refusal>> {
  if (terminal.ask === undefined) {
    const hint = `The conversation does not work in ${path}: nobody can be asked. With --workspace . it does.`;
    terminal.note(styled(terminal, "dim", hint));
    return ok(undefined);
  }
  const question = `Work in ${path}? Agents may then read and write its files and run commands there, each as the approvals allow. [y/N] `;
  let said = await answered(terminal.ask(question));
  // Whoever types without reading must not lose a message as a "no".
  if (!isAnswer(said)) {
    terminal.note(styled(terminal, "yellow", `Nothing was sent: ${safeLine(said)}`));
    said = await answered(terminal.ask("Answer y or n first: "));
  }
  if (said === "y" || said === "yes") return add(server, path);
  const isNo = said === "n" || said === "no";
  if (isNo) await declined.add(path);
  const later = isNo ? " You are not asked about it again; --workspace . works in it." : "";
  terminal.note(styled(terminal, "dim", `The conversation works without that folder.${later}`));
  return ok(undefined);
}

async function answered(said: Promise<string>): Promise<string> {
  const text = (await said).trim();
  return isAnswer(text.toLowerCase()) ? text.toLowerCase() : text;
}

function isAnswer(text: string): boolean {
  return ["", "y", "yes", "n", "no"].includes(text);
}

async function add({ client }: FolderServer, path: string): Promise<Result<FolderId, Refusal>> {
  const added = await client.call("folder.add", { path });
  return added.ok ? ok(added.value.folderId) : added;
}

function atPath(folders: readonly KnownFolder[], path: string): KnownFolder | undefined {
  return folders.find((folder) => folder.path === path);
}

/** Returns the innermost known folder that a path lies in. */
function nearestAround(folders: readonly KnownFolder[], path: string): KnownFolder | undefined {
  const around = folders.filter((folder) => {
    const below = relative(folder.path, path);
    return (
      below === "" || (below !== ".." && !below.startsWith("../") && !below.startsWith("..\\") && !isAbsolute(below))
    );
  });
  return around.toSorted((a, b) => b.path.length - a.path.length)[0];
}

async function realFolder(path: string): Promise<Result<string, Refusal>> {
  try {
    return ok(await realpath(path));
  } catch {
    return err(refusal("FILE_FAILED", { folder: path }, `The folder ${path} does not exist. Correct --workspace.`));
  }
}

function settingsOf({ values }: CommandLine): Readonly<Record<string, string>> {
  const wanted = ["data", "workspace"] as const;
  return Object.fromEntries(wanted.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
}

function isOnThisMachine(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/u.test(hostname);
}

function elsewhere(workspace: string, url: string): Refusal {
  const message = `--workspace ${workspace} names a folder of this machine, and the server at ${url} runs on another. Add a folder there in its app, and leave --workspace out.`;
  return refusal("INVALID_PARAMS", { workspace, url }, message);
}

function away({ path, away: problem }: KnownFolder): Refusal {
  const message = `The folder ${path} is away: ${problem ?? ""}. Nothing was sent. Bring it back, or use another folder.`;
  return refusal("FOLDER_AWAY", { folder: path, problem }, message);
}
