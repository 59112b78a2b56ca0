import { openWeb } from "../../../adapters/network/open-web.ts";
import type { Web } from "../../../core/port/web.ts";
import { join, resolve } from "node:path";
import { openFolderTree } from "../../../adapters/files/folder-tree.ts";
import { openSandboxedShell } from "../../../adapters/shell/sandboxed-shell.ts";
import { openMeters } from "../../../adapters/telemetry/meters.ts";
import { webhookSender } from "../../../adapters/network/post-webhook.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { FileTree } from "../../../core/port/file-tree.ts";
import type { Clock, Platform } from "../../../core/port/platform.ts";
import type { Meters } from "../../../core/port/meters.ts";
import type { Store } from "../../../core/port/store.ts";
import { allFeatures } from "../../../core/tool/registry.ts";
import type { FolderOpener } from "../../files/folder-types.ts";
import { sweepDaily } from "../../blobs/daily-sweep.ts";
import { closeInOrder, type Closing } from "../../base/close-in-order.ts";
import type { Configuration } from "../../data/configuration.ts";
import { platformConfigurationFolder, type DataDirectory, type UserFolders } from "../../data/data-directory.ts";
import { openBlobs } from "../../data/open-blobs.ts";
import { readOwnSyntaxes, type OwnSyntaxes } from "../../data/own-syntaxes.ts";
import type { ToolCallSettings } from "../../conversation/base/tool-syntax.ts";
import { openKeyStore, sealedIn } from "../../models/key-store.ts";
import { openStoredChoices } from "../../models/stored-choices.ts";
import { openStoredWindows } from "../../models/stored-windows.ts";
import { loadScript } from "../../models/load-script.ts";
import { openModelSettings } from "../../models/model-settings.ts";
import type { SealedValues } from "../../base/sealed-values.ts";
import { paceOf } from "../../base/pace.ts";
import { retentionFor } from "../../document/record/limits.ts";
import { openWorkspace, type Workspace } from "../../workspace/workspace.ts";
import type { WorkspaceOptions } from "../../workspace/workspace-options.ts";
import { exposedRefusal } from "./exposed-place.ts";
import { openAgents } from "./open-agents.ts";
import { openMcp } from "./open-mcp.ts";
import { WrittenFolders } from "./written-folders.ts";

export interface WorkspaceSources {
  readonly store: Store;
  readonly data: DataDirectory;
  readonly configuration: Configuration;
  readonly platform: Platform;
  readonly user: UserFolders;
  /** Whether people sign in, and rights decide what each may do. */
  readonly team?: boolean;
  /** Whether folders of this machine may be opened; by default they may. */
  readonly hasFolders?: boolean;
  /** How it goes on with what another node served before. */
  readonly takenOver?: Required<Pick<WorkspaceOptions, "bootId" | "documentsFirst">> & Pick<WorkspaceOptions, "early">;
  /** Meters that outlive the workspace; absent: it opens its own. */
  readonly meters?: Meters;
  /** Receives sentences for the owner. */
  readonly note: (sentence: string) => void;
}

/** A workspace over a data folder, and how to close it; closing it closes the store. */
export interface OpenedWorkspace {
  readonly workspace: Workspace;
  /** Secrets beside the store. */
  readonly sealed: SealedValues;
  /** Takes the address at which the server of this workspace listens. */
  listening(url: string): void;
  close(): Promise<void>;
}

/**
 * Opens the workspace of a data folder with its blobs, its models and their keys; refused where one of them cannot be used.
 * The caller owns the store until this resolves.
 */
export async function openWorkspaceAt(sources: WorkspaceSources): Promise<Result<OpenedWorkspace, Refusal>> {
  const opened: Closing[] = [];
  let opening: Result<OpenedWorkspace, Refusal> | null = null;
  try {
    opening = await open(sources, opened);
    return opening;
  } finally {
    if (opening?.ok !== true) await closeInOrder(opened.toReversed());
  }
}

