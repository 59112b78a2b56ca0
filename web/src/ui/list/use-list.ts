import { useCallback, useMemo, useRef, useState } from "react";
import type { ListView, Observable } from "../../../../src/client/base/types.ts";
import { listKey, type List, type ListEntries } from "../../../../src/core/forest/list.ts";
import { listCountMax } from "../../../../src/core/protocol/base/limits.ts";
import { useApp } from "../app-context.ts";
import { useObservable } from "../use-observable.ts";

type ListOf<Of extends List["of"]> = Extract<List, { readonly of: Of }>;

const nothing: Observable<null> = { get: () => null, subscribe: () => () => undefined };

/** Follows a list; null until its entries have arrived, and for no list. */
export function useList<Of extends List["of"]>(list: ListOf<Of> | null): ListView<ListEntries[Of]> | null {
  const { client } = useApp();
  const key = list === null ? "" : listKey(list);
  // Equal keys are equal lists.
  const latest = useRef(list);
  latest.current = list;
  const observable = useMemo((): Observable<ListView<ListEntries[Of]> | null> => {
    const wanted = latest.current;
    return key === "" || wanted === null ? nothing : client.list(wanted);
  }, [client, key]);
  return useObservable(observable);
}

/** How many entries a list begins with: more than a pane shows. */
const firstCount = 40;

/** A list of which more is fetched as it is scrolled. */
export interface GrowingList<Entry> extends ListView<Entry> {
  /** Whether the entries have never arrived. */
  readonly isLoading: boolean;
  /** Called with the number of rows that must be there; fetches more where they are not. */
  readonly need: (rows: number) => void;
}

/** Follows the first entries of a list; while others are fetched it shows those before. */
export function useGrowingList<Of extends "conversations" | "canvases">(
  list: { readonly of: Of } & Omit<ListOf<NoInfer<Of>>, "of" | "count">,
): GrowingList<ListEntries[Of]> {
  const [count, setCount] = useState(firstCount);
  const view = useList({ ...list, count } as ListOf<Of>);
  const last = useRef<ListView<ListEntries[Of]> | null>(null);
  if (view !== null) last.current = view;
  const shown = last.current;
  const need = useCallback((rows: number) => {
    setCount((before) => {
      let next = before;
      while (next < rows && next < listCountMax) next = Math.min(next * 2, listCountMax);
      return next;
    });
  }, []);
  return useMemo(
    () => ({ entries: shown?.entries ?? [], total: shown?.total ?? 0, isLoading: shown === null, need }),
    [shown, need],
  );
}
