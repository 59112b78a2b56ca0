import { createHash } from "node:crypto";
import { refusal } from "../../core/base/errors.ts";
import { err, ok } from "../../core/base/result.ts";
import { type BlobStore, isBlobId } from "../../core/port/blobs.ts";

interface Kept {
  readonly bytes: Uint8Array;
  readonly storedAt: number;
}

/** Opens a blob store that lives as long as the process. */
export function openMemoryBlobs(now: () => number): BlobStore {
  const kept = new Map<string, Kept>();
  return {
    async put(content) {
      const pieces: Uint8Array[] = [];
      for await (const piece of content instanceof Uint8Array ? [content] : content) pieces.push(piece);
      const bytes = new Uint8Array(Buffer.concat(pieces));
      const id = hashOf(bytes);
      kept.set(id, { bytes, storedAt: now() });
      return { id, size: bytes.length };
    },
    async get(id) {
      const found = kept.get(id);
      if (found === undefined) return err(refusal("BLOB_NOT_FOUND", isBlobId(id) ? { id } : undefined));
      return hashOf(found.bytes) === id ? ok(found.bytes.slice()) : err(refusal("BLOB_DAMAGED", { id }));
    },
    async sizeOf(id) {
      return kept.get(id)?.bytes.length ?? null;
    },
    async list() {
      return [...kept]
        .map(([id, { bytes, storedAt }]) => ({ id, size: bytes.length, storedAt }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1));
    },
    async remove(id) {
      kept.delete(id);
    },
  };
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