/** Opens all parts; `opened` receives how to close each, in case a later one fails. */
async function open(sources: WorkspaceSources, opened: Closing[]): Promise<Result<OpenedWorkspace, Refusal>> {
  const { store, data, configuration, platform } = sources;
  const keys = await openKeyStore(keyStoreOf(sources, data.keys));
  if (!keys.ok) return keys;
  const sealed = await openKeyStore(keyStoreOf(sources, data.sealed));
  if (!sealed.ok) return sealed;
  const { models } = configuration;
  const script = configuration.script === undefined ? null : await loadScript(configuration.script);
  if (script?.ok === false) return script;
  const ownSyntaxes = syntaxesOf(sources);
  const settings = await openModelSettings({
    config: { ...configuration.providers, ...(script === null ? {} : { script: script.value }) },
    deps: { fetch, clock: platform.clock, sleep: paceOf(configuration.agentPace, platform.clock) },
    logger: platform.logger,
    keys: keys.value,
    windows: await openStoredWindows(store),
    choices: await openStoredChoices(store),
    syntaxes: ownSyntaxes.syntaxes,
    publishedFile: data.publishedModels,
    models: models === undefined ? { file: data.models, required: false } : { file: models, required: true },
  });
  if (!settings.ok) return settings;
  opened.push(() => settings.value.close());
  const blobs = await openBlobs(configuration, data, platform.clock);
  if (!blobs.ok) return blobs;
  const written = await WrittenFolders.stored(store);
  const folders = folderOpener(sources, () => written.paths());
  const { workspace: atHand, workspaceBranch } = configuration;
  const folder = atHand === undefined ? ok(null) : await folders.open(atHand);
  if (!folder.ok) return folder;
  opened.push(() => closeInOrder([() => folder.value?.tree.close(), () => folder.value?.shell?.close()]));
  const skills = await openTree(data.skills, platform.clock);
  if (!skills.ok) return skills;
  opened.push(() => skills.value.close());
  if (folder.value !== null) written.add(folder.value.tree.folder);
  const mcp = await openMcp(sources, { folders: () => written.paths(), sealed: sealedIn(sealed.value) });
  if (!mcp.ok) return mcp;
  opened.push(() => mcp.value.close());
  const agents = await openAgents(sources);
  if (agents !== null) opened.push(() => agents.close());
  const workspace = await openWorkspace({
    store,
    ...sources.takenOver,
    mcp: mcp.value,
    ...(agents === null ? {} : { outsideAgents: agents }),
    ...(sources.hasFolders === false ? {} : { folders }),
    skills: skills.value,
    ...(folder.value === null ? {} : { files: folder.value.tree }),
    ...(folder.value?.shell === undefined || folder.value.shell === null ? {} : { shell: folder.value.shell }),
    ...(workspaceBranch === undefined ? {} : { filesBranch: workspaceBranch }),
    gitOnly: configuration.documents === "git",
    features: { ...allFeatures, canvas: configuration.canvasTools === "on" },
    blobs: blobs.value,
    modelSettings: settings.value,
    dataFolder: data.root,
    catalogue: agents?.over(settings.value.catalogue) ?? settings.value.catalogue,
    platform,
    cwd: folder.value?.tree.folder ?? process.cwd(),
    ...settingsOf(configuration),
    sealed: sealedIn(sealed.value),
    meters: sources.meters ?? openMeters(),
    webhookSender: webhookSender(configuration.webhookHosts),
    ...webOf(configuration),
    ownSyntaxes,
    toolCalls: toolCallsOf(configuration, ownSyntaxes),
    team: sources.team === true,
  });
  written.follow(workspace.folders, () => void mcp.value.look());
  const purgeDue = async (): Promise<void> => workspace.trash.purgeDue(await workspace.ownAuthor("trash"));
  const sweep = sweepDaily(workspace.blobs, store, platform, purgeDue);
  return ok({
    workspace,
    sealed: sealedIn(sealed.value),
    listening(url) {
      agents?.listening(url);
      mcp.value.signIns.listening(url);
    },
    close: () => closeInOrder([() => settings.value.close(), () => sweep.stop(), () => workspace.close()]),
  });
}

