import { randomUUID } from "node:crypto";
import type { BlockId } from "../../../core/base/ids.ts";
import { err, type Result } from "../../../core/base/result.ts";
import type { StoreRefusal, StoreWrite } from "../../../core/port/store.ts";

/** Where a piece of a snapshot is stored; `n` counts from 0. */
export interface PieceKey {
  readonly blockId: BlockId;
  readonly snapshotId: string;
  readonly n: number;
}

/** What a database is told to write: a long snapshot is written in pieces, and named when all of them are there. */
export type TableWrite =
  | StoreWrite
  | { readonly type: "put-snapshot-piece"; readonly key: PieceKey; readonly bytes: Uint8Array }
  /** Makes the pieces the snapshot of the block. */
  | {
      readonly type: "name-snapshot";
      readonly blockId: BlockId;
      readonly version: number;
      readonly snapshotId: string;
      readonly pieces: number;
    }
  /** Does nothing for a piece of the snapshot that the block has. */
  | { readonly type: "delete-snapshot-piece"; readonly key: PieceKey };

/** Bytes of a piece: written in some milliseconds. A snapshot of no more is stored in its row. */
export const pieceBytes = 1024 * 1024;

interface Ports {
  readonly commit: (writes: readonly TableWrite[]) => Promise<Result<void, StoreRefusal>>;
  /** The pieces of a block that belong to no snapshot. */
  readonly unnamedPieces: (blockId: BlockId) => Promise<readonly PieceKey[]>;
}

/**
 * Stores long snapshots piece by piece, each in a commit of its own, so that the keystrokes of others wait for a piece and not
 * for the snapshot of a long history. The commit itself then only names the pieces, so it takes effect whole or not at all;
 * the pieces of the snapshot before are deleted one by one after it. Later commits may overtake one with a long snapshot.
 *
 * A crash leaves pieces that no snapshot names. They are deleted when the block gets its next long snapshot. Pieces may be
 * stored before their block is, since one commit can make both.
 */
export class LongSnapshots {
  readonly #ports: Ports;
  /** The newest long snapshot: only one is written at a time. */
  #last: Promise<void> | null = null;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  commit(writes: readonly StoreWrite[]): Promise<Result<void, StoreRefusal>> {
    const blockIds = writes.flatMap((write) => (isLong(write) ? [write.snapshot.blockId] : []));
    if (blockIds.length === 0) return this.#ports.commit(writes);
    const owned = writes.map(withOwnBytes);
    const made = (this.#last ?? Promise.resolve()).then(() => this.#commitInPieces(owned));
    const last = made
      .then(
        () => this.#deleteUnnamed(blockIds),
        () => this.#deleteUnnamed(blockIds),
      )
      .then(() => {
        if (this.#last === last) this.#last = null;
      });
    this.#last = last;
    return made;
  }

  /** Resolves when what is under way is written and deleted; null where nothing is. */
  get pending(): Promise<void> | null {
    return this.#last;
  }

  async #commitInPieces(writes: readonly StoreWrite[]): Promise<Result<void, StoreRefusal>> {
    const named: TableWrite[] = [];
    for (const [index, write] of writes.entries()) {
      if (!isLong(write)) {
        named.push(write);
        continue;
      }
      const { blockId, version, bytes } = write.snapshot;
      const snapshotId = randomUUID();
      let pieces = 0;
      for (let start = 0; start < bytes.length; start += pieceBytes) {
        const piece = bytes.slice(start, start + pieceBytes);
        const key = { blockId, snapshotId, n: pieces };
        const put = await this.#ports.commit([{ type: "put-snapshot-piece", key, bytes: piece }]);
        if (!put.ok) return err({ ...put.error, index: put.error.index === 0 ? index : writes.length });
        pieces += 1;
      }
      named.push({ type: "name-snapshot", blockId, version, snapshotId, pieces });
    }
    return this.#ports.commit(named);
  }

  /** What cannot be deleted now is deleted with the next long snapshot of the block. */
  async #deleteUnnamed(blockIds: readonly BlockId[]): Promise<void> {
    try {
      for (const blockId of blockIds) {
        for (const key of await this.#ports.unnamedPieces(blockId))
          await this.#ports.commit([{ type: "delete-snapshot-piece", key }]);
      }
    } catch {
      // The store is closed or lost, which every other commit reports.
    }
  }
}

type SnapshotWrite = Extract<StoreWrite, { readonly type: "put-snapshot" }>;

function isLong(write: StoreWrite): write is SnapshotWrite {
  return write.type === "put-snapshot" && write.snapshot.bytes.length > pieceBytes;
}

/** The bytes as they are now, although they are written later. */
function withOwnBytes(write: StoreWrite): StoreWrite {
  if (!isLong(write) || write.handsOver === true) return write;
  return { ...write, snapshot: { ...write.snapshot, bytes: write.snapshot.bytes.slice() } };
}

/** The bytes of pieces in their order. */
export function joinPieces(pieces: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
