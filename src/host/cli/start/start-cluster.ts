import { createServer } from "node:http";
import type { Duplex } from "node:stream";
import { readFile, writeFile } from "node:fs/promises";
import type { SharedDatabase } from "../../../adapters/storage/shared/database-driver.ts";
import { openMeters } from "../../../adapters/telemetry/meters.ts";
import { StoreOpenError } from "../../../adapters/storage/shared/store-error.ts";
import { errorCodeOf, unlessMissing } from "../../../core/base/error-code.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { Meters } from "../../../core/port/meters.ts";
import type { NodeMeters } from "../../../core/port/node-meters.ts";
import type { Platform } from "../../../core/port/platform.ts";
import { closeInOrder, type Closing } from "../../base/close-in-order.ts";
import { bootIdOf } from "../../cluster/boot-id.ts";
import { ClusterNode, type NodeClaim, type NodeExit, type Tenure } from "../../cluster/cluster-node.ts";
import { EarlyReading } from "../../cluster/early-reading.ts";
import { Entry, type LocalServer } from "../../cluster/entry.ts";
import { listenForNodes } from "../../cluster/link.ts";
import { readinessOf } from "../../cluster/readiness-of.ts";
import { rehearse } from "../../cluster/rehearsal.ts";
import type { ClusterSettings } from "../../data/cluster-settings.ts";
import type { Configuration } from "../../data/configuration.ts";
import type { EarlyBlocks } from "../../document/block/early-blocks.ts";
import { createDataDirectory, dataDirectoryAt, sharedBy, type DataDirectory } from "../../data/data-directory.ts";
import { bracketed } from "../../server/http/addresses.ts";
import { serverLimits } from "../../server/http/server-limits.ts";
import { tokenOf } from "../../server/http/token.ts";
import { TunnelSocket } from "../../server/http/tunnel-socket.ts";
import { serveOver } from "../../server/server.ts";
import { appFolder } from "../base/package-root.ts";
import { userOf, type Terminal } from "../base/terminal.ts";
import { userName } from "../base/user-name.ts";
import { natsRefusal, openDatabase } from "./open-shared.ts";
import { openedOr, shownStore } from "./open-store.ts";
import { openWorkspaceAt, type OpenedWorkspace } from "./open-workspace.ts";
import { warmSignIn } from "../../sign-in/open-sign-in.ts";
import { accountsRefusal, loadTeam, type Team } from "./start-team.ts";

export interface ClusterPlace {
  readonly configuration: Configuration;
  readonly cluster: ClusterSettings;
  /** This process's own folder, whose lock it holds. */
  readonly data: DataDirectory;
  readonly terminal: Terminal;
  readonly platform: Platform;
  readonly team: boolean;
  /** Further names by which people reach this machine. */
  readonly hosts: readonly string[];
  /** The ports to try, in this order. */
  readonly ports: readonly number[];
}

/** A node that has joined, or will as soon as the database answers. Closing what it opened hands over what it owns. */
export interface StartedNode {
  readonly port: number;
  readonly url: string;
  readonly token: string;
  /** Resolves when the node ends by itself. */
  readonly exited: Promise<NodeExit>;
}

/** A node that takes over has everybody come back at once: what they typed is stored before conversations are read. */
const documentsFirst = { conversationsAfterMs: 500, runsAfterMs: 1_000 };
/** How long documents that were read early are kept for who has not come back yet. */
const earlyKeptMs = 10_000;
/** How long clients of a server that closes may take to read its last words. */
const lastWordsMs = 250;

/** Starts this process as a node: it serves the workspace itself, or passes its clients on to the node that does. */
export async function startCluster(place: ClusterPlace, opened: Closing[]): Promise<Result<StartedNode, Refusal>> {
  const { configuration, cluster, data, platform, terminal } = place;
  const natsProblem = await natsRefusal(cluster);
  if (natsProblem !== null) return err(natsProblem);
  const shared = createDataDirectory(dataDirectoryAt(cluster.sharedData));
  if (!shared.ok) return shared;
  const folders = sharedBy(data, shared.value);
  const given = configuration.token;
  const note = (said: string): void => terminal.note(said);
  const token = given === undefined ? await tokenOf(folders.root, platform.random, note) : ok(given);
  if (!token.ok) return token;
  // Commands of the same user find it beside the address of this node.
  if (data.token !== folders.token) await writeFile(data.token, `${token.value}\n`, { mode: 0o600 });
  const nodeId = await nodeIdOf(data, platform);
  if (place.team) await warmSignIn();
  const all = openMeters();
  const meters = { all, node: all.ofNode() };
  const database = await openDatabase(place, meters.node);
  if (!database.ok) return database;
  opened.push(() => database.value.close());
  return joinCluster({ place, folders, token: token.value, nodeId, database: database.value, meters }, opened);
}

interface Joining {
  readonly place: ClusterPlace;
  /** What all nodes use, and this process's own. */
  readonly folders: DataDirectory;
  readonly token: string;
  readonly nodeId: string;
  readonly database: SharedDatabase;
  readonly meters: { readonly all: Meters; readonly node: NodeMeters };
}

