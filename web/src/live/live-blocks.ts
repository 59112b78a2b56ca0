import { syntaxTree } from "@codemirror/language";
import { type EditorState, type Extension, Prec, type Range, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  ViewPlugin,
  type ViewUpdate,
  type WidgetType,
} from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";
import { DiagramWidget, FormulaWidget, formulaIn } from "./drawn-widgets.ts";
import { revealedLines } from "./live-marks.ts";
import { rowsOf, TableWidget } from "./table-widget.ts";

/** Text beyond the window's ends that is drawn too. UTF-16 units. */
const beyond = 5_000;

interface Shown {
  /** The stretch of the text that was looked at. */
  readonly from: number;
  readonly to: number;
  readonly hasFocus: boolean;
  readonly blocks: DecorationSet;
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
  provide: (shown) => EditorView.decorations.from(shown, ({ blocks }) => blocks),
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

/** Draws tables, formulas of several lines and diagrams in place of their source, which opens where the caret is. */
export function liveBlocks(): Extension {
  const move = (forward: boolean, extend: boolean) => (view: EditorView) => intoBlock(view, forward, extend);
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

/** An arrow key would go over a drawn block; it goes into its first or last line instead, which opens the source. */
function intoBlock(view: EditorView, forward: boolean, extend: boolean): boolean {
  const { state } = view;
  const range = state.selection.main;
  const { head } = view.moveVertically(range, forward);
  const [low, high] = forward ? [range.head, head] : [head, range.head];
  let place = -1;
  state.field(field).blocks.between(low, high, (from, to) => {
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
    enter: ({ name, node }) => {
      if (!drawable.has(name)) return undefined;
      const drawing = blockOf(state, node);
      if (drawing === null) return false;
      const { from, to, widget } = drawing;
      const [first, last] = [state.doc.lineAt(from), state.doc.lineAt(to)];
      // A block in a list or a quote keeps its source.
      if (first.from !== from || last.to !== to) return false;
      if (revealed.some((line) => line >= first.from && line <= last.from)) return false;
      ranges.push(Decoration.replace({ widget, block: true }).range(from, to));
      return false;
    },
  });
  return { ...window, blocks: Decoration.set(ranges, true) };
}

const drawable = new Set(["Table", "FencedCode", "Paragraph"]);

interface BlockDrawing {
  readonly from: number;
  readonly to: number;
  readonly widget: WidgetType;
}

/** Returns what is drawn in place of a block; null for one that is shown as it is written. */
function blockOf(state: EditorState, node: SyntaxNode): BlockDrawing | null {
  const { name, from, to } = node;
  const source = state.sliceDoc(from, to);
  if (name === "Table") return { from, to, widget: new TableWidget(source, rowsOf(state, node), from) };
  if (name === "Paragraph") {
    const only = node.firstChild;
    // A formula in one line is drawn among the words.
    if (only?.name !== "Math" || only.from !== from || only.to !== to || !source.includes("\n")) return null;
    return { from, to, widget: new FormulaWidget(formulaIn(source).source, true) };
  }
  const info = node.getChild("CodeInfo");
  // An open fence is still being written.
  if (info === null || node.getChildren("CodeMark").length < 2) return null;
  if (state.sliceDoc(info.from, info.to).trim().toLowerCase() !== "mermaid") return null;
  const words = node.getChildren("CodeText").map((text) => state.sliceDoc(text.from, text.to));
  return { from, to, widget: new DiagramWidget(words.join("")) };
}
