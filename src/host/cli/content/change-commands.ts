import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { diffChanges } from "../../../core/block/change/diff-changes.ts";
import { mergedWith } from "../../../core/block/change/merged-with.ts";
import { toolSpecs, allFeatures } from "../../../core/tool/registry.ts";
import { toolDefinition } from "../../../core/tool/base/definitions.ts";
import { isJsonObject } from "../../../core/base/json.ts";
import { unchangedWords } from "../../../core/base/unchanged-words.ts";
import type { HeddleClient, RunView, TextReplica } from "../../../client/base/types.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { exactJson, safeLine } from "../base/safe-text.ts";
import { styled, type Terminal } from "../base/terminal.ts";
import { atServer } from "../start/at-server.ts";
import { printRefusal } from "../base/print-refusal.ts";
import { serverValues } from "../start/reach-server.ts";
import { findConversation, findDocument, withDocument, workFlags } from "./named-thing.ts";

export const editForm: CommandForm = {
  name: "edit",
  values: [...serverValues, "document", "editor"],
  switches: ["json"],
  argument: "document",
};

export const editHelp = `heddle edit: change a document in your own editor

Examples
  heddle edit Plan
  EDITOR="code --wait" heddle edit notes/today.md

Opens the text in $VISUAL or $EDITOR. When the editor ends, what you changed is merged with what others wrote meanwhile. Where both
changed the same lines, nothing is written, and your text stays in the file that is named.

Flags
  --editor COMMAND   in place of $VISUAL and $EDITOR
${workFlags}`;

/** Edits a document in the person's editor. */
export async function editCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  const { env } = terminal;
  const editor = line.values["editor"] ?? env["VISUAL"] ?? env["EDITOR"];
  if (editor === undefined || editor.trim() === "") {
    const message = "No editor is set. Set EDITOR, or give --editor.";
    return printRefusal(terminal, refusal("INVALID_PARAMS", {}, message));
  }
  return atServer(line, terminal, async ({ client }) => {
    const found = await findDocument(client, line.values["document"]);
    if (!found.ok) return found;
    return withDocument(client, found.value, (text) => editText(text, { editor, line, terminal }));
  });
}

async function editText(
  text: TextReplica,
  { editor, line, terminal }: { readonly editor: string; readonly line: CommandLine; readonly terminal: Terminal },
): Promise<Result<unknown, Refusal>> {
  const before = text.text();
  const folder = await mkdtemp(join(tmpdir(), "heddle-edit-"));
  const { path, title } = text.header.get()?.metadata ?? {};
  const name = typeof path === "string" ? (path.split("/").at(-1) ?? "text.md") : `${safeName(title)}.md`;
  const file = join(folder, name);
  await writeFile(file, before, { mode: 0o600 });
  const ended = await runEditor(editor, file);
  if (ended !== 0) {
    const message = `The editor ended with ${ended === null ? "a signal" : `exit code ${ended}`}. Nothing was written; your text is in ${file}.`;
    return err(refusal("FILE_FAILED", { file }, message));
  }
  const written = await readFile(file, "utf8");
  const now = text.text();
  const merged = written === before ? now : mergedWith(before, now, written);
  if (merged === null) {
    const message = `Others changed the same lines meanwhile. Nothing was written; your text is in ${file}. Run "heddle edit" again and take over what is missing.`;
    return err(refusal("CONFLICT", { file }, message));
  }
  const changes = diffChanges(now, merged);
  if (changes.length > 0) text.edit(changes);
  const refused = await stored(text);
  if (refused !== null) {
    return err({ ...refused, message: `${refused.message} Your text is in ${file}.` });
  }
  await rm(folder, { recursive: true, force: true });
  if (line.switches.has("json")) terminal.print(JSON.stringify({ id: text.blockId, changed: changes.length > 0 }));
  else terminal.note(changes.length === 0 ? "Nothing was changed." : "Written.");
  return ok(undefined);
}

function safeName(title: unknown): string {
  const name =
    typeof title === "string"
      ? title
          .replaceAll(/[^\p{L}\p{N} _-]+/gu, "")
          .trim()
          .slice(0, 60)
      : "";
  return name === "" ? "text" : name;
}

