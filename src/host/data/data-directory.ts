import { closeSync, fsyncSync, openSync } from "node:fs";
import { dirname, join, posix, resolve, win32 } from "node:path";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { makeFolders } from "../base/make-folders.ts";

/** Where everything that Heddle keeps lies: one folder, the same inside on every platform. See docs/storage-format.md. */
export interface DataDirectory {
  readonly root: string;
  readonly database: string;
  /** Held for the process's life, so that no second process works on the same data. */
  readonly lock: string;
  /** The secret that lets a browser in. */
  readonly token: string;
  /** Where the server that runs on this folder listens; only while one does. */
  readonly listening: string;
  /** Images and files, named by their content. */
  readonly blobs: string;
  readonly backups: string;
  /** The catalogue of models that a person may write. */
  readonly models: string;
  /** Keys of providers. */
  readonly keys: string;
  /** The servers of tools that a person may write down, and what is remembered of them. */
  readonly mcp: string;
  readonly mcpState: string;
  /** Programs of theirs that run now. */
  readonly mcpRunning: string;
  readonly logs: string;
}

/** What the platform says about the user's folders. */
export interface UserFolders {
  readonly platform: string;
  /** The user's home folder; absolute. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The platform's folder for a program's data. */
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

/** The platform's folder for a program's configuration. */
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

/** The paths inside a data folder; a relative root counts from the working folder. */
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
    keys: join(root, "keys.json"),
    mcp: join(root, "mcp.json"),
    mcpState: join(root, "mcp-state.json"),
    mcpRunning: join(root, "mcp-running.json"),
    logs: join(root, "logs"),
  };
}

/** Makes the folders that are missing, for their owner alone. Folders that are there keep their mode. */
export function createDataDirectory(directory: DataDirectory): Result<DataDirectory, Refusal> {
  for (const folder of [directory.root, directory.blobs, directory.backups, directory.logs]) {
    try {
      const first = makeFolders(folder);
      if (first !== undefined) syncNames(first, folder);
    } catch (error) {
      const reason = reasonOf(error);
      const message = `The data folder ${folder} cannot be made (${reason}); choose another with --data.`;
      return err(refusal("STORE_FAILED", { path: folder, reason }, message));
    }
  }
  return ok(directory);
}

/** Writes the names of new folders to disk, from the first that was made: a power cut must not take what is in them. */
function syncNames(first: string, last: string): void {
  // Windows cannot open folders, and keeps its directory in order by itself.
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

// A relative path in these variables means nothing: the base directory specification has it ignored.
function absolutePosix(path: string | undefined): string | undefined {
  return path !== undefined && posix.isAbsolute(path) ? path : undefined;
}

function absoluteWindows(path: string | undefined): string | undefined {
  return path !== undefined && win32.isAbsolute(path) ? path : undefined;
}
