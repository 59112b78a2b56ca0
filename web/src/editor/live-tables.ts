import { syntaxTree } from "@codemirror/language";
import { type EditorState, type Extension, Prec, type Range, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";
import { revealedLines } from "./live-marks.ts";

/** Height of a row before it is measured. CSS pixels. */
const rowHeight = 35;
/** Text beyond the window's ends that is drawn too. UTF-16 units. */
const beyond = 5_000;

/** A table of the source, row by row. */
interface TableRow {
  /** The offset of the row's line. */
  readonly at: number;
  readonly cells: readonly string[];
}

class TableWidget extends WidgetType {
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

interface Shown {
  /** The stretch of the text that was looked at. */
  readonly from: number;
  readonly to: number;
  readonly hasFocus: boolean;
  readonly tables: DecorationSet;
}

const look = StateEffect.define<{ readonly from: number; readonly to: number; readonly hasFocus: boolean }>();

const field = StateField.define<Shown>({
  create: (state) => drawn(state, { from: 0, to: Math.min(state.doc.length, beyond * 2), hasFocus: false }),
  update(before, transaction) {
    const { state, changes } = transaction;
    let window = {
      from: changes.mapPos(before.from, -1),
      to: changes.mapPos(before.to, 1),
      hasFocus: before.hasFocus,
    };
    let moved = transaction.docChanged || transaction.selection !== undefined;
    for (const effect of transaction.effects) {
      if (!effect.is(look)) continue;
      window = effect.value;
      moved = true;
    }
    return moved || syntaxTree(state) !== syntaxTree(transaction.startState) ? drawn(state, window) : before;
  },
  provide: (shown) => EditorView.decorations.from(shown, ({ tables }) => tables),
});

/** Tells the field which part of the text is on the screen; a field may place blocks, a plugin may not. */
const window_ = ViewPlugin.fromClass(
  class {
    update(update: ViewUpdate): void {
      const { view } = update;
      const { from, to, hasFocus } = view.state.field(field);
      const { viewport } = view;
      const isInside = viewport.from >= from && viewport.to <= to;
      if (isInside && hasFocus === view.hasFocus) return;
      queueMicrotask(() => {
        // A later look may have done so already, or the editor may be gone.
        if (!view.dom.isConnected) return;
        const next = {
          from: Math.max(0, view.viewport.from - beyond),
          to: Math.min(view.state.doc.length, view.viewport.to + beyond),
          hasFocus: view.hasFocus,
        };
        view.dispatch({ effects: look.of(next) });
      });
    }
  },
);

/** Draws tables in place of their source, which opens where the caret is. */
export function liveTables(): Extension {
  const move = (forward: boolean, extend: boolean) => (view: EditorView) => intoTable(view, forward, extend);
  return [
    field,
    window_,
    Prec.highest(
      keymap.of([
        { key: "ArrowDown", run: move(true, false), shift: move(true, true) },
        { key: "ArrowUp", run: move(false, false), shift: move(false, true) },
      ]),
    ),
  ];
}

/** An arrow key would go over a drawn table; it goes into its first or last line instead, which opens the source. */
function intoTable(view: EditorView, forward: boolean, extend: boolean): boolean {
  const { state } = view;
  const range = state.selection.main;
  const { head } = view.moveVertically(range, forward);
  const [low, high] = forward ? [range.head, head] : [head, range.head];
  let place = -1;
  state.field(field).tables.between(low, high, (from, to) => {
    if (from < low || to > high || from === to) return;
    if (place < 0 || !forward) place = forward ? from : state.doc.lineAt(to).from;
  });
  if (place < 0) return false;
  view.dispatch({
    selection: extend ? { anchor: range.anchor, head: place } : { anchor: place },
    scrollIntoView: true,
    userEvent: "select",
  });
  return true;
}

function drawn(state: EditorState, window: Pick<Shown, "from" | "to" | "hasFocus">): Shown {
  const revealed = [...revealedLines(state, window.hasFocus)];
  const ranges: Range<Decoration>[] = [];
  syntaxTree(state).iterate({
    from: window.from,
    to: window.to,
    enter: ({ name, from, to, node }) => {
      if (name === "FencedCode" || name === "Paragraph") return false;
      if (name !== "Table") return undefined;
      const [first, last] = [state.doc.lineAt(from), state.doc.lineAt(to)];
      // A table in a list or a quote keeps its source.
      if (first.from !== from || last.to !== to) return false;
      if (revealed.some((line) => line >= first.from && line <= last.from)) return false;
      const widget = new TableWidget(state.sliceDoc(from, to), rowsOf(state, node), from);
      ranges.push(Decoration.replace({ widget, block: true }).range(from, to));
      return false;
    },
  });
  return { ...window, tables: Decoration.set(ranges, true) };
}

function rowsOf(state: EditorState, table: SyntaxNode): readonly TableRow[] {
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
