import type { SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime";
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { toolsOf } from "./sandbox-environment.ts";
import { absoluteFolders, findProgram } from "./sandbox-programs.ts";

/** The place that a sandbox is made for. Folders are real paths. */
export interface SandboxPlace {
  /** The folder in which commands work and may write. */
  readonly folder: string;
  /** The private folder of the commands. */
  readonly own: string;
  /** The folder of the sockets that lead to the sandbox's proxies. */
  readonly sockets: string;
  /** The user's home folder. */
  readonly home: string;
  readonly path: string;
  /** Folders from which the server itself may start programs. */
  readonly trusted: readonly string[];
  /** Paths that no command may read, even inside the working folder: Heddle's data, keys and settings. */
  readonly hidden: readonly string[];
  readonly hosts: readonly string[];
  /** Whether the server runs as root: see `docs/decisions/0017-commands-in-a-sandbox.md`. */
  readonly asRoot: boolean;
}

export type FolderRules = SandboxRuntimeConfig["filesystem"];

/** Folders where a machine keeps its users' files, secrets, and the sockets of its services. */
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

/** Secrets in a home folder, for when the home folder is the working folder. */
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

/** The folder of the code that runs outside the sandbox: two folders above that of the adapters. */
const installed = dirname(dirname(dirname(import.meta.dirname)));

/**
 * The folder of the sandbox runtime's own programs, through which every command runs inside the sandbox. It must be
 * readable wherever Heddle is installed, also below a home folder. The build copies it beside this file; a checkout has the
 * package.
 */
const runtimePrograms = import.meta.url.endsWith(".js")
  ? join(import.meta.dirname, "vendor")
  : join(dirname(dirname(fileURLToPath(import.meta.resolve("@anthropic-ai/sandbox-runtime")))), "vendor");

/** The policy for every command: the network, and the programs that make the sandbox. */
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
    // By full paths: a command may have put programs of the same name where they would be found first.
    ...(bwrap === null || bwrap === undefined ? {} : { bwrapPath: bwrap }),
    ...(socat === null || socat === undefined ? {} : { socatPath: socat }),
    ...(rg === null || rg === undefined ? {} : { ripgrep: { command: rg } }),
  };
}

/** The access of one command on the current disk: it reads programs and the working folder, and writes there. */
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

/** A path taken literally, whatever pattern characters it has. */
function literally(path: string): { path: string; literal: true } {
  return { path, literal: true };
}

/** Files in the working folder that people's programs later run, protected even before they exist. */
function startedByOthers(folder: string): readonly string[] {
  const usual = [".husky", ".githooks"].map((name) => join(folder, name)).filter((path) => existsSync(path));
  const hooks = [...usual, ...configuredHooks(folder)];
  return [...ofGit(join(folder, ".git")), join(folder, ".heddle"), join(folder, ".envrc"), ...new Set(hooks)];
}

/** The folders below this one in which a repository's settings make git look for hooks, also before they exist. */
function configuredHooks(folder: string): readonly string[] {
  try {
    const settings = readFileSync(join(folder, ".git", "config"), "utf8");
    const named = [...settings.matchAll(/^\s*hooksPath\s*=\s*"?(.+?)"?\s*$/gim)].map(([, path = ""]) => path);
    return named.map((path) => resolve(folder, path)).filter((path) => isBelow(path, folder));
  } catch {
    return [];
  }
}

/**
 * A repository's `.git` folder is protected as a whole: besides hooks and settings, further files in it name folders from
 * which git takes both. A worktree's `.git` is a file, which the sandbox protects by itself; where there is none, none can
 * be created.
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
 * Creates the usual hooks folder of a repository: the sandbox also covers that folder by itself, and cannot create a mount
 * point for it in a folder that is protected as a whole.
 */
export function makeHooksFolder(folder: string): void {
  const git = join(folder, ".git");
  if (!isRepository(git)) return;
  try {
    mkdirSync(join(git, "hooks"), { recursive: true });
  } catch {
    // A user who may not create it may not change hooks either; the rules follow what exists.
  }
}

/** Heddle's own code and dependencies, when they are in the working folder or are the working folder. */
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

/** Returns the real paths of those that exist, each once. */
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

/** Paths of the sockets on which the machine's services listen. */
function listeningSockets(): readonly string[] {
  try {
    const rows = readFileSync("/proc/net/unix", "utf8").split("\n");
    return rows.flatMap((row) => /^(?:\S+\s+){7}(\/.*)$/.exec(row)?.[1] ?? []);
  } catch {
    return [];
  }
}
