import type { HeddleClient } from "../../../src/client/base/types.ts";
import type { BlockId, NodeId, RootId, ThreadId } from "../../../src/core/base/ids.ts";
import { conversationTitle } from "../../../src/core/forest/list.ts";
import type { CommandAnswer } from "../../../src/core/protocol/commands.ts";
import type { IconName } from "../ui/icons.tsx";
import type { PaletteItem } from "./palette-match.ts";

type Found = CommandAnswer<"search.all">["finds"][number];
export type FindKind = Found["kind"];

/** The kinds of finds, as the filter names them. */
export const kindWords: Readonly<Record<FindKind, string>> = {
  message: "Messages",
  document: "Documents",
  file: "Files",
  comment: "Comments",
  tool: "Tool results",
};

/** What opens a find. `words` are in the document, and shown there. */
export interface Openers {
  readonly node: (rootId: RootId, nodeId: NodeId) => void;
  readonly canvas: (canvasId: BlockId, words: string) => void;
  readonly file: (path: string, words: string) => void;
  readonly comment: (canvasId: BlockId, path: string | null, threadId: ThreadId | null) => void;
}

/** Minimum length of a query; fewer letters are in nearly every message. */
const lettersMin = 2;
const findsMax = 30;

/** Searches messages, documents, files and comments for the palette; `kind` null: all of them. */
export async function findEverything(
  client: Pick<HeddleClient, "call">,
  query: { readonly words: string; readonly kind: FindKind | null },
  open: Openers,
): Promise<readonly PaletteItem[]> {
  if (query.words.trim().length < lettersMin) return [];
  const words = query.words.slice(0, 400);
  const kinds = query.kind === null ? {} : { kinds: [query.kind] };
  const found = await client.call("search.all", { words, limit: findsMax, ...kinds });
  return found.ok ? found.value.finds.map((find, at) => itemOf(find, { at, words, open })) : [];
}

const icons: Readonly<Record<FindKind, IconName>> = {
  message: "chat",
  document: "document",
  file: "document",
  comment: "comment",
  tool: "again",
};

function itemOf(
  find: Found,
  { at, words, open }: { readonly at: number; readonly words: string; readonly open: Openers },
): PaletteItem {
  const { kind, id, rootId, title, path, threadId, excerpt } = find;
  const name = rootId === null ? (title ?? "") : conversationTitle({ title: title ?? "" });
  return {
    key: `find ${kind} ${id} ${at}`,
    icon: icons[kind],
    label: labelOf(excerpt, words),
    group: kind === "tool" ? `Tool, in ${name}` : kind === "comment" ? `Comment on ${name}` : name,
    keys: null,
    run() {
      // A find of a conversation has a message's id, any other a document's.
      if (rootId !== null) open.node(rootId, id as NodeId);
      else if (kind === "comment") open.comment(id as BlockId, path, threadId);
      else if (path !== null) open.file(path, excerpt);
      else open.canvas(id as BlockId, excerpt);
    },
  };
}

/** Maximum number of characters before the word; more would push it out of the row. */
const lettersBefore = 28;

/** Returns the excerpt on one line, beginning shortly before the first match. */
function labelOf(excerpt: string, words: string): string {
  const line = excerpt.replaceAll(/\s+/gu, " ").trim();
  const places = words
    .toLowerCase()
    .split(/\s+/u)
    .map((word) => (word === "" ? -1 : line.toLowerCase().indexOf(word)))
    .filter((place) => place !== -1);
  const place = Math.min(...places);
  if (places.length === 0 || place <= lettersBefore) return line;
  const space = line.indexOf(" ", place - lettersBefore);
  return `…${line.slice(space === -1 || space >= place ? place : space + 1)}`;
}
