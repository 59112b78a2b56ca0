import type { HeddleClient, ListView } from "../../../client/base/types.ts";
import type { List, ListEntries } from "../../../core/forest/list.ts";

/** Reads a list once. */
export function readList<Of extends List["of"]>(
  client: HeddleClient,
  list: Extract<List, { readonly of: Of }>,
): Promise<ListView<ListEntries[Of]>> {
  return new Promise((resolve) => {
    const watched = client.list(list);
    const stop = watched.subscribe(() => {
      const view = watched.get();
      if (view === null) return;
      stop();
      resolve(view);
    });
  });
}
