import { counted } from "../../../src/core/base/counted.ts";
import type { HeddleClient } from "../../../src/client/base/types.ts";
import { authorisation } from "../browser/session.ts";
import { addConversation, type ArchivePorts } from "./add-archive.ts";
import { fieldsOf, textOf } from "./archived.ts";
import { type Archive, readArchive } from "./read-archive.ts";
import { textInZip } from "./zip.ts";

/** The largest archive that is not packed. Bytes. */
const jsonBytesMax = 500_000_000;

/** What became of an archive, in sentences; `done` is false where nothing of it was added. */
export interface ImportedArchive {
  readonly done: boolean;
  readonly words: readonly string[];
}

/** Adds the conversations of an archive while the server runs. */
export async function importArchive(file: File, client: Pick<HeddleClient, "call">): Promise<ImportedArchive> {
  const read = await readFile(file);
  return typeof read === "string" ? { done: false, words: [read] } : added(read, portsOf(client));
}

async function readFile(file: File): Promise<Archive | string> {
  try {
    const isZip = /\.zip$/iu.test(file.name);
    if (!isZip && file.size > jsonBytesMax) return `${file.name} is larger than 500 MB. Nothing was added.`;
    const text = isZip ? await textInZip(file, "conversations.json") : await file.text();
    const archive = text === null ? null : readArchive(JSON.parse(text));
    return (
      archive ??
      `${file.name} is no archive of ChatGPT, Claude, LibreChat or Open WebUI: no conversations were found in it. Nothing was added. Drop the file as that program exported it.`
    );
  } catch (problem) {
    const reason = problem instanceof Error ? problem.message : String(problem);
    return `${file.name} cannot be read: ${reason}. Nothing was added. Export it again and drop the new file.`;
  }
}

async function added(archive: Archive, ports: ArchivePorts): Promise<ImportedArchive> {
  let conversations = 0;
  let messages = 0;
  let refused = 0;
  let empty = 0;
  const leftOut = new Map<string, number>();
  for (const conversation of archive.conversations) {
    for (const [what, count] of conversation.leftOut) leftOut.set(what, (leftOut.get(what) ?? 0) + count);
    const made = await addConversation(conversation, ports);
    if (made.rootId === null && made.refused === 0) empty += 1;
    else if (made.rootId !== null) conversations += 1;
    messages += made.messages;
    refused += made.refused;
  }
  const words = [
    `${counted(conversations, "conversation")} of ${archive.program} with ${counted(messages, "message")} ${conversations === 1 ? "was" : "were"} added. Their dates are today’s.`,
    ...[...leftOut].map(([what, count]) => `Left out: ${count} × ${what}.`),
    ...(refused > 0
      ? [`Left out: ${counted(refused, "message")} that the server refused or that did not reach it.`]
      : []),
    ...(empty > 0 ? [`Left out: ${counted(empty, "conversation")} without messages.`] : []),
    ...(archive.damaged > 0 ? [`Left out: ${counted(archive.damaged, "damaged entry", "damaged entries")}.`] : []),
  ];
  return { done: conversations > 0, words };
}

function portsOf(client: Pick<HeddleClient, "call">): ArchivePorts {
  return {
    async create(title) {
      const made = await client.call("conversation.create", { title, canvasId: null });
      return made.ok ? made.value.rootId : null;
    },
    async append(parentId, messages) {
      // A lost connection refuses like the server: the report counts what is missing.
      const response = await fetch(`/api/nodes/${encodeURIComponent(parentId)}/append`, {
        method: "POST",
        headers: { ...authorisation(), "content-type": "application/json" },
        body: JSON.stringify({
          messages: messages.map(({ role, text }) => ({
            role,
            content: [{ type: "text", text: text.toWellFormed() }],
          })),
        }),
      }).catch(() => null);
      if (response?.ok !== true) return null;
      return textOf(fieldsOf(await response.json())?.["id"]) || null;
    },
  };
}
