import type { Fragment } from "./fragment.ts";

/**
 * Receives the contents of a reply as they are found. Pieces of text are frequent, so they come without an object each.
 */
export interface FragmentSink {
  said(type: "text" | "reasoning", text: string, start: number, end: number): void;
  /** Receives a piece of the open value. */
  valued(call: number, name: string, text: string, start: number, end: number): void;
  /** Receives any other fragment. */
  found(fragment: Fragment): void;
}

const nothing: readonly Fragment[] = [];

/** Collects fragments. */
export class FragmentList implements FragmentSink {
  #fragments: Fragment[] | null = null;

  /** Returns the fragments since the last call. */
  take(): readonly Fragment[] {
    const fragments = this.#fragments;
    this.#fragments = null;
    return fragments ?? nothing;
  }

  said(type: "text" | "reasoning", text: string, start: number, end: number): void {
    this.found({ type, text, start, end });
  }

  valued(call: number, name: string, text: string, start: number, end: number): void {
    this.found({ type: "parameter", call, name, text, start, end });
  }

  found(fragment: Fragment): void {
    if (this.#fragments === null) this.#fragments = [fragment];
    else this.#fragments.push(fragment);
  }
}
