import type { Observable } from "../../../../src/client/base/types.ts";
import { inParagraphs, type KeptView, takeUnsent } from "./kept-view.ts";

/** Unsent words. */
export interface DraftWords {
  /** The composer's text. */
  readonly text: string;
  /** A long pasted text, sent as a separate message before `text`. "" for none. */
  readonly pasted: string;
}

const none: DraftWords = { text: "", pasted: "" };

/**
 * The unsent words of one conversation. Each change is stored, so that the words survive a reload. Only the composer
 * subscribes, so that typing renders nothing else.
 */
export class Draft implements Observable<DraftWords> {
  readonly #kept: Pick<KeptView, "draft" | "pasted" | "outgoing"> | null;
  readonly #listeners = new Set<() => void>();
  #words: DraftWords = none;

  /** `kept` is null without an open conversation: the words then last until the page closes. */
  constructor(kept: Pick<KeptView, "draft" | "pasted" | "outgoing"> | null) {
    this.#kept = kept;
    this.reload();
  }

  readonly get = (): DraftWords => this.#words;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  readonly setText = (text: string): void => this.#change({ ...this.#words, text });

  readonly setPasted = (pasted: string): void => this.#change({ ...this.#words, pasted });

  /** Moves the pasted text into the composer, before its text. */
  readonly insertPasted = (): void => {
    const { text, pasted } = this.#words;
    this.#change({ text: inParagraphs(pasted, text), pasted: "" });
  };

  /** Adds a phrase after the composer's text. */
  readonly append = (phrase: string): void => {
    const { text } = this.#words;
    this.setText(`${text}${/\S$/u.test(text) ? " " : ""}${phrase}`);
  };

  /** Returns all words and leaves none. */
  take(): DraftWords {
    const words = this.#words;
    this.#change(none);
    return words;
  }

  /** Inserts texts before the words typed since. */
  putBack(texts: readonly string[]): void {
    this.setText(inParagraphs(...texts, this.#words.text));
  }

  /** Reads the stored words again: another tab may have changed them. */
  reload(): void {
    if (this.#kept === null) return;
    this.#change({ text: this.#kept.draft.get(), pasted: this.#kept.pasted.get() });
  }

  /** Restores the message that an earlier page was sending when it closed. */
  takeUnsent(): void {
    if (this.#kept === null) return;
    takeUnsent(this.#kept);
    this.reload();
  }

  #change(words: DraftWords): void {
    const { text, pasted } = this.#words;
    if (words.text !== text) this.#kept?.draft.set(words.text);
    if (words.pasted !== pasted) this.#kept?.pasted.set(words.pasted);
    if (words.text === text && words.pasted === pasted) return;
    this.#words = words;
    for (const listener of this.#listeners) listener();
  }
}
