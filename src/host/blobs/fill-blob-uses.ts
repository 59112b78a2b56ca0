import type { Store } from "../../core/port/store.ts";
import { conversationKey, documentKey, type ObjectKey } from "../../core/rights/object-key.ts";
import { metaKeys } from "../base/meta-keys.ts";
import { NotStoredError, notStored } from "../base/store-refusal.ts";
import { blobsOfBytes, blobsOfMessages } from "./blob-ids.ts";
import type { BlobUses } from "./blob-uses.ts";

/** Records, once, what has which blob of all that one person made before there was a team. */
export async function fillBlobUses(store: Store, uses: BlobUses): Promise<void> {
  if ((await store.meta(metaKeys.blobUsesFilled)) !== null) return;
  const add = async (ids: readonly string[], object: ObjectKey): Promise<void> => {
    const added = ids.length === 0 ? null : await uses.add(ids, object);
    if (added?.ok === false) throw new NotStoredError(added.error);
  };
  for (const root of [...(await store.roots()), ...(await store.trashedRoots())]) {
    const nodes = await store.nodes(root.id);
    await add(blobsOfMessages(nodes.map(({ message }) => message)), conversationKey(root.id));
  }
  for (const header of await store.blocks(null)) {
    if (header.kind !== "file") continue;
    const snapshot = await store.snapshot(header.id);
    const changes = await store.changes({ blockId: header.id, afterVersion: 0 });
    const named = changes.flatMap(({ body }) => ("update" in body ? blobsOfBytes(body.update) : []));
    await add([...(snapshot === null ? [] : blobsOfBytes(snapshot.bytes)), ...named], documentKey(header.id));
  }
  const filled = await store.commit([{ type: "put-meta", key: metaKeys.blobUsesFilled, value: {} }]);
  if (!filled.ok) throw new NotStoredError(notStored(filled.error));
}
