import { accessSync, constants, realpathSync } from "node:fs";
import { delimiter, isAbsolute, join, sep } from "node:path";
import { programFolders } from "../../core/base/program-folders.ts";

interface Machine {
  /** As `process.platform` and `process.arch` say it. */
  readonly platform: string;
  readonly arch: string;
  /** The folders of programs. */
  readonly folders: readonly string[];
  /** Whether commands may reach any host. */
  readonly network: boolean;
}

const programs = [
  { name: "bwrap", called: "bubblewrap (bwrap)", needed: () => true },
  { name: "rg", called: "ripgrep (rg)", needed: () => true },
  { name: "socat", called: "socat", needed: (network: boolean) => network },
] as const;

/** Why this machine has no sandbox, in one sentence that says what to do; null where it has what is needed. */
export function whyNoSandbox({ platform, arch, folders, network }: Machine): string | null {
  if (platform === "darwin") return null;
  if (platform !== "linux") {
    return `Commands cannot be run here: there is no sandbox for them on ${platform}; start Heddle on Linux or macOS to have it.`;
  }
  if (arch !== "x64" && arch !== "arm64") {
    return `Commands cannot be run here: there is no sandbox for them on processors of the kind ${arch}.`;
  }
  const missing = programs.filter(({ name, needed }) => needed(network) && findProgram(name, folders) === null);
  if (missing.length === 0) return null;
  const named = missing.map(({ called }) => called).join(" and ");
  return (
    `Commands cannot be run here, because their sandbox lacks ${named}: install what is missing ` +
    "(Debian and Ubuntu: apt install bubblewrap ripgrep socat; Fedora: dnf install bubblewrap ripgrep socat)."
  );
}

/** Where a program is; null where it is in none of the folders. */
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

/** The folders of a PATH from which the server itself may start programs: none where commands write. */
export function trustedFolders(path: string, written: string): readonly string[] {
  return programFolders(path, written, { delimiter, separator: sep, isAbsolute, real: realOr });
}

function realOr(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** The folders of a PATH, without those that depend on where one stands. */
export function absoluteFolders(path: string): readonly string[] {
  return path.split(delimiter).filter((folder) => isAbsolute(folder));
}
