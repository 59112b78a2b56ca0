import type { CommandParams, WordFind } from "../../core/protocol/commands.ts";
import type { RootId } from "../../core/base/ids.ts";
import type { Store } from "../../core/port/store.ts";

const limitDefault = 30;

/** Searches messages or blocks for words; a client may read all of them anyway. */
export async function findWords(store: Store, query: CommandParams<"search.words">): Promise<readonly WordFind[]> {
  const { words, rootId = null, limit = limitDefault } = query;
  const matches = await store.searchWords({ words, in: query.in, rootId, limit });
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

async function listedTitle(store: Store, rootId: RootId): Promise<string | null> {
  const root = await store.root(rootId);
  return root === null || root.parent !== undefined ? null : root.title;
}
