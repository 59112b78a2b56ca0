import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFolderTree } from "../adapters/files/folder-tree.ts";
import { openMeters } from "../adapters/telemetry/meters.ts";
import { buildCatalogue } from "../adapters/providers/catalogue.ts";
import { openMemoryStore } from "../adapters/storage/memory/open-memory-store.ts";
import { openSqliteStore } from "../adapters/storage/sqlite/open-sqlite-store.ts";
import type { ModelCatalogue } from "../core/port/language-model.ts";
import type { Logger } from "../core/port/platform.ts";
import type { Shell } from "../core/port/shell.ts";
import type { Store } from "../core/port/store.ts";
import { paceOf } from "../host/base/pace.ts";
import { systemPlatform } from "../adapters/platform/system-platform.ts";
import { plainOpener } from "./plain-opener.ts";
import type { Accounts } from "../host/access/accounts.ts";
import type { RightsKeeper } from "../host/access/rights-keeper.ts";
import { startServer, type HeddleServer } from "../host/server/server.ts";
import { openWorkspace, type Workspace } from "../host/workspace/workspace.ts";

export interface TestServerOptions {
  /** `memory` (default), `sqlite` in its own folder, or a store to serve; the server closes it. */
  readonly store?: "memory" | "sqlite" | Store;
  /** Only the scribe by default. */
  readonly catalogue?: ModelCatalogue;
  /** The scribe's speed; `instant` by default. */
  readonly pace?: "human" | "instant";
  readonly welcome?: boolean;
  readonly token?: string;
  /** Any free port by default; a restart reuses the previous port. */
  readonly port?: number;
  /** Folder of the built web app; `dist/web` of the checkout by default. */
  readonly appFolder?: string;
  readonly leaseTtlMs?: number;
  /** Whether models are told that people changed their replies. */
  readonly tellsEdits?: boolean;
  /** A folder whose files are documents; none by default. */
  readonly filesFolder?: string;
  /** What runs commands in that folder; none by default. */
  readonly shell?: Shell;
  readonly logger?: Logger;
  /** Loads what the accounts of a team need, before the server listens. */
  readonly beforeServing?: (keeper: RightsKeeper, workspace: Workspace) => Promise<void>;
  /** The people who sign in; without it one person owns everything. */
  readonly team?: (keeper: RightsKeeper, workspace: Workspace) => Accounts | ((port: number) => Accounts);
}

/** A whole server in this process. */
export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** The address with the token, as `heddle serve` prints it. */
  readonly address: string;
  readonly workspace: Workspace;
  readonly server: HeddleServer;
  /** Closes the server, the workspace and its store. Safe to repeat. */
  close(): Promise<void>;
}

const quiet: Logger = { info: () => {}, warn: () => {}, error: () => {} };

/** Starts a whole Heddle server on loopback, on any free port unless one is given, with a store in memory by default. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const platform = { ...systemPlatform(), logger: options.logger ?? quiet };
  const { store, clean } = await storeOf(options.store ?? "memory");
  const catalogue =
    options.catalogue ??
    buildCatalogue({}, { fetch, clock: platform.clock, sleep: paceOf(options.pace ?? "instant", platform.clock) });
  const workspace = await openWorkspace({
    store,
    catalogue,
    platform,
    cwd: tmpdir(),
    folders: plainOpener(platform.clock),
    ...(options.filesFolder === undefined ? {} : { files: await openFolderTree(options.filesFolder, platform.clock) }),
    ...(options.shell === undefined ? {} : { shell: options.shell }),
    meters: openMeters(),
    team: options.team !== undefined,
    ...(options.welcome === undefined ? {} : { welcome: options.welcome }),
    ...(options.leaseTtlMs === undefined ? {} : { leaseTtlMs: options.leaseTtlMs }),
    ...(options.tellsEdits === undefined ? {} : { tellsEdits: options.tellsEdits }),
  });
  const token = options.token ?? "test-token-0123456789";
  const { team } = workspace;
  if (team !== null) await options.beforeServing?.(team, workspace);
  const server = await startServer({
    workspace,
    ...(options.team === undefined || team === null ? {} : { accounts: options.team(team, workspace) }),
    token,
    appFolder: options.appFolder ?? join(import.meta.dirname, "../../dist/web"),
    host: "127.0.0.1",
    port: options.port ?? 0,
    defaultName: "Tester",
  });
  let closing: Promise<void> | null = null;
  async function close(): Promise<void> {
    await server.close();
    await workspace.close();
    await clean();
  }
  return {
    url: server.url,
    port: server.port,
    token,
    address: `${server.url}/#token=${token}`,
    workspace,
    server,
    close: () => (closing ??= close()),
  };
}

async function storeOf(wanted: "memory" | "sqlite" | Store): Promise<{ store: Store; clean: () => Promise<void> }> {
  if (wanted === "memory") return { store: openMemoryStore(), clean: async () => {} };
  if (wanted !== "sqlite") return { store: wanted, clean: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), "heddle-test-"));
  const store = await openSqliteStore({ file: join(folder, "heddle.db") });
  return { store, clean: () => rm(folder, { recursive: true, force: true }) };
}
