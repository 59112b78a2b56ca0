import { type EditorState, type Extension, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import type { HunkId } from "../../../src/core/base/ids.ts";
import { type DiffLine, readDiff } from "../diff/diff-rows.ts";
import { shortName } from "../view/words/words.ts";
import { hunkDiff, type ReviewItem } from "./review-items.ts";
import { conflictWords, placeWords, proposalWords, reasonWords } from "./review-words.ts";

/** The reader's actions on a hunk in the text. */
export type ReviewAct =
  | { readonly type: "keep" | "reject" | "look"; readonly hunkId: HunkId }
  | { readonly type: "copy"; readonly text: string };

export interface ShownReview {
  readonly items: readonly ReviewItem[];
  readonly currentId: HunkId | null;
}

export const showReview = StateEffect.define<ShownReview>();

/** Draws hunks in the text: the lines to remove, and after them the new lines with the two buttons. */
export function suggestionMarks(ports: {
  readonly hueOf: (authorId: string) => number;
  readonly act: (act: ReviewAct) => void;
}): Extension {
  return StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(before, transaction) {
      let marks = transaction.docChanged ? before.map(transaction.changes) : before;
      for (const effect of transaction.effects) {
        if (effect.is(showReview)) marks = drawn(transaction.state, effect.value, ports);
      }
      return marks;
    },
    provide: (marks) => EditorView.decorations.from(marks),
  });
}

type Ports = Parameters<typeof suggestionMarks>[0];

function drawn({ doc }: EditorState, { items, currentId }: ShownReview, ports: Ports): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  for (const item of items) {
    const { placement } = item;
    const current = item.hunk.id === currentId;
    const widget = new HunkWidget(item, current, ports);
    const { startLine, endLine } = placement;
    if (placement.type === "applies") {
      const removed = linesOf(item).filter(({ type }) => type === "removed");
      for (let index = startLine; index < endLine && index < doc.lines; index += 1) {
        const line = doc.line(index + 1);
        ranges.push(
          Decoration.line({ class: current ? "suggest-old suggest-current" : "suggest-old" }).range(line.from),
        );
        let at = line.from;
        for (const { text, changed } of removed[index - startLine]?.pieces ?? []) {
          const end = Math.min(at + text.length, line.to);
          if (changed && end > at) ranges.push(Decoration.mark({ class: "suggest-gone" }).range(at, end));
          at = end;
        }
      }
    }
    ranges.push(placed(widget, doc, endLine > startLine ? endLine : startLine, endLine > startLine));
  }
  return Decoration.set(ranges, true);
}

/** Places a widget after a line, or before the following line when there is none. */
function placed(widget: HunkWidget, doc: EditorState["doc"], lineNumber: number, behind: boolean): Range<Decoration> {
  if (behind || lineNumber >= doc.lines) {
    const line = doc.line(Math.max(1, Math.min(lineNumber, doc.lines)));
    return Decoration.widget({ widget, block: true, side: 1 }).range(line.to);
  }
  return Decoration.widget({ widget, block: true, side: -1 }).range(doc.line(lineNumber + 1).from);
}

function linesOf({ hunk }: ReviewItem): readonly DiffLine[] {
  return readDiff(hunkDiff({ ...hunk, contextBefore: "", contextAfter: "" })).flatMap(({ lines }) => lines);
}

/** Maximum number of lines shown of a hunk; the list shows the rest. */
const linesShown = 200;

class HunkWidget extends WidgetType {
  readonly #item: ReviewItem;
  readonly #current: boolean;
  readonly #ports: Ports;

  constructor(item: ReviewItem, current: boolean, ports: Ports) {
    super();
    this.#item = item;
    this.#current = current;
    this.#ports = ports;
  }

  override eq(other: HunkWidget): boolean {
    return (
      other.#item.hunk.id === this.#item.hunk.id &&
      other.#item.placement.type === this.#item.placement.type &&
      other.#current === this.#current
    );
  }

  override get estimatedHeight(): number {
    return 48 + 26 * Math.min(linesShown, this.#item.hunk.newText.split("\n").length);
  }

  override toDOM(): HTMLElement {
    const { hunk, suggestion, placement } = this.#item;
    const { act, hueOf } = this.#ports;
    const conflict = placement.type === "conflict";
    // Uses padding, because margins do not count in a line's height.
    const frame = element("div", "suggest-frame");
    frame.contentEditable = "false";
    const box = element("div", `suggest hue-${hueOf(suggestion.author.id)}${this.#current ? " suggest-current" : ""}`);
    box.dataset["hunk"] = hunk.id;
    box.dataset["placement"] = placement.type;
    frame.append(box);
    box.addEventListener("mousedown", (event) => {
      if (!(event.target instanceof HTMLButtonElement)) act({ type: "look", hunkId: hunk.id });
    });
    const head = element("div", "suggest-head");
    const name = shortName(suggestion.author.name);
    head.append(element("span", "suggest-by", conflict ? `${name} suggested, in conflict` : `${name} suggests`));
    const reason = reasonWords(this.#item);
    if (reason !== null) head.append(element("span", "suggest-why", reason));
    const buttons = element("span", "suggest-buttons");
    const where = placeWords(this.#item);
    if (conflict) {
      const copy = (): void => act({ type: "copy", text: hunk.newText });
      if (hunk.newText !== "") buttons.append(button("Copy text", `Copy the suggested text: ${where}`, copy));
    } else {
      const keep = (): void => act({ type: "keep", hunkId: hunk.id });
      buttons.append(button("Keep", `Keep the suggestion: ${where}`, keep, "suggest-keep"));
    }
    const reject = (): void => act({ type: "reject", hunkId: hunk.id });
    buttons.append(button("Reject", `Reject the suggestion: ${where}`, reject));
    head.append(buttons);
    box.append(head);
    if (conflict) box.append(element("p", "suggest-help", conflictWords));
    const proposed = proposalWords(this.#item);
    if (proposed !== null) {
      box.append(element("p", "suggest-help", proposed));
      return frame;
    }
    const lines = linesOf(this.#item).filter(({ type }) => conflict || type === "added");
    if (lines.length === 0) box.append(element("p", "suggest-help", "These lines would be deleted."));
    for (const line of lines.slice(0, linesShown)) box.append(shownLine(line));
    const more = lines.length - linesShown;
    if (more > 0) box.append(element("p", "suggest-help", `${more} more lines. The list below shows all of them.`));
    return frame;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

function shownLine({ type, pieces }: DiffLine): HTMLElement {
  const row = element("div", `suggest-line suggest-${type}`);
  for (const { text, changed } of pieces) row.append(changed ? element("mark", "", text) : text);
  // Gives an empty line a height.
  if (pieces.every(({ text }) => text === "")) row.append("\u200b");
  return row;
}

function button(label: string, name: string, run: () => void, className = ""): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.setAttribute("aria-label", name);
  made.title = name;
  made.className = `suggest-button ${className}`.trim();
  made.addEventListener("click", run);
  return made;
}

function element(tag: string, className: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  if (text !== "") made.textContent = text;
  return made;
}
