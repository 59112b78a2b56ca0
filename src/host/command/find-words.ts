import type { CommandParams, WordFind } from "../../core/protocol/commands.ts";
import type { Store } from "../../core/port/store.ts";

const limitDefault = 30;

/** Searches messages or blocks for words; a client may read all of them anyway. */
export function findWords(store: Store, query: CommandParams<"search.words">): Promise<readonly WordFind[]> {
  const { words, rootId = null, limit = limitDefault } = query;
  return store.searchWords({ words, in: query.in, rootId, limit });
}
