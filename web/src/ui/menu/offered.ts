import { useEffect, useRef } from "react";
import type { MenuItem } from "./menu-items.tsx";

/** Items of a menu that is on the page, by the name of what it acts on. */
export interface OfferedItems {
  readonly group: string;
  readonly items: readonly MenuItem[];
}

const offers = new Set<{ readonly current: OfferedItems }>();

/** Lets the palette find the items of a menu as long as the component is shown. */
export function useOffered(group: string, items: readonly MenuItem[]): void {
  const latest = useRef<OfferedItems>({ group, items });
  latest.current = { group, items };
  useEffect(() => {
    offers.add(latest);
    return () => {
      offers.delete(latest);
    };
  }, []);
}

/** Returns the items of the menus on the page that can be chosen now. */
export function offeredItems(): readonly OfferedItems[] {
  return [...offers].map(({ current: { group, items } }) => ({
    group,
    items: items.filter(({ disabled }) => disabled !== true),
  }));
}
