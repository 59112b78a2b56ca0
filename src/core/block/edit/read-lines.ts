import { refusal, type Refusal } from "../../base/errors.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { formatAnchor, type LineBase } from "./anchor.ts";
import { lineOf, lineOffset, textLines } from "../change/text-lines.ts";

/** The prefix of each line, before an arrow: none, its number, or its anchor. */
export type LinePrefix = "none" | "number" | "anchor";

/** Lines of a text, as a model reads them. */
export interface LineListing {
  /** The lines joined by `\n`, without carriage returns and without a final newline; exactly as stored when `raw`. */
  readonly content: string;
  /** The range of these lines: 0-based, exclusive end, within the text. */
  readonly start: number;
  readonly end: number;
  readonly lineCount: number;
}

/**
 * Lists lines [start, end), 0-based, or all of them; an end after the text means its end. `base` is the number of the first
 * line in prefixes.
 */
export function listLines(
  text: string,
  range: { readonly start: number; readonly end: number } | undefined,
  format: { readonly prefix: LinePrefix | "raw"; readonly base: LineBase },
): Result<LineListing, Refusal> {
  const all = textLines(text);
  const lineCount = all.starts.length;
  const { start, end } = range ?? { start: 0, end: lineCount };
  if (end < start) {
    return err(
      refusal("INVALID_PARAMS", { path: "range.end", expected: "at least range.start; it is exclusive", start, end }),
    );
  }
  // Counted from 0, the line after the last one is a place to insert; counted from 1, only an empty text may be read there.
  const startMax = format.base === 0 ? lineCount : Math.max(0, lineCount - 1);
  if (start > startMax) {
    return err(refusal("LINE_OUT_OF_RANGE", { requested: start + format.base, max: startMax + format.base }));
  }
  const last = Math.min(end, lineCount);
  if (format.prefix === "raw") {
    const content = text.slice(lineOffset(all, start), lineOffset(all, last));
    return ok({ content, start, end: last, lineCount });
  }
  const lines: string[] = [];
  for (let index = start; index < last; index += 1) {
    lines.push(prefixed(lineOf(all, index).text, index + format.base, format.prefix));
  }
  return ok({ content: lines.join("\n"), start, end: last, lineCount });
}

function prefixed(line: string, number: number, prefix: LinePrefix): string {
  switch (prefix) {
    case "none":
      return line;
    case "number":
      return `${number}→${line}`;
    case "anchor":
      return `${formatAnchor(number, line)}→${line}`;
  }
}
