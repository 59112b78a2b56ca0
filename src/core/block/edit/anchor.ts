import { must } from "../../base/assert.ts";
import { refusal, type Refusal } from "../../base/errors.ts";
import { lineHash } from "../../base/lines.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { lineOf, type TextLines } from "../change/text-lines.ts";

/** One end of an anchor: a line's number, counted from the tool family's base, and the hash of its text. */
interface LineAnchor {
  readonly line: number;
  readonly hash: string;
}

/** Lines addressed by both number and content; both ends belong to the range. */
interface RangeAnchor {
  readonly first: LineAnchor;
  readonly last: LineAnchor;
}

/** The number of the first line in a tool family. */
export type LineBase = 0 | 1;

/** Writes a line's anchor, as the read tools print it. */
export function formatAnchor(line: number, text: string): string {
  return `${line}:${lineHash(text)}`;
}

/** Parses `N:hash` or `N:hash..M:hash`; undefined for anything else. */
function parseAnchor(anchor: string): RangeAnchor | undefined {
  const match = /^(\d{1,9}):([0-9a-fA-F]{4})(?:\.\.(\d{1,9}):([0-9a-fA-F]{4}))?$/.exec(anchor.trim());
  if (match === null) return undefined;
  const [, line, hash, lastLine, lastHash] = match;
  const first = { line: Number(line), hash: must(hash, "the pattern has it").toLowerCase() };
  if (lastLine === undefined || lastHash === undefined) return { first, last: first };
  return { first, last: { line: Number(lastLine), hash: lastHash.toLowerCase() } };
}

/** Returns the lines that an anchor names, 0-based with an exclusive end, if their text has not changed. */
export function resolveAnchor(
  lines: TextLines,
  anchor: string,
  base: LineBase,
): Result<{ readonly start: number; readonly end: number }, Refusal> {
  const range = parseAnchor(anchor);
  if (range === undefined) {
    return err(refusal("INVALID_PARAMS", { anchor, expected: "N:hash or N:hash..M:hash, as the read tools print it" }));
  }
  const start = range.first.line - base;
  const end = range.last.line - base + 1;
  if (start < 0 || end <= start)
    return err(refusal("INVALID_PARAMS", { anchor, expected: "a first line before the last" }));
  const count = lines.starts.length;
  if (end > count) {
    return err(refusal("LINE_OUT_OF_RANGE", { anchor, requested: end - 1 + base, max: count - 1 + base }));
  }
  for (const wanted of [range.first, range.last]) {
    const actual = lineOf(lines, wanted.line - base).text;
    if (lineHash(actual) === wanted.hash) continue;
    return err(
      refusal("ANCHOR_MISMATCH", {
        anchor,
        line: wanted.line,
        expected: wanted.hash,
        actual: lineHash(actual),
        actual_text: actual,
        found_at: linesWithHash(lines, wanted.hash).map((index) => index + base),
      }),
    );
  }
  return ok({ start, end });
}

/** Returns the lines that have this hash now, at most five: the anchor's line may have moved. */
function linesWithHash(lines: TextLines, hash: string): readonly number[] {
  const found: number[] = [];
  for (let index = 0; index < lines.starts.length && found.length < 5; index += 1) {
    if (lineHash(lineOf(lines, index).text) === hash) found.push(index);
  }
  return found;
}
