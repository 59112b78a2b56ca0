import type { CommandParams, WordFind } from "../../../core/protocol/commands.ts";
import type { BlockId, RootId } from "../../../core/base/ids.ts";
import type { Store } from "../../../core/port/store.ts";
import type { Reach } from "../../access/reach.ts";

const limitDefault = 30;

/** Searches messages or blocks for words: those that the caller may know of, as if there were no others. */
export async function findWords(
  store: Store,
  query: CommandParams<"search.words">,
  reach: Reach | null,
): Promise<readonly WordFind[]> {
  const { words, rootId = null, limit = limitDefault } = query;
  const matches = await visibleMatches(store, { words, in: query.in, rootId, limit }, reach);
  const titles = new Map<RootId, Promise<string | null>>();
  const titleOf = (id: RootId): Promise<string | null> => {
    const title = titles.get(id) ?? listedTitle(store, id);
    titles.set(id, title);
    return title;
  };
  return Promise.all(
    matches.map(async (match) => ({ ...match, title: match.rootId === null ? null : await titleOf(match.rootId) })),
  );
}

/** Asks the store for more until there are enough that may be seen, or no others. */
export async function visibleMatches(
  store: Store,
  query: Parameters<Store["searchWords"]>[0],
  reach: Reach | null,
): Promise<Awaited<ReturnType<Store["searchWords"]>>> {
  if (reach === null) return store.searchWords(query);
  for (let limit = query.limit * 2; ; limit *= 4) {
    const found = await store.searchWords({ ...query, limit });
    const isSeen = await Promise.all(found.map((match) => mayFind(store, match, reach)));
    const seen = found.filter((_match, at) => isSeen[at]);
    if (seen.length >= query.limit || found.length < limit) return seen.slice(0, query.limit);
  }
}

async function mayFind(
  store: Store,
  { id, rootId }: { readonly id: string; readonly rootId: RootId | null },
  reach: Reach,
): Promise<boolean> {
  if (rootId !== null) {
    const root = await store.root(rootId);
    return root !== null && reach.conversation(root);
  }
  const header = await store.block(id as BlockId);
  return header !== null && reach.document(header);
}

async function listedTitle(store: Store, rootId: RootId): Promise<string | null> {
  const root = await store.root(rootId);
  return root === null || root.parent !== undefined ? null : root.title;
}
