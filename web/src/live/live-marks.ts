import { syntaxTree } from "@codemirror/language";
import type { EditorState, Extension, Range } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from "@codemirror/view";
import type { SyntaxNodeRef } from "@lezer/common";
import type { ShownPictures } from "../browser/shown-pictures.ts";
import { pictureAddress } from "../markdown/picture.ts";
import { FormulaWidget, formulaIn } from "./drawn-widgets.ts";
import { namedPicture, PictureWidget } from "./live-pictures.ts";

/** Returns the lines, by their first offset, whose source is shown: those with a caret or an end of a selection. */
export function revealedLines(state: EditorState, hasFocus: boolean): ReadonlySet<number> {
  const lines = new Set<number>();
  if (!hasFocus) return lines;
  for (const { anchor, head } of state.selection.ranges) {
    lines.add(state.doc.lineAt(anchor).from);
    lines.add(state.doc.lineAt(head).from);
  }
  return lines;
}

class SignWidget extends WidgetType {
  readonly #className: string;
  readonly #sign: string;
  constructor(className: string, sign: string) {
    super();
    this.#className = className;
    this.#sign = sign;
  }
  override eq(other: SignWidget): boolean {
    return other.#className === this.#className && other.#sign === this.#sign;
  }
  override toDOM(): HTMLElement {
    const sign = document.createElement("span");
    sign.className = this.#className;
    sign.textContent = this.#sign;
    return sign;
  }
}

