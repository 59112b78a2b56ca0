import { assert } from "../../../core/base/assert.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import type { BlockId, RequestId } from "../../../core/base/ids.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { BlockChange, BlockHeader } from "../../../core/block/types.ts";
import type { ReplicaActor } from "../../../core/protocol/base/messages.ts";
import type { ReplicaId } from "../../../core/text/types.ts";
import type { Replicas } from "../../replica/replica-registry.ts";
import type { WatchedFeed } from "../../document/block-feeds.ts";
import type { BlockWatcher } from "../../document/record/types.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { replicasInText, named } from "./replicas-in-text.ts";
import type { KnownReplicas } from "./known-replicas.ts";
import {
  replicasOf,
  base64,
  prepareSnapshot,
  preparedAsked,
  preparedChangesOf,
  preparedNaming,
  type PreparedMessage,
} from "./down-frame.ts";

/** The connection that watches. */
export interface WatchReader {
  /** The prefix of its own request ids in the store. */
  readonly ownRequests: string;
  send(message: PreparedMessage): void;
  /** Runs a join when the connection has room for what it brings. */
  inQueue<Value>(join: () => Promise<Value>): Promise<Value>;
  /** The feed ended by itself: what the connection has may no longer be the whole. */
  terminated(reason: Refusal): void;
}

/** One connection's watch of one block. */
export interface BlockWatch {
  end(): void;
}

export interface BegunWatch {
  readonly watch: BlockWatch;
  /** Resolves when the watch is active, or with the reason why there is none. */
  readonly joined: Promise<Result<void, Refusal>>;
}

/**
 * Joins a block's feed for a connection when its turn in the join queue has come. `known` holds the replicas the
 * connection knows; it grows.
 */
export function watchBlock(
  workspace: Pick<Workspace, "hub" | "replicas">,
  reader: Omit<WatchReader, "terminated">,
  from: { readonly blockId: BlockId; readonly afterVersion: number; readonly known: KnownReplicas },
): BegunWatch {
  const { blockId, afterVersion, known } = from;
  const watch = new WatchedBlock(blockId, workspace.replicas, { reader, known });
  return { watch, joined: reader.inQueue(() => watch.join(workspace.hub, afterVersion)) };
}

class WatchedBlock implements BlockWatch, BlockWatcher {
  readonly #replicas: Replicas;
  readonly #reader: Omit<WatchReader, "terminated">;
  readonly #known: KnownReplicas;
  readonly #blockId: BlockId;
  #ended = false;
  /** null while it is not joined. */
  #feed: WatchedFeed | null = null;

  constructor(
    blockId: BlockId,
    replicas: Replicas,
    { reader, known }: { readonly reader: Omit<WatchReader, "terminated">; readonly known: KnownReplicas },
  ) {
    this.#blockId = blockId;
    this.#replicas = replicas;
    this.#reader = reader;
    this.#known = known;
  }

  async join(hub: Workspace["hub"], afterVersion: number): Promise<Result<void, Refusal>> {
    // Whoever asks again, or no more, is not waited for.
    if (this.#ended) return ok(undefined);
    const joined = await hub.feeds.watch(this.#blockId, afterVersion, this);
    if (!joined.ok) return joined;
    if (this.#ended) joined.value.unwatch(this.#blockId, this);
    else this.#feed = joined.value;
    return ok(undefined);
  }

  end(): void {
    this.#ended = true;
    this.#feed?.unwatch(this.#blockId, this);
  }

  snapshot(header: BlockHeader, document: Uint8Array, hash: string): void {
    if (this.#ended) return;
    const { inText, message } = preparedSnapshot({ header, document, hash }, this.#replicas);
    for (const { replica } of inText) this.#known.add(replica);
    this.#reader.send(message);
  }

  deliver(changes: readonly BlockChange[]): void {
    if (this.#ended) return;
    const { replicas, requesters, each, together } = preparedChangesOf(changes);
    const asKnown =
      !requesters.includes(this.#reader.ownRequests) && replicas.every((replica) => this.#known.has(replica));
    if (asKnown && together !== null) this.#reader.send(together);
    else for (const [index, message] of each.entries()) this.#reader.send(this.#own(message, changes[index]));
  }

  /** Returns a change's message for this connection. */
  #own(message: PreparedMessage, change: BlockChange | undefined): PreparedMessage {
    assert(change !== undefined, "each change has its message");
    const asked = this.#ownRequestId(change);
    const news = this.#newReplicas(change);
    if (news.length === 0) return asked === undefined ? message : preparedAsked(message, asked);
    for (const replica of news) this.#known.add(replica);
    return preparedNaming(change, named(news, this.#replicas), asked);
  }

  /** Returns the request id of a change as its requester gave it. */
  #ownRequestId({ requestId }: BlockChange): RequestId | undefined {
    const { ownRequests } = this.#reader;
    if (requestId === undefined || !requestId.startsWith(ownRequests)) return undefined;
    return requestId.slice(ownRequests.length) as RequestId;
  }

  #newReplicas(change: BlockChange): readonly ReplicaId[] {
    const news = replicasOf(change).filter((replica) => !this.#known.has(replica));
    return news.length > 1 ? [...new Set(news)] : news;
  }
}

interface Snapshot {
  readonly header: BlockHeader;
  readonly document: Uint8Array;
  readonly hash: string;
}

interface PreparedSnapshot {
  readonly inText: readonly ReplicaActor[];
  readonly message: PreparedMessage;
}

const preparedByDocument = new WeakMap<Uint8Array, PreparedSnapshot>();

/** A snapshot as everybody who joins before the next change gets it. */
function preparedSnapshot({ header, document, hash }: Snapshot, replicas: Replicas): PreparedSnapshot {
  const known = preparedByDocument.get(document);
  if (known !== undefined) return known;
  const inText = replicasInText(document, replicas);
  const message = prepareSnapshot({ type: "block-snapshot", header, text: base64(document), hash, replicas: inText });
  const prepared = { inText, message };
  preparedByDocument.set(document, prepared);
  return prepared;
}
