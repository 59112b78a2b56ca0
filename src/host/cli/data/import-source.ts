import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import type { Actor, PersonActor } from "../../../core/base/actor.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { ActorId, RunId, TurnId } from "../../../core/base/ids.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { configHashOf } from "../../../core/forest/config-hash.ts";
import {
  readFileStoreBookmarks,
  type FileStoreBookmark,
  type FileStoreSource,
} from "../../../core/forest/file-store-entities.ts";
import {
  portableOf,
  readFileStore,
  type FileProblem,
  type FileStoreRoot,
  type StoredFile,
} from "../../../core/forest/file-store.ts";
import type { PortableBlob, PortableBookmark, PortableNode } from "../../../core/forest/portable.ts";
import { readExport } from "../../../core/forest/read-export.ts";
import { readTomlTables } from "../../../core/forest/toml-tables.ts";

/** A conversation from elsewhere, ready to be imported. */
export interface SourceConversation {
  /** Identifies the conversation, so that a second import finds it. */
  readonly configHash: string;
  /** Empty: the first question is the title. */
  readonly title: string;
  readonly systemPrompt: string;
  /** `provider/model` of the last answer; null where there is none. */
  readonly model: string | null;
  readonly createdAt: number | null;
  /** Parents before children. */
  readonly nodes: readonly PortableNode[];
  readonly bookmarks: readonly PortableBookmark[];
}

export interface ImportSource {
  readonly conversations: readonly SourceConversation[];
  /** Images and files in the export. */
  readonly blobs: readonly PortableBlob[];
  /** What cannot be imported; everything else is. */
  readonly problems: readonly FileProblem[];
  /** Calls whose results were missing, by the ids of the results that replace them. */
  readonly mended: readonly string[];
}

/** Reads an import source: the folder of an earlier file store, or a file that `heddle export` wrote. */
export async function readImportSource(path: string, person: PersonActor): Promise<Result<ImportSource, Refusal>> {
  try {
    const isFolder = (await stat(path)).isDirectory();
    return isFolder ? await readFolder(path, person) : readExported(await readFile(path, "utf8"));
  } catch (problem) {
    const reason = reasonOf(problem);
    return err(refusal("NOT_FOUND", { path, reason }, `${path} cannot be read: ${reason}`));
  }
}

function readExported(text: string): Result<ImportSource, Refusal> {
  const read = readExport(text);
  if (!read.ok) return read;
  const { root, nodes, bookmarks, blobs = [] } = read.value;
  const { title, systemPrompt, model } = root;
  // Parts of one conversation are joined again: they begin with the same message.
  const configHash = configHashOf(systemPrompt, { exported: nodes[0]?.id ?? title });
  const conversation = { configHash, title, systemPrompt, model, createdAt: null, nodes, bookmarks };
  return ok({ conversations: [conversation], blobs, problems: [], mended: [] });
}

async function readFolder(folder: string, person: PersonActor): Promise<Result<ImportSource, Refusal>> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const rootsFiles = names.filter((name) => basename(name) === "roots.json");
  const [rootsFile, another] = rootsFiles;
  if (rootsFile === undefined || another !== undefined) {
    const found = rootsFiles.map((name) => relative(folder, name));
    const message =
      rootsFile === undefined
        ? `There is no roots.json in ${folder}. Name the folder in which the earlier store kept its data.`
        : `There are several stores in ${folder} (${found.join(", ")}). Name the folder of one of them.`;
    return err(refusal("NOT_FOUND", { path: folder, found }, message));
  }
  const problems: FileProblem[] = [];
  const read = async (name: string): Promise<readonly StoredFile[]> => {
    const file = await readText(name, relative(folder, name));
    if (file.ok) return [file.value];
    problems.push({ file: relative(folder, name), refusal: file.error });
    return [];
  };
  const [roots] = await read(rootsFile);
  const store = dirname(rootsFile);
  const nodes: StoredFile[] = [];
  for (const name of names) {
    const isNode = name.endsWith(".json") && name !== rootsFile && !relative(store, name).startsWith("..");
    if (isNode) nodes.push(...(await read(name)));
  }
  const bookmarks = await readBookmarks(
    names.filter((name) => /^config(\..+)?\.toml$/.test(basename(name))),
    async (name) => (await read(name))[0] ?? null,
  );
  if (roots === undefined) return err(problems[0]?.refusal ?? refusal("FILE_STORE_INVALID", { file: "roots.json" }));
  const forest = readFileStore({ roots, nodes, bookmarks });
  if (!forest.ok) return forest;
  const conversations = forest.value.roots.map((root) => conversationOf(root, forest.value.bookmarks, person));
  return ok({
    conversations,
    blobs: [],
    problems: [...problems, ...forest.value.problems],
    mended: forest.value.mended,
  });
}

/** Reads all settings files; of two bookmarks with one title the first counts, and `config.toml` comes first. */
async function readBookmarks(
  names: readonly string[],
  read: (name: string) => Promise<StoredFile | null>,
): Promise<{ file: string; entries: readonly FileStoreBookmark[]; problems: readonly Refusal[] }> {
  const entries = new Map<string, FileStoreBookmark>();
  const problems: Refusal[] = [];
  const inOrder = names.toSorted((a, b) => basename(a).length - basename(b).length);
  for (const name of inOrder) {
    const file = await read(name);
    if (file === null) continue;
    const { tables, problems: lines } = readTomlTables(file.text, "bookmarks");
    const listed = readFileStoreBookmarks(tables);
    for (const entry of listed.entries) if (!entries.has(entry.title)) entries.set(entry.title, entry);
    problems.push(...lines, ...listed.problems);
  }
  return { file: basename(inOrder[0] ?? "config.toml"), entries: [...entries.values()], problems };
}

function conversationOf(
  { id, systemPrompt = "", createdAt, nodes }: FileStoreRoot,
  bookmarks: readonly FileStoreBookmark[],
  person: PersonActor,
): SourceConversation {
  return {
    // The earlier store identified its roots by their prompt, so a client that asks for the prompt finds them.
    configHash: configHashOf(systemPrompt, {}),
    title: "",
    systemPrompt,
    model: nodes.findLast((node) => node.source.type === "model")?.request?.model ?? null,
    createdAt,
    nodes: nodes.map((node) => portableOf(node, actorOf(node.source, person))),
    bookmarks: bookmarks.filter(({ rootId }) => rootId === id),
  };
}

function actorOf(source: FileStoreSource, person: PersonActor): Actor {
  switch (source.type) {
    case "user":
      return person;
    case "tool":
      return { type: "system", id: "import" as ActorId, name: source.toolName };
    case "model": {
      const model = `${source.provider}/${source.model}`;
      // These ids belong to no run of this workspace: nothing is found by them.
      const elsewhere = { runId: "imported" as RunId, turnId: "imported" as TurnId };
      return { type: "model", id: `model:${model}` as ActorId, name: source.model, model, ...elsewhere };
    }
  }
}

async function readText(path: string, name: string): Promise<Result<StoredFile, Refusal>> {
  try {
    return ok({ name, text: new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path)) });
  } catch (problem) {
    return err(refusal("FILE_STORE_INVALID", { file: name, problem: reasonOf(problem) }));
  }
}
