import { createScribe, type Sleep } from "../../src/adapters/providers/scribe/scribe.ts";
import { openMemoryStore, type MemoryStore } from "../../src/adapters/storage/memory/open-memory-store.ts";
import type { LanguageModel } from "../../src/core/port/language-model.ts";
import type { FileTree } from "../../src/core/port/file-tree.ts";
import type { Clock, Platform } from "../../src/core/port/platform.ts";
import type { Retention } from "../../src/host/document/record/limits.ts";
import type { StoreWrite } from "../../src/core/port/store.ts";
import { paceOf } from "../../src/host/base/pace.ts";
import { createDispatch } from "../../src/host/command/dispatch.ts";
import type { McpServers } from "../../src/host/mcp-servers/mcp-servers.ts";
import { Rooms } from "../../src/host/server/live/rooms.ts";
import { Sender } from "../../src/host/server/live/sender.ts";
import { openWebSockets } from "../../src/host/server/live/websockets.ts";
import { openWorkspace, type Workspace } from "../../src/host/workspace/workspace.ts";
import { directSearcher } from "./direct-searcher.ts";
import type { SimulatedNetwork } from "./simulated-network.ts";

export const simulatedToken = "simulated-token-0123456789";

/** A server whose disk keeps exactly the committed data, and which can crash at any instant. */
export interface SimulatedServer {
  readonly workspace: Workspace;
  /** Crashes at once: nothing is flushed, no connection is notified. Returns the content of the disk. */
  crash(): MemoryStore;
}

export async function startSimulatedServer(world: {
  readonly platform: Platform;
  readonly network: SimulatedNetwork;
  /** How long a commit takes on the disk, in milliseconds. */
  readonly diskMs: () => number;
  /** The previous server's disk; a new one otherwise. */
  readonly disk?: MemoryStore;
  /** How much of the blocks' history it keeps; default: the server's own. */
  readonly retention?: Retention | undefined;
  /** The disk's refusal of a commit now; null: it is made. */
  readonly diskFault?: () => "STORE_FULL" | null;
  /** Whether the server dies now, after a commit and before it hears so. */
  readonly isUnheard?: () => boolean;
  /** Receives the writes of each commit that was made. */
  readonly committed?: (writes: readonly StoreWrite[]) => void;
  /** The server's model as requests find it, broken or whole; default: the scribe. */
  readonly model?: (scribe: LanguageModel, sleep: Sleep) => LanguageModel;
  /** Its workspace folder; none by default. */
  readonly files?: (clock: Clock) => FileTree;
  /** Its MCP servers; none by default. */
  readonly mcp?: (platform: Platform) => Promise<McpServers>;
}): Promise<SimulatedServer> {
  const { network } = world;
  const life = livingPlatform(world.platform);
  const { platform } = life;
  const end = (): void => {
    life.end();
    network.serve(null);
  };
  const store = openMemoryStore(world.disk?.image(), {
    schedule: (makeCommit) => void platform.clock.setTimer(world.diskMs(), makeCommit),
    fault: () => world.diskFault?.() ?? null,
  });
  const commit = store.commit.bind(store);
  store.commit = async (writes) => {
    const stored = await commit(writes);
    if (stored.ok) world.committed?.(writes);
    if (!stored.ok || world.isUnheard?.() !== true) return stored;
    end();
    return new Promise(() => {});
  };
  const sleep = paceOf("human", platform.clock);
  const plain = createScribe(sleep);
  const scribe = world.model?.(plain, sleep) ?? plain;
  const mcp = await world.mcp?.(platform);
  const workspace = await openWorkspace({
    store,
    catalogue: { list: () => [scribe.info], find: (id) => (id === scribe.info.id ? scribe : undefined) },
    platform,
    cwd: "/",
    searcher: directSearcher,
    ...(world.retention === undefined ? {} : { retention: world.retention }),
    ...(world.files === undefined ? {} : { files: world.files(platform.clock) }),
    ...(mcp === undefined ? {} : { mcp }),
  });
  const sockets = openWebSockets({
    isLate: () => false,
    workspace,
    token: simulatedToken,
    rooms: new Rooms(workspace),
    sender: new Sender(),
    dispatch: createDispatch(workspace),
    defaultName: "Somebody",
    isTeam: false,
    failed: (problem) => platform.logger.error("request-failed", { problem: String(problem) }),
  });
  network.serve((socket) => sockets.attach(socket));
  return {
    workspace,
    crash() {
      end();
      const disk = openMemoryStore(store.image());
      return disk;
    },
  };
}

/** The platform of one life of the server: after its end none of its timers fires. */
function livingPlatform(platform: Platform): { readonly platform: Platform; end(): void } {
  const { clock } = platform;
  let alive = true;
  return {
    platform: {
      ...platform,
      clock: {
        now: () => clock.now(),
        monotonic: () => clock.monotonic(),
        setTimer: (delayMs, callback) =>
          clock.setTimer(delayMs, () => {
            if (alive) callback();
          }),
      },
    },
    end() {
      alive = false;
    },
  };
}
