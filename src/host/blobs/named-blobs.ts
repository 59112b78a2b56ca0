import { isJsonObject } from "../../core/base/json.ts";
import type { TrashId } from "../../core/base/ids.ts";
import type { TrashEntry } from "../../core/forest/trash-entry.ts";
import { isBinaryFile } from "../../core/block/list-blocks.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { Store } from "../../core/port/store.ts";
import { metaKeys } from "../base/meta-keys.ts";

/**
 * Returns which of these blobs stored data names: messages, waiting messages, the state of runs, and blocks with their whole
 * history, so that an undo finds its images. An id counts at any place, even by chance: the sweep keeps too much rather than
 * too little.
 */
export async function namedBlobs(store: Store, candidates: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const finder = new IdFinder(candidates);
  for (const root of [...(await store.roots()), ...(await store.trashedRoots())]) {
    finder.lookIn(root.systemPrompt);
    for (const node of await store.nodes(root.id)) finder.lookIn(node.message);
    for (const run of await store.runs(root.id)) {
      for (const { message } of await store.waiting(run.id)) finder.lookIn(message);
      finder.lookIn(run.state);
      finder.lookIn(await store.effects(run.id));
    }
  }
  for (const header of await store.blocks(null)) await lookInBlock(store, header, finder);
  await lookInTrash(store, finder);
  return finder.found;
}

async function lookInTrash(store: Store, finder: IdFinder): Promise<void> {
  let before: TrashId | null = null;
  for (;;) {
    const page: readonly TrashEntry[] = await store.trash({ before, limit: trashPage });
    for (const { id, object } of page) {
      if (object.type === "branch") for (const node of await store.trashedNodes(id)) finder.lookIn(node.message);
    }
    before = page.at(-1)?.id ?? null;
    if (page.length < trashPage) return;
  }
}

/** Entries read at a time. */
const trashPage = 200;

async function lookInBlock(store: Store, header: BlockHeader, finder: IdFinder): Promise<void> {
  finder.lookIn(header.metadata);
  // A file that is not text keeps its bytes while it is in the trash.
  if (isBinaryFile(header)) finder.lookIn(await store.meta(metaKeys.file(header.id)));
  const snapshot = await store.snapshot(header.id);
  if (snapshot !== null) finder.lookInBytes(snapshot.bytes);
  for (const { body } of await store.changes({ blockId: header.id, afterVersion: 0 })) {
    if ("update" in body) finder.lookInBytes(body.update);
    if ("metadata" in body) finder.lookIn(body.metadata);
  }
}

class IdFinder {
  readonly found = new Set<string>();
  readonly #candidates: ReadonlySet<string>;

  constructor(candidates: ReadonlySet<string>) {
    this.#candidates = candidates;
  }

  lookIn(value: unknown): void {
    if (typeof value === "string") this.#lookInText(value);
    else if (Array.isArray(value)) for (const each of value) this.lookIn(each);
    else if (isJsonObject(value)) for (const each of Object.values(value)) this.lookIn(each);
  }

  /** Searches encoded documents: their texts are UTF-8, in which each hex digit is one byte. */
  lookInBytes(bytes: Uint8Array): void {
    this.#lookInText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1"));
  }

  #lookInText(text: string): void {
    if (text.length < 64) return;
    for (const [run] of text.matchAll(/[0-9a-f]{64,}/g)) {
      // The characters around an id may be hex digits by chance, so every offset of the run counts.
      for (let at = 0; at + 64 <= run.length; at += 1) {
        const id = run.slice(at, at + 64);
        if (this.#candidates.has(id)) this.found.add(id);
      }
    }
  }
}