async function joinCluster(joining: Joining, opened: Closing[]): Promise<Result<StartedNode, Refusal>> {
  const { place, nodeId, token, meters } = joining;
  const { table } = joining.database;
  const { configuration, cluster, platform, hosts, ports } = place;
  const now: {
    node: ClusterNode | null;
    local: LocalServer | null;
    entry: Entry | null;
    early: EarlyReading | null;
  } = { node: null, local: null, entry: null, early: null };
  const listening = await tried(cluster, () =>
    listenForNodes({
      host: unbracketed(cluster.host),
      port: cluster.port,
      secret: table.secret,
      incarnation: () => now.node?.state.incarnation ?? null,
      isKnown: (incarnation) => {
        const isKnown = now.node?.state.view?.nodes.some((row) => row.incarnation === incarnation) === true;
        // It may have joined since the last look; it asks again.
        if (!isKnown) now.node?.look();
        return isKnown;
      },
      accept: ({ epoch, from }) => {
        const { local, node } = now;
        if (local === null || local.claim.epoch !== epoch || node === null || node.isLate) return null;
        return (stream) => local.take(new TunnelSocket(stream, from, meters.node));
      },
    }),
  );
  if (!listening.ok) return listening;
  opened.push(() => listening.value.close());
  const node = new ClusterNode({
    identity: { nodeId, ttlMs: cluster.ttlMs },
    address: `${cluster.host}:${listening.value.port}`,
    table,
    platform,
    meters: meters.node,
    isFatal: (problem) => problem instanceof StoreOpenError,
    open: (claim, follows) =>
      openTenure(joining, claim, {
        follows,
        node,
        early: now.early?.take() ?? null,
        port: now.entry?.port ?? configuration.port,
        serves: (local) => (now.local = local),
      }),
  });
  now.node = node;
  opened.push(() => node.stop());
  const { publicUrl } = configuration;
  const names = { hosts: [configuration.host, ...hosts], ...(publicUrl === undefined ? {} : { publicUrl }) };
  const entry = await firstOf(configuration, ports, (port) =>
    Entry.open({
      node,
      secret: table.secret,
      clock: platform.clock,
      host: configuration.host,
      port,
      names,
      local: () => now.local,
      meters,
    }),
  );
  if (!entry.ok) return entry;
  now.entry = entry.value;
  now.early = new EarlyReading({ node, ttlMs: cluster.ttlMs, platform, store: () => joining.database.readEarly() });
  opened.push(() => now.early?.close());
  rehearseBeside(node, platform);
  const { port } = entry.value;
  const shown = configuration.host === "0.0.0.0" || configuration.host === "::" ? "127.0.0.1" : configuration.host;
  // Clients are passed on until the workspace is handed over, so that they see a pause and no error.
  opened.push(() => entry.value.close());
  opened.push(() => node.stop());
  return ok({
    port,
    url: `http://${bracketed(shown)}:${port}`,
    token,
    exited: node.exited,
  });
}

/** Rehearses taking over, once, as soon as another node serves. */
function rehearseBeside(node: ClusterNode, platform: Platform): void {
  const stop = node.onChanged(() => {
    if (node.owner === null || node.owner.incarnation === node.state.incarnation) return;
    stop();
    rehearse(platform).catch((problem: unknown) => {
      platform.logger.warn("not-rehearsed", { reason: reasonOf(problem) });
    });
  });
}

/** How a tenure is bound to its node. */
interface Bound {
  readonly node: ClusterNode;
  /** Whether the node saw the owner right before live. */
  readonly follows: boolean;
  /** Documents that the node read before. */
  readonly early: EarlyBlocks | null;
  readonly port: number;
  /** Passes clients to what is served here; null: to another node. */
  readonly serves: (local: LocalServer | null) => void;
}

/** Opens the workspace under a claim and serves it. */
async function openTenure(joining: Joining, claim: NodeClaim, bound: Bound): Promise<Tenure> {
  const opened: Closing[] = [];
  try {
    await openAndServe(joining, { claim, bound, opened });
    return { close: () => closeInOrder(opened.toReversed()) };
  } catch (problem) {
    await closeInOrder(opened.toReversed()).catch(() => {});
    throw problem;
  }
}

interface TenureParts {
  readonly claim: NodeClaim;
  readonly bound: Bound;
  /** Receives how to close each part, also where a later one fails. */
  readonly opened: Closing[];
}

