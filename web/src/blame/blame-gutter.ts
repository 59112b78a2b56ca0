import { type Extension, RangeSet, RangeSetBuilder } from "@codemirror/state";
import { type EditorView, gutter, GutterMarker, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import type { TextReplica } from "../../../src/client/base/types.ts";
import type { OpId } from "../../../src/core/text/types.ts";
import { initials, type AuthorHues } from "../view/words/author-hue.ts";
import { refreshMarks } from "./author-marks.ts";
import { lineAuthors, spansWithin, type LineAuthors } from "./line-authors.ts";

export interface BlameSource {
  readonly replica: TextReplica;
  readonly hues: AuthorHues;
  /** Whether the editor shows the replica's current text; blame uses the replica's offsets. */
  readonly current: () => boolean;
  /** Returns an explanation of a hovered line's mark, when known. `near`: units of the visible lines. */
  readonly explain: (authors: LineAuthors, near: readonly OpId[]) => Promise<string>;
  /** Called when a line's mark is pressed. `line` counts from 1. */
  readonly pressed: (authors: LineAuthors, line: number) => void;
}

/** A bar beside each line in the colour of its main author, with initials where the author changes. */
export function blameGutter(source: BlameSource): Extension {
  const plugin = ViewPlugin.fromClass(
    class {
      marks: RangeSet<GutterMarker>;
      constructor(view: EditorView) {
        this.marks = source.current() ? readMarks(view, source) : RangeSet.empty;
      }
      update(update: ViewUpdate): void {
        const asked = update.transactions.some(({ effects }) => effects.some((effect) => effect.is(refreshMarks)));
        if (!update.docChanged && !update.viewportChanged && !asked) return;
        this.marks = source.current() ? readMarks(update.view, source) : this.marks.map(update.changes);
      }
    },
  );
  return [
    plugin,
    gutter({
      class: "cm-blame",
      markers: (view) => view.plugin(plugin)?.marks ?? RangeSet.empty,
      initialSpacer: () => new LineMark({ initials: "MM", className: "" }, null),
      domEventHandlers: {
        mouseover: (view, { from }, event) => {
          const cell = event.target instanceof Element ? event.target.closest(".cm-gutterElement") : null;
          const authors = authorsAt(view, from, source);
          if (authors === null || !(cell instanceof HTMLElement)) return false;
          cell.title = [authors.main, ...authors.others].map(({ name }) => name).join(", ");
          void source.explain(authors, unitsInView(view, source.replica)).then((words) => {
            cell.title = words;
          });
          return false;
        },
        click: (view, { from }) => {
          const authors = authorsAt(view, from, source);
          if (authors !== null) source.pressed(authors, view.state.doc.lineAt(from).number);
          return authors !== null;
        },
      },
    }),
  ];
}

/** Returns a unit of each visible stretch: a reader who looks at one line soon looks at the next. */
function unitsInView(view: EditorView, replica: TextReplica): readonly OpId[] {
  const end = replica.length;
  return view.visibleRanges.flatMap(({ from, to }) =>
    replica.blame(Math.min(from, end), Math.min(to, end)).map(({ id }) => id),
  );
}

/**
 * Returns the authors of the line at an offset; null while the editor is behind the replica, and for lines without an
 * author.
 */
export function authorsAt(
  view: EditorView,
  offset: number,
  source: Pick<BlameSource, "replica" | "current">,
): LineAuthors | null {
  if (!source.current()) return null;
  const line = view.state.doc.lineAt(offset);
  const end = Math.min(line.length === 0 ? line.to + 1 : line.to, source.replica.length);
  return lineAuthors(source.replica.blame(line.from, end), (replica) => source.replica.actorOf(replica));
}

interface LineLook {
  readonly initials: string;
  readonly className: string;
}

class LineMark extends GutterMarker {
  readonly #look: LineLook;
  readonly #authors: LineAuthors | null;
  override readonly elementClass: string;

  constructor(look: LineLook, authors: LineAuthors | null) {
    super();
    this.#look = look;
    this.#authors = authors;
    this.elementClass = look.className;
  }

  override eq(other: LineMark): boolean {
    return (
      other.#look.initials === this.#look.initials &&
      other.#look.className === this.#look.className &&
      other.#authors?.main.id === this.#authors?.main.id
    );
  }

  override toDOM(): Node {
    return document.createTextNode(this.#look.initials);
  }
}

function readMarks(view: EditorView, { replica, hues }: BlameSource): RangeSet<GutterMarker> {
  const builder = new RangeSetBuilder<GutterMarker>();
  const { doc } = view.state;
  const end = replica.length;
  let above: string | null = null;
  for (const { from, to } of view.visibleRanges) {
    const spans = replica.blame(Math.min(from, end), Math.min(to + 1, end));
    for (let at = from; at <= to;) {
      const line = doc.lineAt(at);
      // An empty line belongs to the author of its line break.
      const lineEnd = line.length === 0 ? line.to + 1 : line.to;
      const authors = lineAuthors(spansWithin(spans, line.from, lineEnd), (id) => replica.actorOf(id));
      if (authors !== null) {
        const { main, others } = authors;
        const begins = line.length > 0 && main.id !== above;
        const mixed = others.length > 0 ? " blame-mixed" : "";
        const className = `blame-line blame-${main.type}${mixed} hue-${hues.hueOf(main.id)}`;
        builder.add(
          line.from,
          line.from,
          new LineMark({ initials: begins ? initials(main.name) : "", className }, authors),
        );
      }
      if (line.length > 0) above = authors?.main.id ?? null;
      at = line.to + 1;
    }
  }
  return builder.finish();
}
