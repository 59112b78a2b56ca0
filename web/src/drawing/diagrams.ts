/** A diagram as a picture, or why there is none. */
export type Diagram =
  | { readonly type: "picture"; readonly url: string; readonly words: string }
  | { readonly type: "failed"; readonly reason: string };

/** The longest source that is drawn. UTF-16 units. */
const sourceMax = 50_000;
/** How long a diagram may take before its frame is given up. Milliseconds. */
const drawMs = 15_000;
const keptMax = 100;

interface Asked {
  readonly done: (diagram: Diagram) => void;
  readonly words: string;
}

/**
 * One hidden frame that draws every diagram. It has no origin (`sandbox="allow-scripts"` alone) and its page's policy lets it
 * reach nothing; what it answers is shown as an image, in which nothing runs.
 */
class DiagramFrame {
  readonly #asked = new Map<number, Asked>();
  readonly #frame = document.createElement("iframe");
  readonly #ready: Promise<void>;
  readonly #gone: () => void;
  #count = 0;

  constructor(gone: () => void) {
    this.#gone = gone;
    const frame = this.#frame;
    frame.setAttribute("sandbox", "allow-scripts");
    frame.setAttribute("aria-hidden", "true");
    frame.tabIndex = -1;
    frame.title = "Draws diagrams";
    frame.className = "diagram-frame";
    let ready = (): void => {};
    this.#ready = new Promise((resolve) => (ready = resolve));
    window.addEventListener("message", this.#heard);
    this.#onReady = ready;
    frame.src = "/diagram.html";
    document.body.append(frame);
  }

  #onReady: () => void;

  readonly #heard = (event: MessageEvent<unknown>): void => {
    // The frame has no origin to check; only its own window is believed.
    if (event.source !== this.#frame.contentWindow) return;
    const { data } = event;
    if (typeof data !== "object" || data === null) return;
    if ("ready" in data) return this.#onReady();
    if (!("id" in data) || typeof data.id !== "number") return;
    const asked = this.#asked.get(data.id);
    if (asked === undefined) return;
    this.#asked.delete(data.id);
    if ("svg" in data && typeof data.svg === "string") {
      const url = URL.createObjectURL(new Blob([data.svg], { type: "image/svg+xml" }));
      asked.done({ type: "picture", url, words: asked.words });
    } else {
      const reason = "reason" in data && typeof data.reason === "string" ? data.reason : "";
      asked.done({ type: "failed", reason: reason.slice(0, 500) });
    }
  };

  async draw(source: string, dark: boolean): Promise<Diagram> {
    const id = (this.#count += 1);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#giveUp(), drawMs);
      const done = (diagram: Diagram): void => {
        clearTimeout(timer);
        resolve(diagram);
      };
      this.#asked.set(id, { done, words: diagramWords(source) });
      void this.#ready.then(() => this.#frame.contentWindow?.postMessage({ id, source, dark }, "*"));
    });
  }

  /** A frame that does not answer is removed; the next diagram makes another. */
  #giveUp(): void {
    window.removeEventListener("message", this.#heard);
    this.#frame.remove();
    this.#gone();
    for (const { done } of this.#asked.values()) done({ type: "failed", reason: "Drawing it took too long" });
    this.#asked.clear();
  }
}

let frame: DiagramFrame | null = null;
const known = new Map<string, Promise<Diagram>>();

/** Draws a Mermaid diagram, once for each source and theme. */
export function drawDiagram(source: string, dark: boolean): Promise<Diagram> {
  if (source.length > sourceMax)
    return Promise.resolve({ type: "failed", reason: `Diagrams are drawn up to ${sourceMax} characters` });
  const key = `${dark ? "dark" : "light"} ${source}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  frame ??= new DiagramFrame(() => (frame = null));
  const coming = frame.draw(source, dark);
  known.set(key, coming);
  if (known.size > keptMax) forget(known.keys().next().value);
  void coming.then(({ type }) => {
    if (type === "failed") known.delete(key);
  });
  return coming;
}

function forget(key: string | undefined): void {
  if (key === undefined) return;
  const old = known.get(key);
  known.delete(key);
  void old?.then((diagram) => {
    if (diagram.type === "picture") URL.revokeObjectURL(diagram.url);
  });
}

/** Says what a diagram shows: its own title, else its kind and its source. */
export function diagramWords(source: string): string {
  const title = /^\s*(?:accTitle|title)\s*:?\s*(.+)$/mu.exec(source)?.[1];
  if (title !== undefined) return `Diagram: ${title.trim()}`;
  const kind = /^\s*(?!%%)([A-Za-z][\w-]*)/mu.exec(source.replace(/^---\n.*?\n---\n/su, ""))?.[1] ?? "";
  return `Diagram (${kind}): ${source.replaceAll(/\s+/gu, " ").trim().slice(0, 300)}`;
}

/** Whether the page is dark now, by its theme or by the system. */
export function isDark(): boolean {
  const theme = document.documentElement.dataset["theme"];
  if (theme === "dark" || theme === "light") return theme === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}
