import type { SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime";
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { toolsOf } from "./sandbox-environment.ts";
import { absoluteFolders, findProgram } from "./sandbox-programs.ts";

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
  /** From where the server itself may start programs. */
  readonly trusted: readonly string[];
  /** What no command may read, though it stood in the working folder: where Heddle keeps data, keys and settings. */
  readonly hidden: readonly string[];
  readonly hosts: readonly string[];
  /** Whether the server runs as root: see `docs/decisions/0017-commands-in-a-sandbox.md`. */
  readonly asRoot: boolean;
}

export type FolderRules = SandboxRuntimeConfig["filesystem"];

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

/** Where the code is that runs outside of the sandbox: two folders above that of the adapters. */
const installed = dirname(dirname(dirname(import.meta.dirname)));

/**
 * The folder of the sandbox runtime's own programs, which every command goes through inside the sandbox. It must be readable
 * wherever Heddle is installed, also below a home folder. The build copies it beside this file; a checkout has the package.
 */
const runtimePrograms = import.meta.url.endsWith(".js")
  ? join(import.meta.dirname, "vendor")
  : join(dirname(dirname(fileURLToPath(import.meta.resolve("@anthropic-ai/sandbox-runtime")))), "vendor");

/** What holds for every command: the network, and the programs that make the sandbox. */
export function sandboxPolicy(place: SandboxPlace): SandboxRuntimeConfig {
  const { hosts, asRoot, trusted } = place;
  const [bwrap, socat, rg] = ["bwrap", "socat", "rg"].map((name) => findProgram(name, trusted));
  return {
    network: {
      allowedDomains: [...hosts],
      deniedDomains: [],
      strictAllowlist: true,
      allowLocalBinding: false,
      allowAllUnixSockets: asRoot,
    },
    filesystem: folderRules(place),
    // By their full names: a command may have put others of that name where they would be found first.
    ...(bwrap === null || bwrap === undefined ? {} : { bwrapPath: bwrap }),
    ...(socat === null || socat === undefined ? {} : { socatPath: socat }),
    ...(rg === null || rg === undefined ? {} : { ripgrep: { command: rg } }),
  };
}

/** What one command may read and write, as the disk is now: it reads programs and the working folder, and writes there. */
export function folderRules({ folder, own, sockets, home, path, hidden, hosts, asRoot }: SandboxPlace): FolderRules {
  const open = asRoot ? listeningSockets().filter((socket) => !isBelow(socket, sockets)) : [];
  const kept = [...hidden, ...secretsAtHome.map((name) => join(home, name))];
  const denyRead = real([...privateFolders, home, ...kept, ...open]);
  const programs = real([...absoluteFolders(path), runtimePrograms, ...toolsOf(home).map((tool) => tool.folder)]);
  const reopened = programs.filter((program) => denyRead.some((denied) => isBelow(program, denied)));
  const denyWrite = [...startedByOthers(folder), ...ownCode(folder), ...kept.filter((each) => isBelow(each, folder))];
  return {
    denyRead: denyRead.map(literally),
    allowRead: [...reopened, folder, own, ...(hosts.length === 0 ? [] : [sockets])].map(literally),
    allowWrite: [folder, own].map(literally),
    denyWrite: denyWrite.map(literally),
  };
}

/** A path that is what it says, whatever signs of patterns it has. */
function literally(path: string): { path: string; literal: true } {
  return { path, literal: true };
}

/** What programs run that people start in the working folder later, protected also where it is absent. */
function startedByOthers(folder: string): readonly string[] {
  return [...ofGit(join(folder, ".git")), join(folder, ".heddle"), join(folder, ".envrc")];
}

/**
 * A repository's own folder is protected whole: beside its hooks and settings, other files in it name folders from which git
 * takes both. A worktree's `.git` is a file, which the sandbox protects by itself; where there is none, none can be made.
 */
function ofGit(git: string): readonly string[] {
  const [hooks, config] = [join(git, "hooks"), join(git, "config")];
  if (existsSync(git) && !statSync(git).isDirectory()) return [];
  return isRepository(git) && existsSync(hooks) ? [git] : [hooks, config];
}

function isRepository(git: string): boolean {
  return existsSync(join(git, "HEAD")) && existsSync(join(git, "config"));
}

/**
 * Gives a repository the folder for hooks that it commonly has: the sandbox covers that folder by itself as well, and can
 * make no place for it in a folder that is protected whole.
 */
export function makeHooksFolder(folder: string): void {
  const git = join(folder, ".git");
  if (!isRepository(git)) return;
  try {
    mkdirSync(join(git, "hooks"), { recursive: true });
  } catch {
    // Who may not make it may not change hooks either; the rules go by what is there.
  }
}

/** Heddle itself and what it depends on, where it is installed in the working folder, or is the working folder. */
function ownCode(folder: string): readonly string[] {
  if (installed === folder) {
    const code = import.meta.dirname.slice(folder.length + 1).split(sep)[0] ?? "";
    return ["bin", "dist", "node_modules", code].map((name) => join(folder, name));
  }
  if (!isBelow(installed, folder)) return [];
  const at = installed.lastIndexOf(`${sep}node_modules${sep}`);
  const modules = at === -1 ? installed : installed.slice(0, at + `${sep}node_modules`.length);
  return [isBelow(modules, folder) ? modules : installed];
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
