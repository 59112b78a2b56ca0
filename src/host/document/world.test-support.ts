import { accept } from "../../core/base/result.test-support.ts";
import type { Actor, ModelActor, PersonActor } from "../../core/base/actor.ts";
import { must } from "../../core/base/assert.ts";
import type { ActorId, BlockId, DocumentId, RequestId, RunId, TurnId } from "../../core/base/ids.ts";
import type { BlockChange, BlockHeader, EditPolicy } from "../../core/block/types.ts";
import type { LogFields, Platform } from "../../core/port/platform.ts";
import { decodeDocument } from "../../core/text/document.ts";
import { trustedLimits } from "../../core/text/trusted-limits.ts";
import type { ReplicaId, TextChange, TextDocument } from "../../core/text/types.ts";
import { openMemoryBlobs } from "../../adapters/blobs/memory-blobs.ts";
import { openMemoryStore, type MemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { simulatedClock, type SimulatedClock } from "../../testing/simulated-clock.ts";
import { BlobKeeper } from "../blobs/blob-keeper.ts";
import { createReplicas, type Replicas } from "../replica/replica-registry.ts";
import { openLeaseKeeper } from "../lease/keeper.ts";
import type { LeaseKeeper } from "../lease/types.ts";
import { createDocumentHub, type DocumentHub } from "./hub.ts";
import { hubLimits, type Retention } from "./record/limits.ts";
import type { Author, BlockWatcher } from "./record/types.ts";

/** A hub over a memory store, with a clock that the test advances. */
export interface World {
  readonly store: MemoryStore;
  readonly clock: SimulatedClock;
  readonly platform: Platform;
  readonly logged: { readonly event: string; readonly fields: LogFields }[];
  readonly replicas: Replicas;
  readonly leases: LeaseKeeper;
  readonly hub: DocumentHub;
  readonly blobs: BlobKeeper;
}

export async function openWorld(
  store: MemoryStore = openMemoryStore(),
  clock = simulatedClock(),
  retention: Retention = hubLimits.retention,
): Promise<World> {
  const logged: { event: string; fields: LogFields }[] = [];
  const log = (event: string, fields: LogFields = {}): void => {
    logged.push({ event, fields });
  };
  let drawn = 0;
  const platform: Platform = {
    clock,
    logger: { info: log, warn: log, error: log },
    random: {
      bytes(count) {
        drawn += 1;
        return Uint8Array.from({ length: count }, (_, index) => (drawn >> (index * 5)) & 31);
      },
    },
  };
  const leases = await openLeaseKeeper(store, platform);
  const replicas = await createReplicas(store, clock);
  return {
    store,
    clock,
    platform,
    logged,
    replicas,
    leases,
    blobs: new BlobKeeper(
      openMemoryBlobs(() => clock.now()),
      platform,
    ),
    hub: createDocumentHub({ store, platform, leases, replicas, retention }),
  };
}

/** Opens a world whose commits wait between `hold` and `release`. */
export async function openHeldWorld(): Promise<{ world: World; hold: () => void; release: () => Promise<void> }> {
  const waiting: (() => void)[] = [];
  let held = false;
  const store = openMemoryStore(undefined, {
    schedule: (make) => {
      if (held) waiting.push(make);
      else queueMicrotask(make);
    },
  });
  return {
    world: await openWorld(store),
    hold: () => {
      held = true;
    },
    release: async () => {
      held = false;
      for (const make of waiting.splice(0)) make();
      await atRest();
    },
  };
}

/** Runs the event loop until all work that waits only for it or for the memory store is done. */
export async function atRest(): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}

export function person(name: string): PersonActor {
  return { type: "person", id: `person-${name}` as ActorId, name };
}

export function model(run: string, turn = `${run}-turn`): ModelActor {
  return {
    type: "model",
    id: "scribe" as ActorId,
    name: "scribe",
    model: "test/scribe",
    runId: run as RunId,
    turnId: turn as TurnId,
  };
}

let units = 0;

/** Returns an author with the given undo unit, or with a new one. */
export async function authorOf(world: Pick<World, "replicas">, actor: Actor, unit?: string): Promise<Author> {
  const replica =
    actor.type === "model"
      ? await world.replicas.forRun(actor)
      : await world.replicas.forClient(`client-${actor.id}`, actor);
  units += 1;
  const id = unit ?? `unit-${units}`;
  return { actor, replica, unit: actor.type === "model" ? { id, turnId: actor.turnId } : { id } };
}

export interface BlockWish {
  readonly text?: string;
  readonly kind?: BlockHeader["kind"];
  readonly status?: BlockHeader["status"];
  readonly document?: string;
  readonly parentId?: BlockId;
  readonly after?: BlockId;
  readonly policy?: EditPolicy;
}

/** Creates a block, by default an empty running text block. */
export async function createBlock(world: World, wish: BlockWish = {}): Promise<BlockHeader> {
  const author = await authorOf(world, person("maker"));
  return accept(
    await world.hub.editor.create(author, {
      documentId: (wish.document ?? "doc") as DocumentId,
      parentId: wish.parentId ?? null,
      ...(wish.after === undefined ? {} : { after: wish.after }),
      role: "assistant",
      kind: wish.kind ?? "text",
      text: wish.text ?? "",
      status: wish.status ?? "running",
      metadata: {},
      ...(wish.policy === undefined ? {} : { policy: wish.policy }),
    }),
  );
}

export async function textOf(world: World, blockId: BlockId): Promise<string> {
  return accept(await world.hub.reader.read(blockId)).text;
}

export function insertion(at: number, insert: string): TextChange {
  return { from: at, to: at, insert };
}

/** A page's copy of a block that receives a snapshot and then changes from the hub, like a client's. */
export class TestReplica {
  readonly blockId: BlockId;
  document: TextDocument | null = null;
  header: BlockHeader | null = null;
  version = 0;
  readonly deliveries: (readonly BlockChange[])[] = [];
  #stop: (() => void) | null = null;

  constructor(blockId: BlockId) {
    this.blockId = blockId;
  }

  async join(world: World): Promise<void> {
    const watcher: BlockWatcher = {
      snapshot: (header, bytes) => {
        this.header = header;
        this.version = header.version;
        this.document = accept(decodeDocument(bytes, trustedLimits));
      },
      deliver: (changes) => {
        this.deliveries.push(changes);
        for (const change of changes) this.#take(change);
      },
    };
    const feed = accept(await world.hub.feeds.watch(this.blockId, this.version, watcher));
    this.#stop = () => feed.unwatch(this.blockId, watcher);
  }

  leave(): void {
    this.#stop?.();
    this.#stop = null;
  }

  text(): string {
    return must(this.document, "the replica has its snapshot").text();
  }

  /** Edits the copy; returns the update to push. */
  edit(replica: ReplicaId, changes: readonly TextChange[]): Uint8Array {
    return accept(must(this.document, "the replica has its snapshot").edit(replica, changes)).update;
  }

  #take(change: BlockChange): void {
    if (change.version !== this.version + 1) {
      throw new Error(`version ${change.version} came after ${this.version}`);
    }
    this.version = change.version;
    const { body } = change;
    if ((body.type === "text" || body.type === "created") && body.update.length > 0) {
      accept(must(this.document, "the replica has its snapshot").merge(body.update, trustedLimits));
    }
  }
}

let requests = 0;

export function requestId(): RequestId {
  requests += 1;
  return `request-${requests}` as RequestId;
}
