import { closeSync, fsyncSync, openSync } from "node:fs";
import { dirname, join, posix, resolve, win32 } from "node:path";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { makeFolders } from "../base/make-folders.ts";

/** The paths of everything that Heddle stores: one folder, the same inside on every platform. See docs/storage-format.md. */
export interface DataDirectory {
  readonly root: string;
  readonly database: string;
  /** Held while the process lives, so that no second process uses the same data. */
  readonly lock: string;
  /** The secret that lets a browser in. */
  readonly token: string;
  /** The address of the server that runs on this folder; exists only while one runs. */
  readonly listening: string;
  /** Images and files, named by their content. */
  readonly blobs: string;
  readonly backups: string;
  /** The model catalogue, which a person may write. */
  readonly models: string;
  /** A public list of models in the form of models.dev. */
  readonly publishedModels: string;
  /** Keys of providers. */
  readonly keys: string;
  /** Other secrets, all sealed: those of webhooks, and of sign-ins at MCP servers. */
  readonly sealed: string;
  /** The MCP servers, which a person may write, and what Heddle remembers of them. */
  /** The agents of other programs that the owner names; the sessions of conversations with them, and those that run now. */
  readonly agents: string;
  readonly agentSessions: string;
  readonly agentsRunning: string;
  readonly mcp: string;
  readonly mcpState: string;
  /** The MCP servers that were added in the app. */
  readonly mcpAdded: string;
  /** The MCP server programs that run now. */
  readonly mcpRunning: string;
  readonly logs: string;
  /** The owner's skills, each a folder with a SKILL.md. */
  readonly skills: string;
  /** Who this node of a cluster is. */
  readonly node: string;
}

/** The platform's facts about the user's folders. */
export interface UserFolders {
  readonly platform: string;
  /** The user's home folder; absolute. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Returns the platform's folder for a program's data. */
export function platformDataFolder({ platform, home, env }: UserFolders): string {
  switch (platform) {
    case "win32":
      return win32.join(absoluteWindows(env["LOCALAPPDATA"]) ?? win32.join(home, "AppData", "Local"), "heddle");
    case "darwin":
      return posix.join(home, "Library", "Application Support", "heddle");
    default:
      return posix.join(absolutePosix(env["XDG_DATA_HOME"]) ?? posix.join(home, ".local", "share"), "heddle");
  }
}

/** Returns the platform's folder for a program's configuration. */
export function platformConfigurationFolder({ platform, home, env }: UserFolders): string {
  switch (platform) {
    case "win32":
      return win32.join(absoluteWindows(env["APPDATA"]) ?? win32.join(home, "AppData", "Roaming"), "heddle");
    case "darwin":
      return posix.join(home, "Library", "Application Support", "heddle");
    default:
      return posix.join(absolutePosix(env["XDG_CONFIG_HOME"]) ?? posix.join(home, ".config"), "heddle");
  }
}

/** Returns the paths inside a data folder; a relative root is relative to the working folder. */
export function dataDirectoryAt(folder: string): DataDirectory {
  const root = resolve(folder);
  return {
    root,
    database: join(root, "heddle.db"),
    lock: join(root, "lock.db"),
    token: join(root, "token"),
    listening: join(root, "server.json"),
    blobs: join(root, "blobs"),
    backups: join(root, "backups"),
    models: join(root, "models.json"),
    publishedModels: join(root, "models.dev.json"),
    keys: join(root, "keys.json"),
    sealed: join(root, "sealed.json"),
    agents: join(root, "agents.json"),
    agentSessions: join(root, "agent-sessions.json"),
    agentsRunning: join(root, "agents-running.json"),
    mcp: join(root, "mcp.json"),
    mcpState: join(root, "mcp-state.json"),
    mcpAdded: join(root, "mcp-added.json"),
    mcpRunning: join(root, "mcp-running.json"),
    logs: join(root, "logs"),
    skills: join(root, "skills"),
    node: join(root, "node"),
  };
}

/** A node's folders: what all nodes of a cluster use is in one folder, what belongs to this process in its own. */
export function sharedBy(own: DataDirectory, shared: DataDirectory): DataDirectory {
  const { lock, listening, logs, node, agentsRunning, mcpRunning } = own;
  return { ...shared, lock, listening, logs, node, agentsRunning, mcpRunning };
}

/** Creates the missing folders, for their owner alone. Existing folders keep their mode. */
export function createDataDirectory(directory: DataDirectory): Result<DataDirectory, Refusal> {
  for (const folder of [directory.root, directory.blobs, directory.backups, directory.logs, directory.skills]) {
    try {
      const first = makeFolders(folder);
      if (first !== undefined) syncNames(first, folder);
    } catch (error) {
      const reason = reasonOf(error);
      const message = `The data folder ${folder} cannot be created (${reason}). Choose another one with --data.`;
      return err(refusal("STORE_FAILED", { path: folder, reason }, message));
    }
  }
  return ok(directory);
}

/** Flushes the names of new folders to disk, from the first new one: otherwise a power cut could lose their contents. */
function syncNames(first: string, last: string): void {
  // Windows cannot open folders, and flushes its directories by itself.
  if (process.platform === "win32") return;
  for (let folder = last; folder.length >= first.length; folder = dirname(folder)) {
    const parent = openSync(dirname(folder), "r");
    try {
      fsyncSync(parent);
    } finally {
      closeSync(parent);
    }
  }
}

// The base directory specification says to ignore relative paths in these variables.
function absolutePosix(path: string | undefined): string | undefined {
  return path !== undefined && posix.isAbsolute(path) ? path : undefined;
}

function absoluteWindows(path: string | undefined): string | undefined {
  return path !== undefined && win32.isAbsolute(path) ? path : undefined;
}
