import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { TurnId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { conversationTitle } from "../../../core/forest/list.ts";
import type { HeddleClient } from "../../../client/base/types.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { safeLine, safeText } from "../base/safe-text.ts";
import { styled, type Terminal } from "../base/terminal.ts";
import { readList } from "../chat/read-list.ts";
import { drawTree, excerpt, isShown } from "../chat/tree-lines.ts";
import { whereLeft } from "../chat/where-left.ts";
import { atServer } from "../start/at-server.ts";
import { serverValues } from "../start/reach-server.ts";
import { findConversation, findDocument, withDocument, workFlags } from "./named-thing.ts";

type Done = Promise<Result<unknown, Refusal>>;

export const treeForm: CommandForm = {
  name: "tree",
  values: [...serverValues, "conversation", "limit"],
  switches: ["json"],
  argument: "conversation",
};

export const treeHelp = `heddle tree: the conversations, or the branches of one

Examples
  heddle tree                      the conversations, newest first
  heddle tree weather-1a2b         its messages, branch by branch
  heddle tree --json --limit 500 | jq -r '.conversations[].slug'

Flags
  --limit N          how many conversations; default: 50
${workFlags}`;

/** Lists conversations, or draws one. */
export async function treeCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  return atServer(line, terminal, ({ client }) =>
    line.values["conversation"] === undefined
      ? listConversations(line, terminal, client)
      : drawOne(line, terminal, client),
  );
}

async function listConversations({ values, switches }: CommandLine, terminal: Terminal, client: HeddleClient): Done {
  const count = Number(values["limit"] ?? "50");
  if (!Number.isInteger(count) || count < 1 || count > 10_000) {
    return err(refusal("INVALID_PARAMS", { limit: values["limit"] ?? "" }, "--limit takes 1 to 10000."));
  }
  const list = { of: "conversations", archived: false, order: "updated", filter: "", count } as const;
  const listed = await readList(client, list);
  if (!listed.ok) {
    const message = `${listed.error.message} Nothing can be listed: give the id of a conversation.`;
    return err({ ...listed.error, message });
  }
  const { entries, total } = listed.value;
  if (switches.has("json")) {
    terminal.print(JSON.stringify({ conversations: entries, total }));
    return ok(undefined);
  }
  for (const each of entries) {
    const when = styled(terminal, "dim", new Date(each.updatedAt).toISOString().slice(0, 16).replace("T", " "));
    terminal.print(`${when}  ${each.slug}  ${safeLine(conversationTitle(each))}`);
  }
  if (total > entries.length) terminal.note(`${entries.length} of ${total}; --limit shows more.`);
  return ok(undefined);
}

async function drawOne({ values, switches }: CommandLine, terminal: Terminal, client: HeddleClient): Done {
  const found = await findConversation(client, values["conversation"]);
  if (!found.ok) return found;
  const view = found.value;
  if (switches.has("json")) {
    const messages = [...view.nodesById.values()].map(({ id, parentId, message, createdAt }) => {
      return { id, parentId, role: message.role, createdAt };
    });
    terminal.print(JSON.stringify({ root: view.root, messages }));
    return ok(undefined);
  }
  for (const each of drawTree(view, whereLeft(view).head, columnsOf(terminal)).lines) terminal.print(each);
  return ok(undefined);
}

function columnsOf({ isInteractive }: Terminal): number {
  return isInteractive ? process.stdout.columns : 200;
}

export const logForm: CommandForm = {
  name: "log",
  values: [...serverValues, "conversation", "node"],
  switches: ["json"],
  argument: ["conversation", "node"],
};

export const logHelp = `heddle log: the messages of one branch, oldest first

Examples
  heddle log weather-1a2b                  where the conversation was left
  heddle log weather-1a2b node_01h…        the branch that ends there
  heddle log weather-1a2b --json | jq -r 'select(.role == "user") | .text'

Flags
  --node ID          the last message of a branch
${workFlags}`;

/** Prints a branch. */
export async function logCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  return atServer(line, terminal, async ({ client }) => {
    const found = await findConversation(client, line.values["conversation"]);
    if (!found.ok) return found;
    const { nodesById } = found.value;
    const wanted = line.values["node"];
    const end =
      wanted === undefined ? whereLeft(found.value).head : ([...nodesById.keys()].find((id) => id === wanted) ?? null);
    if (wanted !== undefined && end === null) return err(refusal("NODE_NOT_FOUND", { node_id: wanted }));
    const path = [];
    for (let node = end === null ? undefined : nodesById.get(end); node !== undefined;) {
      path.unshift(node);
      node = node.parentId === null ? undefined : nodesById.get(node.parentId);
    }
    for (const node of path) {
      const { id, message, actor, createdAt } = node;
      const text = message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
      if (line.switches.has("json")) {
        terminal.print(JSON.stringify({ id, role: message.role, by: actor.name, at: createdAt, text, message }));
        continue;
      }
      if (!isShown(node)) continue;
      terminal.print(styled(terminal, "bold", `${safeLine(actor.name)}  ${new Date(createdAt).toISOString()}  ${id}`));
      terminal.print(`${safeText(text === "" ? excerpt(node) : text)}\n`);
    }
    return ok(undefined);
  });
}

export const showForm: CommandForm = {
  name: "show",
  values: [...serverValues, "document"],
  switches: ["json"],
  argument: "document",
};

