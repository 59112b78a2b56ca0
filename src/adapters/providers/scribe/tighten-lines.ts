import { readOutline } from "./outline.ts";
import type { LineChange } from "./patch.ts";
import { tightenProse } from "./tighten.ts";

/** Shortens the prose in some lines of Markdown, counted from 1. Code, tables, headings and tags stay unchanged. */
export function tightenLines(lines: readonly string[]): readonly LineChange[] {
  const changes: LineChange[] = [];
  for (const block of readOutline(lines).blocks) {
    if (block.type === "paragraph") {
      for (const [from, to] of unbroken(lines, block.from, block.to))
        changes.push(...tightenParagraph(lines, from, to));
    } else if (block.type === "list") {
      for (let at = block.from; at <= block.to; at += 1) changes.push(...tightenItem(lines, at));
    }
  }
  return changes;
}

/** The stretches of a paragraph between hard line breaks, which the author set and which stay. */
function unbroken(lines: readonly string[], from: number, to: number): readonly (readonly [number, number])[] {
  const stretches: [number, number][] = [];
  let start = from;
  for (let at = from; at <= to; at += 1) {
    if (at === to || /(?: {2}|\\)$/u.test(lines[at - 1] ?? "")) {
      stretches.push([start, at]);
      start = at + 1;
    }
  }
  return stretches;
}

function tightenParagraph(lines: readonly string[], from: number, to: number): readonly LineChange[] {
  const own = lines.slice(from - 1, to);
  const last = own.at(-1) ?? "";
  const hardBreak = /(?: {2,}|\\)$/u.exec(last)?.[0] ?? "";
  const indent = /^ */u.exec(own[0] ?? "")?.[0] ?? "";
  const prose = own
    .map((line, at) => (at === own.length - 1 ? line.slice(0, line.length - hardBreak.length) : line).trim())
    .join(" ");
  const short = tightenProse(prose);
  if (short === prose) return [];
  const wrapped = own.length === 1 ? [short] : wrap(short, Math.max(...own.map((line) => line.length)));
  const insert = wrapped.map((line, at) => indent + line + (at === wrapped.length - 1 ? hardBreak : ""));
  return [{ from, remove: own.length, insert }];
}

function tightenItem(lines: readonly string[], at: number): readonly LineChange[] {
  const line = lines[at - 1] ?? "";
  const [, marker = "", prose = "", end = ""] =
    /^(\s*(?:(?:[-+*]|\d{1,9}[.)])\s+)?(?:\[[ xX]\]\s+)?)(.*?)(\s*)$/u.exec(line) ?? [];
  const next = lines[at] ?? "";
  const goesOn = next.trim() !== "" && !/^\s*(?:[-+*]|\d{1,9}[.)])\s/u.test(next);
  const continues = marker.trim() === "";
  // An item of several lines is left alone: its sentences would be cut at the line ends.
  if (goesOn || continues || prose === "") return [];
  const short = tightenProse(prose);
  return short === prose ? [] : [{ from: at, remove: 1, insert: [marker + short + end] }];
}

/** Breaks a text into lines of at most `width` units, and never so that a line begins like a list, a heading or a quote. */
function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const fits = line === "" || line.length + 1 + word.length <= width;
    if (fits || /^(?:[-+*>|#=~`]|\d{1,9}[.)]$)/u.test(word)) {
      line = line === "" ? word : `${line} ${word}`;
    } else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}
