import type { Actor } from "../../core/base/actor.ts";
import type { PersonId } from "../../core/base/ids.ts";
import type { BlockChange } from "../../core/block/types.ts";
import type { Store } from "../../core/port/store.ts";
import { documentKey } from "../../core/rights/object-key.ts";
import type { ChainPorts } from "../access/chains.ts";
import type { RightsKeeper } from "../access/rights-keeper.ts";
import type { TurnRights } from "../access/turn-rights.ts";
import { blobsOfBytes } from "../blobs/blob-ids.ts";
import { blobReader } from "../blobs/blob-reader.ts";
import type { BlobReader, BlobUses } from "../blobs/blob-uses.ts";
import type { DocumentHub } from "../document/hub.ts";

interface NamePorts {
  readonly hub: DocumentHub;
  readonly store: Store;
  readonly folders: ChainPorts["folders"];
  readonly keeper: RightsKeeper;
  readonly rights: TurnRights;
  readonly uses: BlobUses;
}

/**
 * Gives each document the pictures that its text names, if whoever wrote the name may read them; a name alone gives nothing.
 * Returns how to stop.
 */
export function followNamedPictures(ports: NamePorts): () => void {
  return ports.hub.feeds.changes.subscribe((changes: readonly BlockChange[]) => {
    for (const { blockId, actor, body } of changes) {
      if (!("update" in body)) continue;
      const named = blobsOfBytes(body.update);
      if (named.length > 0) ports.uses.offer(named, documentKey(blockId), () => readerOfAuthor(actor, ports));
    }
  });
}

/** An agent reads what its turn may; Heddle itself, and who has no account, nothing. */
async function readerOfAuthor(actor: Actor, { store, folders, keeper, rights }: NamePorts): Promise<BlobReader | null> {
  if (actor.type === "person") {
    return blobReader(
      { member: { id: actor.id as string as PersonId, keeper, authenticatedAt: null } },
      { store, folders },
    );
  }
  const run = actor.type === "model" ? await store.run(actor.runId) : null;
  const root = run === null ? null : await store.root(run.rootId);
  const reach = run === null || root === null ? null : await rights.reach(root, await rights.askersOfRun(run));
  if (root === null || reach === null) return null;
  return {
    person: null,
    mayRead: async (object) => {
      const [kind, id] = object.split(/:(.*)/su);
      if (kind === "conversation") {
        const other = await store.root(id as typeof root.id);
        return other !== null && reach.conversation(other);
      }
      const header = await store.block(id as Parameters<Store["block"]>[0]);
      return header !== null && reach.document(header);
    },
  };
}
