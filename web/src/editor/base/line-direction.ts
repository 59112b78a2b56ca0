import { type Extension, RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

const ownDirection = Decoration.line({ attributes: { dir: "auto" } });

/** Right-to-left letters: Hebrew, Arabic and related scripts, also outside the basic plane. */
const fromTheRight = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Returns whether a line may run from right to left; the browser then decides by its first letter. */
export function mayRunFromTheRight(line: string): boolean {
  return fromTheRight.test(line);
}

/** Sets the text direction of each line. Only lines that need it are marked, so that others cost nothing. */
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

/** Part of a line that is examined, because its first letter decides the direction. UTF-16 units. */
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
