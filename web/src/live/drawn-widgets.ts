import { type EditorView, WidgetType } from "@codemirror/view";
import { drawDiagram, isDark } from "../drawing/diagrams.ts";
import { drawFormula } from "../drawing/formula.ts";

/** Splits a formula into what is between its marks, and whether it has a line of its own. */
export function formulaIn(written: string): { readonly source: string; readonly display: boolean } {
  const wide = written.startsWith("$$") || written.startsWith("\\");
  const ends = wide ? 2 : 1;
  return {
    source: written.slice(ends, -ends).trim(),
    display: written.startsWith("$$") || written.startsWith("\\["),
  };
}

/** Heights of what was drawn, so that it has its height before it is drawn again. CSS pixels. */
const heights = new Map<string, number>();
const heightsMax = 500;

function noteHeight(key: string, element: HTMLElement): void {
  if (heights.size >= heightsMax) heights.clear();
  heights.set(key, element.getBoundingClientRect().height);
}

/** A formula in place of its source; the source where it cannot be drawn. */
export class FormulaWidget extends WidgetType {
  readonly #source: string;
  readonly #display: boolean;
  constructor(source: string, display: boolean) {
    super();
    this.#source = source;
    this.#display = display;
  }
  override eq(other: FormulaWidget): boolean {
    return other.#source === this.#source && other.#display === this.#display;
  }
  override get estimatedHeight(): number {
    return this.#display ? (heights.get(this.#source) ?? 60) : -1;
  }
  override toDOM(view: EditorView): HTMLElement {
    const element = document.createElement("span");
    element.className = this.#display ? "live-formula live-formula-display" : "live-formula";
    element.textContent = this.#source;
    void drawFormula(element, this.#source, this.#display).then((reason) => {
      if (reason !== null) {
        element.title = reason;
        element.classList.add("live-formula-failed");
      }
      noteHeight(this.#source, element);
      view.requestMeasure();
    });
    opensSource(view, element);
    return element;
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

/** A diagram in place of its source; why there is none where it cannot be drawn. */
export class DiagramWidget extends WidgetType {
  readonly #source: string;
  constructor(source: string) {
    super();
    this.#source = source;
  }
  override eq(other: DiagramWidget): boolean {
    return other.#source === this.#source;
  }
  override get estimatedHeight(): number {
    return heights.get(this.#source) ?? 200;
  }
  override toDOM(view: EditorView): HTMLElement {
    const frame = document.createElement("div");
    frame.className = "live-diagram";
    frame.textContent = "Drawing the diagram…";
    void drawDiagram(this.#source, isDark()).then(async (diagram) => {
      if (diagram.type === "failed") {
        frame.textContent = `This diagram cannot be drawn. ${diagram.reason}`;
      } else {
        const image = document.createElement("img");
        image.src = diagram.url;
        image.alt = diagram.words;
        frame.replaceChildren(image);
        await image.decode().catch(() => undefined);
      }
      noteHeight(this.#source, frame);
      view.requestMeasure();
    });
    opensSource(view, frame);
    return frame;
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

/** A press puts the caret where the source is, which shows it. */
function opensSource(view: EditorView, element: HTMLElement): void {
  element.addEventListener("mousedown", (event) => {
    event.preventDefault();
    view.dispatch({ selection: { anchor: view.posAtDOM(element) }, scrollIntoView: true });
    view.focus();
  });
}
