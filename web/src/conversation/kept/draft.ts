import type { Observable } from "../../../../src/client/types.ts";
import { inParagraphs, type KeptView, takeUnsent } from "./kept-view.ts";

/** Words that are not sent yet. */
export interface DraftWords {
  /** What stands in the composer. */
  readonly text: string;
  /** A long text that was pasted; it is sent before `text`, as a message of its own. "" for none. */
  readonly pasted: string;
}

const none: DraftWords = { text: "", pasted: "" };

/**
 * The unsent words of one conversation. They are stored with each change, so that they survive a reload. Nobody but the
 * composer subscribes: typing renders nothing else.
 */
export class Draft implements Observable<DraftWords> {
  readonly #kept: Pick<KeptView, "draft" | "pasted" | "outgoing"> | null;
  readonly #listeners = new Set<() => void>();
  #words: DraftWords = none;

  /** `kept` is null where no conversation is open: the words then last as long as the page. */
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

  /** Moves the pasted text into the composer, before what stands there. */
  readonly insertPasted = (): void => {
    const { text, pasted } = this.#words;
    this.#change({ text: inParagraphs(pasted, text), pasted: "" });
  };

  /** Adds a phrase behind what stands in the composer. */
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

  /** Puts texts in front of what has been typed since. */
  putBack(texts: readonly string[]): void {
    this.setText(inParagraphs(...texts, this.#words.text));
  }

  /** Reads the stored words again: another tab may have changed them. */
  reload(): void {
    if (this.#kept === null) return;
    this.#change({ text: this.#kept.draft.get(), pasted: this.#kept.pasted.get() });
  }

  /** Takes over what the last page was sending when it ended. */
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
