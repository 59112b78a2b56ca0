import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, DocumentId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import { changeHeader, type HeaderPorts } from "./header-change.ts";
import type { Author, EditOptions } from "./record/types.ts";
import { isReviewed } from "./block/write-gate.ts";

/** Deletes blocks and whole documents for good. */
export class BlockDeletion {
  readonly #ports: HeaderPorts;

  constructor(ports: HeaderPorts) {
    this.#ports = ports;
  }

  /** Deletes a block: later requests get BLOCK_NOT_FOUND; child blocks stay. */
  delete(
    author: Author,
    blockId: BlockId,
    options: EditOptions = {},
  ): Promise<Result<{ readonly version: number }, Refusal>> {
    let canvasId: BlockId | null = null;
    // Suggestions are deleted with their canvas.
    const also = (version: number): readonly StoreWrite[] => [
      ...(canvasId === null ? [] : [{ type: "delete-suggestions", canvasId, before: null } as const]),
      ...(options.also?.(version) ?? []),
    ];
    const plan = (header: BlockHeader) => {
      if (isReviewed(author, header)) return err(refusal("REVIEW_NEEDED", { block_id: blockId }));
      canvasId = header.policy === undefined ? null : blockId;
      return ok([{ type: "deleted" } as const]);
    };
    return changeHeader(this.#ports, author, blockId, { ...options, closes: true, also, plan });
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
