import { accessSync, constants, realpathSync } from "node:fs";
import { delimiter, isAbsolute, join, sep } from "node:path";
import { programFolders } from "../../core/base/program-folders.ts";

interface Machine {
  /** As in `process.platform` and `process.arch`. */
  readonly platform: string;
  readonly arch: string;
  /** The folders in which programs are searched. */
  readonly folders: readonly string[];
  /** Whether commands may connect to any host. */
  readonly network: boolean;
}

const programs = [
  { name: "bwrap", called: "bubblewrap (bwrap)", needed: () => true },
  { name: "rg", called: "ripgrep (rg)", needed: () => true },
  { name: "socat", called: "socat", needed: (network: boolean) => network },
] as const;

/** Explains why this machine has no sandbox, as a sentence that says what to do; null when it has everything. */
export function missingSandboxReason({ platform, arch, folders, network }: Machine): string | null {
  if (platform === "darwin") return null;
  if (platform !== "linux") {
    return `Heddle cannot run commands: it has no sandbox for ${platform}. Start Heddle on Linux or macOS.`;
  }
  if (arch !== "x64" && arch !== "arm64") {
    return `Heddle cannot run commands: it has no sandbox for ${arch} processors.`;
  }
  const missing = programs.filter(({ name, needed }) => needed(network) && findProgram(name, folders) === null);
  if (missing.length === 0) return null;
  const named = missing.map(({ called }) => called).join(" and ");
  return (
    `Heddle cannot run commands, because the sandbox lacks ${named}. Install what is missing ` +
    "(Debian and Ubuntu: apt install bubblewrap ripgrep socat; Fedora: dnf install bubblewrap ripgrep socat)."
  );
}

/** Returns the path of a program; null when none of the folders has it. */
export function findProgram(name: string, folders: readonly string[]): string | null {
  const found = folders.find((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  return found === undefined ? null : join(found, name);
}

/** The folders of a PATH from which the server itself may start programs: none in the folders that commands can write. */
export function trustedFolders(path: string, written: readonly string[]): readonly string[] {
  return programFolders(path, written, { delimiter, separator: sep, isAbsolute, real: realOr });
}

function realOr(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** The folders of a PATH, without relative paths. */
export function absoluteFolders(path: string): readonly string[] {
  return path.split(delimiter).filter((folder) => isAbsolute(folder));
}
