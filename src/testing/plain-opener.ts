import { openFolderTree } from "../adapters/files/folder-tree.ts";
import { refusal } from "../core/base/errors.ts";
import { reasonOf } from "../core/base/reason.ts";
import { err, ok } from "../core/base/result.ts";
import type { Clock } from "../core/port/platform.ts";
import type { FolderOpener } from "../host/files/folder-types.ts";

/** Opens any folder of this machine, in which no commands run. */
export function plainOpener(clock: Clock): FolderOpener {
  return {
    hosts: null,
    async open(path) {
      try {
        return ok({ tree: await openFolderTree(path, clock), shell: null });
      } catch (problem) {
        return err(refusal("FILE_FAILED", { folder: path, reason: reasonOf(problem) }));
      }
    },
  };
}