/** Runs the editor at the terminal; resolves with its exit code, null for a signal. */
function runEditor(editor: string, file: string): Promise<number | null> {
  return new Promise((resolve) => {
    // The person's own setting may have arguments, as git takes it.
    const child =
      process.platform === "win32"
        ? spawn(`${editor} "${file}"`, { stdio: "inherit", shell: true })
        : spawn("sh", ["-c", `${editor} "$1"`, "heddle", file], { stdio: "inherit" });
    child.on("error", () => resolve(127));
    child.on("exit", (code) => resolve(code));
  });
}

/** Resolves when the server has every edit; with the refusal where it takes one not. */
function stored(text: TextReplica): Promise<Refusal | null> {
  return new Promise((resolve) => {
    const stops: (() => void)[] = [];
    const look = (): void => {
      const refused = text.refused.get();
      if (refused === null && text.unconfirmed.get() > 0) return;
      for (const stop of stops) stop();
      resolve(refused);
    };
    stops.push(text.unconfirmed.subscribe(look), text.refused.subscribe(look));
    look();
  });
}

export const undoForm: CommandForm = {
  name: "undo",
  values: [...serverValues, "document", "turn"],
  switches: ["json", "redo"],
  argument: ["document", "turn"],
};

export const undoHelp = `heddle undo: undo what a turn of an agent changed

Examples
  heddle undo Plan                    the newest turn that changed this document, wherever else it wrote
  heddle undo Plan turn_01h…          that turn
  heddle undo Plan --redo             the newest undone turn again

What others wrote since stays.

Flags
  --turn ID          a turn, as "heddle diff --turn" and the app name it
  --redo             redo in place of undo
${workFlags}`;

/** Undoes or redoes a turn. */
export async function undoCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  return atServer(line, terminal, async ({ client }) => {
    const found = await findDocument(client, line.values["document"]);
    if (!found.ok) return found;
    const turns = await client.call("block.turns", { blockId: found.value });
    if (!turns.ok) return turns;
    const isRedo = line.switches.has("redo");
    const { turn } = line.values;
    const wanted = turns.value.turns.find(({ turnId, undone }) =>
      turn === undefined ? undone === isRedo : turnId === turn,
    );
    if (wanted === undefined) return err(refusal(isRedo ? "NOTHING_TO_REDO" : "NOTHING_TO_UNDO"));
    const done = await client.call(isRedo ? "turn.redo" : "turn.undo", { turnId: wanted.turnId });
    if (!done.ok) return done;
    if (line.switches.has("json")) terminal.print(JSON.stringify({ turnId: wanted.turnId, ...done.value }));
    else
      terminal.note(
        `${isRedo ? "Redone" : "Undone"}: the turn of ${safeLine(wanted.actorName)}, in ${done.value.blocks.length} documents.${unchangedWords(done.value.unchanged)}`,
      );
    return done;
  });
}

export const approveForm: CommandForm = {
  name: "approve",
  values: [...serverValues, "conversation", "remember", "note"],
  switches: ["json", "yes", "deny"],
  argument: "conversation",
};

export const approveHelp = `heddle approve: decide about a call that waits for your approval

Examples
  heddle approve weather-1a2b                 shows the call, and asks
  heddle approve weather-1a2b --yes           allows it once
  heddle approve weather-1a2b --yes --remember conversation
  heddle approve weather-1a2b --deny --note "Use the other file"
  heddle approve weather-1a2b --json          shows it, decides nothing

The exact arguments are shown, with every character. Without --yes or --deny, and without a terminal, nothing is decided.

Flags
  --yes              allow without asking
  --deny             deny; --note TEXT says why, to the agent
  --remember HOW     once (the default), conversation, or always
${workFlags}`;

/** Shows the call that waits, and carries the person's decision out. */
export async function approveCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  return atServer(line, terminal, async ({ client }) => {
    const found = await findConversation(client, line.values["conversation"]);
    if (!found.ok) return found;
    const run = found.value.runs.find(({ state }) => state.type === "awaiting-approval");
    if (run === undefined) {
      return err(refusal("APPROVAL_CLOSED", {}, "No call waits for an approval in this conversation."));
    }
    return decide(client, run, { line, terminal });
  });
}

