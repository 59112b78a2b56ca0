import type { FilePath } from "../../core/base/file-path.ts";
import type { FileTree } from "../../core/port/file-tree.ts";
import type { UnopenedFile } from "./workspace-files-types.ts";

const stampsAtOnce = 64;

/** Returns those of the files that are on disk, each with a number that changes when the file does. */
export async function stampedFiles(
  tree: Pick<FileTree, "stamp">,
  paths: readonly FilePath[],
): Promise<readonly UnopenedFile[]> {
  const found: UnopenedFile[] = [];
  for (let from = 0; from < paths.length; from += stampsAtOnce) {
    const some = paths.slice(from, from + stampsAtOnce);
    const versions = await Promise.all(some.map((path) => tree.stamp(path)));
    for (const [index, path] of some.entries()) {
      const version = versions[index] ?? null;
      if (version !== null) found.push({ path, version });
    }
  }
  return found;
}
