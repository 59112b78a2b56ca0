import { must } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, DocumentId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { TrashedObject, TrashEntry } from "../../core/forest/trash-entry.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import { keptDays, trashEntry } from "../base/trash-time.ts";
import { isReviewed, type LeaseView } from "./block/write-gate.ts";
import { changeHeader, type HeaderPorts } from "./header-change.ts";
import { trashedBlock } from "./record/trashed-block.ts";
import type { Author, EditOptions } from "./record/types.ts";

export interface DeletionPorts extends HeaderPorts {
  readonly store: Pick<Store, "meta" | "trashed">;
  readonly platform: Pick<Platform, "clock" | "random">;
  readonly leases: LeaseView;
}

/** Options of a step into the trash or out of it. `also` gets the entry too. */
export interface TrashOptions extends Pick<EditOptions, "guards"> {
  readonly also?: ((version: number, entry: TrashEntry) => readonly StoreWrite[]) | undefined;
}

/** Options of a restoration. */
export interface RestoreOptions extends TrashOptions {
  /** The path of a file whose own path is in use now. */
  readonly path?: string | undefined;
}

/** An entry about a block. */
export interface BlockEntry extends TrashEntry {
  readonly object: Extract<TrashedObject, { readonly blockId: BlockId }>;
}

/** The result of a deletion or a restoration. */
export interface TrashStep {
  readonly version: number;
  readonly entry: BlockEntry;
}

/** Moves blocks to the trash and back, and purges blocks and whole documents. */
export class BlockDeletion {
  readonly #ports: DeletionPorts;

  constructor(ports: DeletionPorts) {
    this.#ports = ports;
  }

  /**
   * Moves a block to the trash: later requests get IN_TRASH; child blocks stay. A person's deletion ends an agent's lease.
   * An agent's deletion of a canvas under review is refused with REVIEW_NEEDED.
   */
  async delete(author: Author, blockId: BlockId, options: TrashOptions = {}): Promise<Result<TrashStep, Refusal>> {
    const { platform, store } = this.#ports;
    const days = await keptDays(store);
    // The plan runs again after a refused commit: the last entry counts.
    const made: BlockEntry[] = [];
    const deleted = await changeHeader(this.#ports, author, blockId, {
      guards: options.guards,
      closes: true,
      ignoresLease: true,
      plan: (header) => {
        if (isReviewed(author, header)) return err(refusal("REVIEW_NEEDED", { block_id: blockId }));
        made.push(trashEntry(platform, days, trashedBlock(author, header)));
        return ok([{ type: "deleted" }]);
      },
      also: (version) => {
        const entry = newest(made);
        return [{ type: "put-trash", entry }, ...(options.also?.(version, entry) ?? [])];
      },
    });
    if (!deleted.ok) return deleted;
    if (author.actor.type === "person" && this.#ports.leases.isHeld(blockId)) {
      await this.#ports.leases.takeControl(blockId);
    }
    return ok({ version: deleted.value.version, entry: newest(made) });
  }

  /** Restores a block from the trash: its id, log, suggestions and place are as they were. */
  async restore(
    author: Author,
    trashed: BlockEntry,
    options: RestoreOptions = {},
  ): Promise<Result<TrashStep, Refusal>> {
    const { blockId } = trashed.object;
    const restored = await changeHeader(this.#ports, author, blockId, {
      guards: options.guards,
      revives: true,
      plan: (header) => {
        if (header.deletedAt === undefined) return err(refusal("NOT_IN_TRASH", { block_id: blockId }));
        const { path } = options;
        const moved = path === undefined ? [] : [{ type: "metadata", metadata: { ...header.metadata, path } } as const];
        return ok([{ type: "restored" }, ...moved]);
      },
      also: (version) => [{ type: "delete-trash", id: trashed.id }, ...(options.also?.(version, trashed) ?? [])],
    });
    return restored.ok ? ok({ version: restored.value.version, entry: trashed }) : restored;
  }

  /** Purges a block in the trash: only its place remains, so that its id is never used again. */
  async purge(
    author: Author,
    { id, object: { blockId } }: BlockEntry,
    also: readonly StoreWrite[] = [],
  ): Promise<Result<void, Refusal>> {
    const purged = await changeHeader(this.#ports, author, blockId, {
      revives: true,
      leavesMemory: true,
      plan: (header) => {
        if (header.deletedAt === undefined) return err(refusal("CONFLICT", { block_id: blockId }));
        const { after } = header.metadata;
        // Its title and path go too; its place among its siblings stays.
        return ok([{ type: "metadata", metadata: after === undefined ? {} : { after } }, { type: "deleted" }]);
      },
      also: (version) => [{ type: "delete-trash", id }, { type: "purge-block", blockId, version }, ...also],
    });
    return purged.ok ? ok(undefined) : purged;
  }

  /**
   * Purges a file block with all its history: CONFLICT when it is at another version, watched, or a canvas. A deleted
   * block stays as it is.
   */
  async evict(author: Author, blockId: BlockId, version: number): Promise<Result<void, Refusal>> {
    const isSpare = (header: BlockHeader): boolean =>
      header.kind === "file" &&
      header.policy === undefined &&
      header.version === version &&
      !this.#ports.lanes.of(blockId).feed.isWatched(blockId);
    const deleted = await changeHeader(this.#ports, author, blockId, {
      closes: true,
      leavesMemory: true,
      also: () => [{ type: "purge-block", blockId, version: version + 1 }],
      plan: (header) => (isSpare(header) ? ok([{ type: "deleted" }]) : err(refusal("CONFLICT", { block_id: blockId }))),
    });
    return deleted.ok ? ok(undefined) : deleted;
  }

  /**
   * Deletes documents in the transaction that `commit` stores: their queues are held meanwhile, and their blocks leave
   * memory afterwards. The documents must hold no files.
   */
  removeDocuments(
    [first, ...rest]: readonly DocumentId[],
    commit: () => Promise<Result<void, Refusal>>,
  ): Promise<Result<void, Refusal>> {
    if (first === undefined) return commit();
    return this.#ports.lanes.ofDocument(first).remove(() => this.removeDocuments(rest, commit));
  }
}

function newest(made: readonly BlockEntry[]): BlockEntry {
  return must(made.at(-1), "a deletion that was planned has its entry");
}
