import { ChangeSet, type Text } from "@codemirror/state";
import type { TextChange } from "../../../src/core/text/types.ts";

/** An editor's change as the replica takes it: sorted, not overlapping, against the text before. */
export function textChanges(changes: ChangeSet): readonly TextChange[] {
  const list: TextChange[] = [];
  changes.iterChanges((from, to, _fromAfter, _toAfter, inserted) => {
    list.push({ from, to, insert: inserted.toString() });
  });
  return list;
}

/** The replica's change as the editor takes it. `length` is that of the text before. */
export function changeSet(changes: readonly TextChange[], length: number): ChangeSet {
  return ChangeSet.of(
    changes.map(({ from, to, insert }) => ({ from, to, insert })),
    length,
    "\n",
  );
}

/**
 * Two changes of one text that do not know each other, carried past one another: what was typed here as it reads after
 * what came from elsewhere, and the other way round. Both ways end in the same text; at one place, what was typed here
 * stands first.
 */
export function carriedPast(
  typed: ChangeSet,
  came: ChangeSet,
): { readonly typed: ChangeSet; readonly came: ChangeSet } {
  return { typed: typed.map(came, true), came: came.map(typed, false) };
}

/**
 * The same change between whole characters, or null when it already is: a browser that replaces one emoji by another may
 * report only the half that differs. Half characters that are typed or pasted become the replacement sign.
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

/** What Enter writes below a line of a list: its mark again, the next number. "" below an empty item, which ends the list; null elsewhere. */
export function listContinuation(line: string): string | null {
  const item = /^(\s*(?:>\s*)*)([-*+]|\d{1,9}[.)])(\s+)(\[[ xX]\]\s+)?(.*)$/u.exec(line);
  if (item === null) return null;
  const [, indent = "", mark = "", space = "", box, words = ""] = item;
  if (words.trim() === "") return "";
  const number = Number.parseInt(mark, 10);
  const next = Number.isNaN(number) ? mark : `${number + 1}${mark.at(-1) ?? "."}`;
  return `${indent}${next}${space}${box === undefined ? "" : "[ ] "}`;
}
