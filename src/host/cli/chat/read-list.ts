import type { HeddleClient, ListView } from "../../../client/base/types.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { List, ListEntries } from "../../../core/forest/list.ts";

/** Reads a list once; refused when the server does not show it, or ends the connection. */
export function readList<Of extends List["of"]>(
  client: HeddleClient,
  list: Extract<List, { readonly of: Of }>,
): Promise<Result<ListView<ListEntries[Of]>, Refusal>> {
  return new Promise((resolve) => {
    const watched = client.list(list);
    const stops: (() => void)[] = [];
    const look = (): void => {
      const view = watched.get();
      const state = client.state.get();
      const refused = state.type === "refused" ? state.refusal : view?.refused;
      if (view === null && refused === undefined) return;
      for (const stop of stops) stop();
      if (refused !== undefined) resolve(err(refused));
      else if (view !== null) resolve(ok(view));
    };
    stops.push(watched.subscribe(look), client.state.subscribe(look));
    look();
  });
}