export const showHelp = `heddle show: print the text of a document as it is now

Examples
  heddle show Plan                 a canvas, by its title
  heddle show notes/today.md       a file of the default folder
  heddle show doc_01h…/1/1 > copy.md

Into a pipe the text is exact; at a terminal, control characters appear as escapes.

Flags
${workFlags}`;

/** Prints a document. */
export async function showCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  return atServer(line, terminal, async ({ client }) => {
    const found = await findDocument(client, line.values["document"]);
    if (!found.ok) return found;
    return withDocument(client, found.value, async (text) => {
      const header = text.header.get();
      const exact = text.text();
      if (line.switches.has("json")) {
        const { version, metadata } = header ?? { version: 0, metadata: {} };
        terminal.print(JSON.stringify({ id: found.value, version, metadata, text: exact }));
      } else terminal.print((terminal.isInteractive ? safeText(exact) : exact).replace(/\n$/u, ""));
      return ok(undefined);
    });
  });
}

export const blameForm: CommandForm = {
  name: "blame",
  values: [...serverValues, "document"],
  switches: ["json"],
  argument: "document",
};

export const blameHelp = `heddle blame: who wrote each line of a document

Examples
  heddle blame Plan
  heddle blame notes/today.md --json | jq -r '.[] | .authors[]' | sort | uniq -c

A line that several wrote names all of them, whoever wrote most of it first.

Flags
${workFlags}`;

/** Prints a document with the authors of its lines. */
export async function blameCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  return atServer(line, terminal, async ({ client }) => {
    const found = await findDocument(client, line.values["document"]);
    if (!found.ok) return found;
    return withDocument(client, found.value, async (text) => {
      const lines = text.text().replace(/\n$/u, "").split("\n");
      let at = 0;
      const blamed = lines.map((words) => {
        const units = new Map<string, number>();
        for (const { id, from, to } of text.blame(at, Math.min(text.length, at + words.length + 1))) {
          const name = text.actorOf(id.replica)?.name ?? "unknown";
          units.set(name, (units.get(name) ?? 0) + to - from);
        }
        at += words.length + 1;
        const authors = [...units].toSorted((a, b) => b[1] - a[1]).map(([name]) => name);
        return { line: words, authors };
      });
      if (line.switches.has("json")) terminal.print(JSON.stringify(blamed));
      else {
        const names = blamed.map(({ authors }) => safeLine(authors.join(", ")));
        const width = Math.min(30, Math.max(0, ...names.map((name) => name.length)));
        for (const [index, each] of blamed.entries()) {
          const who = (names[index] ?? "").slice(0, width).padEnd(width);
          terminal.print(
            `${styled(terminal, "dim", `${who} ${String(index + 1).padStart(5)}`)}  ${safeText(each.line)}`,
          );
        }
      }
      return ok(undefined);
    });
  });
}

export const diffForm: CommandForm = {
  name: "diff",
  values: [...serverValues, "document", "from", "to", "turn"],
  switches: ["json"],
  argument: ["document", "from", "to"],
};

export const diffHelp = `heddle diff: what changed in a document

Examples
  heddle diff Plan                         since its last committed revision
  heddle diff Plan 12-9f86d081             from that revision to the text as it is now
  heddle diff Plan 12-9f86d081 15-2c26b46b
  heddle diff notes/today.md --turn turn_01h…   what one turn of an agent changed

Exit code 0, whether or not something changed.

Flags
  --from REV, --to REV   revisions of a canvas
  --turn ID              a turn of an agent, in any document; "last": the newest
${workFlags}`;

/** Prints a unified diff. */
export async function diffCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  return atServer(line, terminal, async ({ client }) => {
    const found = await findDocument(client, line.values["document"]);
    if (!found.ok) return found;
    const { turn, from, to } = line.values;
    const canvasId = found.value;
    const changed = turn === undefined ? await revisions() : await ofTurn(turn);
    if (!changed.ok) return changed;
    const { diff, truncated } = changed.value;
    if (line.switches.has("json")) terminal.print(JSON.stringify(changed.value));
    else for (const each of diff.replace(/\n$/u, "").split("\n")) terminal.print(coloured(terminal, safeText(each)));
    if (truncated) terminal.note("The diff is too long to be shown whole.");
    return ok(undefined);

    async function revisions() {
      if (from !== undefined) return client.call("canvas.compare", { canvasId, from, to: to ?? null });
      const hashes = await client.call("canvas.hashes", { canvasId });
      if (!hashes.ok) return hashes;
      const { committed } = hashes.value;
      if (committed === null) return ok({ diff: "", truncated: false });
      return client.call("canvas.compare", { canvasId, from: committed.revisionId, to: to ?? null });
    }

    async function ofTurn(wanted: string) {
      const turns = wanted === "last" ? await client.call("block.turns", { blockId: canvasId }) : null;
      if (turns !== null && !turns.ok) return turns;
      const turnId = turns === null ? wanted : turns.value.turns[0]?.turnId;
      if (turnId === undefined)
        return err(refusal("NOTHING_TO_UNDO", {}, "No turn of an agent has changed this document."));
      return client.call("block.turn-change", { blockId: canvasId, turnId: turnId as TurnId });
    }
  });
}

function coloured(terminal: Terminal, line: string): string {
  if (line.startsWith("+")) return styled(terminal, "green", line);
  if (line.startsWith("-")) return styled(terminal, "red", line);
  return line.startsWith("@@") ? styled(terminal, "dim", line) : line;
}
