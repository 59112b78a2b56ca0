import { useEffect, useMemo, useRef } from "react";
import type { TextReplica } from "../../../src/client/base/types.ts";
import type { BlockId, FolderId } from "../../../src/core/base/ids.ts";
import type { CanvasSummary, List } from "../../../src/core/forest/list.ts";
import { nameAndFolder } from "../files/file-words.ts";
import { useApp } from "../ui/app-context.ts";
import { useLists } from "../ui/list/use-lists.ts";
import { type TabStep, useTabAsked } from "../ui/request/tab-request.ts";
import { useObservable } from "../ui/use-observable.ts";
import { changeTabs, openTabs } from "./open-tabs.ts";
import { neighbourOf, shownAfter } from "./tabs.ts";

/** How many open documents are followed, those shown last: each costs its text. */
const followedMax = 12;
/** How long the page works on what it shows before it follows the other open documents. Milliseconds. */
const restMs = 2_000;
/** How long a document may take until it is shown; then the strip shows again what is there. Milliseconds. */
const openingMs = 5_000;

interface KeeperProps {
  /** The document on the page; null for none. */
  readonly shownId: BlockId | null;
  /** Title of a canvas, or path of a file; null until it is known. */
  readonly title: string | null;
  /** Document folder of a canvas. */
  readonly folder: string;
  readonly isFile: boolean;
  readonly onCanvas: (canvasId: BlockId) => void;
  readonly onFile: (path: string, folderId: FolderId) => void;
  readonly onNone: () => void;
  /** Puts the caret into a document as soon as it is shown. */
  readonly onWrite: (id: BlockId) => void;
}

/** Keeps the list of open documents: what was shown, renamed, edited, changed by agents or deleted. Shows nothing. */
export function TabKeeper(props: KeeperProps): null {
  const { shownId, title } = props;
  const tabs = useObservable(openTabs);
  const named = props.isFile && title !== null ? nameAndFolder(title) : { name: title, folder: props.folder };
  const { name, folder } = named;
  useEffect(() => {
    if (shownId === null) changeTabs({ type: "none-shown" });
    else if (name !== null) changeTabs({ type: "shown", id: shownId, title: name, folder });
  }, [shownId, name, folder]);
  const { activeId } = tabs;
  useEffect(() => {
    if (activeId === shownId || activeId === null || shownId === null || name === null) return undefined;
    // What was asked for may be refused.
    const timer = setTimeout(() => changeTabs({ type: "shown", id: shownId, title: name, folder }), openingMs);
    return () => clearTimeout(timer);
  }, [activeId, shownId, name, folder]);
  const entries = useEntries(tabs.tabs.map(({ id }) => id));
  useNames(entries, shownId);
  useFollowed(tabs.recent, shownId);
  useTabAsked((step) => {
    take(step, entries, props);
    return true;
  });
  return null;
}

type Entries = ReadonlyMap<string, CanvasSummary | null>;

/** Returns what the server lists of documents, by id: null for one that is not there. */
function useEntries(ids: readonly BlockId[]): Entries {
  const key = ids.join(" ");
  const wanted = useMemo(
    () =>
      new Map(
        key
          .split(" ")
          .filter((id) => id !== "")
          .map((id): [string, Extract<List, { readonly of: "canvas" }>] => [id, { of: "canvas", id: id as BlockId }]),
      ),
    [key],
  );
  const views = useLists<"canvas">(wanted);
  return useMemo(() => new Map([...views].map(([id, view]) => [id, view.entries[0] ?? null])), [views]);
}

/** Takes over new names, and closes documents that were deleted; the one on the page says so itself. */
function useNames(entries: Entries, shownId: BlockId | null): void {
  useEffect(() => {
    for (const [key, entry] of entries) {
      const id = key as BlockId;
      if (id === shownId) continue;
      if (entry === null) changeTabs({ type: "deleted", id });
      else if (entry.filePath === undefined)
        changeTabs({ type: "named", id, title: entry.title, folder: entry.folderPath ?? "" });
      else {
        const { name, folder } = nameAndFolder(entry.filePath);
        changeTabs({ type: "named", id, title: name, folder });
      }
    }
  }, [entries, shownId]);
}

/** Follows the texts of open documents: one that the person edits stays open, one that an agent changes is marked. */
function useFollowed(recent: readonly BlockId[], shownId: BlockId | null): void {
  const { client } = useApp();
  const followed = useRef(new Map<BlockId, () => void>());
  const key = recent.slice(0, followedMax).join(" ");
  useEffect(() => {
    const wanted = new Set(key.split(" ").filter((id) => id !== "") as BlockId[]);
    for (const [id, stop] of followed.current) {
      if (wanted.has(id)) continue;
      stop();
      followed.current.delete(id);
    }
    const follow = (id: BlockId): void => {
      if (followed.current.has(id)) return;
      followed.current.set(id, followText(client.openText(id)));
    };
    if (shownId !== null && wanted.has(shownId)) follow(shownId);
    const timer = setTimeout(() => wanted.forEach(follow), restMs);
    return () => clearTimeout(timer);
  }, [client, key, shownId]);
  useEffect(() => {
    const { current } = followed;
    return () => {
      for (const stop of current.values()) stop();
      current.clear();
    };
  }, []);
}

function followText(replica: TextReplica): () => void {
  const id = replica.blockId;
  const stop = replica.onChange((_, origin) => {
    if (origin.type === "local") changeTabs({ type: "kept", id });
    else if (origin.type === "remote" && origin.actor.type === "model") changeTabs({ type: "changed", id });
  });
  return () => {
    stop();
    replica.close();
  };
}

function take(step: TabStep, entries: Entries, props: KeeperProps): void {
  const state = openTabs.get();
  const { activeId } = state;
  const isWriting = document.activeElement?.closest(".editor-host") !== null;
  const open = (id: BlockId): void => {
    changeTabs({ type: "asked", id });
    const { filePath, fileFolderId } = entries.get(id) ?? {};
    if (filePath !== undefined && fileFolderId !== undefined) props.onFile(filePath, fileFolderId);
    else props.onCanvas(id);
    if (isWriting) props.onWrite(id);
  };
  switch (step.type) {
    case "open":
      return open(step.id);
    case "next": {
      const id = neighbourOf(state, step.by);
      return id === null ? undefined : open(id);
    }
    case "move": {
      if (activeId === null) return;
      const at = state.tabs.findIndex(({ id }) => id === activeId);
      return changeTabs({ type: "moved", id: activeId, to: at + step.by });
    }
    case "close": {
      const id = step.id ?? activeId;
      if (id === null) return;
      const next = shownAfter(state, id);
      changeTabs({ type: "closed", id });
      if (id !== activeId) return;
      return next === null ? props.onNone() : open(next);
    }
    case "close-others":
      for (const { id } of state.tabs) if (id !== activeId) changeTabs({ type: "closed", id });
      return;
    case "reopen": {
      const [id] = state.closed;
      if (id !== undefined) open(id);
    }
  }
}
