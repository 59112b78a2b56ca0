import type { EditorView } from "@codemirror/view";
import type { Actor } from "../../../src/core/base/actor.ts";
import type { TextChange } from "../../../src/core/text/types.ts";

/** Where an agent writes while that is out of the reader's sight. */
export interface WritesElsewhere {
  readonly actor: Actor;
  readonly side: "above" | "below";
}

/** How long the place of a last stroke is worth a hint. Milliseconds. */
const keptMs = 8_000;

/** Remembers where an agent wrote last, and tells when the reader cannot see it. Offsets count as the replica does. */
export class AgentPlace {
  readonly #tell: (elsewhere: WritesElsewhere | null) => void;
  #place: { readonly actor: Actor; readonly at: number } | null = null;
  #told: WritesElsewhere | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(tell: (elsewhere: WritesElsewhere | null) => void) {
    this.#tell = tell;
  }

  get at(): number | null {
    return this.#place?.at ?? null;
  }

  wrote(actor: Actor, at: number): void {
    this.#place = { actor, at };
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.forget(), keptMs);
  }

  /** Somebody else changed the text; the place moves along. */
  carry(changes: readonly TextChange[]): void {
    if (this.#place !== null) this.#place = { ...this.#place, at: carriedOffset(this.#place.at, changes) };
  }

  forget(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#place = null;
    this.#say(null);
  }

  /** Looks whether the place is in sight, when the editor next measures. The editor shows all that the replica has. */
  look(view: EditorView): void {
    if (this.#place === null) return;
    view.requestMeasure({
      key: this,
      read: () => (this.#place === null ? null : sideOf(view, Math.min(this.#place.at, view.state.doc.length))),
      write: (side) => this.#say(this.#place === null || side === null ? null : { actor: this.#place.actor, side }),
    });
  }

  #say(elsewhere: WritesElsewhere | null): void {
    if (elsewhere?.side === this.#told?.side && elsewhere?.actor.id === this.#told?.actor.id) return;
    this.#told = elsewhere;
    this.#tell(elsewhere);
  }
}

/** On which side of the window an offset is; null when it is in sight. */
function sideOf(view: EditorView, offset: number): WritesElsewhere["side"] | null {
  const frame = view.scrollDOM.getBoundingClientRect();
  const block = view.lineBlockAt(offset);
  const drawn = view.coordsAtPos(offset);
  const top = drawn?.top ?? view.documentTop + block.top;
  const bottom = drawn?.bottom ?? view.documentTop + block.bottom;
  if (bottom <= frame.top) return "above";
  return top >= frame.bottom ? "below" : null;
}

/** Where an offset is after changes; theirs are in the text before all of them. */
export function carriedOffset(offset: number, changes: readonly TextChange[]): number {
  let moved = offset;
  for (const { from, to, insert } of changes) {
    if (from >= offset) continue;
    moved += insert.length - (Math.min(to, offset) - from);
  }
  return moved;
}
