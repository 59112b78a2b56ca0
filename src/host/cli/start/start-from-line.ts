import { checkLater } from "./check-later.ts";
import { networkInterfaces, hostname } from "node:os";
import { errorCodeOf } from "../../../core/base/error-code.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { ModelCatalogue } from "../../../core/port/language-model.ts";
import type { Store } from "../../../core/port/store.ts";
import type { Platform } from "../../../core/port/platform.ts";
import { closeInOrder, type Closing } from "../../base/close-in-order.ts";
import type { ClusterSettings } from "../../data/cluster-settings.ts";
import type { Configuration } from "../../data/configuration.ts";
import { createDataDirectory, dataDirectoryAt, type DataDirectory } from "../../data/data-directory.ts";
import { systemPlatform } from "../../../adapters/platform/system-platform.ts";
import { loadConfiguration } from "../../data/load-configuration.ts";
import { acquireProcessLock } from "../../data/process-lock.ts";
import { isLoopback } from "../../server/http/addresses.ts";
import { forgetListening, noteListening } from "../../server/http/listening-note.ts";
import { startServer, type HeddleServer, type ServerOptions } from "../../server/server.ts";
import { tokenOf } from "../../server/http/token.ts";
import type { CommandLine } from "../base/command-line.ts";
import { exposedRefusal } from "./exposed-place.ts";
import { openWorkspaceAt, type OpenedWorkspace } from "./open-workspace.ts";
import { hasPassword, openStore, shownStore } from "./open-store.ts";
import { appFolder } from "../base/package-root.ts";
import { recognisedWords } from "./recognised-syntax.ts";
import { addressToOpen } from "./running-server.ts";
import { styled, userOf, type Terminal } from "../base/terminal.ts";
import { accountsRefusal, loadTeam, teamRefusal } from "./start-team.ts";
import { unaskedHosts } from "./unasked-hosts.ts";
import { userName } from "../base/user-name.ts";

/** How many ports after the default one are tried before any free one is used. */
const portsTried = 20;

/** A started server, and how to close it with everything that it uses. */
export interface Started {
  /** Resolves to words when it ends by itself; a server that is alone never does. */
  readonly ended?: Promise<string>;
  readonly address: string;
  /** The link of the first owner of a team; null: there is one, or no team. */
  readonly ownerLink: string | null;
  readonly server: Pick<HeddleServer, "port" | "url">;
  readonly token: string;
  readonly data: DataDirectory;
  /** Why no conversation can begin with the configured model; null where one can, or none is configured. */
  readonly modelProblem: string | null;
  /** Resolves to what is said of the tool syntax that was recognised for new conversations; null for nothing. */
  readonly recognised: Promise<string | null>;
  readonly stop: () => Promise<void>;
}

export interface StartOptions {
  /** Where log lines go, given the folder for logs; standard error by default. */
  readonly logTo?: (folder: string) => (line: string) => void;
}

/**
 * Starts a server over the data folder that a command line names. While it runs, the folder contains its address, so that
 * other commands of the same user find it.
 */
export async function startFromLine(
  line: CommandLine,
  terminal: Terminal,
  { logTo }: StartOptions = {},
): Promise<Result<Started, Refusal>> {
  const configuration = await checkedConfiguration(line, terminal);
  if (!configuration.ok) return configuration;
  const data = createDataDirectory(dataDirectoryAt(configuration.value.data));
  if (!data.ok) return data;
  const lock = acquireProcessLock(data.value);
  if (!lock.ok) return err({ ...lock.error, message: `${lock.error.message} (${data.value.root})` });
  const opened: Closing[] = [() => lock.value.release()];
  const place: Place = { line, terminal, configuration: configuration.value, data: data.value };
  const platform = systemPlatform(line.switches.has("verbose") ? "info" : "warn", logTo?.(data.value.logs));
  const started = await startIn(place, platform, opened);
  if (!started.ok) await closeInOrder(opened.toReversed());
  return started;
}

/** What a server starts from: the configuration, and the data folder, whose lock it holds. */
interface Place {
  readonly line: CommandLine;
  readonly terminal: Terminal;
  readonly configuration: Configuration;
  readonly data: DataDirectory;
}

/** Asks the server of the model that answers new conversations. */
async function recognisedFor({ model, toolSyntax }: Configuration, catalogue: ModelCatalogue): Promise<string | null> {
  const id = model ?? catalogue.list()[0]?.id;
  if (id === undefined || toolSyntax !== undefined) return null;
  await catalogue.refresh?.(id);
  const info = catalogue.find(id)?.info;
  if (info === undefined || info.toolSyntax !== undefined) return null;
  return recognisedWords({ id, tools: info.tools, proposedSyntax: info.proposedSyntax ?? null });
}

