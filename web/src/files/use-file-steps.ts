import { useMemo, useRef } from "react";
import type { FolderId, TrashId } from "../../../src/core/base/ids.ts";
import { useDeletions } from "../trash/use-deletions.ts";
import { useApp } from "../ui/app-context.ts";
import { folderFile } from "./folder-file.ts";
import type { Files } from "./use-files.ts";

/** What a person does to a file of the list. */
export interface FileSteps {
  readonly remove: (path: string) => void;
  /** Puts the file's text as it is now into the message that is being written. */
  readonly attach: (path: string) => void;
  /** Resolves to whether the file has the new path. */
  readonly move: (path: string, to: string) => Promise<boolean>;
  /** Restores what was deleted last from this list. */
  readonly undo: () => void;
}

/** Deletes and moves files of the listed folder, and undoes the last deletion. */
export function useFileSteps(files: Files, onOpen: (path: string) => void, onAttach: (file: File) => void): FileSteps {
  const { client, tell, announce } = useApp();
  const { undoable, restore } = useDeletions();
  const latest = useRef({ files, onOpen, onAttach });
  latest.current = { files, onOpen, onAttach };
  const deleted = useRef<{ readonly folderId: FolderId; readonly ids: TrashId[] }>(null);
  return useMemo(() => {
    const folder = (): { readonly folderId?: FolderId } => {
      const { folderId } = latest.current.files;
      return folderId === null ? {} : { folderId };
    };
    const isShown = (path: string): boolean => {
      const { shown, folderId } = latest.current.files;
      return shown !== null && shown.path === path && shown.folderId === folderId;
    };
    return {
      remove(path) {
        const { folderId } = latest.current.files;
        const wasShown = isShown(path);
        void client.call("file.delete", { ...folder(), path }).then((done) => {
          if (!done.ok) return tell(done.error);
          if (wasShown) latest.current.files.close();
          latest.current.files.refresh();
          const { id } = done.value.entry;
          if (folderId !== null) {
            if (deleted.current?.folderId !== folderId) deleted.current = { folderId, ids: [] };
            deleted.current.ids.push(id);
          }
          undoable(`${path} is in the trash.`, id);
        });
      },
      attach(path) {
        const { folderId } = latest.current.files;
        if (folderId === null) return;
        void folderFile(client, { folderId, path, signal: new AbortController().signal }).then((file) => {
          if (file instanceof File) latest.current.onAttach(file);
          else tell(file ?? "The file could not be attached. Check the connection and try again.");
        });
      },
      async move(path, to) {
        const wasShown = isShown(path);
        const done = await client.call("file.move", { ...folder(), path, to });
        if (!done.ok) {
          tell(done.error);
          return false;
        }
        announce(`${path} is ${done.value.path} now.`);
        latest.current.files.refresh();
        if (wasShown) latest.current.onOpen(done.value.path);
        return true;
      },
      undo() {
        const last = (): TrashId | undefined =>
          deleted.current?.folderId === latest.current.files.folderId ? deleted.current?.ids.pop() : undefined;
        const restoreLast = async (): Promise<void> => {
          for (let trashId = last(); trashId !== undefined; trashId = last()) {
            const restored = await restore(trashId, { keepBoth: true });
            // Restored in another way meanwhile; the deletion before it is the last one.
            if (!restored.ok && restored.error.code === "NOT_IN_TRASH") continue;
            if (!restored.ok) return tell(restored.error);
            latest.current.files.refresh();
            return announce(`Restored: ${restored.value.entry.title}.`);
          }
          announce("There is no deletion to undo in this list.");
        };
        void restoreLast();
      },
    };
  }, [client, tell, announce, undoable, restore]);
}
