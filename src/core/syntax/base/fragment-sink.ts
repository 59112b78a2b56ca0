import type { Fragment } from "./fragment.ts";

/** Takes what a reply holds, as it is found. Pieces of text come often, and so without an object for each. */
export interface FragmentSink {
  said(type: "text" | "reasoning", text: string, start: number, end: number): void;
  /** A piece of the value that is open. */
  valued(call: number, name: string, text: string, start: number, end: number): void;
  /** Anything else. */
  found(fragment: Fragment): void;
}

const nothing: readonly Fragment[] = [];

/** Collects fragments. */
export class FragmentList implements FragmentSink {
  #fragments: Fragment[] | null = null;

  /** Those since it was asked last. */
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
