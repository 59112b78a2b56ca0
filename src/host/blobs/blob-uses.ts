import type { PersonId } from "../../core/base/ids.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Clock, Logger } from "../../core/port/platform.ts";
import type { Store } from "../../core/port/store.ts";
import type { ObjectKey } from "../../core/rights/object-key.ts";
import { metaKeys } from "../base/meta-keys.ts";
import { SerialQueue } from "../base/serial-queue.ts";
import { notStored } from "../base/store-refusal.ts";
import { unnamedBlobAgeMs } from "./blob-ages.ts";

/** Who wants the bytes of a blob, and which documents and conversations they may read. */
export interface BlobReader {
  /** null: an agent, which has no uploads of its own. */
  readonly person: PersonId | null;
  readonly mayRead: (object: ObjectKey) => Promise<boolean>;
}

interface BlobUse {
  /** What has the blob, newest first. */
  readonly objects: readonly ObjectKey[];
  /** Who uploaded it, and when, UTC milliseconds. */
  readonly uploads: Readonly<Record<string, number>>;
}

interface UsePorts {
  readonly store: Pick<Store, "meta" | "commit">;
  readonly clock: Pick<Clock, "now">;
  readonly logger: Pick<Logger, "warn">;
}

/** Objects and uploads that are remembered of one blob: whether somebody may read it takes a look at each. */
const rememberedMax = 64;

/**
 * What has which blob, in a team: somebody reads a blob, or attaches it, who may read a document or a conversation that has it,
 * or who uploaded it within a day. Knowing its hash is not enough.
 */
export class BlobUses {
  readonly #ports: UsePorts;
  /** Uses are written one after the other, and read after those that were known of before. */
  readonly #queue = new SerialQueue();

  constructor(ports: UsePorts) {
    this.#ports = ports;
  }

  /** Remembers that a person uploaded a blob. */
  uploaded(id: string, person: PersonId): Promise<Result<void, Refusal>> {
    return this.#queue.run(() => this.#upload(id, person));
  }

  /** Remembers that an object has these blobs: somebody who may read them put them there. */
  add(ids: readonly string[], object: ObjectKey): Promise<Result<void, Refusal>> {
    return this.#queue.run(() => this.#add(ids, object));
  }

  /**
   * Remembers that an object has those of these blobs that its author may read. Does not wait: whoever asks next is told by
   * what this leads to.
   */
  offer(ids: readonly string[], object: ObjectKey, author: () => Promise<BlobReader | null>): void {
    const offered = this.#queue.run(async () => {
      const reader = await author();
      if (reader === null) return;
      const allowed: string[] = [];
      for (const id of ids) if (await this.#mayRead(await this.#use(id), reader)) allowed.push(id);
      const added = await this.#add(allowed, object);
      if (!added.ok) this.#ports.logger.warn("blob-use-not-stored", { reason: added.error.code });
    });
    offered.catch((problem: unknown) => this.#ports.logger.warn("blob-use-not-stored", { reason: reasonOf(problem) }));
  }

  /** Returns BLOB_NOT_FOUND for the first of these blobs that somebody may not read, or that there is no record of. */
  async whyNot(ids: readonly string[], reader: BlobReader): Promise<Refusal | null> {
    await this.#queue.drained();
    for (const id of ids) {
      if (!(await this.#mayRead(await this.#use(id), reader))) return refusal("BLOB_NOT_FOUND", { id });
    }
    return null;
  }

  /** Returns whether an object has a blob. */
  async isIn(id: string, object: ObjectKey): Promise<boolean> {
    await this.#queue.drained();
    return (await this.#use(id)).objects.includes(object);
  }

  async #mayRead({ objects, uploads }: BlobUse, reader: BlobReader): Promise<boolean> {
    const uploadedAt = reader.person === null ? undefined : uploads[reader.person];
    if (uploadedAt !== undefined && this.#ports.clock.now() - uploadedAt < unnamedBlobAgeMs) return true;
    return (await Promise.all(objects.map((object) => reader.mayRead(object)))).includes(true);
  }

  async #upload(id: string, person: PersonId): Promise<Result<void, Refusal>> {
    const { objects, uploads } = await this.#use(id);
    const now = this.#ports.clock.now();
    const recent = Object.entries(uploads).filter(([by, at]) => by !== person && now - at < unnamedBlobAgeMs);
    return this.#save([[id, { objects, uploads: Object.fromEntries([...recent, [person, now] as const]) }]]);
  }

  async #add(ids: readonly string[], object: ObjectKey): Promise<Result<void, Refusal>> {
    const uses: (readonly [string, BlobUse])[] = [];
    for (const id of new Set(ids)) {
      const { objects, uploads } = await this.#use(id);
      if (!objects.includes(object))
        uses.push([id, { objects: [object, ...objects].slice(0, rememberedMax), uploads }]);
    }
    return this.#save(uses);
  }

  async #use(id: string): Promise<BlobUse> {
    const { objects, uploads } = (await this.#ports.store.meta(metaKeys.blobUse(id))) ?? {};
    return {
      objects: Array.isArray(objects) ? (objects.filter((each) => typeof each === "string") as ObjectKey[]) : [],
      uploads: isJsonObject(uploads) ? (uploads as Readonly<Record<string, number>>) : {},
    };
  }

  async #save(uses: readonly (readonly [string, BlobUse])[]): Promise<Result<void, Refusal>> {
    if (uses.length === 0) return ok(undefined);
    const made = await this.#ports.store.commit(
      uses.map(([id, use]) => ({ type: "put-meta", key: metaKeys.blobUse(id), value: { ...use } as JsonObject })),
    );
    return made.ok ? ok(undefined) : err(notStored(made.error));
  }
}
