import type { ErrorCode } from "../../core/base/errors.ts";
import type { ModelActor } from "../../core/base/actor.ts";
import { must } from "../../core/base/assert.ts";
import type { BlockId, RootId } from "../../core/base/ids.ts";
import { isLiveBlock, type MessagePlace } from "../../core/block/live-block.ts";
import type { BlockStatus } from "../../core/block/types.ts";
import type { Logger } from "../../core/port/platform.ts";
import type { Replicas } from "../replica/replica-registry.ts";
import type { UnfinishedBlock, LiveBlocks, LiveBlockSeed, SealedBlock } from "../conversation/base/ports.ts";
import { documentOfConversation } from "../document/record/document-of.ts";
import type { DocumentHub } from "../document/hub.ts";
import type { Author } from "../document/record/types.ts";

type LiveHub = Pick<DocumentHub, "reader" | "editor" | "deletion" | "live">;

/** Creates the blocks in the conversation's own document that show parts of replies while they stream. */
export function createLiveBlocks(ports: {
  readonly hub: LiveHub;
  readonly replicas: Replicas;
  readonly logger: Logger;
}): LiveBlocks {
  return new HubLiveBlocks(ports.hub, ports.replicas, ports.logger);
}

class HubLiveBlocks implements LiveBlocks {
  readonly #hub: LiveHub;
  readonly #replicas: Replicas;
  readonly #logger: Logger;
  /** The author of each open block. */
  readonly #authorsById = new Map<BlockId, Author>();

  constructor(hub: LiveHub, replicas: Replicas, logger: Logger) {
    this.#hub = hub;
    this.#replicas = replicas;
    this.#logger = logger;
  }

  async open(seed: LiveBlockSeed): Promise<BlockId> {
    const author = await this.#authorOf(seed.actor);
    const created = await this.#hub.editor.create(author, {
      documentId: documentOfConversation(seed.rootId),
      parentId: null,
      role: seed.role,
      kind: seed.kind,
      text: "",
      status: "running",
      metadata: seed.metadata,
    });
    // Without its live block a reply cannot be shown: the caller treats this as the failed write that it is.
    if (!created.ok) throw new Error(`a live block could not be opened: ${created.error.code}`);
    this.#authorsById.set(created.value.id, author);
    return created.value.id;
  }

  append(id: BlockId, text: string): void {
    const author = must(this.#authorsById.get(id), `the block ${id} is live`);
    this.#hub.editor.append(author, id, text).then(
      (written) => {
        if (!written.ok) this.#logger.warn("live-append-refused", { block: id, code: written.error.code });
      },
      (bug: unknown) => this.#logger.error("live-append-failed", { block: id, reason: String(bug) }),
    );
  }

  async seal(id: BlockId): Promise<SealedBlock> {
    const author = must(this.#authorsById.get(id), `the block ${id} is live`);
    const sealed = await this.#hub.live.seal(author, id);
    if (!sealed.ok) throw new Error(`a live block could not be sealed: ${sealed.error.code}`);
    return { id, ...sealed.value };
  }

  async finish(id: BlockId, status: "done" | "error", place: MessagePlace | null = null): Promise<void> {
    const writing = this.#authorsById.get(id);
    this.#authorsById.delete(id);
    const author = writing ?? (await this.#lastAuthor(id));
    if (author === null) return;
    const closed = await this.#hub.live.close(author, id, { status, place });
    if (!closed.ok && !harmless.has(closed.error.code)) {
      this.#logger.error("live-finish-failed", { block: id, code: closed.error.code });
    }
  }

  async unfinished(rootId: RootId): Promise<readonly UnfinishedBlock[]> {
    const left: UnfinishedBlock[] = [];
    for (const header of await this.#hub.reader.list(documentOfConversation(rootId))) {
      const open: readonly BlockStatus[] = ["pending", "running"];
      if (!isLiveBlock(header) || !open.includes(header.status)) continue;
      const { id, kind, metadata } = header;
      const sealed = await this.#hub.live.seal(this.#authorFromId(id), id);
      if (sealed.ok) left.push({ id, kind, metadata, ...sealed.value });
    }
    return left;
  }

  remove: LiveBlocks["remove"] = (rootIds, commit) =>
    this.#hub.deletion.removeDocuments(rootIds.map(documentOfConversation), () => commit(documentOfConversation));

  async #authorOf(actor: ModelActor): Promise<Author> {
    const unitId = actor.toolCallId === undefined ? actor.turnId : `${actor.turnId}/${actor.toolCallId}`;
    return {
      actor,
      replica: await this.#replicas.forRun(actor),
      unit: {
        id: `live/${unitId}`,
        turnId: actor.turnId,
        ...(actor.toolCallId === undefined ? {} : { toolCallId: actor.toolCallId }),
      },
    };
  }

  /** Returns the author of a block that an earlier process opened, from the block's id. Null for a closed block. */
  async #lastAuthor(id: BlockId): Promise<Author | null> {
    const now = await this.#hub.reader.read(id);
    if (!now.ok || now.value.header.status === "done" || now.value.header.status === "error") return null;
    return this.#authorFromId(id);
  }

  #authorFromId(id: BlockId): Author {
    const replica = Number(id.split("/").at(-2)) as Author["replica"];
    const actor = must(this.#replicas.actorOf(replica), `the agent of ${id} is known`);
    return { actor, replica, unit: { id: `live/${id}` } };
  }
}

/** Why a block that was deleted, or has ended with the other status, is not closed once more. */
const harmless: ReadonlySet<ErrorCode> = new Set(["STATUS_CONFLICT", "BLOCK_NOT_FOUND", "IN_TRASH"]);