async function decide(
  client: HeddleClient,
  { runId, state }: RunView,
  { line, terminal }: { readonly line: CommandLine; readonly terminal: Terminal },
): Promise<Result<unknown, Refusal>> {
  if (state.type !== "awaiting-approval") return err(refusal("APPROVAL_CLOSED"));
  const { callId, argumentsHash, reason } = state.request;
  const call = state.pending.find(({ id }) => id === callId) ?? state.pending[0];
  const { switches } = line;
  const isJson = switches.has("json");
  if (isJson) terminal.print(exactJson({ runId, callId, reason, tool: call.name, arguments: call.parameters }));
  else terminal.note(`${styled(terminal, "bold", safeLine(call.name))} ${exactJson(call.parameters)}`);
  const { remember = "once", note } = line.values;
  const how = (["once", "conversation", "always"] as const).find((each) => each === remember);
  if (how === undefined || (switches.has("yes") && switches.has("deny"))) {
    const message =
      "--remember takes once, conversation or always; --yes and --deny exclude each other. Nothing was decided.";
    return err(refusal("INVALID_PARAMS", { remember }, message));
  }
  const isAsked = !switches.has("yes") && !switches.has("deny") && !isJson;
  const said =
    isAsked && terminal.ask !== undefined ? (await terminal.ask("Allow it? [y/n] ")).trim().toLowerCase() : "";
  const allows = switches.has("yes") || said === "y" || said === "yes";
  const denies = switches.has("deny") || said === "n" || said === "no";
  if (!allows && !denies) {
    terminal.note("Nothing was decided; the call waits.");
    return ok(undefined);
  }
  const asked = { runId, callId, argumentsHash };
  const answered = await client.call(
    "approval.answer",
    allows
      ? { ...asked, decision: "allow", remember: how }
      : { ...asked, decision: "deny", remember: "once", ...(note === undefined ? {} : { note }) },
  );
  if (answered.ok) terminal.note(allows ? "Allowed." : "Denied.");
  return answered;
}

export const toolsForm: CommandForm = {
  name: "tools",
  values: [...serverValues, "tool", "arguments"],
  switches: ["json"],
  argument: ["tool", "arguments"],
};

export const toolsHelp = `heddle tools: the tools that agents have, and the block tools as commands

Examples
  heddle tools                                     names and what they do
  heddle tools canvas_edit                         its description and schema
  heddle tools block_read '{"block_id":"doc_1/1/1"}'   runs a block tool, as a program does over HTTP

Flags
${workFlags}`;

/** Lists the tools, shows one, or runs a block tool. */
export async function toolsCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  const { tool, arguments: given } = line.values;
  const specs = toolSpecs(allFeatures);
  if (tool !== undefined && given !== undefined) return runTool(line, terminal, { tool, given });
  if (tool === undefined) {
    const listed = specs.map(({ name, description, access }) => ({ name, access, description }));
    if (line.switches.has("json")) terminal.print(JSON.stringify({ tools: listed }));
    else {
      for (const { name, description } of listed) {
        terminal.print(`${name.padEnd(20)} ${description.split(/(?<=\.)\s/u)[0] ?? ""}`);
      }
    }
    return 0;
  }
  const spec = specs.find(({ name }) => name === tool.replaceAll(".", "_"));
  if (spec === undefined) {
    return printRefusal(
      terminal,
      refusal("UNKNOWN_TOOL", { name: tool }, `There is no tool "${tool}". "heddle tools" lists them.`),
    );
  }
  const definition = toolDefinition(spec);
  if (line.switches.has("json")) terminal.print(JSON.stringify(definition));
  else terminal.print(`${definition.description}\n\n${JSON.stringify(definition.inputSchema, null, 2)}`);
  return 0;
}

async function runTool(
  line: CommandLine,
  terminal: Terminal,
  { tool, given }: { readonly tool: string; readonly given: string },
): Promise<number> {
  return atServer(line, terminal, async ({ url, token }) => {
    const answer = await fetch(new URL(`/api/tools/${encodeURIComponent(tool)}`, url), {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: given,
    });
    const body: unknown = await answer.json();
    const error = isJsonObject(body) ? body["error"] : undefined;
    if (!answer.ok && isJsonObject(error)) {
      return err(
        refusal("INVALID_PARAMS", { tool }, typeof error["message"] === "string" ? error["message"] : "Refused."),
      );
    }
    terminal.print(JSON.stringify(body, null, line.switches.has("json") ? 0 : 2));
    return ok(undefined);
  });
}
