import { entryStep, type PageEntry, readEntry, type TopEntry } from "./page-entry.ts";

/** The part of the browser's session history that a page writes. */
export type SessionHistory = Pick<History, "state" | "pushState" | "replaceState" | "back">;

/** Keeps the session history of a page as what the page has shown. */
export class PageHistory {
  readonly #history: SessionHistory;
  readonly #returned: (entry: PageEntry) => void;
  #now: PageEntry | null = null;
  #top: TopEntry | null = null;
  /** Whether the page itself goes back: nobody asked to see the entry before, and what is shown meanwhile stays. */
  #isGoingBack = false;

  /** `returned` is called where a person goes back or forward. */
  constructor(history: SessionHistory, returned: (entry: PageEntry) => void) {
    this.#history = history;
    this.#returned = returned;
  }

  /** The page shows this; null while that is not settled. */
  shows(entry: PageEntry | null): void {
    this.#now = entry;
    this.#follow();
  }

  /** The browser has gone to another entry. */
  popped(state: unknown): void {
    const wasOwn = this.#isGoingBack;
    this.#isGoingBack = false;
    const entry = readEntry(state);
    if (entry === undefined) return;
    this.#top = entry;
    if (wasOwn) this.#follow();
    else this.#returned(entry);
  }

  #follow(): void {
    const now = this.#now;
    if (now === null || this.#isGoingBack) return;
    const step = entryStep(this.#top, now);
    if (step === "none") return;
    if (step === "back") {
      this.#isGoingBack = true;
      return this.#history.back();
    }
    const isFirst = step === "replace" && ((this.#top ?? readEntry(this.#history.state))?.isFirst ?? true);
    this.#top = { ...now, isFirst };
    if (step === "push") this.#history.pushState(this.#top, "");
    else this.#history.replaceState(this.#top, "");
  }
}