class TaskWidget extends WidgetType {
  readonly #ticked: boolean;
  readonly #label: string;
  constructor(ticked: boolean, label: string) {
    super();
    this.#ticked = ticked;
    this.#label = label;
  }
  override eq(other: TaskWidget): boolean {
    return other.#ticked === this.#ticked && other.#label === this.#label;
  }
  override toDOM(view: EditorView): HTMLElement {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.className = "live-task";
    box.checked = this.#ticked;
    box.setAttribute("aria-label", this.#label === "" ? "Task" : this.#label);
    box.addEventListener("mousedown", (event) => event.preventDefault());
    box.addEventListener("click", (event) => {
      event.preventDefault();
      if (view.state.readOnly) return;
      const at = view.posAtDOM(box);
      const insert = this.#ticked ? " " : "x";
      view.dispatch({ changes: { from: at + 1, to: at + 2, insert }, userEvent: "input" });
    });
    return box;
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

const hidden = Decoration.replace({});
const bullet = Decoration.replace({ widget: new SignWidget("live-bullet", "•") });
const rule = Decoration.replace({ widget: new SignWidget("live-rule", "") });
const quoted = Decoration.line({ class: "live-quote" });
const coded = Decoration.line({ class: "live-code" });

/** Hides the marks of Markdown away from the caret; draws bullets, boxes, rules, formulas and pictures. Costs what is on the screen. */
export function liveMarks(pictures: ShownPictures): Extension {
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      #tree: unknown;

      constructor(view: EditorView) {
        this.#tree = syntaxTree(view.state);
        this.decorations = drawn(view, pictures);
      }

      update(update: ViewUpdate): void {
        const { view } = update;
        // What is being composed is plain text; its marks are hidden when that ends.
        if (view.composing) {
          this.decorations = this.decorations.map(update.changes);
          return;
        }
        const tree = syntaxTree(view.state);
        const moved = update.docChanged || update.viewportChanged || update.selectionSet || update.focusChanged;
        if (!moved && tree === this.#tree) return;
        this.#tree = tree;
        this.decorations = drawn(view, pictures);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}

function drawn(view: EditorView, pictures: ShownPictures): DecorationSet {
  const { state } = view;
  const revealed = revealedLines(state, view.hasFocus);
  const ranges: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(state).iterate({
      from,
      to,
      enter: (node) => {
        if (node.name === "FencedCode")
          markCode(ranges, state, { from: Math.max(from, node.from), to: Math.min(to, node.to) });
        if (node.name === "Table" || node.name === "FencedCode") return false;
        if (node.from === node.to) return undefined;
        const line = state.doc.lineAt(node.from);
        // A replacement never crosses a line.
        if (node.to > line.to) return undefined;
        return mark(ranges, { state, node, isRevealed: revealed.has(line.from), pictures });
      },
    });
  }
  return Decoration.set(ranges, true);
}

interface Marked {
  readonly state: EditorState;
  readonly node: SyntaxNodeRef;
  readonly isRevealed: boolean;
  readonly pictures: ShownPictures;
}

/** Gives the lines of code their ground. */
function markCode(ranges: Range<Decoration>[], { doc }: EditorState, { from, to }: { from: number; to: number }): void {
  for (let line = doc.lineAt(from); ; line = doc.line(line.number + 1)) {
    ranges.push(coded.range(line.from));
    if (line.to >= to || line.number === doc.lines) return;
  }
}

/** Draws an image or a formula; returns false where what is inside is drawn with it. */
function drawWhole(ranges: Range<Decoration>[], { state, node, isRevealed, pictures }: Marked): false | undefined {
  const { from, to, name } = node;
  if (name === "Math") {
    if (isRevealed) return false;
    const { source, display } = formulaIn(state.sliceDoc(from, to));
    ranges.push(Decoration.replace({ widget: new FormulaWidget(source, display) }).range(from, to));
    return false;
  }
  const named = name === "Image" ? namedPicture(state, node.node) : null;
  if (named === null || pictureAddress(named.address) === null) return undefined;
  const widget = new PictureWidget(named, pictures);
  // With the caret in its line, the source is shown over the picture.
  if (isRevealed) ranges.push(Decoration.widget({ widget, side: 1 }).range(to));
  else ranges.push(Decoration.replace({ widget }).range(from, to));
  return false;
}

function mark(ranges: Range<Decoration>[], marked: Marked): false | undefined {
  const { name } = marked.node;
  if (name === "Math" || name === "Image") return drawWhole(ranges, marked);
  markSign(ranges, marked);
  return undefined;
}

function markSign(ranges: Range<Decoration>[], { state, node, isRevealed }: Marked): void {
  const { from, to, name } = node;
  const parent = node.node.parent?.name ?? "";
  const line = state.doc.lineAt(from);
  if (name === "QuoteMark") {
    ranges.push(quoted.range(line.from));
    if (!isRevealed) ranges.push(hidden.range(from, blankAfter(state, to, line.to)));
    return;
  }
  if (isRevealed) return;
  switch (name) {
    case "HeaderMark":
      if (!parent.startsWith("ATXHeading")) return;
      if (from === line.from + (/^ */.exec(line.text)?.[0].length ?? 0)) {
        ranges.push(hidden.range(from, blankAfter(state, to, line.to)));
      } else ranges.push(hidden.range(state.sliceDoc(from - 1, from) === " " ? from - 1 : from, to));
      return;
    case "EmphasisMark":
    case "StrikethroughMark":
      ranges.push(hidden.range(from, to));
      return;
    case "CodeMark":
      if (parent === "InlineCode") ranges.push(hidden.range(from, to));
      return;
    case "Escape":
      ranges.push(hidden.range(from, from + 1));
      return;
    case "Link":
      hideLink(ranges, node);
      return;
    case "ListMark": {
      const item = node.node.parent;
      if (item?.parent?.name !== "BulletList") return;
      const isTask = item.getChild("Task") !== null;
      ranges.push(isTask ? hidden.range(from, blankAfter(state, to, line.to)) : bullet.range(from, to));
      return;
    }
    case "TaskMarker": {
      const ticked = /x/i.test(state.sliceDoc(from, to));
      const label = state.sliceDoc(to, line.to).trim().slice(0, 80);
      ranges.push(Decoration.replace({ widget: new TaskWidget(ticked, label) }).range(from, to));
      return;
    }
    case "HorizontalRule":
      ranges.push(rule.range(from, to));
      return;
    default:
  }
}

/** Leaves the words of a link that has an address. */
function hideLink(ranges: Range<Decoration>[], { node }: SyntaxNodeRef): void {
  const marks = node.getChildren("LinkMark");
  const [open, close] = marks;
  if (node.getChild("URL") === null || open === undefined || close === undefined) return;
  if (close.from <= open.to) return;
  ranges.push(hidden.range(open.from, open.to), hidden.range(close.from, node.to));
}

function blankAfter(state: EditorState, at: number, end: number): number {
  return at < end && state.sliceDoc(at, at + 1) === " " ? at + 1 : at;
}
