import type { SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { toolsOf } from "./sandbox-environment.ts";
import { absoluteFolders } from "./sandbox-programs.ts";

/** What a sandbox is made for. Folders are real paths. */
export interface SandboxPlace {
  /** Where commands work and may write. */
  readonly folder: string;
  /** The private folder of the commands. */
  readonly own: string;
  /** Where the sandbox keeps its sockets, by which its proxies are reached. */
  readonly sockets: string;
  /** The user's home folder. */
  readonly home: string;
  readonly path: string;
  /** What no command may read, though it stood in the working folder: where Heddle keeps data, keys and settings. */
  readonly hidden: readonly string[];
  readonly hosts: readonly string[];
  /** Whether the server runs as root: see `docs/decisions/0017-commands-in-a-sandbox.md`. */
  readonly asRoot: boolean;
}

/** Where a machine keeps what is its users' own, secrets, and the sockets of its services. */
const privateFolders = [
  "/root",
  "/home",
  "/Users",
  "/tmp",
  "/var/tmp",
  "/private/tmp",
  "/run",
  "/mnt",
  "/media",
  "/var/lib",
  "/var/log",
  "/var/spool",
  "/var/backups",
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/sudoers",
  "/etc/sudoers.d",
  "/etc/ssh",
  "/etc/ssl/private",
];

/** What lies in a home folder that is no command's business, should the home folder be the working folder. */
const secretsAtHome = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".config",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
  ".bash_history",
  ".zsh_history",
  ".mozilla",
  join(".cargo", "credentials.toml"),
  join(".local", "share", "keyrings"),
];

/** What programs run that are started in the working folder by people later; protected also where it is absent. */
const startedByOthers = [join(".git", "hooks"), join(".git", "config"), ".heddle", ".envrc"];

/** What the sandbox allows: reading programs and the working folder, writing there, and the hosts that were named. */
export function sandboxPolicy(place: SandboxPlace): SandboxRuntimeConfig {
  const { folder, own, sockets: proxies, home, path, hidden, hosts, asRoot } = place;
  const sockets = asRoot ? listeningSockets() : [];
  const kept = [...hidden, ...secretsAtHome.map((name) => join(home, name))];
  const denyRead = real([...privateFolders, home, ...kept, ...sockets]);
  const programs = real([...absoluteFolders(path), ...toolsOf(home).map((tool) => tool.folder)]);
  const reopened = programs.filter((program) => denyRead.some((denied) => isBelow(program, denied)));
  return {
    network: {
      allowedDomains: [...hosts],
      deniedDomains: [],
      strictAllowlist: true,
      allowLocalBinding: false,
      allowAllUnixSockets: asRoot,
    },
    filesystem: {
      denyRead,
      allowRead: [...reopened, folder, own, ...(hosts.length === 0 ? [] : [proxies])],
      allowWrite: [folder, own],
      denyWrite: [...protectedIn(folder), ...kept.filter((path) => isBelow(path, folder))],
    },
  };
}

/** A worktree's `.git` is a file, which the sandbox protects by itself. */
function protectedIn(folder: string): readonly string[] {
  const git = join(folder, ".git");
  const isFile = existsSync(git) && !statSync(git).isDirectory();
  return startedByOthers.filter((name) => !isFile || !name.startsWith(".git")).map((name) => join(folder, name));
}

/** Those that are there, by their real paths, once each. */
function real(paths: readonly string[]): string[] {
  const found = paths.flatMap((path) => {
    try {
      return [realpathSync(path)];
    } catch {
      return [];
    }
  });
  return [...new Set(found)].filter((path) => path !== "/");
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder + sep);
}

/** Sockets with a path that some service of the machine has open. */
function listeningSockets(): readonly string[] {
  try {
    const rows = readFileSync("/proc/net/unix", "utf8").split("\n");
    return rows.flatMap((row) => /^(?:\S+\s+){7}(\/.*)$/.exec(row)?.[1] ?? []);
  } catch {
    return [];
  }
}
