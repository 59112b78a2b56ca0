import { type Extension, type Range, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, gutter, GutterMarker } from "@codemirror/view";
import type { ThreadId } from "../../../src/core/base/ids.ts";

/** An open thread as it is marked in the text; offsets in the editor's text. A point has equal offsets. */
export interface MarkedThread {
  readonly id: ThreadId;
  readonly from: number;
  readonly to: number;
  readonly current: boolean;
}

export const showComments = StateEffect.define<readonly MarkedThread[]>();

class CommentMarker extends GutterMarker {
  readonly #id: ThreadId;
  readonly #count: number;
  constructor(id: ThreadId, count: number) {
    super();
    this.#id = id;
    this.#count = count;
  }
  override eq(other: CommentMarker): boolean {
    return other.#id === this.#id && other.#count === this.#count;
  }
  override toDOM(): HTMLElement {
    const mark = document.createElement("span");
    mark.className = "comment-margin";
    mark.dataset["thread"] = this.#id;
    mark.textContent = String(this.#count);
    return mark;
  }
}

interface Shown {
  readonly marks: DecorationSet;
  readonly margin: RangeSet<GutterMarker>;
}

const nothing: Shown = { marks: Decoration.none, margin: RangeSet.empty };

const field = StateField.define<Shown>({
  create: () => nothing,
  update(before, transaction) {
    let shown = before;
    if (transaction.docChanged && before !== nothing) {
      shown = { marks: before.marks.map(transaction.changes), margin: before.margin.map(transaction.changes) };
    }
    for (const effect of transaction.effects) {
      if (effect.is(showComments)) shown = drawn(effect.value, transaction.newDoc);
    }
    return shown;
  },
  provide: (shown) => EditorView.decorations.from(shown, ({ marks }) => marks),
});

/** Marks the words of open threads, and their lines in the margin. Pressing either calls `look`. */
export function commentMarks(look: (id: ThreadId) => void): Extension {
  const press = ({ target }: Event): boolean => {
    const marked = target instanceof Element ? target.closest<HTMLElement>("[data-thread]") : null;
    const id = marked?.dataset["thread"];
    if (id !== undefined) look(id as ThreadId);
    return id !== undefined;
  };
  return [
    field,
    gutter({
      class: "cm-comment-gutter",
      markers: (view) => view.state.field(field).margin,
      // Not when the button is released: where others write above, the mark has moved on by then, and nothing was clicked.
      domEventHandlers: { mousedown: (_view, _line, event) => isMain(event) && press(event) },
    }),
    EditorView.domEventHandlers({
      click: (event) => {
        press(event);
        return false;
      },
    }),
  ];
}

function isMain(event: Event): boolean {
  return event instanceof MouseEvent && event.button === 0;
}

function drawn(
  threads: readonly MarkedThread[],
  doc: { readonly length: number; lineAt(at: number): { readonly from: number } },
): Shown {
  if (threads.length === 0) return nothing;
  const marks: Range<Decoration>[] = [];
  const byLine = new Map<number, { id: ThreadId; count: number }>();
  for (const { id, from, to, current } of threads) {
    const start = Math.min(Math.max(0, from), doc.length);
    const end = Math.min(Math.max(start, to), doc.length);
    const attributes = { "data-thread": id };
    const words = Decoration.mark({ class: `comment-range${current ? " comment-current" : ""}`, attributes });
    if (end > start) marks.push(words.range(start, end));
    const line = doc.lineAt(start).from;
    byLine.set(line, { id: byLine.get(line)?.id ?? id, count: (byLine.get(line)?.count ?? 0) + 1 });
  }
  const margin = [...byLine].map(([line, { id, count }]) => new CommentMarker(id, count).range(line));
  return { marks: Decoration.set(marks, true), margin: RangeSet.of(margin, true) };
}
