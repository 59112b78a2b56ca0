import type { Refusal } from "../core/base/errors.ts";
import type { RequestId } from "../core/base/ids.ts";
import { err, ok, type Result } from "../core/base/result.ts";
import type { Store } from "../core/port/store.ts";
import { notStored } from "./store-refusal.ts";

/**
 * The id of what a request makes, on disk before it is made: a request that comes again after a crash finds under it what
 * it made then, or makes it now. Without a request it is just a new id.
 */
export async function idOfRequest(
  store: Store,
  requestId: RequestId | undefined,
  make: () => string,
): Promise<Result<string, Refusal>> {
  if (requestId === undefined) return ok(make());
  const key = `made-by-request/${requestId}`;
  const known = (await store.meta(key))?.["id"];
  if (typeof known === "string") return ok(known);
  const id = make();
  const committed = await store.commit([{ type: "put-meta", key, value: { id } }]);
  if (committed.ok) return ok(id);
  return err(notStored(committed.error));
}