async function openAndServe(joining: Joining, parts: TenureParts): Promise<void> {
  const { place, folders, database } = joining;
  const { configuration, platform, terminal, team: isTeam } = place;
  const { opened } = parts;
  const note = (said: string): void => terminal.note(said);
  const store = must(
    await openedOr(shownStore(configuration, folders), () => database.openStore(storeUse(joining, parts))),
  );
  const closeStore = (): Promise<void> => store.close();
  opened.push(closeStore);
  must(await accountsRefusal(isTeam, store));
  const user = userOf(terminal);
  const { all: meters } = joining.meters;
  const { claim, bound } = parts;
  const { early, follows } = bound;
  const bootId = await bootIdOf(store, platform, { epoch: claim.epoch, follows });
  if (early !== null) opened.push(platform.clock.setTimer(earlyKeptMs, () => early.clear()));
  const sources = {
    store,
    takenOver: { documentsFirst, bootId, ...(early === null ? {} : { early }) },
    meters,
    data: folders,
    configuration,
    platform,
    user,
    note,
    team: isTeam,
    hasFolders: false,
  };
  const opening = must(await openWorkspaceAt(sources));
  opened[opened.indexOf(closeStore)] = () => opening.close();
  const team = must(await loadTeam(opening, { store, platform, configuration }));
  if (team !== null) opened.push(() => team.close());
  serveTenure(joining, parts, { opening, team });
  const ownerLink = must((await team?.ownerLink()) ?? ok(null));
  if (ownerLink !== null) note(`Open this link to become the first owner (once, for 15 minutes): ${ownerLink}`);
}

/** Each commit under the claim renews the node's row; one that is refused ends the incarnation. */
function storeUse(
  { place: { cluster, platform }, meters }: Joining,
  { claim, bound: { node } }: TenureParts,
): Parameters<SharedDatabase["openStore"]>[0] {
  const { clock, logger } = platform;
  return {
    onDamaged: (problem) => logger.error("row-damaged", { problem }),
    onLost: () => node.refusedAsStale(claim.incarnation),
    shared: {
      ...claim,
      ttlMs: cluster.ttlMs,
      sending(commits) {
        const sent = { monotonicMs: clock.monotonic(), wallMs: clock.now() };
        return () => {
          node.committed(claim.incarnation, sent);
          meters.node.committed({ commits, seconds: (clock.monotonic() - sent.monotonicMs) / 1_000 });
        };
      },
    },
  };
}

function serveTenure(
  { place, token, meters }: Joining,
  { claim, bound: { node, port, serves }, opened }: TenureParts,
  { opening, team }: { readonly opening: OpenedWorkspace; readonly team: Team | null },
): void {
  const { clock } = place.platform;
  const told = (isLate: boolean): boolean => {
    if (isLate) meters.node.pauseTold();
    return isLate;
  };
  const { host, publicUrl } = place.configuration;
  const http = createServer({
    headersTimeout: serverLimits.headersMs,
    requestTimeout: serverLimits.requestMs,
    maxHeaderSize: serverLimits.headerBytesMax,
    // Longer than other nodes keep theirs open, so that none is closed in the moment in which it is used.
    keepAliveTimeout: 65_000,
  });
  const server = serveOver(http, {
    workspace: opening.workspace,
    token,
    appFolder,
    host,
    port,
    hosts: place.hosts,
    ...(team === null ? {} : { accounts: (at: number) => team.accounts(at) }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    defaultName: userName(),
    inCluster: { isLate: () => told(node.isLate), readiness: () => readinessOf(node, clock) },
  });
  opening.listening(server.url);
  const sockets = new Set<Duplex>();
  opened.push(async () => {
    serves(null);
    await server.close();
    await Promise.race([
      new Promise<void>((resolve) => clock.setTimer(lastWordsMs, resolve)),
      Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve)))),
    ]);
    for (const socket of sockets) socket.destroy();
  });
  serves({
    claim,
    take(socket) {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      http.emit("connection", socket);
    },
  });
}

/** Returns the value, or throws the refusal's words: what cannot be opened is tried again, and then ends the node. */
function must<Value>(result: Result<Value, Refusal>): Value {
  if (result.ok) return result.value;
  throw new Error(result.error.message);
}

async function nodeIdOf({ node: file }: DataDirectory, { random }: Platform): Promise<string> {
  const known = (await readFile(file, "utf8").catch(unlessMissing))?.trim() ?? "";
  if (/^[0-9a-f]{32}$/.test(known)) return known;
  const made = Buffer.from(random.bytes(16)).toString("hex");
  await writeFile(file, `${made}\n`, { mode: 0o600, flush: true });
  return made;
}

async function firstOf(
  { host }: Configuration,
  ports: readonly number[],
  open: (port: number) => Promise<Entry>,
): Promise<Result<Entry, Refusal>> {
  let last: Result<Entry, Refusal> | null = null;
  for (const port of ports) {
    last = await tried({ host, port }, () => open(port));
    if (last.ok || last.error.details?.["reason"] !== "EADDRINUSE") return last;
  }
  return last ?? err(refusal("INVALID_PARAMS", { host }));
}

async function tried<Value>(
  { host, port }: { readonly host: string; readonly port: number },
  listen: () => Promise<Value>,
): Promise<Result<Value, Refusal>> {
  try {
    return ok(await listen());
  } catch (problem) {
    const reason = errorCodeOf(problem) ?? reasonOf(problem);
    const message = `Heddle cannot listen on ${host}, port ${port} (${reason}). Give another address.`;
    return err(refusal("FORBIDDEN", { host, port, reason }, message));
  }
}

function unbracketed(host: string): string {
  return host.startsWith("[") ? host.slice(1, -1) : host;
}
