import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { FoldersView } from "../../../src/client/base/types.ts";
import type { BlockId, FolderId } from "../../../src/core/base/ids.ts";
import type { FolderView } from "../../../src/core/protocol/base/messages.ts";
import type { CommandAnswer } from "../../../src/core/protocol/commands.ts";
import { useApp } from "../ui/app-context.ts";
import { useObservable, useSteady } from "../ui/use-observable.ts";
import { readText, Stored } from "../browser/stored.ts";

/** The shown file. */
export interface OpenFile {
  readonly folderId: FolderId;
  readonly path: string;
  readonly blockId: BlockId;
}

/** The folders, the files of one of them, and the shown file. */
export interface Files {
  readonly folders: readonly FolderView[];
  readonly canAdd: boolean;
  /** The folder whose files are listed: the conversation's, unless the person chose another; null without one. */
  readonly folderId: FolderId | null;
  readonly setFolderId: (folderId: FolderId) => void;
  /** The folder of the next new conversation; null for none. */
  readonly newFolderId: FolderId | null;
  readonly setNewFolderId: (folderId: FolderId | null) => void;
  /** null until it is loaded; empty without a folder. */
  readonly listing: CommandAnswer<"file.list"> | null;
  /** Letters that the listed paths contain. */
  readonly containing: string;
  readonly setContaining: (letters: string) => void;
  readonly refresh: () => void;
  readonly shown: OpenFile | null;
  /** Opens a file of a folder, or of the listed one; resolves to null when it was refused, or another was opened meanwhile. */
  readonly open: (path: string, folderId?: FolderId) => Promise<OpenFile | null>;
  readonly close: () => void;
}

/** The folder and the path, one a line. */
const lastFile = new Stored("file", readText, "", "window");
/** Delay after the last key before the folder is searched. Milliseconds. */
const restMs = 150;

/** Returns the files; reads them again when the page connects, when they change, and when a file is opened. */
export function useFiles(live: boolean, own: FolderId | null): Files {
  const { client, tell } = useApp();
  const view = useObservable(client.folders);
  const { folders, newFolderId, setNewFolderId, folderId, setFolderId } = useFolderChoice(view, own);
  const { refresh, ...list } = useListing(live, folderId, folders);
  const [shown, setShown] = useState<OpenFile | null>(null);
  const latest = useRef(0);
  const openIn = useRef(folderId);
  openIn.current = folderId;
  const actions = useMemo(() => {
    const show = async (folder: FolderId, path: string, quiet: boolean): Promise<OpenFile | null> => {
      const turn = (latest.current += 1);
      const opened = await client.call("file.open", { folderId: folder, path, asCanvas: true });
      // The person may have opened something else meanwhile.
      if (turn !== latest.current) return null;
      if (!opened.ok) {
        if (quiet) lastFile.clear();
        else tell(opened.error);
        return null;
      }
      lastFile.set(`${folder}\n${path}`);
      const file = { folderId: folder, path, blockId: opened.value.blockId };
      setShown(file);
      refresh();
      return file;
    };
    return {
      open: async (path: string, folder: FolderId | null = openIn.current): Promise<OpenFile | null> =>
        folder === null ? null : show(folder, path, false),
      /** Opens the file that was shown when the page was left. */
      reopen: () => {
        const [folder = "", path = ""] = lastFile.get().split("\n");
        if (path !== "") void show(folder as FolderId, path, true);
      },
      close: (): void => {
        latest.current += 1;
        lastFile.clear();
        setShown(null);
      },
    };
  }, [client, tell, refresh]);
  const reopened = useRef(false);
  useEffect(() => {
    if (!live || reopened.current) return;
    reopened.current = true;
    actions.reopen();
  }, [live, actions]);

  const canAdd = view?.canAdd ?? false;
  const files = {
    folders,
    canAdd,
    folderId,
    setFolderId,
    newFolderId,
    setNewFolderId,
    ...list,
    refresh,
    shown,
    ...actions,
  };
  return useSteady<Files>(files, sameFields);
}

/** Whether every field is the same, so that the panes need not render again. */
function sameFields(one: Files, other: Files): boolean {
  const others = new Map<string, unknown>(Object.entries(other));
  return Object.entries(one).every(([name, value]) => others.get(name) === value);
}

/** Returns the list of a folder's files; read again when it changes, and when the page connects or becomes visible. */
function useListing(live: boolean, folderId: FolderId | null, folders: readonly FolderView[]) {
  const { client } = useApp();
  const listed = folders.find(({ id }) => id === folderId);
  // A change of the list, and a folder that goes away or comes back.
  const state = `${listed?.changes ?? 0} ${listed?.away ?? ""}`;
  const [listing, setListing] = useState<Files["listing"]>(null);
  const [containing, setContaining] = useState("");
  const [asked, setAsked] = useState(0);
  const refresh = useCallback(() => setAsked((count) => count + 1), []);

  const first = useRef(true);
  useEffect(() => {
    if (!live) return undefined;
    let stale = false;
    const read = async (): Promise<void> => {
      if (folderId === null) return setListing(null);
      const answer = await client.call("file.list", { folderId, ...(containing === "" ? {} : { containing }) });
      if (!stale) setListing(answer.ok ? answer.value : null);
    };
    const timer = setTimeout(() => void read(), first.current ? 0 : restMs);
    first.current = false;
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [client, live, containing, asked, folderId, state]);

  // Files change outside, so the list is read again when the page becomes visible.
  useEffect(() => {
    window.addEventListener("focus", refresh);
    return () => window.removeEventListener("focus", refresh);
  }, [refresh]);
  return { listing, containing, setContaining, refresh };
}

const noFolders: readonly FolderView[] = [];

/** Returns the folder to list and the one of the next conversation: the open conversation's, unless the person chose. */
function useFolderChoice(view: FoldersView | null, own: FolderId | null) {
  const folders = view?.folders ?? noFolders;
  const [chosen, setChosen] = useState<{ readonly of: FolderId | null; readonly id: FolderId } | null>(null);
  const [wished, setWished] = useState<FolderId | null | undefined>(undefined);
  const isKnown = (id: FolderId | null): boolean => folders.some((folder) => folder.id === id);
  const usual = (isKnown(own) ? own : null) ?? folders.find(({ isDefault }) => isDefault)?.id ?? null;
  const folderId =
    chosen !== null && chosen.of === own && isKnown(chosen.id) ? chosen.id : (usual ?? folders[0]?.id ?? null);
  const setFolderId = useCallback((id: FolderId) => setChosen({ of: own, id }), [own]);
  const isWishKnown = wished === null || (wished !== undefined && isKnown(wished));
  const newFolderId = isWishKnown ? wished : usual;
  return { folders, folderId, setFolderId, newFolderId, setNewFolderId: setWished };
}
