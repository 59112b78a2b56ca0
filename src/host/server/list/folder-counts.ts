import type { CanvasFolder, CanvasSummary } from "../../../core/forest/list.ts";
import type { SummaryChange } from "./summaries.ts";

/** The document folders of all canvases that are not archived, with how many each holds; kept while canvases change. */
export class FolderCounts {
  readonly #byPath = new Map<string, CanvasFolder>();
  #sorted: readonly CanvasFolder[] | null = null;

  constructor(canvases: Iterable<CanvasSummary>) {
    for (const canvas of canvases) this.#add(pathOf(canvas), 1);
  }

  /** Returns the folders by their paths. An entry is the same object until its count changes. */
  entries(): readonly CanvasFolder[] {
    this.#sorted ??= [...this.#byPath.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    return this.#sorted;
  }

  replace({ before, after }: SummaryChange<CanvasSummary>): void {
    const [from, to] = [pathOf(before), pathOf(after)];
    if (from === to) return;
    this.#add(from, -1);
    this.#add(to, 1);
  }

  /** Counts a canvas in its folder and in those around it. */
  #add(path: string, by: 1 | -1): void {
    if (path === "") return;
    this.#sorted = null;
    const names = path.split("/");
    names.forEach((title, depth) => {
      const id = names.slice(0, depth + 1).join("/");
      const count = (this.#byPath.get(id)?.count ?? 0) + by;
      if (count > 0) this.#byPath.set(id, { id, title, createdAt: 0, count });
      else this.#byPath.delete(id);
    });
  }
}

function pathOf(canvas: CanvasSummary | undefined): string {
  return canvas === undefined || canvas.archived === true ? "" : (canvas.folderPath ?? "");
}
