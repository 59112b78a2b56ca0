import type { NodeId } from "../../../core/base/ids.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import type { CommandParams, CommandAnswer } from "../../../core/protocol/commands.ts";
import type { DocumentHub } from "../../document/hub.ts";
import type { Store, WordMatch } from "../../../core/port/store.ts";
import type { Reach } from "../../access/reach.ts";
import { findWords, visibleMatches } from "./find-words.ts";
import { excerptAround, readableText, wantedWords } from "./readable-excerpt.ts";

type Find = CommandAnswer<"search.all">["finds"][number];
type Kind = Find["kind"];

/** What a search over everything reads. */
export interface Searched {
  readonly store: Store;
  readonly hub: { readonly reader: Pick<DocumentHub["reader"], "list"> };
}

const limitDefault = 30;
/** How many documents are asked for their comments: the ones that changed last. */
const commentedMax = 300;

/**
 * Searches messages, documents, files and comments by words; best first in each kind, results of tools last of all. Each find
 * says where it is and has an excerpt that a person can read.
 */
export async function findAll(
  { store, hub }: Searched,
  { words, kinds, limit = limitDefault }: CommandParams<"search.all">,
  reach: Reach | null,
): Promise<readonly Find[]> {
  const wants = (kind: Kind): boolean => kinds === undefined || kinds.includes(kind);
  const wantsMessages = wants("message") || wants("tool");
  const wantsDocuments = wants("document") || wants("file");
  const all = wantsDocuments || wants("comment") ? await hub.reader.list(null) : [];
  const headers = all.filter((header) => reach === null || reach.document(header)).toSorted(newestFirst);
  const [messages, documents, comments] = await Promise.all([
    wantsMessages ? findWords(store, { words, in: "messages", limit }, reach) : [],
    wantsDocuments ? visibleMatches(store, { words, in: "blocks", rootId: null, limit }, reach) : [],
    wants("comment") ? commentsWith(store, headers, words) : [],
  ]);
  const said = (await Promise.all(messages.map((match) => messageFind(store, match, words)))).filter(
    (find) => find !== null,
  );
  const finds = [
    ...said.filter(({ kind }) => kind === "message"),
    ...documents.flatMap((match) => documentFind(headers, match)),
    ...comments,
    ...said.filter(({ kind }) => kind === "tool"),
  ];
  return finds.filter(({ kind }) => wants(kind)).slice(0, limit);
}

function newestFirst(a: BlockHeader, b: BlockHeader): number {
  return b.updatedAt - a.updatedAt;
}

/** A message, or what a tool was asked and answered; null where it has gone or no list shows its conversation. */
async function messageFind(
  store: Pick<Store, "node">,
  { id, rootId, title, excerpt }: WordMatch & { readonly title: string | null },
  words: string,
): Promise<Find | null> {
  if (rootId === null || title === null) return null;
  const node = await store.node(id as NodeId);
  if (node === null) return null;
  const { message } = node;
  const isTool = message.role === "tool" || !message.content.some(({ type }) => type === "text");
  const shown = isTool ? excerptAround(readableText(message.content), words) : excerpt;
  return { kind: isTool ? "tool" : "message", id, rootId, title, path: null, threadId: null, excerpt: shown };
}

function documentFind(headers: readonly BlockHeader[], { id, excerpt }: WordMatch): readonly Find[] {
  const header = headers.find((each) => each.id === id);
  return header === undefined ? [] : [{ ...placeOf(header), id, rootId: null, threadId: null, excerpt }];
}

function placeOf({ metadata, policy }: BlockHeader): Pick<Find, "kind" | "title" | "path"> {
  const { path, title } = metadata;
  if (typeof path === "string" && path !== "") return { kind: "file", title: path, path };
  return {
    kind: policy === undefined ? "file" : "document",
    title: typeof title === "string" ? title : "",
    path: null,
  };
}

/** The comments that have all words; one find a thread, of the documents that changed last. */
async function commentsWith(
  store: Pick<Store, "threads">,
  headers: readonly BlockHeader[],
  words: string,
): Promise<readonly Find[]> {
  const wanted = wantedWords(words);
  if (wanted.length === 0) return [];
  const finds = await Promise.all(
    headers.slice(0, commentedMax).map(async (header): Promise<readonly Find[]> => {
      const threads = await store.threads(header.id);
      return threads.flatMap(({ id: threadId, comments, deletedAt }): Find[] => {
        if (deletedAt !== undefined) return [];
        const text = comments.map((comment) => comment.text).join("\n");
        const folded = text.toLowerCase();
        if (!wanted.every((word) => folded.includes(word))) return [];
        const { title, path } = placeOf(header);
        const excerpt = excerptAround(text, words);
        return [{ kind: "comment", id: header.id, rootId: null, title, path, threadId, excerpt }];
      });
    }),
  );
  return finds.flat();
}
