import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Refusal } from "../../core/base/errors.ts";
import { readFilePath } from "../../core/base/file-path.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { FileList } from "../../core/port/file-tree.ts";
import { fileFailed } from "./file-failure.ts";
import { git, isWorkTree } from "./git.ts";

const filesMax = 50_000;
/** Generated folders, skipped where git does not say what to ignore. */
const skipped: ReadonlySet<string> = new Set(["node_modules", "__pycache__", ".venv", "target", "dist"]);

/** Files that Heddle is writing or removing. */
const temporaryName = /(?:^|\/)\.[^/]*\.heddle-(?:\d+|aside)-[0-9a-f]{12}$/;

/** Lists the files of a folder: in a work tree the files that git tracks or would add, else all but generated folders. */
export async function listFiles(root: string): Promise<Result<FileList, Refusal>> {
  try {
    const names = (await isWorkTree(root)) ? await gitFiles(root) : await walk(root);
    const paths = names.flatMap((name) => {
      if (temporaryName.test(name)) return [];
      const path = readFilePath(name);
      return path.ok ? [path.value] : [];
    });
    paths.sort();
    return ok({ paths: paths.slice(0, filesMax), truncated: paths.length > filesMax });
  } catch (problem) {
    return err(fileFailed(".", problem));
  }
}

async function gitFiles(root: string): Promise<readonly string[]> {
  const listed = await git(root, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  const deleted = new Set((await git(root, ["ls-files", "-z", "--deleted"])).split("\0"));
  return [...new Set(listed.split("\0"))].filter((name) => name !== "" && !deleted.has(name));
}

async function walk(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined && found.length <= filesMax; folder = folders.pop()) {
    for (const entry of await entriesOf(root, folder)) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile()) found.push(path);
      else if (entry.isDirectory() && !entry.name.startsWith(".git") && !skipped.has(entry.name)) folders.push(path);
    }
  }
  return found;
}

/** Reads a folder's entries. Returns none for an unreadable subfolder, which may belong to someone else or be deleted. */
async function entriesOf(root: string, folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(join(root, folder), { withFileTypes: true });
  } catch (problem) {
    if (folder === "") throw problem;
    return [];
  }
}
