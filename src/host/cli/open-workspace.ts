import { join } from "node:path";
import { openFolderBlobs } from "../../adapters/blobs/folder-blobs.ts";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { openSandboxedShell } from "../../adapters/shell/sandboxed-shell.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { FileTree } from "../../core/port/file-tree.ts";
import type { Clock, Platform } from "../../core/port/platform.ts";
import type { Shell } from "../../core/port/shell.ts";
import type { Store } from "../../core/port/store.ts";
import { allFeatures } from "../../core/tool/registry.ts";
import { sweepDaily } from "../blobs/daily-sweep.ts";
import type { Configuration } from "../configuration.ts";
import { platformConfigurationFolder, type DataDirectory, type UserFolders } from "../data-directory.ts";
import { openKeyStore } from "../models/key-store.ts";
import { openModelSettings } from "../models/model-settings.ts";
import { paceOf } from "../pace.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";
import { openMcp } from "./open-mcp.ts";

export interface WorkspaceSources {
  readonly store: Store;
  readonly data: DataDirectory;
  readonly configuration: Configuration;
  readonly platform: Platform;
  readonly user: UserFolders;
  /** Told what the owner should know. */
  readonly note: (sentence: string) => void;
}

/** A workspace over a data folder, and how to be rid of it; the store is closed with it. */
export interface OpenedWorkspace {
  readonly workspace: Workspace;
  close(): Promise<void>;
}

/** Opens the workspace of a data folder with its blobs, its models and their keys; refused where one of them cannot be used. */
export async function openWorkspaceAt(sources: WorkspaceSources): Promise<Result<OpenedWorkspace, Refusal>> {
  const { store, data, configuration, platform, user, note } = sources;
  const { clock } = platform;
  const masterKey = user.env["HEDDLE_MASTER_KEY"];
  const keys = await openKeyStore({
    file: data.keys,
    masterKeyFile: join(platformConfigurationFolder(user), "master.key"),
    note,
    ...(masterKey === undefined || masterKey === "" ? {} : { masterKey }),
  });
  if (!keys.ok) return keys;
  const { models, toolSyntax: syntax, toolPolicy: policy } = configuration;
  const settings = await openModelSettings({
    config: configuration.providers,
    deps: { fetch, clock, sleep: paceOf(configuration.agentPace, clock) },
    logger: platform.logger,
    keys: keys.value,
    models: models === undefined ? { file: data.models, required: false } : { file: models, required: true },
    env: user.env,
  });
  if (!settings.ok) return settings;
  const files = await openFiles(configuration, clock);
  if (!files.ok) {
    settings.value.close();
    return files;
  }
  const mcp = await openMcp(sources, files.value?.folder ?? null);
  if (!mcp.ok) {
    settings.value.close();
    return mcp;
  }
  const workspace = await openWorkspace({
    store,
    mcp: mcp.value,
    ...(files.value === null ? {} : { files: files.value }),
    ...(configuration.workspaceBranch === undefined ? {} : { filesBranch: configuration.workspaceBranch }),
    gitOnly: configuration.documents === "git",
    features: { ...allFeatures, canvas: configuration.canvasTools === "on" },
    ...(await openShell(sources, files.value)),
    blobs: await openFolderBlobs({ folder: data.blobs, now: () => clock.now() }),
    modelSettings: settings.value,
    dataFolder: data.root,
    catalogue: settings.value.catalogue,
    platform,
    cwd: files.value?.folder ?? process.cwd(),
    leaseTtlMs: configuration.leaseTtlMs,
    ...(configuration.model === undefined ? {} : { model: configuration.model }),
    rules: {
      ...(configuration.approvals === undefined ? {} : { approvals: configuration.approvals }),
      ...(configuration.budget === undefined ? {} : { budget: configuration.budget }),
    },
    toolCalls: { ...(syntax === undefined ? {} : { syntax }), ...(policy === undefined ? {} : { policy }) },
  });
  const sweep = sweepDaily(workspace.blobs, store, platform);
  return ok({
    workspace,
    async close() {
      settings.value.close();
      await sweep.stop();
      await workspace.close();
    },
  });
}

/** Where agents run commands: in the workspace folder, where there is one, and never beside what Heddle keeps. */
async function openShell(
  { configuration, data, platform, user }: WorkspaceSources,
  files: FileTree | null,
): Promise<{ readonly shell?: Shell }> {
  if (files === null || configuration.shell === "off") return {};
  const shell = await openSandboxedShell({
    folder: files.folder,
    hidden: [data.root, platformConfigurationFolder(user)],
    hosts: configuration.shellHosts,
    clock: platform.clock,
    env: user.env,
  });
  return { shell };
}

/** The folder whose files are documents; null where none was named. */
async function openFiles(
  { workspace: folder }: Configuration,
  clock: Clock,
): Promise<Result<FileTree | null, Refusal>> {
  if (folder === undefined) return ok(null);
  try {
    return ok(await openFolderTree(folder, clock));
  } catch (problem) {
    const reason = reasonOf(problem);
    return err(refusal("FILE_FAILED", { folder, reason }, `The folder ${folder} cannot be opened: ${reason}.`));
  }
}
