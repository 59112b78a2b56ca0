import { type Extension, RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

const ownDirection = Decoration.line({ attributes: { dir: "auto" } });

/** Letters that are written from the right: Hebrew, Arabic and their neighbours, also outside the basic plane. */
const fromTheRight = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Whether a line may run from right to left; the browser then decides by its first letter. */
export function mayRunFromTheRight(line: string): boolean {
  return fromTheRight.test(line);
}

/** Lets each line run in the direction of its own words. Only lines that need it are marked, so that others cost nothing. */
export const lineDirection: Extension = [
  EditorView.perLineTextDirection.of(true),
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = marked(view);
      }
      update(update: ViewUpdate): void {
        if (update.docChanged || update.viewportChanged) this.decorations = marked(update.view);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  ),
];

/** Of a line only so much is looked at: its direction is that of its first letter. UTF-16 units. */
const lookedAtMax = 1_000;

function marked(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const { doc } = view.state;
  let next = 0;
  for (const { from, to } of view.visibleRanges) {
    for (let at = Math.max(from, next); at <= to; at = next) {
      const line = doc.lineAt(at);
      const beginning = doc.sliceString(line.from, Math.min(line.to, line.from + lookedAtMax));
      if (mayRunFromTheRight(beginning)) builder.add(line.from, line.from, ownDirection);
      next = line.to + 1;
    }
  }
  return builder.finish();
}
