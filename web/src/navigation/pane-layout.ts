import { isRecord, Stored } from "../browser/stored.ts";

export const paneNames = ["forest", "conversation", "canvas"] as const;
export type PaneName = (typeof paneNames)[number];

/** Widths of the outer panes in pixels, and which panes are hidden. The conversation takes the rest. */
export interface PaneLayout {
  readonly forest: number;
  /** The canvas's share of the width beside the forest, in per cent. */
  readonly canvas: number;
  readonly hidden: readonly PaneName[];
}

export const layoutDefault: PaneLayout = { forest: 264, canvas: 54, hidden: [] };

export const storedLayout = new Stored<PaneLayout>("layout", readLayout, layoutDefault);

function readLayout(value: unknown): PaneLayout | undefined {
  if (!isRecord(value)) return undefined;
  const { forest, canvas, hidden } = value;
  if (typeof forest !== "number" || typeof canvas !== "number" || !Array.isArray(hidden)) return undefined;
  return {
    forest: clamp(forest, forestRange),
    canvas: clamp(canvas, canvasRange),
    hidden: paneNames.filter((name) => hidden.includes(name)),
  };
}

export const forestRange = { least: 200, most: 420 };
export const canvasRange = { least: 25, most: 75 };

export function clamp(value: number, range: { readonly least: number; readonly most: number }): number {
  return Math.min(range.most, Math.max(range.least, value));
}

/** Width classes of the page, widest first. */
export type Breadth = "wide" | "medium" | "narrow";

/** Returns the visible panes: all that are not hidden; on a medium page at most two, on a narrow page the front one. */
export function shownPanes(breadth: Breadth, layout: PaneLayout, front: PaneName): readonly PaneName[] {
  if (breadth === "narrow") return [front];
  const open = paneNames.filter((name) => !layout.hidden.includes(name));
  const usable = open.length === 0 ? (["conversation"] as const) : open;
  if (breadth === "wide" || usable.length < 3) return usable;
  return front === "forest" ? ["forest", "conversation"] : ["conversation", "canvas"];
}

export function gridColumns(panes: readonly PaneName[], layout: PaneLayout): string {
  const columns: string[] = [];
  for (const name of panes) {
    const shares = panes.includes("conversation") && panes.includes("canvas");
    if (name === "forest") columns.push(panes.length === 1 ? "1fr" : `${layout.forest}px`);
    else if (name === "canvas") columns.push(shares ? `minmax(0, ${layout.canvas}fr)` : "minmax(0, 1fr)");
    else columns.push(shares ? `minmax(0, ${100 - layout.canvas}fr)` : "minmax(0, 1fr)");
  }
  return columns.join(" ");
}
