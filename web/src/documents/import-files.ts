import type { HeddleClient } from "../../../src/client/base/types.ts";
import type { BlockId } from "../../../src/core/base/ids.ts";
import { messageUnitsMax } from "../../../src/core/protocol/base/limits.ts";

/** What became of one file. */
export interface ImportedFile {
  readonly name: string;
  /** The document that was made of it; null for none. */
  readonly canvasId: BlockId | null;
  /** Whether it was an archive whose conversations were added. */
  readonly isArchive?: boolean;
  /** What was left out, or why nothing was made, in sentences. */
  readonly leftOut: readonly string[];
}

interface ImportPorts {
  readonly client: Pick<HeddleClient, "call">;
  /** Adds the conversations of another program's archive. */
  readonly addArchive: (file: File) => Promise<{ readonly done: boolean; readonly words: readonly string[] }>;
  /** Reads a Word document as Markdown; why it could not be read. */
  readonly readDocx: (
    file: File,
  ) => Promise<{ readonly markdown: string; readonly leftOut: readonly string[] } | string>;
}

/** Makes a document of each file: of Markdown and plain text, and of Word documents. One that cannot be read stops no other. */
export async function importFiles(files: readonly File[], ports: ImportPorts): Promise<readonly ImportedFile[]> {
  const imported: ImportedFile[] = [];
  for (const file of files) imported.push(await importFile(file, ports));
  return imported;
}

/** Whether a file may be another program's archive, by its name. */
export function isArchive(name: string): boolean {
  return /\.(?:zip|json)$/iu.test(name);
}

async function importFile(file: File, { client, readDocx, addArchive }: ImportPorts): Promise<ImportedFile> {
  const { name } = file;
  if (isArchive(name)) {
    const { done, words } = await addArchive(file);
    return { name, canvasId: null, isArchive: done, leftOut: words };
  }
  const read = await textOf(file, readDocx);
  if (typeof read === "string") return { name, canvasId: null, leftOut: [read] };
  const { text, leftOut } = read;
  if (text.length > messageUnitsMax) {
    const reason = `${name} has ${text.length.toLocaleString("en")} characters, and a document made by a drop can have up to ${messageUnitsMax.toLocaleString("en")}. Nothing was made of it. Add its folder in the settings, or split it.`;
    return { name, canvasId: null, leftOut: [reason] };
  }
  const title = titleOf(name);
  const made = await client.call("canvas.create", { title, text, readsComments: true });
  return made.ok
    ? { name, canvasId: made.value.canvasId, leftOut }
    : { name, canvasId: null, leftOut: [made.error.message] };
}

async function textOf(
  file: File,
  readDocx: ImportPorts["readDocx"],
): Promise<{ readonly text: string; readonly leftOut: readonly string[] } | string> {
  if (/\.docx$/iu.test(file.name)) {
    const read = await readDocx(file);
    return typeof read === "string" ? read : { text: read.markdown, leftOut: read.leftOut };
  }
  if (!/\.(?:md|markdown|mdx|txt|text)$/iu.test(file.name))
    return `${file.name} is none of the kinds that become documents (Markdown, plain text, Word .docx, archives of ChatGPT, Claude, LibreChat and Open WebUI). Nothing was made of it. Drop it on the conversation to attach it to a message.`;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    return {
      text: text.replaceAll(/\r\n?/gu, "\n").replaceAll("\0", ""),
      leftOut: text.includes("\0") ? ["NUL characters"] : [],
    };
  } catch {
    return `${file.name} isn’t a text file in UTF-8. Nothing was made of it. Save it as UTF-8 and drop it again.`;
  }
}

/** Returns the title of a document by the name of its file. */
function titleOf(name: string): string {
  return (
    name
      .replace(/\.[^.]+$/u, "")
      .trim()
      .slice(0, 200)
      .toWellFormed() || "Untitled"
  );
}
