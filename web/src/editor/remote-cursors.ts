import { type Extension, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import { shortName } from "../view/words/words.ts";

/** The cursor of another person or agent. */
export interface RemoteCursor {
  readonly key: string;
  readonly name: string;
  readonly hue: number;
  readonly agent: boolean;
  readonly anchor: number;
  readonly head: number;
}

export const setRemoteCursors = StateEffect.define<readonly RemoteCursor[]>();

class CaretWidget extends WidgetType {
  readonly #cursor: RemoteCursor;
  constructor(cursor: RemoteCursor) {
    super();
    this.#cursor = cursor;
  }
  override eq(other: CaretWidget): boolean {
    return (
      other.#cursor.key === this.#cursor.key &&
      other.#cursor.name === this.#cursor.name &&
      other.#cursor.hue === this.#cursor.hue
    );
  }
  override toDOM(): HTMLElement {
    const caret = document.createElement("span");
    caret.className = `remote-caret hue-${this.#cursor.hue}${this.#cursor.agent ? " agent" : ""}`;
    caret.setAttribute("aria-hidden", "true");
    const flag = document.createElement("span");
    flag.className = "remote-name";
    flag.textContent = shortName(this.#cursor.name);
    // The word joiner keeps the line's height and gives the caret a place between characters.
    caret.append("\u2060", flag);
    return caret;
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, transaction) {
    let cursors = transaction.docChanged ? before.map(transaction.changes) : before;
    for (const effect of transaction.effects) {
      if (effect.is(setRemoteCursors)) cursors = drawn(effect.value, transaction.newDoc.length);
    }
    return cursors;
  },
  provide: (cursors) => EditorView.decorations.from(cursors),
});

/** Shows others' cursors: a caret with a name, and a tinted selection. */
export const remoteCursors: Extension = field;

function drawn(cursors: readonly RemoteCursor[], length: number): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  for (const cursor of cursors) {
    const head = Math.min(Math.max(0, cursor.head), length);
    const anchor = Math.min(Math.max(0, cursor.anchor), length);
    const from = Math.min(head, anchor);
    const to = Math.max(head, anchor);
    if (to > from) ranges.push(Decoration.mark({ class: `remote-selection hue-${cursor.hue}` }).range(from, to));
    ranges.push(Decoration.widget({ widget: new CaretWidget(cursor), side: 1 }).range(head));
  }
  return Decoration.set(ranges, true);
}
