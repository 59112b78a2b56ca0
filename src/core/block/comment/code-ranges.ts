import type { TextRange } from "../../text/types.ts";

/** Returns the stretches of Markdown that are code, in order: fenced blocks whole, and code within lines. */
export function codeRanges(text: string, fences: readonly TextRange[] = fencesOf(text)): readonly TextRange[] {
  const ranges: TextRange[] = [];
  let at = 0;
  for (const fence of [...fences, { from: text.length, to: text.length }]) {
    ranges.push(...spansOfCode(text, { from: at, to: fence.from }));
    if (fence.to > fence.from) ranges.push(fence);
    at = fence.to;
  }
  return ranges;
}

/**
 * Returns the fenced blocks of a text, from the beginning of the first fence to the end of the last. With `isWhole` a fence
 * that nothing closes is none.
 */
export function fencesOf(text: string, isWhole = false): readonly TextRange[] {
  const fences: TextRange[] = [];
  let open: { readonly from: number; readonly sign: string } | null = null;
  let at = 0;
  for (const line of text.split("\n")) {
    const sign = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (open === null && sign !== undefined) open = { from: at, sign };
    else if (open !== null && sign?.startsWith(open.sign) === true && line.trim() === sign) {
      fences.push({ from: open.from, to: at + line.trimEnd().length });
      open = null;
    }
    at += line.length + 1;
  }
  if (open !== null && !isWhole) fences.push({ from: open.from, to: text.length });
  return fences;
}

/** Code within lines: from a run of backticks to the next run of the same length, in one paragraph. */
function spansOfCode(text: string, { from, to }: TextRange): readonly TextRange[] {
  const spans: TextRange[] = [];
  let paragraph = from;
  for (const part of text.slice(from, to).split(/(\n[^\S\n]*\n)/)) {
    const runs = [...part.matchAll(/(?<!\\)`+/g)];
    for (let index = 0; index < runs.length; index += 1) {
      const run = runs[index];
      const end = runs.findIndex((other, at) => at > index && other[0].length === run?.[0].length);
      const last = runs[end];
      if (run === undefined || last === undefined) continue;
      spans.push({ from: paragraph + run.index, to: paragraph + last.index + last[0].length });
      index = end;
    }
    paragraph += part.length;
  }
  return spans;
}

/** Returns the range that an offset is in the midst of; undefined outside, and at both ends. */
export function rangeAround(ranges: readonly TextRange[], at: number): TextRange | undefined {
  return ranges.find(({ from, to }) => from < at && at < to);
}