/** Reads the configuration and refuses one that would give others access, or expose Heddle's own files to agents. */
async function checkedConfiguration(line: CommandLine, terminal: Terminal): Promise<Result<Configuration, Refusal>> {
  const settings = loadConfiguration(line.values, userOf(terminal));
  if (!settings.ok) return settings;
  const { host, documents, workspace } = settings.value;
  const unfit = teamRefusal(line.switches.has("team"), settings.value);
  if (unfit !== null) return err(unfit);
  if (!isLoopback(host) && !line.switches.has("allow-remote")) return err(remoteRefusal(host));
  if (documents === "git" && workspace === undefined) return err(noFolderRefusal());
  const exposed = await exposedRefusal(settings.value, userOf(terminal));
  return exposed === null ? settings : err(exposed);
}

/** Opens store, workspace and server, in this order; `opened` receives how to close each, also where a later one fails. */
async function startIn(place: Place, platform: Platform, opened: Closing[]): Promise<Result<Started, Refusal>> {
  const { line, terminal, configuration, data } = place;
  await forgetListening(data);
  warnAbout(place);
  if (configuration.cluster !== undefined) return startNode(place, configuration.cluster, platform, opened);
  const onDamaged = (problem: string): void => {
    platform.logger.error("row-damaged", { problem });
    terminal.note(styled(terminal, "red", `heddle: damaged data: ${problem}`));
  };
  const store = await openStore(configuration, data, {
    onDamaged,
    onLost() {
      const database = shownStore(configuration, data);
      terminal.note(
        `The database ${database} can no longer be written. What was acknowledged is safe. Start Heddle again.`,
      );
      process.exit(1);
    },
  });
  if (!store.ok) return store;
  const closeStore = (): Promise<void> => store.value.close();
  opened.push(closeStore);
  const isTeam = line.switches.has("team");
  const isRight = await accountsRefusal(isTeam, store.value);
  if (!isRight.ok) return isRight;
  if (configuration.store === undefined) opened.push(checkLater(data.database, platform, onDamaged));
  const note = (said: string): void => terminal.note(said);
  const given = configuration.token;
  const token = given === undefined ? await tokenOf(data.root, platform.random, note) : ok(given);
  if (!token.ok) return token;
  const user = userOf(terminal);
  const opening = await openWorkspaceAt({
    store: store.value,
    data,
    configuration,
    platform,
    user,
    note,
    team: isTeam,
  });
  if (!opening.ok) return opening;
  // The workspace closes its store.
  opened[opened.indexOf(closeStore)] = () => opening.value.close();
  return serveIn(place, { opening: opening.value, store: store.value, token: token.value, platform }, opened);
}

/** Starts as one of several nodes on one database. */
async function startNode(
  { line, terminal, configuration, data }: Place,
  cluster: ClusterSettings,
  platform: Platform,
  opened: Closing[],
): Promise<Result<Started, Refusal>> {
  const { host, port, publicUrl } = configuration;
  const { startCluster } = await import("./start-cluster.ts");
  const team = line.switches.has("team");
  const hosts = !isLoopback(host) && !team ? ownNames() : [];
  const ports = portsToTry(isPortGiven(line, terminal), port);
  const place = { configuration, cluster, data, terminal, platform, team, hosts, ports };
  const started = await startCluster(place, opened);
  if (!started.ok) return started;
  const { url, token, exited } = started.value;
  const stop = (): Promise<void> => closeInOrder(opened.toReversed());
  opened.push(await noteListening(data, url));
  const address = team && publicUrl !== undefined ? `${publicUrl}/` : addressToOpen({ url, token });
  const ended = exited.then((exit) =>
    exit.type === "taken"
      ? "Another process runs as this node: it has a copy of this data folder. Give each node a folder of its own."
      : `This node has left the cluster${exit.type === "failed" ? `: ${exit.reason}` : ""}. Start it again.`,
  );
  const serving = { server: started.value, token, data };
  return ok({
    address,
    ownerLink: null,
    ...serving,
    modelProblem: null,
    recognised: Promise.resolve(null),
    ended,
    stop,
  });
}

interface Opened {
  readonly opening: OpenedWorkspace;
  readonly store: Store;
  readonly token: string;
  readonly platform: Platform;
}

