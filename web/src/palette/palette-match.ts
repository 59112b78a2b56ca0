import type { IconName } from "../ui/icons.tsx";

/** An item of the palette with its action. */
export interface PaletteItem {
  readonly key: string;
  readonly icon: IconName;
  readonly label: string;
  readonly group: string;
  /** Other words that people use for it. */
  readonly words?: string;
  readonly keys: string | null;
  readonly run: () => void;
}

/** Returns the items whose label or group has all words of the query, best first. */
export function matching(items: readonly PaletteItem[], query: string): readonly PaletteItem[] {
  const words = query
    .trim()
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  if (words.length === 0) return items;
  const whole = words.join(" ");
  const fits = items.filter((item) => {
    const text = `${item.label} ${item.group} ${item.words ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return fits.toSorted((a, b) => rank(a, whole) - rank(b, whole));
}

function rank(item: PaletteItem, query: string): number {
  const label = item.label.toLowerCase();
  return label.startsWith(query) ? 0 : label.includes(` ${query}`) ? 1 : label.includes(query) ? 2 : 3;
}
