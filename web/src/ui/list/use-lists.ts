import { useMemo, useRef } from "react";
import type { ListView, Observable } from "../../../../src/client/base/types.ts";
import { listKey, type List, type ListEntries } from "../../../../src/core/forest/list.ts";
import { useApp } from "../app-context.ts";
import { useObservable } from "../use-observable.ts";

type ListOf<Of extends List["of"]> = Extract<List, { readonly of: Of }>;
type Views<Entry> = ReadonlyMap<string, ListView<Entry>>;

/** Follows several lists, by names of the caller's; one that has not arrived is missing. */
export function useLists<Of extends List["of"]>(lists: ReadonlyMap<string, ListOf<Of>>): Views<ListEntries[Of]> {
  const { client } = useApp();
  const names = JSON.stringify([...lists].map(([name, list]) => [name, listKey(list)]));
  const latest = useRef(lists);
  latest.current = lists;
  const observable = useMemo((): Observable<Views<ListEntries[Of]>> => {
    // Equal names and keys are equal lists.
    const wanted = JSON.parse(names) as readonly (readonly [string, string])[];
    const sources = wanted.flatMap(([name]) => {
      const list = latest.current.get(name);
      return list === undefined ? [] : ([[name, client.list<Of>(list)]] as const);
    });
    let shown: Views<ListEntries[Of]> = new Map();
    return {
      get() {
        const now = new Map<string, ListView<ListEntries[Of]>>();
        for (const [name, source] of sources) {
          const view = source.get();
          if (view !== null) now.set(name, view);
        }
        if (now.size !== shown.size || [...now].some(([name, view]) => shown.get(name) !== view)) shown = now;
        return shown;
      },
      subscribe(listener) {
        const stops = sources.map(([, source]) => source.subscribe(listener));
        return () => {
          for (const stop of stops) stop();
        };
      },
    };
  }, [client, names]);
  return useObservable(observable);
}
