import type { EditorState } from "@codemirror/state";
import { type EditorView, WidgetType } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";

/** Height of a row before it is measured. CSS pixels. */
const rowHeight = 35;

/** How many columns fit the narrowest page. */
const columnsOnPhone = 3;

/** A table of the source, row by row. */
interface TableRow {
  /** The offset of the row's line. */
  readonly at: number;
  readonly cells: readonly string[];
}

/** A table in the place of its source. */
export class TableWidget extends WidgetType {
  readonly #source: string;
  readonly #rows: readonly TableRow[];
  readonly #from: number;
  constructor(source: string, rows: readonly TableRow[], from: number) {
    super();
    this.#source = source;
    this.#rows = rows;
    this.#from = from;
  }
  override eq(other: TableWidget): boolean {
    return other.#source === this.#source && other.#from === this.#from;
  }
  override get estimatedHeight(): number {
    return this.#rows.length * rowHeight;
  }
  override toDOM(view: EditorView): HTMLElement {
    const frame = document.createElement("div");
    frame.className = "live-table";
    // Its first words say where its columns begin.
    frame.dir = "auto";
    // It may scroll, which a keyboard does only where the focus can be.
    if (this.#rows.some(({ cells }) => cells.length > columnsOnPhone)) frame.tabIndex = 0;
    const table = document.createElement("table");
    frame.append(table);
    for (const [index, { at, cells }] of this.#rows.entries()) {
      const row = table.insertRow();
      for (const text of cells) {
        const cell = document.createElement(index === 0 ? "th" : "td");
        if (index === 0) cell.setAttribute("scope", "col");
        cell.textContent = text;
        row.append(cell);
      }
      row.addEventListener("mousedown", (event) => {
        event.preventDefault();
        // The table may have moved since it was drawn.
        const now = view.posAtDOM(frame);
        view.dispatch({ selection: { anchor: now + (at - this.#from) }, scrollIntoView: true });
        view.focus();
      });
    }
    return frame;
  }
}

/** Returns the rows of a table of the source. */
export function rowsOf(state: EditorState, table: SyntaxNode): readonly TableRow[] {
  const rows: TableRow[] = [];
  for (let row = table.firstChild; row !== null; row = row.nextSibling) {
    if (row.name !== "TableHeader" && row.name !== "TableRow") continue;
    const cells = row.getChildren("TableCell").map((cell) => plainWords(state, cell));
    rows.push({ at: row.from, cells });
  }
  return rows;
}

const marks = new Set(["EmphasisMark", "StrikethroughMark", "CodeMark", "LinkMark", "URL", "LinkTitle"]);

/** Returns the words of a cell without its marks. */
function plainWords(state: EditorState, cell: SyntaxNode): string {
  let words = "";
  let at = cell.from;
  cell.cursor().iterate(({ name, from, to }) => {
    if (from < at) return undefined;
    if (name === "Escape") {
      words += state.sliceDoc(at, from);
      at = from + 1;
    } else if (marks.has(name)) {
      words += state.sliceDoc(at, from);
      at = to;
    }
    return undefined;
  });
  return (words + state.sliceDoc(at, cell.to)).trim();
}
