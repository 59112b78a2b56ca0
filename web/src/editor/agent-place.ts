import type { EditorView } from "@codemirror/view";
import type { Actor } from "../../../src/core/base/actor.ts";
import type { TextChange } from "../../../src/core/text/types.ts";

/** The place where an agent writes out of the reader's view. */
export interface WritesElsewhere {
  readonly actor: Actor;
  readonly side: "above" | "below";
}

/** Time that an agent's last place is shown as a hint. Milliseconds. */
const keptMs = 8_000;

/** Tracks where an agent wrote last, and reports when the place is out of view. Offsets are the replica's. */
export class AgentPlace {
  readonly #report: (elsewhere: WritesElsewhere | null) => void;
  #place: { readonly actor: Actor; readonly at: number } | null = null;
  #reported: WritesElsewhere | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(report: (elsewhere: WritesElsewhere | null) => void) {
    this.#report = report;
  }

  get at(): number | null {
    return this.#place?.at ?? null;
  }

  wrote(actor: Actor, at: number): void {
    this.#place = { actor, at };
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.forget(), keptMs);
  }

  /** Moves the place with a change of someone else. */
  carry(changes: readonly TextChange[]): void {
    if (this.#place !== null) this.#place = { ...this.#place, at: carriedOffset(this.#place.at, changes) };
  }

  forget(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#place = null;
    this.#say(null);
  }

  /**
   * Checks at the editor's next measurement whether the place is in view. The editor must show the replica's current text.
   */
  look(view: EditorView): void {
    if (this.#place === null) return;
    view.requestMeasure({
      key: this,
      read: () => (this.#place === null ? null : sideOf(view, Math.min(this.#place.at, view.state.doc.length))),
      write: (side) => this.#say(this.#place === null || side === null ? null : { actor: this.#place.actor, side }),
    });
  }

  #say(elsewhere: WritesElsewhere | null): void {
    if (elsewhere?.side === this.#reported?.side && elsewhere?.actor.id === this.#reported?.actor.id) return;
    this.#reported = elsewhere;
    this.#report(elsewhere);
  }
}

/** Returns the side of the window on which an offset is; null when it is in view. */
function sideOf(view: EditorView, offset: number): WritesElsewhere["side"] | null {
  const frame = view.scrollDOM.getBoundingClientRect();
  const block = view.lineBlockAt(offset);
  const drawn = view.coordsAtPos(offset);
  const top = drawn?.top ?? view.documentTop + block.top;
  const bottom = drawn?.bottom ?? view.documentTop + block.bottom;
  if (bottom <= frame.top) return "above";
  return top >= frame.bottom ? "below" : null;
}

/** Returns an offset after changes, whose offsets are all in the text before them. */
export function carriedOffset(offset: number, changes: readonly TextChange[]): number {
  let moved = offset;
  for (const { from, to, insert } of changes) {
    if (from >= offset) continue;
    moved += insert.length - (Math.min(to, offset) - from);
  }
  return moved;
}