/** Serves an open workspace, to its one person or to its team. */
async function serveIn(
  { line, terminal, configuration, data }: Place,
  { opening, store, token, platform }: Opened,
  opened: Closing[],
): Promise<Result<Started, Refusal>> {
  const { workspace } = opening;
  const { publicUrl } = configuration;
  const team = await loadTeam(opening, { store, platform, configuration });
  if (!team.ok) return team;
  const people = team.value;
  if (people !== null) opened.push(() => people.close());
  const remote = !isLoopback(configuration.host);
  const server = await listen(
    terminal,
    { explicit: isPortGiven(line, terminal), remote },
    {
      workspace,
      token,
      appFolder,
      host: configuration.host,
      port: configuration.port,
      hosts: remote && people === null ? ownNames() : [],
      ...(people === null ? {} : { accounts: (port: number) => people.accounts(port) }),
      ...(publicUrl === undefined ? {} : { publicUrl }),
      defaultName: userName(),
    },
  );
  if (!server.ok) return server;
  opened.push(() => server.value.close());
  opening.listening(server.value.url);
  opened.push(await noteListening(data, server.value.url));
  const ownerLink = people === null ? ok(null) : await people.ownerLink();
  if (!ownerLink.ok) return ownerLink;
  const address = people?.address() ?? addressToOpen({ url: server.value.url, token });
  const modelProblem = problemOfModel(configuration, workspace.catalogue);
  const stop = (): Promise<void> => closeInOrder(opened.toReversed());
  const recognised = recognisedFor(configuration, workspace.catalogue).catch(() => null);
  const serving = { server: server.value, token, data };
  return ok({ address, ownerLink: ownerLink.value, ...serving, modelProblem, recognised, stop });
}

function warnAbout({ line, terminal, configuration }: Place): void {
  if (hasPassword(line.values["store"])) {
    terminal.note("Every user of this machine can read the password in --store. Set HEDDLE_DATABASE_URL instead.");
  }
  if (line.values["nats"]?.includes("@") === true) {
    terminal.note("Every user of this machine can read the credentials in --nats. Set HEDDLE_NATS_URL instead.");
  }
  const unasked = configuration.workspace === undefined ? null : unaskedHosts(configuration);
  if (unasked !== null) terminal.note(unasked);
}

function problemOfModel(
  { model, providers: { compatibleBaseUrl: url } }: Configuration,
  catalogue: ModelCatalogue,
): string | null {
  const isAnswered = catalogue.list().some(({ id }) => id.startsWith("local/"));
  if (model === undefined && url !== undefined && !isAnswered) {
    return `The server at ${url} listed no models when it was asked, so new conversations begin with another model, or with Heddle's built-in author, until it does. "heddle models" says why. Start the server, correct HEDDLE_OPENAI_BASE_URL, or name a model with HEDDLE_OPENAI_MODEL.`;
  }
  if (model === undefined || catalogue.find(model) !== undefined) return null;
  return `New conversations cannot begin with ${model} yet. ${catalogue.whyNot?.(model) ?? ""}`.trimEnd();
}

/** Listens on the requested port; without one, on the next free port, and prints which. */
async function listen(
  terminal: Terminal,
  { explicit, remote }: { readonly explicit: boolean; readonly remote: boolean },
  options: ServerOptions,
): Promise<Result<HeddleServer, Refusal>> {
  const usual = options.port;
  const ports = portsToTry(explicit, usual);
  for (const port of ports) {
    try {
      const server = await startServer({ ...options, port });
      if (port !== usual) terminal.note(`Port ${usual} is in use; using ${server.port}.`);
      if (remote && options.accounts === undefined)
        terminal.note(
          "Other machines can reach this server. Anyone who has the address with its token has access to the workspace.",
        );
      return ok(server);
    } catch (problem) {
      const code = errorCodeOf(problem);
      if (code !== "EADDRINUSE") return err(cannotListen(options, String(code ?? problem)));
    }
  }
  const message = `Port ${usual} is in use. Stop the program that uses it, give another --port, or leave --port out for the next free one.`;
  return err(refusal("CONFLICT", { port: usual }, message));
}

function portsToTry(isExplicit: boolean, usual: number): readonly number[] {
  return isExplicit ? [usual] : [...Array.from({ length: portsTried }, (_, index) => usual + index), 0];
}

function cannotListen({ host, port }: ServerOptions, reason: string): Refusal {
  return refusal(
    "FORBIDDEN",
    { host, port, reason },
    `Heddle cannot listen on ${host}, port ${port} (${reason}). Give another --host or --port.`,
  );
}

function remoteRefusal(host: string): Refusal {
  const message =
    `--host ${host} would give other machines access over an unencrypted connection. ` +
    "If you want that (a trusted network, or behind a proxy with TLS), add --allow-remote.";
  return refusal("INVALID_PARAMS", { host }, message);
}

function noFolderRefusal(): Refusal {
  const message =
    "--documents git makes the files of a folder the only documents, but no folder is named. " +
    "Name one with --workspace DIR, or leave --documents git out.";
  return refusal("INVALID_PARAMS", { documents: "git", workspace: null }, message);
}

function isPortGiven(line: CommandLine, terminal: Terminal): boolean {
  return line.values["port"] !== undefined || (terminal.env["HEDDLE_PORT"] ?? "") !== "";
}

/** Returns the names and addresses of this machine, by which others reach it. */
function ownNames(): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return [hostname(), ...addresses.map(({ address }) => address)];
}
