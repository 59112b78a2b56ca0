import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { FilePath } from "../../core/base/file-path.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { FileCommit } from "../../core/port/file-tree.ts";
import { git } from "./git.ts";
import { convertedFiles, formRulesOf, repositoryForm } from "./repository-form.ts";
import { refusedFor, type UnfitFile } from "../../core/port/unfit-files.ts";

/** A set of files to commit. A file with `bytes: null` is deleted. */
export interface FilesToCommit extends FileCommit {
  readonly files: readonly { readonly path: FilePath; readonly bytes: Uint8Array | null }[];
}

/**
 * Commits files to a branch without touching the work tree, its index or the branch that is checked out. Returns the
 * commit, or null when nothing would change. Refusals: CONFLICT when the branch moved meanwhile; FILE_FAILED with git's
 * message; PATH_REFUSED with the files that cannot be committed (see `unfitFiles`), and nothing is committed.
 */
export async function commitFiles(root: string, wanted: FilesToCommit): Promise<Result<string | null, Refusal>> {
  let folder: string | null = null;
  try {
    folder = await mkdtemp(join(tmpdir(), "heddle-git-"));
    return await commitWith(join(folder, "index"), root, wanted);
  } catch (problem) {
    return failed(problem);
  } finally {
    // A leftover index is harmless; the commit is decided by now.
    if (folder !== null) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

/** Commits by way of a separate index in this file, which must not exist yet. Rejects when git fails. */
async function commitWith(
  indexFile: string,
  root: string,
  { branch, files, author, message }: FilesToCommit,
): Promise<Result<string | null, Refusal>> {
  const index = { GIT_INDEX_FILE: indexFile };
  const ref = `refs/heads/${branch}`;
  if (!(await isBranchName(root, branch))) {
    return err(refusal("INVALID_PARAMS", { branch, expected: "a valid branch name for git" }));
  }
  if (await isCheckedOut(root, ref)) {
    return err(refusal("INVALID_PARAMS", { branch, expected: "a branch that is not checked out" }));
  }
  const old = await commitAt(root, ref);
  const parent = old ?? (await commitAt(root, "HEAD"));
  if (parent !== null) await git(root, ["read-tree", parent], { env: index });
  const inBranch = await indexOf(root, index);
  const paths = files.map(({ path }) => path);
  const rules = await formRulesOf(root, paths);
  const unfit = [
    ...(await unfitFiles(root, paths, [inBranch, await indexOf(root, {})])),
    ...convertedFiles(paths, rules),
  ];
  if (unfit.length > 0) return err(refusedFor(unfit));
  const prefix = (await git(root, ["rev-parse", "--show-prefix"])).trim();
  const entries: string[] = [];
  for (const { path, bytes } of files) {
    const at = `\t${prefix}${path}`;
    if (bytes !== null) {
      const entry = inBranch.get(path);
      const form = await repositoryForm(root, { path, bytes, kept: entry?.object }, rules);
      entries.push(`${modeOf(entry)} ${await blobOf(root, form)}${at}`);
    }
    // A null id has as many digits as the ids of this repository.
    else if (parent !== null) entries.push(`0 ${"0".repeat(parent.length)}${at}`);
  }
  if (entries.length === 0) return ok(null);
  await git(root, ["update-index", "-z", "--index-info"], { env: index, input: `${entries.join("\0")}\0` });
  const tree = (await git(root, ["write-tree"], { env: index })).trim();
  if (parent !== null && tree === (await git(root, ["rev-parse", `${parent}^{tree}`])).trim()) return ok(null);
  const made = await git(root, ["commit-tree", tree, ...(parent === null ? [] : ["-p", parent]), "-F", "-"], {
    env: identity(author),
    input: message,
  });
  const commit = made.trim();
  try {
    // An empty old value means that the ref must not exist.
    await git(root, ["update-ref", ref, commit, old ?? ""]);
  } catch (problem) {
    return (await commitAt(root, ref)) === old ? failed(problem) : err(refusal("CONFLICT", { branch }));
  }
  return ok(commit);
}

function failed(problem: unknown): Result<never, Refusal> {
  return err(refusal("FILE_FAILED", { path: ".", reason: reasonOf(problem).slice(0, 500) }));
}

function identity({ name, email }: FilesToCommit["author"]): Readonly<Record<string, string>> {
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: "Heddle", GIT_COMMITTER_EMAIL: email };
}

/** Whether git resolves the name to the branch of exactly that name; `@`, for example, means HEAD everywhere else. */
async function isBranchName(root: string, name: string): Promise<boolean> {
  try {
    return name !== "@" && (await git(root, ["check-ref-format", "--branch", name])) === `${name}\n`;
  } catch {
    return false;
  }
}

/** Whether any of the repository's work trees has the branch checked out. */
async function isCheckedOut(root: string, ref: string): Promise<boolean> {
  const trees = await git(root, ["worktree", "list", "--porcelain"]);
  return trees.split("\n").includes(`branch ${ref}`);
}

async function commitAt(root: string, name: string): Promise<string | null> {
  try {
    return (await git(root, ["rev-parse", "--verify", "-q", `${name}^{commit}`])).trim();
  } catch {
    return null;
  }
}

interface IndexEntry {
  readonly mode: string;
  readonly object: string;
}

type Index = ReadonlyMap<string, IndexEntry>;

/** Reads an index below the folder, keyed by the path from there. */
async function indexOf(root: string, env: Readonly<Record<string, string>>): Promise<Index> {
  const listed = await git(root, ["ls-files", "--stage", "-z"], { env });
  const entries = new Map<string, IndexEntry>();
  for (const line of listed.split("\0")) {
    const [, mode, object, path] = /^(\d+) (\w+) \d\t(.+)$/s.exec(line) ?? [];
    if (mode !== undefined && object !== undefined && path !== undefined) entries.set(path, { mode, object });
  }
  return entries;
}

/** Finds files that git would convert or ignore, and files of a submodule. */
async function unfitFiles(
  root: string,
  paths: readonly FilePath[],
  indexes: readonly [branch: Index, checkedOut: Index],
): Promise<readonly UnfitFile[]> {
  const isBelow = (path: FilePath): boolean =>
    [...foldersOf(path), path].some((folder) => indexes.some((index) => index.get(folder)?.mode === "160000"));
  const below = paths.filter(isBelow);
  // A tracked file is never ignored, and `git check-ignore` would read such a path as a pattern.
  const untracked = paths.filter((path) => !below.includes(path) && !indexes[1].has(path));
  const ignored = await ignoredOf(root, untracked);
  return [
    ...below.map((path) => ({ path, problem: "it belongs to a submodule" })),
    ...ignored.map((path) => ({ path, problem: "git ignores it" })),
  ];
}

/** The folders on a path, outermost first. */
function foldersOf(path: FilePath): readonly string[] {
  const names = path.split("/");
  return names.slice(1).map((_name, index) => names.slice(0, index + 1).join("/"));
}

/** The paths that git would ignore if they were not tracked. */
async function ignoredOf(root: string, paths: readonly FilePath[]): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  try {
    const found = await git(root, ["check-ignore", "--no-index", "-z", "--stdin"], { input: `${paths.join("\0")}\0` });
    return found.split("\0").filter((path) => path !== "");
  } catch (problem) {
    // `git check-ignore` exits with 1 when it ignores none of them.
    if (problem instanceof Error && isRecordWithCode(problem.cause, 1)) return [];
    throw problem;
  }
}

function isRecordWithCode(value: unknown, code: number): boolean {
  return typeof value === "object" && value !== null && "code" in value && value.code === code;
}

/** The file's mode in the branch; a new file is an ordinary file. */
function modeOf(entry: IndexEntry | undefined): string {
  return entry?.mode === "100755" ? "100755" : "100644";
}

async function blobOf(root: string, bytes: Uint8Array): Promise<string> {
  return (await git(root, ["hash-object", "-w", "--stdin"], { input: bytes })).trim();
}
