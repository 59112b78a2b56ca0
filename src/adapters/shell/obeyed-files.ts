import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  type Dirent,
} from "node:fs";
import { join } from "node:path";
import { isObeyedByName } from "../../core/tool/file/run-by-others.ts";

/** What a look at a folder found; paths count from the folder. */
export interface ObeyedFiles {
  /** Files that other programs run or obey by themselves. */
  readonly paths: ReadonlySet<string>;
  /** Files that have another name, perhaps outside the folder. */
  readonly linked: ReadonlySet<string>;
  /** Where a repository has its hooks and its settings, below the folder's own. */
  readonly ofGit: ReadonlySet<string>;
}

/** The most entries that one look reads: a larger folder is looked at near its top. */
const entriesMax = 60_000;
/** Folders full of other people's files, which nobody works in. */
const unread: ReadonlySet<string> = new Set(["node_modules", ".venv", "__pycache__", ".pnpm-store", "target"]);
/** The end of the name under which a file is harmless. */
const heldEnd = ".held";
/** What package managers write when a command installs something; a person is asked where a tool writes it by itself. */
const writtenByInstalls = /(?:^|\/)(?:package\.json|\.pnp\.cjs|\.yarn\/(?!releases\/|plugins\/).*)$/u;
/** Settings of a repository that make git neither run nor read anything. */
const plainSettings =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)|remote\.[^.]+\.(?:url|fetch|tagopt)|branch\..+\.(?:remote|merge|rebase)|user\.(?:name|email)|init\.defaultbranch|submodule\..+\.(?:url|active)|extensions\.(?:objectformat|refstorage))$/iu;

/** Looks through a folder, nearest first. Follows no link. */
export function lookForObeyed(folder: string): ObeyedFiles {
  const paths = new Set<string>();
  const linked = new Set<string>();
  const ofGit = new Set<string>();
  let left = entriesMax;
  const folders = [""];
  for (let below = folders.shift(); below !== undefined && left > 0; below = folders.shift()) {
    const entries = entriesOf(join(folder, below));
    left -= entries.length;
    if (below !== "" && isRepository(entries)) {
      for (const name of ["hooks", "config"]) if (existsSync(join(folder, below, name))) ofGit.add(`${below}/${name}`);
      for (const path of obeyedInRepository(folder, below)) paths.add(path);
    } else {
      for (const entry of entries) {
        const path = below === "" ? entry.name : `${below}/${entry.name}`;
        if (entry.isDirectory()) {
          if (!unread.has(entry.name) && path !== ".git" && path !== ".heddle") folders.push(path);
        } else {
          if (isObeyedByName(path) && !writtenByInstalls.test(path)) paths.add(path);
          if (entry.isFile() && hasOtherNames(join(folder, path))) linked.add(path);
        }
      }
    }
  }
  return { paths, linked, ofGit };
}

/**
 * Renames files to names under which no program runs or obeys them; returns the new names. What has been renamed or removed
 * meanwhile is left out. A command that still runs may put a link in the way: each folder on the way is opened without
 * following one.
 */
export function hold(folder: string, paths: Iterable<string>): readonly string[] {
  const held: string[] = [];
  for (const path of paths) {
    const steps = path.split("/");
    const name = steps.pop() ?? "";
    try {
      inFolder(folder, steps, (place) => {
        const to = freeName(place, name);
        renameSync(join(place, name), join(place, to));
        held.push([...steps, to].join("/"));
      });
    } catch {
      // It has gone, or is no longer where it was.
    }
  }
  return held;
}

/** Calls back with a path to a folder that stays that folder, whatever is renamed meanwhile. */
function inFolder(root: string, steps: readonly string[], work: (place: string) => void): void {
  if (process.platform !== "linux") return work(join(root, ...steps));
  const opened: number[] = [];
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  try {
    let place = root;
    for (const step of [null, ...steps]) {
      const fd = openSync(step === null ? root : `${place}/${step}`, flags);
      opened.push(fd);
      place = `/proc/self/fd/${fd}`;
    }
    work(place);
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

/** Whether a file has been made harmless before. */
export function isHeld(path: string): boolean {
  return path.endsWith(heldEnd);
}

/** Whether a file is there and has no content. */
export function isEmpty(file: string): boolean {
  try {
    const { size } = lstatSync(file);
    return size === 0;
  } catch {
    return false;
  }
}

function freeName(place: string, name: string): string {
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? `${name}${heldEnd}` : `${name}.${number}${heldEnd}`;
    if (!existsSync(join(place, free))) return free;
  }
}

/** Whether a folder is a repository's own, bare or beside a work tree: git looks for these three. */
function isRepository(entries: readonly Dirent[]): boolean {
  const names = new Set(entries.map(({ name }) => name));
  return names.has("HEAD") && (names.has("commondir") || (names.has("objects") && names.has("refs")));
}

/** Returns the hooks of a repository, and its settings where they are more than a fresh repository's. */
function obeyedInRepository(folder: string, repository: string): readonly string[] {
  const hooks = entriesOf(join(folder, repository, "hooks"))
    .filter(({ name }) => !name.endsWith(".sample") && !isHeld(name))
    .map(({ name }) => `${repository}/hooks/${name}`);
  const settings = ["config", "config.worktree"]
    .map((name) => `${repository}/${name}`)
    .filter((path) => existsSync(join(folder, path)) && !isPlain(join(folder, path)));
  return [...hooks, ...settings];
}

/** Whether a file of settings has nothing that git runs or reads elsewhere. What is not understood counts as such. */
function isPlain(file: string): boolean {
  let section = "";
  let text: string;
  try {
    if (!lstatSync(file).isFile()) return false;
    text = readFileSync(file, "utf8");
  } catch {
    return false;
  }
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    const head = /^\[\s*([\w-]+)(?:\s+"([^"\\]*)")?\s*\]$/u.exec(line);
    if (head !== null) {
      section = head[2] === undefined ? (head[1] ?? "") : `${head[1] ?? ""}.${head[2]}`;
      continue;
    }
    const [, key, value = ""] = /^([\w-]+)\s*(?:=\s*(.*))?$/u.exec(line) ?? [];
    if (key === undefined || !plainSettings.test(`${section}.${key}`)) return false;
    // `ext::` and the like run a program; a line that goes on hides what follows.
    if (value.includes("::") || value.endsWith("\\")) return false;
  }
  return true;
}

function hasOtherNames(file: string): boolean {
  try {
    return lstatSync(file).nlink > 1;
  } catch {
    return false;
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
