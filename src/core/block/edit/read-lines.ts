import { refusal, type Refusal } from "../../base/errors.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { formatAnchor, type LineBase } from "./anchor.ts";
import { lineOf, textLines } from "../change/text-lines.ts";

/** The prefix of each line, before an arrow: none, its number, or its anchor. */
export type LinePrefix = "none" | "number" | "anchor";

/** Lines of a text, as a model reads them. */
export interface LineListing {
  /** The lines joined by `\n`, without carriage returns and without a final newline. */
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
  format: { readonly prefix: LinePrefix; readonly base: LineBase },
): Result<LineListing, Refusal> {
  const all = textLines(text);
  const lineCount = all.starts.length;
  const { start, end } = range ?? { start: 0, end: lineCount };
  if (end < start) {
    return err(
      refusal("INVALID_PARAMS", { path: "range.end", expected: "at least range.start; it is exclusive", start, end }),
    );
  }
  if (start > lineCount) return err(refusal("LINE_OUT_OF_RANGE", { requested: start, max: lineCount }));
  const lines: string[] = [];
  const last = Math.min(end, lineCount);
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
