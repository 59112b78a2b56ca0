import { useCallback, useMemo, useRef, useState } from "react";
import type { RootId } from "../../../../src/core/base/ids.ts";
import { attachmentsMax } from "../../../../src/core/protocol/limits.ts";
import { useApp } from "../../ui/app-context.ts";
import { freshId } from "../../browser/session.ts";
import { uploadBlob } from "./blob-client.ts";

/** A file for the next message: on its way to the server, or there. */
export interface PendingAttachment {
  readonly key: string;
  readonly name: string;
  /** null while it is on its way. */
  readonly blobId: string | null;
}

type Files = readonly PendingAttachment[];
const none: Files = [];

/** What goes with the next message of a conversation. */
export interface Attachments {
  readonly list: Files;
  /** Whether something is still on its way. */
  readonly pending: boolean;
  readonly add: (files: readonly File[]) => void;
  readonly remove: (key: string) => void;
  /** Takes them all, for a message; `putBack` if it was not sent. */
  readonly take: () => Files;
  readonly putBack: (list: Files) => void;
}

export function useAttachments(rootId: RootId | null): Attachments {
  const { tell, announce } = useApp();
  const [listsByRoot, setListsByRoot] = useState<ReadonlyMap<RootId | null, Files>>(new Map());
  const list = listsByRoot.get(rootId) ?? none;
  const latest = useRef(list);
  latest.current = list;

  // An upload, or a message that is refused, may end when another conversation is open.
  const change = useCallback(
    (next: (before: Files) => Files) =>
      setListsByRoot((before) => new Map(before).set(rootId, next(before.get(rootId) ?? none))),
    [rootId],
  );

  const actions = useMemo(
    () => ({
      add(files: readonly File[]): void {
        const room = attachmentsMax - latest.current.length;
        if (files.length > room) tell(`A message takes ${attachmentsMax} files at most.`);
        for (const file of files.slice(0, Math.max(0, room))) {
          const key = freshId("file");
          const name = file.name.replaceAll(/[/\\\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "_").slice(0, 255) || "file";
          change((before) => [...before, { key, name, blobId: null }]);
          void uploadBlob(file).then((uploaded) => {
            if (!uploaded.ok) {
              change((before) => before.filter((each) => each.key !== key));
              tell(uploaded.error);
              return;
            }
            change((before) =>
              before.map((each) => (each.key === key ? { ...each, blobId: uploaded.value.id } : each)),
            );
            announce(`${name} attached`);
          });
        }
      },
      remove(key: string): void {
        change((before) => before.filter((each) => each.key !== key));
      },
      take(): Files {
        const taken = latest.current;
        change(() => []);
        return taken;
      },
      putBack(taken: Files): void {
        if (taken.length > 0) change((before) => [...taken, ...before]);
      },
    }),
    [announce, change, tell],
  );
  return useMemo(() => ({ list, pending: list.some(({ blobId }) => blobId === null), ...actions }), [list, actions]);
}
