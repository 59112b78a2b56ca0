import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { BlockId, RequestId, RootId } from "../../../core/base/ids.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import { listKey, type List } from "../../../core/forest/list.ts";
import { SmallMap } from "../../base/small-map.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { serverLimits } from "../http/server-limits.ts";
import { watchBlock, type BlockWatch, type WatchReader } from "./block-watch.ts";
import type { Introduced, Message } from "./connection-state.ts";
import { watchConversation, type ConversationWatch } from "./conversation-watch.ts";
import { KnownReplicas } from "./known-replicas.ts";
import type { Rooms } from "./rooms.ts";

/** The connection whose watches these are. */
export interface WatchingConnection extends Omit<WatchReader, "terminated"> {
  /** Ends the connection with a reason, its last message. */
  terminate(reason: Refusal): void;
  refuse(requestId: RequestId | null, reason: Refusal): void;
  /** Turns the failure of one request into a refusal and a log entry; the connection continues. */
  guarded<Value>(work: () => Promise<Result<Value, Refusal>>): Promise<Result<Value, Refusal>>;
}

/** What one connection watches: blocks, conversations and lists, a bounded number of them. */
export class ConnectionWatches {
  /** The replicas that the client was told of. */
  readonly knownReplicas = new KnownReplicas();
  readonly #ports: { readonly workspace: Workspace; readonly rooms: Rooms };
  readonly #connection: WatchingConnection;
  readonly #blocks = new SmallMap<BlockId, BlockWatch>();
  readonly #conversations = new SmallMap<RootId, ConversationWatch>();
  readonly #lists = new SmallMap<string, List>();

  constructor(ports: { readonly workspace: Workspace; readonly rooms: Rooms }, connection: WatchingConnection) {
    this.#ports = ports;
    this.#connection = connection;
  }

  hasBlock(blockId: BlockId): boolean {
    return this.#blocks.has(blockId);
  }

  /** Whether the block may be watched; refuses it where the connection watches too much. */
  hasRoomForBlock(blockId: BlockId): boolean {
    return this.#hasRoom(this.#blocks.has(blockId), { block_id: blockId });
  }

  watchBlock(guest: Introduced, blockId: BlockId, afterVersion: number): void {
    this.#blocks.get(blockId)?.end();
    const { watch, joined } = watchBlock(this.#ports.workspace, this.#connection, {
      blockId,
      afterVersion,
      known: this.knownReplicas,
    });
    this.#blocks.set(blockId, watch);
    this.#ports.rooms.enterBlock(guest, blockId, afterVersion > 0);
    void this.#answerJoin(joined, { block_id: blockId }, () => {
      if (this.#blocks.get(blockId) !== watch) return;
      this.#blocks.delete(blockId);
      this.#ports.rooms.leaveBlock(guest, blockId);
    });
  }

  endBlock(guest: Introduced, blockId: BlockId): void {
    this.#blocks.get(blockId)?.end();
    this.#blocks.delete(blockId);
    this.#ports.rooms.leaveBlock(guest, blockId);
  }

  watchConversation({ rootId, afterSeq, segment }: Extract<Message, { type: "watch-conversation" }>): void {
    const connection = this.#connection;
    const facts = { root_id: rootId };
    if (!this.#hasRoom(this.#conversations.has(rootId), facts)) return;
    this.#conversations.get(rootId)?.end();
    const remove = (): void => {
      if (this.#conversations.get(rootId) === watch) this.#conversations.delete(rootId);
    };
    const reader: WatchReader = {
      ownRequests: connection.ownRequests,
      send: (message) => connection.send(message),
      inQueue: (join) => connection.inQueue(join),
      terminated: (reason) => {
        if (reason.code !== "IN_TRASH") return connection.terminate(reason);
        // The object was deleted: this watch ends, and the rest of the connection continues.
        remove();
        watch.end();
        connection.refuse(null, { ...reason, details: { ...reason.details, ...facts } });
      },
    };
    const watch = watchConversation(this.#ports.workspace, reader, {
      rootId,
      afterSeq,
      ...(segment === undefined ? {} : { segment }),
      known: this.knownReplicas,
    });
    this.#conversations.set(rootId, watch);
    void this.#answerJoin(watch.joined, facts, remove);
  }

  endConversation(rootId: RootId): void {
    this.#conversations.get(rootId)?.end();
    this.#conversations.delete(rootId);
  }

  async watchList(guest: Introduced, list: List): Promise<void> {
    const key = listKey(list);
    if (!this.#hasRoom(this.#lists.has(key), { list: key })) return;
    this.#lists.set(key, list);
    const watched = await this.#connection.guarded(async () =>
      ok(await this.#ports.rooms.watchList(guest, list, () => this.#lists.get(key) === list)),
    );
    if (watched.ok) return;
    this.#lists.delete(key);
    this.#connection.refuse(null, { ...watched.error, details: { ...watched.error.details, list: key } });
  }

  endList(guest: Introduced, list: List): void {
    this.#lists.delete(listKey(list));
    this.#ports.rooms.unwatchList(guest, list);
  }

  /** Ends everything; `guest` is null when the client never said an accepted hello. */
  end(guest: Introduced | null): void {
    for (const watch of this.#blocks.values()) watch.end();
    for (const watch of this.#conversations.values()) watch.end();
    if (guest !== null) for (const list of this.#lists.values()) this.#ports.rooms.unwatchList(guest, list);
    this.#blocks.clear();
    this.#conversations.clear();
    this.#lists.clear();
  }

  async #answerJoin(
    joined: Promise<Result<void, Refusal>>,
    facts: Readonly<Record<string, string>>,
    remove: () => void,
  ): Promise<void> {
    const result = await this.#connection.guarded(() => joined);
    if (result.ok) return;
    remove();
    this.#connection.refuse(null, { ...result.error, details: { ...result.error.details, ...facts } });
  }

  #hasRoom(watched: boolean, facts: Readonly<Record<string, string>>): boolean {
    const { watchesMax: max } = serverLimits;
    if (watched || this.#blocks.size + this.#conversations.size + this.#lists.size < max) return true;
    this.#connection.refuse(null, refusal("RATE_LIMITED", { reason: "too many watches", max, ...facts }));
    return false;
  }
}
