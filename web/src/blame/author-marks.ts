import { type Extension, type Range, StateEffect } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import type { TextReplica } from "../../../src/client/base/types.ts";
import type { Actor } from "../../../src/core/base/actor.ts";
import type { Settings } from "../browser/settings.ts";
import type { AuthorHues } from "../view/words/author-hue.ts";

/** Requests new marks: the setting changed, or an author became known. */
export const refreshMarks = StateEffect.define();

export interface AuthorSource {
  readonly replica: TextReplica;
  readonly hues: AuthorHues;
  /** Whether the editor shows the replica's current text; blame uses the replica's offsets. */
  readonly current: () => boolean;
  readonly shown: () => Settings["authors"];
  readonly selfId: () => string | null;
}

/** Colours the text of each author within the visible range. */
export function authorMarks(source: AuthorSource): Extension {
  const marksByAuthor = new Map<string, Decoration>();
  const markOf = (actor: Actor): Decoration => {
    const key = `${actor.type} ${actor.id}`;
    const known = marksByAuthor.get(key);
    if (known !== undefined) return known;
    const own = actor.id === source.selfId() ? " by-self" : "";
    const made = Decoration.mark({
      class: `by by-${actor.type}${own} hue-${source.hues.hueOf(actor.id)}`,
      attributes: { title: actor.name },
    });
    marksByAuthor.set(key, made);
    return made;
  };
  const read = (view: EditorView): DecorationSet => {
    if (source.shown() === "hidden") return Decoration.none;
    const ranges: Range<Decoration>[] = [];
    const end = source.replica.length;
    for (const { from, to } of view.visibleRanges) {
      for (const span of source.replica.blame(Math.min(from, end), Math.min(to, end))) {
        const actor = source.replica.actorOf(span.id.replica);
        // Text that Heddle itself wrote has no author.
        if (actor === undefined || actor.type === "system" || span.to <= span.from) continue;
        ranges.push(markOf(actor).range(span.from, span.to));
      }
    }
    return Decoration.set(ranges, true);
  };
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = source.current() ? read(view) : Decoration.none;
      }
      update(update: ViewUpdate): void {
        const asked = update.transactions.some((transaction) =>
          transaction.effects.some((effect) => effect.is(refreshMarks)),
        );
        if (!update.docChanged && !update.viewportChanged && !asked) return;
        this.decorations = source.current() ? read(update.view) : this.decorations.map(update.changes);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}
