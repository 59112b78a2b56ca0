import { assert } from "../base/assert.ts";
import type { EditedText } from "./branch.ts";
import type { TextChange, TextRefusal } from "./types.ts";
import type { Walker } from "./walker.ts";

/** Validates changes against a text, or against the text at a walker's version. */
export function checkChanges(changes: readonly TextChange[], text: EditedText | Walker): TextRefusal | undefined {
  let last = 0;
  for (const change of changes) {
    const refusal = checkChange(change, last, text);
    if (refusal !== undefined) return refusal;
    last = change.to;
  }
  return undefined;
}

/** Validates one change; `last` is the end of the previous one. */
export function checkChange(change: TextChange, last: number, text: EditedText | Walker): TextRefusal | undefined {
  const { from, to, insert } = change;
  assert(from >= last && to >= from, "changes are sorted and do not overlap");
  assert(Number.isInteger(from) && Number.isInteger(to), "changes begin and end at whole units");
  if (to > text.length) return { code: "UPDATE_OUT_OF_RANGE", requested: to, max: text.length };
  if (text.insidePair(from) || !isWhole(insert)) return { code: "TEXT_MALFORMED", at: from };
  if (to > from && text.insidePair(to)) return { code: "TEXT_MALFORMED", at: to };
  return undefined;
}

/** Whether a text contains no lone surrogate; most texts here are one letter. */
function isWhole(text: string): boolean {
  if (text.length !== 1) return text.isWellFormed();
  const unit = text.charCodeAt(0);
  return unit < 0xd800 || unit >= 0xe000;
}
