import { useCallback, useEffect, useMemo, useState } from "react";
import type { BlockId } from "../../../src/core/base/ids.ts";
import { type List, listOrders, type ListOrder } from "../../../src/core/forest/list.ts";
import { listCountMax } from "../../../src/core/protocol/base/limits.ts";
import { oneOf, Stored } from "../browser/stored.ts";
import type { Files } from "../files/use-files.ts";
import { useList } from "../ui/list/use-list.ts";
import { useLists } from "../ui/list/use-lists.ts";
import {
  archiveKey,
  archivePath,
  documentRows,
  type DocumentRow,
  fileKey,
  foundPath,
  keysAround,
} from "./document-rows.ts";

/** The open document. */
export type CurrentDocument =
  | { readonly type: "canvas"; readonly id: BlockId; readonly folderPath: string }
  | { readonly type: "file"; readonly folderId: NonNullable<Files["folderId"]>; readonly path: string };

/** The tree of documents as it is shown. */
export interface DocumentTreeState {
  readonly rows: readonly DocumentRow[];
  readonly isLoading: boolean;
  readonly folders: readonly string[];
  readonly order: ListOrder;
  readonly setOrder: (order: ListOrder) => void;
  readonly toggle: (row: DocumentRow) => void;
  /** Opens a document folder. */
  readonly unfold: (path: string) => void;
  /** Fetches more canvases of a folder. */
  readonly more: (of: string, have: number) => void;
}

type CanvasList = Extract<List, { readonly of: "canvases" }>;

const storedOrder = new Stored("documents.order", oneOf(...listOrders), "title");
/** How many canvases of a folder are fetched first: more than a pane shows. */
const firstCount = 40;

/** Follows the canvases of the open folders and the files of one folder of the machine. */
export function useDocumentTree(files: Files, filter: string, current: CurrentDocument | null): DocumentTreeState {
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [order, setStoredOrder] = useState(() => storedOrder.get());
  const [counts, setCounts] = useState<ReadonlyMap<string, number>>(new Map());
  const folders = useList({ of: "canvas-folders" });
  const filtering = filter !== "";
  const wanted = useMemo((): ReadonlyMap<string, CanvasList> => {
    const list = (path: string, own: Partial<CanvasList>): readonly [string, CanvasList] => [
      path,
      { of: "canvases", filter, order, count: counts.get(path) ?? firstCount, ...own },
    ];
    if (filtering) return new Map([list(foundPath, {})]);
    const open = (folders?.entries ?? []).filter(({ id }) =>
      keysAround({ folderPath: id }).every((key) => toggled.get(key)),
    );
    return new Map([
      list("", { folderPath: "" }),
      ...open.map(({ id }) => list(id, { folderPath: id })),
      list(archivePath, { archived: true, ...(toggled.get(archiveKey) === true ? {} : { count: 1 }) }),
    ]);
  }, [filter, filtering, order, counts, folders, toggled]);
  const canvasesByPath = useLists(wanted);
  const { folders: disks, folderId: diskId, setFolderId, listing } = files;
  const rows = useMemo(
    () => documentRows({ folders: folders?.entries ?? [], canvasesByPath, toggled, disks, diskId, listing, filtering }),
    [folders, canvasesByPath, toggled, disks, diskId, listing, filtering],
  );

  const unfoldKeys = useCallback((keys: readonly string[]) => {
    setToggled((before) =>
      keys.every((key) => before.get(key) === true)
        ? before
        : new Map([...before, ...keys.map((key) => [key, true] as const)]),
    );
  }, []);
  // The open document is always in the tree.
  const around = JSON.stringify(current === null ? [] : keysAround(current));
  useEffect(() => unfoldKeys(JSON.parse(around) as string[]), [around, unfoldKeys]);

  const toggle = useCallback(
    (row: DocumentRow) => {
      if (!("open" in row)) return;
      if (row.type === "disk" && !row.open) setFolderId(row.folder.id);
      setToggled((before) => new Map(before).set(row.key, !row.open));
    },
    [setFolderId],
  );
  const more = useCallback((of: string, have: number) => {
    setCounts((before) => {
      const next = Math.min(have * 2, listCountMax);
      return (before.get(of) ?? firstCount) >= next ? before : new Map(before).set(of, next);
    });
  }, []);
  const isMissing = current?.type === "canvas" && !filtering && !rows.some(({ key }) => key === current.id);
  const moreOf = isMissing ? rows.find((row) => row.type === "more" && row.of === current.folderPath) : undefined;
  useEffect(() => {
    if (moreOf?.type === "more") more(moreOf.of, moreOf.have);
  }, [moreOf, more]);
  return {
    rows,
    isLoading: canvasesByPath.size === 0,
    folders: useMemo(() => (folders?.entries ?? []).map(({ id }) => id), [folders]),
    order,
    setOrder: useCallback((next: ListOrder) => {
      storedOrder.set(next);
      setStoredOrder(next);
    }, []),
    toggle,
    unfold: useCallback((path: string) => unfoldKeys(keysAround({ folderPath: path })), [unfoldKeys]),
    more,
  };
}

/** Returns the key of the open document's row. */
export function currentKey(current: CurrentDocument | null): string | null {
  if (current === null) return null;
  return current.type === "canvas" ? current.id : fileKey(current.folderId, current.path);
}
