import { ChangeSet, type Text } from "@codemirror/state";
import type { TextChange } from "../../../../src/core/text/types.ts";

/** Converts an editor's change for the replica: sorted, not overlapping, against the text before. */
export function textChanges(changes: ChangeSet): readonly TextChange[] {
  const list: TextChange[] = [];
  changes.iterChanges((from, to, _fromAfter, _toAfter, inserted) => {
    list.push({ from, to, insert: inserted.toString() });
  });
  return list;
}

/** Converts the replica's change for the editor. `length` is that of the text before. */
export function changeSet(changes: readonly TextChange[], length: number): ChangeSet {
  return ChangeSet.of(
    changes.map(({ from, to, insert }) => ({ from, to, insert })),
    length,
    "\n",
  );
}

/**
 * Transforms two concurrent changes of one text past each other: the local change as it applies after the remote one, and
 * the other way round. Both orders give the same text; at equal positions the local insertion comes first.
 */
export function carriedPast(
  typed: ChangeSet,
  came: ChangeSet,
): { readonly typed: ChangeSet; readonly came: ChangeSet } {
  return { typed: typed.map(came, true), came: came.map(typed, false) };
}

/**
 * Returns the change extended to whole characters, or null when it already is: a browser that replaces one emoji with
 * another may report only the half that differs. Typed or pasted half characters become the replacement character.
 */
export function betweenCharacters(changes: ChangeSet, before: Text): ChangeSet | null {
  let fixed = false;
  const list = textChanges(changes).map(({ from, to, insert }) => {
    const head = splitsPair(before, from) ? before.sliceString(from - 1, from) : "";
    const tail = splitsPair(before, to) ? before.sliceString(to, to + 1) : "";
    const whole = (head + insert + tail).toWellFormed();
    if (head !== "" || tail !== "" || whole !== insert) fixed = true;
    return { from: from - head.length, to: to + tail.length, insert: whole };
  });
  return fixed ? changeSet(list, changes.length) : null;
}

function splitsPair(text: Text, offset: number): boolean {
  if (offset <= 0 || offset >= text.length) return false;
  return /[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.sliceString(offset - 1, offset + 1));
}

/**
 * Returns what Enter inserts after a list line: the next mark. "" after an empty item, which ends the list; null elsewhere.
 */
export function listContinuation(line: string): string | null {
  const item = /^(\s*(?:>\s*)*)([-*+]|\d{1,9}[.)])(\s+)(\[[ xX]\]\s+)?(.*)$/u.exec(line);
  if (item === null) return null;
  const [, indent = "", mark = "", space = "", box, words = ""] = item;
  if (words.trim() === "") return "";
  const number = Number.parseInt(mark, 10);
  const next = Number.isNaN(number) ? mark : `${number + 1}${mark.at(-1) ?? "."}`;
  return `${indent}${next}${space}${box === undefined ? "" : "[ ] "}`;
}
