import { errorCodeOf } from "../../core/base/error-code.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { BlobsAwayError, type BlobRef, type BlobStore } from "../../core/port/blobs.ts";
import type { Platform } from "../../core/port/platform.ts";
import { unnamedBlobAgeMs } from "./blob-ages.ts";
import type { BlobUses } from "./blob-uses.ts";

/** What a sweep removed and kept. */
export interface SweptBlobs {
  readonly removed: readonly BlobRef[];
  readonly kept: number;
}

/**
 * The blobs of a workspace. A sweep keeps a blob that was stored or claimed within a day, because a message that names it
 * may be on its way to the store; it keeps any other blob while stored data names it.
 */
export class BlobKeeper {
  /** What has which blob; null where one person owns everything. */
  readonly uses: BlobUses | null;
  readonly #blobs: BlobStore;
  readonly #platform: Pick<Platform, "clock" | "logger">;
  /** When each blob was last claimed, monotonic: a clock change ends no claim. */
  readonly #claimedAtById = new Map<string, number>();
  readonly #removals = new Map<string, Promise<void>>();

  constructor(blobs: BlobStore, platform: Pick<Platform, "clock" | "logger">, uses: BlobUses | null = null) {
    this.uses = uses;
    this.#blobs = blobs;
    this.#platform = platform;
  }

  /**
   * Stores bytes. STORE_FULL or STORE_FAILED where the disk refuses them; rejects with the error of `content` when reading
   * it fails.
   */
  async put(content: Uint8Array | AsyncIterable<Uint8Array>): Promise<Result<BlobRef, Refusal>> {
    try {
      const ref = await this.#blobs.put(content);
      // A sweep that was removing the same bytes may have removed the new file with them.
      const { id } = ref;
      this.#hold(id);
      await this.#removals.get(id);
      if ((await this.#blobs.sizeOf(id)) !== null) return ok(ref);
      return content instanceof Uint8Array
        ? ok(await this.#blobs.put(content))
        : err(refusal("BLOB_NOT_FOUND", { id }));
    } catch (problem) {
      const away = this.#away(problem);
      if (away !== null) return err(away);
      const code = errorCodeOf(problem) ?? "";
      if (code === "ENOSPC" || code === "EDQUOT") return err(refusal("STORE_FULL", { reason: code }));
      if (/^E[A-Z]+$/.test(code) && problem instanceof Error && "syscall" in problem) {
        this.#platform.logger.error("blob-not-stored", { code });
        return err(refusal("STORE_FAILED", { reason: code }));
      }
      throw problem;
    }
  }

  /** Returns the bytes of an id; logs damage. STORE_FAILED where the store cannot be reached. */
  async get(id: string): Promise<Result<Uint8Array, Refusal>> {
    const read = await this.#blobs.get(id).catch((problem: unknown) => err(this.#awayOr(problem)));
    if (!read.ok && read.error.code === "BLOB_DAMAGED") this.#platform.logger.error("blob-damaged", { blobId: id });
    return read;
  }

  /** Keeps a blob for a day, because a message is about to name it. BLOB_NOT_FOUND where there is no such blob. */
  async claim(id: string): Promise<Result<BlobRef, Refusal>> {
    this.#hold(id);
    await this.#removals.get(id);
    const size = await this.#blobs.sizeOf(id).catch((problem: unknown) => this.#awayOr(problem));
    if (typeof size === "number") return ok({ id, size });
    this.#claimedAtById.delete(id);
    return err(size ?? refusal("BLOB_NOT_FOUND", { id }));
  }

  /** Removes old blobs that nothing names: `namedOf` returns which of the given ids are in use. */
  async sweep(namedOf: (ids: ReadonlySet<string>) => Promise<ReadonlySet<string>>): Promise<SweptBlobs> {
    this.#endOldClaims();
    const entries = await this.#blobs.list();
    const before = this.#platform.clock.now() - unnamedBlobAgeMs;
    const old = entries.filter(({ id, storedAt }) => storedAt < before && !this.#claimedAtById.has(id));
    const inUse = old.length === 0 ? new Set<string>() : await namedOf(new Set(old.map(({ id }) => id)));
    const removed: BlobRef[] = [];
    for (const { id, size } of old) {
      // Checked in the same tick in which the removal begins: gathering the names took a while.
      if (inUse.has(id) || this.#claimedAtById.has(id)) continue;
      const removal = this.#blobs.remove(id);
      this.#removals.set(
        id,
        removal.catch(() => undefined),
      );
      try {
        await removal;
        removed.push({ id, size });
      } finally {
        this.#removals.delete(id);
      }
    }
    return { removed, kept: entries.length - removed.length };
  }

  #hold(id: string): void {
    this.#claimedAtById.set(id, this.#platform.clock.monotonic());
  }

  /** The refusal for a store over a network that is away; null: the problem is another one. */
  #away(problem: unknown): Refusal | null {
    if (!(problem instanceof BlobsAwayError)) return null;
    this.#platform.logger.error("blobs-away", { reason: problem.reason });
    const message = "The store of images and files does not answer. Nothing was changed; try again later.";
    return refusal("STORE_FAILED", { reason: problem.reason }, message);
  }

  #awayOr(problem: unknown): Refusal {
    const away = this.#away(problem);
    if (away === null) throw problem;
    return away;
  }

  /** Drops claims older than a day: by then their messages are stored and name the blobs. */
  #endOldClaims(): void {
    const before = this.#platform.clock.monotonic() - unnamedBlobAgeMs;
    for (const [id, claimedAt] of this.#claimedAtById) if (claimedAt < before) this.#claimedAtById.delete(id);
  }
}