/** How a file of sealed secrets is opened: by the key that lies outside the data folder. */
function keyStoreOf({ user, note }: WorkspaceSources, file: string): Parameters<typeof openKeyStore>[0] {
  const masterKey = user.env["HEDDLE_MASTER_KEY"];
  return {
    file,
    masterKeyFile: join(platformConfigurationFolder(user), "master.key"),
    note,
    ...(masterKey === undefined || masterKey === "" ? {} : { masterKey }),
  };
}

/** The settings of a workspace that come from the configuration as they are. */
/** The web as agents reach it, where the owner switched it on or named a search service. */
function webOf({ web, searchUrl, webHosts }: Configuration): { readonly web?: Web } {
  if (web === "off" && searchUrl === undefined) return {};
  const fetched = (url: string, init: RequestInit): Promise<Response> => fetch(url, init);
  return { web: openWeb({ searchUrl: searchUrl ?? null, namedHosts: webHosts, fetch: fetched }) };
}

function settingsOf(configuration: Configuration) {
  return {
    leaseTtlMs: configuration.leaseTtlMs,
    ...(configuration.historyDays === undefined ? {} : { retention: retentionFor(configuration.historyDays) }),
    ...(configuration.model === undefined ? {} : { model: configuration.model }),
    thinking: configuration.thinking,
    whenFull: configuration.whenFull,
    tellsEdits: configuration.tellEdits === "on",
    rules: {
      ...(configuration.approvals === undefined ? {} : { approvals: configuration.approvals }),
      ...(configuration.budget === undefined ? {} : { budget: configuration.budget }),
      ...(configuration.compactAt === undefined ? {} : { compaction: { at: configuration.compactAt } }),
    },
  };
}

/** Reads the syntaxes of the data folder, and names its files with a mistake. */
function syntaxesOf({ data, note }: WorkspaceSources): OwnSyntaxes {
  const read = readOwnSyntaxes(data.root);
  for (const { name, problem } of read.files) {
    if (problem !== null) note(`${join(data.root, "syntaxes", name)}: ${problem}. This syntax cannot be chosen.`);
  }
  return read;
}

function toolCallsOf(
  { toolSyntax: syntax, toolPolicy: policy }: Configuration,
  { syntaxes }: OwnSyntaxes,
): ToolCallSettings {
  return { syntaxes, ...(syntax === undefined ? {} : { syntax }), ...(policy === undefined ? {} : { policy }) };
}

/**
 * Returns what opens folders, each with the shell in which agents run commands there, never beside Heddle's own data.
 * Refuses folders in which agents could reach Heddle's own files.
 */
function folderOpener(
  { configuration, data, platform, user }: WorkspaceSources,
  written: () => readonly string[],
): FolderOpener {
  const { models, mcpConfig } = configuration;
  const named = [models, mcpConfig].filter((file) => file !== undefined);
  const own = [data.root, platformConfigurationFolder(user), ...named.map((file) => resolve(file))];
  const hosts = configuration.shell === "off" ? null : configuration.shellHosts;
  return {
    hosts,
    async open(folder) {
      const exposed = await exposedRefusal({ ...configuration, workspace: folder }, user);
      if (exposed !== null) return err({ ...exposed, code: "FORBIDDEN" });
      const tree = await openTree(folder, platform.clock);
      if (!tree.ok || hosts === null) return tree.ok ? ok({ tree: tree.value, shell: null }) : tree;
      const shell = await openSandboxedShell({
        folder: tree.value.folder,
        hidden: own,
        written,
        hosts,
        clock: platform.clock,
        env: user.env,
      });
      return ok({ tree: tree.value, shell });
    },
  };
}

async function openTree(folder: string, clock: Clock): Promise<Result<FileTree, Refusal>> {
  try {
    return ok(await openFolderTree(folder, clock));
  } catch (problem) {
    const reason = reasonOf(problem);
    return err(refusal("FILE_FAILED", { folder, reason }, `The folder ${folder} cannot be opened: ${reason}.`));
  }
}
