import { refusal, type Refusal } from "../../base/errors.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { isHighSurrogate, isLowSurrogate } from "../../text/surrogates.ts";
import type { TextChange } from "../../text/types.ts";
import { splitsCharacter, trimChange } from "../change/text-change.ts";

/** The unit of an offset: UTF-8 bytes, UTF-16 units, or code points. */
export type OffsetUnit = "utf8" | "utf16" | "codepoint";

/**
 * Replaces `delete_count` units from `offset` by `insert`. Both count from 0 in `unit`; default: UTF-8 bytes. They count the
 * stored text: a `\r\n` is two units. With `expected_text`, the replaced text must be exactly that.
 */
export interface Splice {
  readonly offset: number;
  readonly delete_count: number;
  readonly insert?: string | undefined;
  readonly unit?: OffsetUnit | undefined;
  readonly expected_text?: string | undefined;
}

/**
 * Plans an edit by offset. Returns no changes when the text would stay the same. Refuses with OFFSET_OUT_OF_RANGE when an
 * end is past the text, inside a character or between a `\r` and its `\n`, and with CONTENT_MISMATCH when the replaced text
 * is not the expected one.
 */
export function planSplice(text: string, splice: Splice): Result<readonly TextChange[], Refusal> {
  const unit = splice.unit ?? "utf8";
  const from = utf16Offset(text, splice.offset, unit);
  if (from === undefined) return err(outOfRange(text, splice.offset, unit));
  const end = splice.offset + splice.delete_count;
  const to = utf16Offset(text, end, unit);
  if (to === undefined || to < from) return err(outOfRange(text, end, unit));
  if (splitsLineEnd(text, from)) return err(insideLineEnd(splice.offset, unit));
  // Deleting a carriage return alone is how a program changes a line end.
  if (splitsLineEnd(text, to) && to - from !== 1) return err(insideLineEnd(end, unit));
  const { expected_text: expected } = splice;
  const actual = text.slice(from, to);
  if (expected !== undefined && expected !== actual) {
    return err(refusal("CONTENT_MISMATCH", { expected, actual, offset: splice.offset }));
  }
  const change = trimChange(text, { from, to, insert: splice.insert ?? "" });
  return ok(change === undefined ? [] : [change]);
}

/** Converts an offset to UTF-16; undefined past the end of the text or inside a character. */
export function utf16Offset(text: string, offset: number, unit: OffsetUnit): number | undefined {
  if (!Number.isSafeInteger(offset) || offset < 0) return undefined;
  if (unit === "utf16") return offset > text.length || splitsCharacter(text, offset) ? undefined : offset;
  let counted = 0;
  for (let at = 0; at < text.length;) {
    if (counted >= offset) return counted === offset ? at : undefined;
    const length = characterLength(text, at);
    counted += unit === "codepoint" ? 1 : utf8Bytes(text, at, length);
    at += length;
  }
  return counted === offset ? text.length : undefined;
}

/** Returns the text's length in a unit. */
export function lengthIn(text: string, unit: OffsetUnit): number {
  if (unit === "utf16") return text.length;
  let counted = 0;
  for (let at = 0; at < text.length;) {
    const length = characterLength(text, at);
    counted += unit === "codepoint" ? 1 : utf8Bytes(text, at, length);
    at += length;
  }
  return counted;
}

function characterLength(text: string, at: number): number {
  return isHighSurrogate(text.charCodeAt(at)) && isLowSurrogate(text.charCodeAt(at + 1)) ? 2 : 1;
}

function utf8Bytes(text: string, at: number, length: number): number {
  if (length === 2) return 4;
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return 1;
  return unit < 0x800 ? 2 : 3;
}

/** Whether an offset is between the two halves of a `\r\n`: an edit there would leave half of a line end. */
function splitsLineEnd(text: string, at: number): boolean {
  return at > 0 && text[at - 1] === "\r" && text[at] === "\n";
}

function insideLineEnd(requested: number, unit: OffsetUnit): Refusal {
  return refusal(
    "OFFSET_OUT_OF_RANGE",
    { requested, unit, inside: "\\r\\n" },
    "The offset is inside a line end of two characters (\\r\\n). Nothing was changed. Offsets count the stored text: read it with raw and count again.",
  );
}

function outOfRange(text: string, requested: number, unit: OffsetUnit): Refusal {
  return refusal("OFFSET_OUT_OF_RANGE", { requested, max: lengthIn(text, unit), unit });
}
