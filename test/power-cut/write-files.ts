import { openFolderTree } from "../../src/adapters/files/folder-tree.ts";
import { must } from "../../src/core/base/assert.ts";
import { readFilePath } from "../../src/core/base/file-path.ts";
import { simulatedClock } from "../../src/testing/simulated-clock.ts";
import { contentAt, fileNames } from "./file-versions.ts";
import { tell } from "../../src/testing/store/tell.test-support.ts";

/**
 * A process to be traced: writes successive versions of some files, all files at once, and prints `file version` for
 * each acknowledged version. Its arguments are the folder and the number of versions.
 */

const tree = await openFolderTree(must(process.argv[2], "a folder is given"), simulatedClock());
const versions = Number(process.argv[3]);

await Promise.all(
  fileNames.map(async (name) => {
    const path = readFilePath(name);
    if (!path.ok) throw new Error(`${name} is no path of a file`);
    let hash: string | null = null;
    for (let version = 1; version <= versions; version += 1) {
      const written = await tree.replace(path.value, contentAt(name, version), hash);
      if (!written.ok) throw new Error(`the file was refused: ${JSON.stringify(written.error)}`);
      hash = written.value;
      tell(`${name} ${version}`);
    }
  }),
);
tree.close();
