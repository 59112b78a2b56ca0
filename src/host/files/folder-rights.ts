import { refusal } from "../../core/base/errors.ts";
import type { FolderRights } from "../../core/base/folder.ts";
import { err, ok } from "../../core/base/result.ts";
import type { FileTree } from "../../core/port/file-tree.ts";
import type { Shell } from "../../core/port/shell.ts";

/** Returns a tree that reads the current rights on each call and writes only where they allow it. */
export function withRights(tree: FileTree, rights: () => FolderRights): FileTree {
  const readOnly = () => err(refusal("FOLDER_READ_ONLY", { folder: tree.folder }));
  return {
    folder: tree.folder,
    present: () => tree.present(),
    list: () => tree.list(),
    read: (path) => tree.read(path),
    stamp: (path) => tree.stamp(path),
    isRunByGit: (path) => tree.isRunByGit(path),
    watch: (path, listener) => tree.watch(path, listener),
    watchList: (listener) => tree.watchList(listener),
    async replace(path, bytes, expected, mode) {
      return rights() === "read" ? readOnly() : tree.replace(path, bytes, expected, mode);
    },
    async setAside(aside, expected) {
      return rights() === "read" ? readOnly() : tree.setAside(aside, expected);
    },
    async move(from, to, expected) {
      return rights() === "read" ? readOnly() : tree.move(from, to, expected);
    },
    // These end what was begun with the right to write.
    putBack: (aside) => tree.putBack(aside),
    removeAside: (aside) => tree.removeAside(aside),
    findMoved: (file) => tree.findMoved(file),
    async commit(paths, commit) {
      if (rights() !== "read") return tree.commit(paths, commit);
      return paths.length === 0 ? ok(null) : readOnly();
    },
    close: () => tree.close(),
  };
}

/** Returns a shell that runs no command in a folder that is not at its path. */
export function inPresentFolder(shell: Shell, tree: Pick<FileTree, "present">): Shell {
  return {
    hosts: shell.hosts,
    async run(command, run) {
      const present = await tree.present();
      return present.ok ? shell.run(command, run) : present;
    },
    close: () => shell.close(),
  };
}
