import { timeSortedId, type DocumentId } from "../../core/base/ids.ts";
import type { BlobKeeper } from "../blobs/blob-keeper.ts";
import { createReplicas } from "../replica/replica-registry.ts";
import type { Closing } from "../base/close-in-order.ts";
import { createDocumentHub } from "../document/hub.ts";
import { hubLimits } from "../document/record/limits.ts";
import { createSearcher } from "../../adapters/search/worker-searcher.ts";
import { WordIndex } from "../document/word-index.ts";
import type { Folders } from "../files/folder-types.ts";
import { openFolders, type FoldersPorts } from "../files/folders.ts";
import { openLeaseKeeper } from "../lease/keeper.ts";
import type { ToolPorts } from "../tool/runnable.ts";
import type { WorkspaceOptions } from "./workspace-options.ts";

/** Opens what holds documents: replicas, leases, the hub, the search threads, the files and the word index. */
export async function openDocuments(
  options: WorkspaceOptions,
  blobs: BlobKeeper,
  opened: Closing[],
): Promise<{ readonly ports: ToolPorts; readonly words: WordIndex; readonly folders: Folders }> {
  const { store, platform, leaseTtlMs, early, retention = hubLimits.retention } = options;
  const replicas = await createReplicas(store, platform.clock);
  const leases = await openLeaseKeeper(store, platform, leaseTtlMs === undefined ? {} : { ttlMs: leaseTtlMs });
  opened.push(() => leases.close());
  const hub = createDocumentHub({ store, platform, leases, replicas, retention, early });
  opened.push(() => hub.close());
  const searcher = options.searcher ?? createSearcher(platform.clock);
  if (options.searcher === undefined) opened.push(() => searcher.close());
  const folders = await openFolders({
    hub,
    store,
    replicas,
    blobs,
    platform,
    newDocumentId: () => timeSortedId("doc", platform.clock.now(), platform.random.bytes(12)) as DocumentId,
    opener: options.folders ?? null,
    atHand: atHandOf(options),
  });
  opened.push(() => folders.close());
  const words = new WordIndex({ hub, store, platform, handsOver: options.documentsFirst !== undefined });
  opened.push(() => words.close());
  await words.start();
  const isAudited = options.team === true;
  const ports = { hub, leases, replicas, searcher, platform, store, words, folders, blobs, isAudited };
  return { ports, words, folders };
}

function atHandOf({ files, shell, filesBranch }: WorkspaceOptions): FoldersPorts["atHand"] {
  if (files === undefined) return null;
  return { tree: files, shell: shell ?? null, ...(filesBranch === undefined ? {} : { branch: filesBranch }) };
}
