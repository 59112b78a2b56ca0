import type { EditorState } from "@codemirror/state";
import { type EditorView, WidgetType } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";
import type { ShownPictures } from "../browser/shown-pictures.ts";
import { pictureWidths, readPictureWords, withWidth } from "../markdown/picture.ts";

/** A picture as its source names it. */
export interface NamedPicture {
  readonly address: string;
  readonly alt: string;
}

/** Returns what an image of the source names; null for one that is not complete or names no address. */
export function namedPicture(state: EditorState, node: SyntaxNode): NamedPicture | null {
  const [open, close] = node.getChildren("LinkMark");
  const url = node.getChild("URL");
  if (open === undefined || close === undefined || url === null) return null;
  return {
    address: state.sliceDoc(url.from, url.to).replaceAll(/^<|>$/gu, ""),
    alt: state.sliceDoc(open.to, close.from),
  };
}

/** Height of a picture before it was ever loaded. CSS pixels. */
const unknownHeight = 120;
/** How much wider a key makes a picture. CSS pixels. */
const step = 20;

/** A picture in the text, with its caption and a handle that changes its width. */
export class PictureWidget extends WidgetType {
  readonly #named: NamedPicture;
  readonly #pictures: ShownPictures;
  constructor(named: NamedPicture, pictures: ShownPictures) {
    super();
    this.#named = named;
    this.#pictures = pictures;
  }
  override eq(other: PictureWidget): boolean {
    const { address, alt } = this.#named;
    return other.#named.address === address && other.#named.alt === alt && other.#pictures === this.#pictures;
  }
  override toDOM(view: EditorView): HTMLElement {
    const { address, alt } = this.#named;
    const { caption, width } = readPictureWords(alt);
    const frame = element("span", "live-picture");
    const image = document.createElement("img");
    image.alt = caption;
    const known = this.#pictures.loaded(address);
    if (known === null) image.style.height = `${unknownHeight}px`;
    const handle = element("span", "live-picture-handle");
    const box = element("span", "live-picture-box");
    box.append(image, handle);
    frame.append(box);
    if (caption !== "") {
      const words = element("span", "live-picture-caption");
      words.textContent = caption;
      frame.append(words);
    }
    image.addEventListener("mousedown", (event) => openSource(view, frame, event));
    this.#makeHandle(view, frame, handle, image);
    void this.#pictures.show(address).then((picture) => {
      image.style.height = "";
      if (picture === null) {
        const away = element("span", "live-picture-away");
        away.textContent = caption === "" ? "This picture is not here" : `This picture is not here: ${caption}`;
        frame.replaceChildren(away);
        away.addEventListener("mousedown", (event) => openSource(view, frame, event));
      } else {
        image.src = picture.url;
        image.width = width ?? picture.width;
        image.style.aspectRatio = `${picture.width} / ${picture.height}`;
        handle.setAttribute("aria-valuenow", String(image.width));
      }
      view.requestMeasure();
    });
    return frame;
  }
  override ignoreEvent(): boolean {
    return true;
  }

  /** The handle is a slider: dragged by a pointer, moved by arrow keys; a double press gives the picture its own width. */
  #makeHandle(view: EditorView, frame: HTMLElement, handle: HTMLElement, image: HTMLImageElement): void {
    handle.tabIndex = 0;
    handle.setAttribute("role", "slider");
    handle.setAttribute("aria-label", "Width of the picture");
    handle.setAttribute("aria-valuemin", String(pictureWidths.min));
    handle.setAttribute("aria-valuemax", String(pictureWidths.max));
    handle.setAttribute("aria-valuenow", String(pictureWidths.min));
    handle.title = "Drag to resize; double-click for the picture’s own size";
    const set = (width: number | null): void => resize(view, frame, this.#named, width);
    handle.addEventListener("keydown", (event) => {
      const by = event.key === "ArrowRight" ? step : event.key === "ArrowLeft" ? -step : 0;
      if (by === 0) return;
      event.preventDefault();
      event.stopPropagation();
      set(image.getBoundingClientRect().width + by);
    });
    handle.addEventListener("dblclick", () => set(null));
    handle.addEventListener("pointerdown", (event) => {
      if (view.state.readOnly) return;
      event.preventDefault();
      event.stopPropagation();
      handle.setPointerCapture(event.pointerId);
      const { width: before } = image.getBoundingClientRect();
      const move = (moved: PointerEvent): void => {
        image.width = Math.max(pictureWidths.min, before + moved.clientX - event.clientX);
      };
      const end = (ended: PointerEvent): void => {
        handle.removeEventListener("pointermove", move);
        if (ended.type === "pointerup" && ended.clientX !== event.clientX) set(image.getBoundingClientRect().width);
      };
      handle.addEventListener("pointermove", move);
      handle.addEventListener("pointerup", end, { once: true });
      handle.addEventListener("pointercancel", end, { once: true });
    });
  }
}

function element(tag: string, className: string): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  return made;
}

/** Puts the caret into the line of a drawn picture, which shows its source. */
function openSource(view: EditorView, frame: HTMLElement, event: Event): void {
  event.preventDefault();
  view.dispatch({ selection: { anchor: view.posAtDOM(frame) }, scrollIntoView: true });
  view.focus();
}

/** Writes a width into the source of a drawn picture; the source may have moved since it was drawn. */
function resize(view: EditorView, frame: HTMLElement, { alt, address }: NamedPicture, width: number | null): void {
  if (view.state.readOnly) return;
  const line = view.state.doc.lineAt(view.posAtDOM(frame));
  const at = line.text.indexOf(
    `![${alt}](`,
    Math.max(0, view.posAtDOM(frame) - line.from - alt.length - address.length - 5),
  );
  if (at === -1) return;
  const from = line.from + at + 2;
  view.dispatch({ changes: { from, to: from + alt.length, insert: withWidth(alt, width) }, userEvent: "input" });
}
