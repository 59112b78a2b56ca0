import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { RootId, TrashId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { TrashedObject, TrashEntry } from "../../core/forest/trash-entry.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import { noteOf, sourceOf, trashAct } from "../access/audit-notes.ts";
import { metaKeys } from "../base/meta-keys.ts";
import { notRemembered, type Remember } from "../base/once.ts";
import { notStored } from "../base/store-refusal.ts";
import { keptDays, purgeTime } from "../base/trash-time.ts";
import type { Conversations } from "../conversation/base/types.ts";
import type { Comments } from "../document/comment/comments.ts";
import type { BlockDeletion, BlockEntry } from "../document/block-deletion.ts";
import { commitAttemptsMax } from "../document/record/limits.ts";
import type { Author } from "../document/record/types.ts";
import { restoreBlock } from "../files/block-files.ts";
import type { ToolFolders } from "../files/folder-types.ts";

interface TrashPorts {
  readonly store: Pick<Store, "trash" | "trashEntry" | "dueTrash" | "meta" | "commit" | "block">;
  readonly platform: Pick<Platform, "clock" | "logger">;
  readonly deletion: BlockDeletion;
  readonly folders: Pick<ToolFolders, "folderOf" | "use">;
  readonly conversations: Pick<Conversations, "restore" | "purge">;
  readonly comments: Pick<Comments, "restore" | "purge">;
  /** Drops what is kept elsewhere of things that were deleted for good. */
  readonly forget: (ids: readonly string[]) => Promise<void>;
  /** Whether the audit log of a team has what is purged by age. */
  readonly isAudited?: boolean;
}

interface TrashSettings {
  readonly keptDays: number | null;
}

/** Entries read from the store at a time. */
const pageEntries = 200;
const listedDefault = 100;

/** What was deleted: listed, restored and purged by people, and purged by age. */
export class Trash {
  readonly #ports: TrashPorts;

  constructor(ports: TrashPorts) {
    this.#ports = ports;
  }

  /** Lists entries, newest first. */
  async list({
    after,
    limit = listedDefault,
  }: {
    readonly after?: TrashId;
    readonly limit?: number;
  }): Promise<{ readonly entries: readonly TrashEntry[]; readonly more: boolean }> {
    const found = await this.#ports.store.trash({ before: after ?? null, limit: limit + 1 });
    return { entries: found.slice(0, limit), more: found.length > limit };
  }

  /**
   * Restores an entry to where it was. A file whose path is in use now is refused with FILE_EXISTS, or restored beside with
   * `keepsBoth`.
   */
  async restore(
    author: Author,
    { id, keepsBoth = false }: { readonly id: TrashId; readonly keepsBoth?: boolean },
    remember: Remember<{ readonly entry: TrashEntry }> = notRemembered,
  ): Promise<Result<{ readonly entry: TrashEntry }, Refusal>> {
    const entry = await this.#ports.store.trashEntry(id);
    if (entry === null) return err(notInTrash(id));
    const also = remember({ entry }, rootNamedBy(entry.object));
    const { object } = entry;
    const restored = isBlock(object)
      ? await restoreBlock(
          this.#ports,
          author,
          { entry: { ...entry, object }, header: await this.#ports.store.block(object.blockId) },
          { keepsBoth, also: () => also },
        )
      : object.type === "thread"
        ? await this.#ports.comments.restore(object.threadId, entry.id, also)
        : await this.#ports.conversations.restore(entry, also);
    return restored.ok ? ok({ entry }) : restored;
  }

  /** Deletes one entry, or all that are there now, for good. */
  async purge(
    author: Author,
    id?: TrashId,
    remember: Remember<{ readonly purged: number }> = notRemembered,
  ): Promise<Result<{ readonly purged: number }, Refusal>> {
    const { store } = this.#ports;
    if (id !== undefined) {
      const entry = await store.trashEntry(id);
      if (entry === null) return err(notInTrash(id));
      const purged = await this.#purge(author, entry, remember({ purged: 1 }, null));
      return purged.ok ? ok({ purged: 1 }) : purged;
    }
    let count = 0;
    for await (const entry of this.#all()) {
      const purged = await this.#purge(author, entry);
      // Somebody restored or purged it meanwhile.
      if (!purged.ok && !isGone(purged.error)) return purged;
      if (purged.ok) count += 1;
    }
    return ok({ purged: count });
  }

  /** Purges what is due; what fails stays for the next time. */
  async purgeDue(author: Author): Promise<void> {
    const { store, platform, isAudited = false } = this.#ports;
    for (const entry of await store.dueTrash(platform.clock.now(), pageEntries)) {
      const noted = isAudited ? noteOf(sourceOf(author.actor), trashAct("purged", entry)) : null;
      const also = noted === null ? [] : [{ type: "append-audit", entry: noted } as const];
      const purged = await this.#purge(author, entry, also);
      if (!purged.ok && !isGone(purged.error)) {
        platform.logger.warn("trash-not-purged", { id: entry.id, code: purged.error.code });
      }
    }
  }

  async settings(): Promise<TrashSettings> {
    return { keptDays: await keptDays(this.#ports.store) };
  }

  /** Sets how long things are kept. What is in the trash already is kept longer, never shorter. */
  async setSettings(
    settings: TrashSettings,
    remember: Remember<TrashSettings> = notRemembered,
  ): Promise<Result<TrashSettings, Refusal>> {
    const { store } = this.#ports;
    for (let attempt = 1; ; attempt += 1) {
      const stored = await store.commit([
        { type: "put-meta", key: metaKeys.trash, value: { keptDays: settings.keptDays } },
        ...(await this.#postponed(settings.keptDays)),
        ...remember(settings, null),
      ]);
      if (stored.ok) return ok(settings);
      // Something was restored or purged meanwhile.
      if (stored.error.code !== "CONFLICT" || attempt === commitAttemptsMax) return err(notStored(stored.error));
    }
  }

  /** Returns the writes that keep what is in the trash for at least so many days. */
  async #postponed(days: number | null): Promise<readonly StoreWrite[]> {
    const writes: StoreWrite[] = [];
    for await (const entry of this.#all()) {
      const purgeAt = purgeTime(entry.at, days);
      const isLonger = entry.purgeAt !== null && (purgeAt === null || purgeAt > entry.purgeAt);
      // Put again, so that an entry that was taken out meanwhile does not come back.
      if (isLonger)
        writes.push({ type: "delete-trash", id: entry.id }, { type: "put-trash", entry: { ...entry, purgeAt } });
    }
    return writes;
  }

  /** Every entry, newest first. */
  async *#all(): AsyncGenerator<TrashEntry> {
    let before: TrashId | null = null;
    for (;;) {
      const page: readonly TrashEntry[] = await this.#ports.store.trash({ before, limit: pageEntries });
      yield* page;
      before = page.at(-1)?.id ?? null;
      if (page.length < pageEntries) return;
    }
  }

  async #purge(author: Author, entry: TrashEntry, also: readonly StoreWrite[] = []): Promise<Result<void, Refusal>> {
    const { deletion, conversations, comments, forget } = this.#ports;
    const { object } = entry;
    if (object.type === "thread") return comments.purge(object.threadId, entry.id, also);
    const purged = isBlock(object)
      ? await deletion.purge(author, { ...entry, object }, also)
      : await conversations.purge(entry, also);
    if (purged.ok) await forget(idsOf(object));
    return purged;
  }
}

/** The conversation whose purge deletes the record of an answer with this object. */
function rootNamedBy(object: TrashedObject): RootId | null {
  return "rootId" in object ? object.rootId : null;
}

/** What is there no more when an object is purged; the conversation of a branch still is. */
function idsOf(object: TrashedObject): readonly string[] {
  if (isBlock(object)) return [object.blockId];
  return object.type === "conversation" ? [object.rootId, ...object.agents] : [];
}

function isBlock(object: TrashedObject): object is BlockEntry["object"] {
  return "blockId" in object;
}

function isGone({ code }: Refusal): boolean {
  return code === "NOT_IN_TRASH" || code === "CONFLICT" || code === "BLOCK_NOT_FOUND";
}

function notInTrash(id: TrashId): Refusal {
  return refusal("NOT_IN_TRASH", { trash_id: id });
}
