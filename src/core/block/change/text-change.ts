import { isHighSurrogate, isLowSurrogate } from "../../text/surrogates.ts";
import type { TextChange } from "../../text/types.ts";

/**
 * Applies changes to the text they refer to. Changes are sorted by `from` and do not overlap; offsets are UTF-16 units of
 * the original text.
 */
export function applyChanges(text: string, changes: readonly TextChange[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const change of changes) {
    parts.push(text.slice(at, change.from), change.insert);
    at = change.to;
  }
  parts.push(text.slice(at));
  return parts.join("");
}

/**
 * Trims a change by the equal text at its ends, so that others' edits there survive and authors remain known; undefined when
 * nothing is left. Never cuts a surrogate pair.
 */
export function trimChange(text: string, change: TextChange): TextChange | undefined {
  const { insert } = change;
  let { from, to } = change;
  let start = 0;
  while (from < to && start < insert.length && text.charCodeAt(from) === insert.charCodeAt(start)) {
    from += 1;
    start += 1;
  }
  if (start > 0 && isHighSurrogate(insert.charCodeAt(start - 1))) {
    from -= 1;
    start -= 1;
  }
  let end = insert.length;
  while (from < to && start < end && text.charCodeAt(to - 1) === insert.charCodeAt(end - 1)) {
    to -= 1;
    end -= 1;
  }
  if (end < insert.length && isLowSurrogate(insert.charCodeAt(end))) {
    to += 1;
    end += 1;
  }
  return from === to && start === end ? undefined : { from, to, insert: insert.slice(start, end) };
}

/** Whether changes are in order, do not overlap, lie within a text, and cut no character in two. */
export function areWithin(text: string, changes: readonly TextChange[]): boolean {
  let last = 0;
  for (const { from, to, insert } of changes) {
    if (from < last || to < from || to > text.length || !insert.isWellFormed()) return false;
    if (splitsCharacter(text, from) || splitsCharacter(text, to)) return false;
    last = to;
  }
  return true;
}

/** Whether an offset is inside a surrogate pair. */
export function splitsCharacter(text: string, offset: number): boolean {
  return (
    offset > 0 &&
    offset < text.length &&
    isHighSurrogate(text.charCodeAt(offset - 1)) &&
    isLowSurrogate(text.charCodeAt(offset))
  );
}
