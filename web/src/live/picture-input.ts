import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import { pictureSource } from "../markdown/picture.ts";

/** Where pictures of a document go. */
export interface PictureKeeper {
  /** Keeps a picture; returns the address that names it, or null after it said why it could not. */
  readonly keep: (file: File) => Promise<string | null>;
}

class ComingWidget extends WidgetType {
  readonly key: object;
  readonly #name: string;
  constructor(key: object, name: string) {
    super();
    this.key = key;
    this.#name = name;
  }
  override eq(other: ComingWidget): boolean {
    return other.key === this.key;
  }
  override toDOM(): HTMLElement {
    const words = document.createElement("span");
    words.className = "picture-coming";
    words.textContent = `Storing ${this.#name}…`;
    return words;
  }
}

const comes = StateEffect.define<{ readonly at: number; readonly key: object; readonly name: string }>({
  map: (value, changes) => ({ ...value, at: changes.mapPos(value.at) }),
});
const came = StateEffect.define<object>();

/** Pictures that are being stored, at places that move with the text. */
const coming = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, transaction) {
    let places = before.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(comes)) {
        const { at, key, name } = effect.value;
        places = places.update({
          add: [Decoration.widget({ widget: new ComingWidget(key, name), side: 1 }).range(at)],
        });
      } else if (effect.is(came)) {
        places = places.update({ filter: (_from, _to, { spec }) => keyOf(spec) !== effect.value });
      }
    }
    return places;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function keyOf(spec: { readonly widget?: unknown }): object | null {
  return spec.widget instanceof ComingWidget ? spec.widget.key : null;
}

/** Takes pictures that are pasted into the text or dropped on it. */
export function pictureInput(keeper: PictureKeeper): Extension {
  return [
    coming,
    EditorView.domEventHandlers({
      paste(event, view) {
        const files = picturesOf(event.clipboardData);
        // A spreadsheet's cells come as words and as a picture of them: the words are meant.
        const hasWords = event.clipboardData?.types.includes("text/plain") ?? false;
        if (files.length === 0 || hasWords || view.state.readOnly) return false;
        event.preventDefault();
        insertPictures(view, files, view.state.selection.main.head, keeper);
        return true;
      },
      drop(event, view) {
        const files = picturesOf(event.dataTransfer);
        if (files.length === 0 || view.state.readOnly) return false;
        event.preventDefault();
        event.stopPropagation();
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.selection.main.head;
        insertPictures(view, files, at, keeper);
        return true;
      },
    }),
  ];
}

/** Returns the files that say that they are pictures; their bytes are looked at when they are kept. */
function picturesOf(data: Pick<DataTransfer, "files"> | null): readonly File[] {
  return [...(data?.files ?? [])].filter(({ type }) => type.startsWith("image/"));
}

/** Stores pictures and names them in the text where they were put, wherever that has moved meanwhile. */
export function insertPictures(view: EditorView, files: readonly File[], at: number, keeper: PictureKeeper): void {
  for (const file of files) {
    const key = {};
    view.dispatch({ effects: comes.of({ at, key, name: file.name }) });
    void keeper.keep(file).then((address) => {
      if (!view.dom.isConnected) return;
      const place = placeOf(view, key);
      const effects = came.of(key);
      if (address === null || place === null) return view.dispatch({ effects });
      const { doc } = view.state;
      const before = place === doc.lineAt(place).from ? "" : "\n\n";
      const insert = `${before}${pictureSource(captionOf(file.name), address)}\n`;
      view.dispatch({
        changes: { from: place, insert },
        selection: { anchor: place + insert.length },
        effects,
        userEvent: "input.paste",
        scrollIntoView: true,
      });
    });
  }
}

function placeOf(view: EditorView, key: object): number | null {
  let place: number | null = null;
  view.state.field(coming).between(0, view.state.doc.length, (from, _to, { spec }) => {
    if (keyOf(spec) !== key) return undefined;
    place = from;
    return false;
  });
  return place;
}

/** A name that a person gave is a caption; the one that a browser gives to a pasted picture is none. */
function captionOf(name: string): string {
  const bare = name.replace(/\.[^.]*$/u, "");
  return /^(?:image|screenshot|img[-_]?\d*|dsc[-_]?\d*|pasted.*)$/iu.test(bare) ? "" : bare.replaceAll(/[_-]+/gu, " ");
}
