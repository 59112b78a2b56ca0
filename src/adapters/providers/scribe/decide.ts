import { unreachable } from "../../../core/base/assert.ts";
import { shortened } from "../../../core/base/shortened.ts";
import { visibleText } from "../../../core/base/visible-text.ts";
import type { Clause, Part } from "./grammar.ts";
import { scribeHelp } from "./help.ts";
import { type Decision, editDecision } from "./decision.ts";
import { addItem } from "./list-item.ts";
import { findHeading, type Heading, ownTextEnd, sectionEnd } from "./outline.ts";
import type { LineChange } from "./patch.ts";
import { frameProse, paragraphProse, sectionProse } from "./prose.ts";
import { tightenLines } from "./tighten-lines.ts";
import { wordCount } from "./tighten.ts";
import {
  allLines,
  isWhole,
  matchesMax,
  readAll,
  seeHeadings,
  seeLineCount,
  seeLines,
  seeOutline,
  type View,
} from "./view.ts";

/** Decides the next step for one clause, given what has been seen. Pure: the same view gives the same decision. */
export function decide(clause: Clause, view: View): Decision {
  switch (clause.type) {
    case "add-section":
      return addSection(clause, view);
    case "add-frame":
      return addFrame(clause.title, view);
    case "add-paragraph":
      return addParagraph(clause, view);
    case "add-item":
      return addItem(clause, view);
    case "tighten":
      return tighten(clause.part, view);
    case "rename":
      return rename(clause.part, clause.title, view);
    case "replace":
      return replace(clause.find, clause.by, view);
    case "remove":
      return remove(clause.heading, view);
    case "summarise":
      return summarise(view);
    case "help":
      return { type: "answer", text: scribeHelp };
    case "unknown":
      return {
        type: "answer",
        text: `I do not understand “${quoted(clause.said)}”, so I did nothing about it. ${scribeHelp}`,
      };
    default:
      return unreachable(clause);
  }
}

/** Whether a clause needs the canvas. */
export function needsCanvas(clause: Clause): boolean {
  return clause.type !== "help" && clause.type !== "unknown";
}

function addSection(clause: Extract<Clause, { readonly type: "add-section" }>, view: View): Decision {
  const { place, title, topic } = clause;
  const beside = place.type === "after" || place.type === "before";
  const seen = seeHeadings(view, beside ? `“${place.heading}”` : "the headings");
  if (seen.type === "look") return seen;
  const { headings } = seen;
  const anchor = beside ? findHeading(headings, place.heading) : undefined;
  if (beside && anchor === undefined) return noHeading(place.heading, headings);
  const level = anchor?.level ?? usualLevel(headings);
  const section = [`${"#".repeat(level)} ${title}`, "", ...sectionProse(topic)];
  const counted = seeLineCount(view, anchor?.line ?? headings.at(-1)?.line ?? 1);
  if (counted.type === "look") return counted;
  const { lineCount } = counted;
  const at = insertionLine(place.type, anchor, headings, seen.firstLine, lineCount);
  const where =
    anchor === undefined
      ? place.type === "start"
        ? " at the start"
        : " at the end"
      : ` ${place.type} “${anchor.text}”${several(headings, anchor)}`;
  return insertBlock(view, { at, lineCount, lines: section, done: `added the section “${title}”${where}` });
}

function addFrame(title: "Introduction" | "Conclusion" | "Summary", view: View): Decision {
  const seen = seeHeadings(view, "the headings");
  if (seen.type === "look") return seen;
  const { headings, firstLine } = seen;
  const known = headings.find((heading) => heading.text.toLowerCase() === title.toLowerCase());
  if (known !== undefined) return cannot(`There is a section “${known.text}” already.`);
  const counted = seeLineCount(view, headings.at(-1)?.line ?? 1);
  if (counted.type === "look") return counted;
  const { lineCount } = counted;
  const level = usualLevel(headings);
  const parts = headings
    .filter((heading) => heading.level === level && !/^(?:introduction|conclusion|summary)$/iu.test(heading.text))
    .map((heading) => heading.text);
  const documentTitle = headings[0] !== undefined && headings[0].level < level ? headings[0].text : undefined;
  const start = title === "Introduction";
  const prose = frameProse(start ? "introduction" : "conclusion", documentTitle, parts.slice(0, 12));
  const at = insertionLine(start ? "start" : "end", undefined, headings, firstLine, lineCount);
  const lines = [`${"#".repeat(level)} ${title}`, "", prose];
  return insertBlock(view, {
    at,
    lineCount,
    lines,
    done: `added the section “${title}” at the ${start ? "start" : "end"}`,
  });
}

/** The line before which a section is inserted; one past the last for the end. */
function insertionLine(
  place: "start" | "end" | "after" | "before",
  anchor: Heading | undefined,
  headings: readonly Heading[],
  firstLine: number,
  lineCount: number,
): number {
  if (anchor !== undefined) return place === "before" ? anchor.line : sectionEnd(headings, anchor, lineCount) + 1;
  if (place === "end") return lineCount + 1;
  // The start is after the title and the introduction, before the first section.
  const level = usualLevel(headings);
  return (
    headings.find((heading) => heading.level === level)?.line ?? (headings[0] === undefined ? firstLine : lineCount + 1)
  );
}

/** The level of the document's sections: 2 under a single title, else that of its topmost headings. */
function usualLevel(headings: readonly Heading[]): number {
  const top = Math.min(...headings.map((heading) => heading.level), 7);
  if (top === 7) return 2;
  const isTitle = headings.filter((heading) => heading.level === top).length === 1 && headings[0]?.level === top;
  if (!isTitle) return top;
  const below = Math.min(...headings.slice(1).map((heading) => heading.level), 7);
  return below === 7 ? Math.min(top + 1, 6) : below;
}

/** Inserts lines before line `at`, with one blank line on either side. */
function insertBlock(
  view: View,
  wanted: { readonly at: number; readonly lineCount: number; readonly lines: readonly string[]; readonly done: string },
): Decision {
  const { at, lineCount, lines, done } = wanted;
  const seen = seeLines(view, Math.max(1, at - 3), Math.min(lineCount, at + 2));
  if (seen.type === "look") return seen;
  const isBlank = (line: number): boolean => line < 1 || line > lineCount || (view.lines.get(line) ?? "").trim() === "";
  const before = at > 1 && !isBlank(at - 1) ? [""] : [];
  const after = at <= lineCount && !isBlank(at) ? [""] : [];
  return editDecision(view, lineCount, [{ from: at, remove: 0, insert: [...before, ...lines, ...after] }], done);
}

function addParagraph(clause: Extract<Clause, { readonly type: "add-paragraph" }>, view: View): Decision {
  const seen = seeHeadings(view, clause.heading === undefined ? "the end" : `“${clause.heading}”`);
  if (seen.type === "look") return seen;
  const anchor = clause.heading === undefined ? undefined : findHeading(seen.headings, clause.heading);
  if (clause.heading !== undefined && anchor === undefined) return noHeading(clause.heading, seen.headings);
  const counted = seeLineCount(view, anchor?.line ?? seen.headings.at(-1)?.line ?? 1);
  if (counted.type === "look") return counted;
  const end = anchor === undefined ? counted.lineCount : ownTextEnd(seen.headings, anchor, counted.lineCount);
  const where = anchor === undefined ? "at the end" : `to “${anchor.text}”`;
  return insertBlock(view, {
    at: end + 1,
    lineCount: counted.lineCount,
    lines: [paragraphProse(clause.topic)],
    done: `added a paragraph on ${clause.topic} ${where}`,
  });
}

function tighten(part: Part, view: View): Decision {
  switch (part.type) {
    case "introduction":
      return tightenIntroduction(view);
    case "section": {
      const seen = seeHeadings(view, `“${part.heading}”`);
      if (seen.type === "look") return seen;
      const heading = findHeading(seen.headings, part.heading);
      if (heading === undefined) return noHeading(part.heading, seen.headings);
      const counted = seeLineCount(view, heading.line);
      if (counted.type === "look") return counted;
      const end = sectionEnd(seen.headings, heading, counted.lineCount);
      return tightenRange(
        view,
        heading.endLine + 1,
        end,
        counted.lineCount,
        `section “${heading.text}”${several(seen.headings, heading)}`,
      );
    }
    case "paragraph":
    case "document": {
      const seen = seeOutline(view);
      if (seen.type === "look") return seen;
      const lineCount = view.lineCount ?? 0;
      if (part.type === "document")
        return tightenRange(view, seen.outline.firstLine, lineCount, lineCount, "the document");
      const paragraphs = seen.outline.blocks.filter((block) => block.type === "paragraph");
      const chosen = paragraphs.at(part.number > 0 ? part.number - 1 : part.number);
      if (chosen === undefined)
        return cannot(
          `The document has ${paragraphs.length} paragraphs, so there is no paragraph ${part.number} to tighten.`,
        );
      return tightenRange(
        view,
        chosen.from,
        chosen.to,
        lineCount,
        part.number === -1 ? "the last paragraph" : `paragraph ${part.number}`,
      );
    }
    default:
      return unreachable(part);
  }
}

/**
 * Tightens the introduction: the section of that name; else the text between the title and the next heading, or before the
 * first heading; else the first section that has text; in a document without headings its first paragraph.
 */
function tightenIntroduction(view: View): Decision {
  const seen = seeHeadings(view, "the introduction");
  if (seen.type === "look") return seen;
  const { headings, firstLine } = seen;
  const [first] = headings;
  if (first === undefined) {
    const outline = seeOutline(view);
    if (outline.type === "look") return outline;
    const paragraph = outline.outline.blocks.find((block) => block.type === "paragraph");
    if (paragraph === undefined) return cannot("The document has no text that I could tighten.");
    return tightenRange(view, paragraph.from, paragraph.to, view.lineCount ?? 0, "the introduction");
  }
  const named = headings.find((heading) =>
    /^(?:\d+[.)]?\s*)?(?:introduction|intro|overview|einleitung|introducción)$/iu.test(heading.text),
  );
  const counted = seeLineCount(view, named?.line ?? first.line);
  if (counted.type === "look") return counted;
  const { lineCount } = counted;
  if (named !== undefined)
    return tightenRange(view, named.endLine + 1, sectionEnd(headings, named, lineCount), lineCount, "the introduction");
  const stretches = [
    { from: firstLine, to: first.line - 1 },
    ...headings.map((heading) => ({ from: heading.endLine + 1, to: ownTextEnd(headings, heading, lineCount) })),
  ];
  for (const { from, to } of stretches) {
    if (from > to) continue;
    const lines = seeLines(view, from, to);
    if (lines.type === "look") return lines;
    if (hasText(view, from, to)) return tightenRange(view, from, to, lineCount, "the introduction");
  }
  return cannot("The document has no text that I could tighten.");
}

function hasText(view: View, from: number, to: number): boolean {
  for (let line = from; line <= to; line += 1) if ((view.lines.get(line) ?? "").trim() !== "") return true;
  return false;
}

function tightenRange(view: View, from: number, to: number, lineCount: number, what: string): Decision {
  const seen = seeLines(view, Math.max(1, from - 3), Math.min(lineCount, to + 3));
  if (seen.type === "look") return seen;
  const lines = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => view.lines.get(from + at) ?? "");
  const changes = tightenLines(lines).map((change) => ({ ...change, from: change.from + from - 1 }));
  if (changes.length === 0) return cannot(`I found nothing to cut in ${what}: it is as tight as my rules can make it.`);
  const before = wordCount(lines.join("\n"));
  const cut = changes.reduce(
    (sum, change) => sum + removedWords(view, change) - wordCount(change.insert.join("\n")),
    0,
  );
  return editDecision(view, lineCount, changes, `tightened ${what} (from ${before} words to ${before - cut})`);
}

function removedWords(view: View, change: LineChange): number {
  let count = 0;
  for (let n = 0; n < change.remove; n += 1) count += wordCount(view.lines.get(change.from + n) ?? "");
  return count;
}

function rename(part: Part, title: string, view: View): Decision {
  const wanted = part.type === "section" ? part.heading : undefined;
  const seen = seeHeadings(view, wanted === undefined ? "the title" : `“${wanted}”`);
  if (seen.type === "look") return seen;
  const heading = wanted === undefined ? seen.headings[0] : findHeading(seen.headings, wanted);
  if (heading === undefined) return noHeading(wanted ?? "title", seen.headings);
  const counted = seeLineCount(view, heading.line);
  if (counted.type === "look") return counted;
  const lines = seeLines(view, Math.max(1, heading.line - 3), Math.min(counted.lineCount, heading.endLine + 3));
  if (lines.type === "look") return lines;
  if (heading.text === title) return cannot(`The heading is “${title}” already.`);
  const underlined = heading.endLine > heading.line;
  const found = /^( {0,3}#{1,6}[ \t]+)(?:.*?)([ \t]+#+[ \t]*)?$/u.exec(view.lines.get(heading.line) ?? "");
  const line = underlined ? title : `${found?.[1] ?? `${"#".repeat(heading.level)} `}${title}${found?.[2] ?? ""}`;
  const change: LineChange = {
    from: heading.line,
    remove: underlined ? heading.endLine - heading.line : 1,
    insert: [line],
  };
  return editDecision(
    view,
    counted.lineCount,
    [change],
    `renamed the heading “${heading.text}” to “${title}”${several(seen.headings, heading)}`,
  );
}

function replace(find: string, by: string, view: View): Decision {
  if (find === by) return cannot(`“${find}” and its replacement are the same, so there is nothing to do.`);
  const none = `I found no “${find}” in the document.`;
  let at: readonly number[];
  if (isWhole(view)) {
    at = allLines(view).flatMap((line, index) => (line.includes(find) ? [index + 1] : []));
  } else if (view.readWhole) {
    return readAll;
  } else if (view.found?.query === literalQuery(find)) {
    at = view.found.lines;
  } else {
    return {
      type: "look",
      tool: "canvas_grep",
      parameters: { query: literalQuery(find), max_matches: matchesMax },
      saying: `I'll look for “${find}”.`,
    };
  }
  const [first] = at;
  if (first === undefined) return cannot(none);
  const last = at.at(-1) ?? first;
  const read = seeLines(view, Math.max(1, first - 3), last);
  if (read.type === "look") return read;
  const counted = seeLineCount(view, last);
  if (counted.type === "look") return counted;
  const rest = seeLines(view, last, Math.min(counted.lineCount, last + 3));
  if (rest.type === "look") return rest;
  const hits = at.filter((line) => (view.lines.get(line) ?? "").includes(find));
  if (hits.length === 0) return cannot(none);
  const count = hits.reduce((sum, line) => sum + (view.lines.get(line) ?? "").split(find).length - 1, 0);
  const changes = hits.map((line) => ({
    from: line,
    remove: 1,
    insert: [(view.lines.get(line) ?? "").replaceAll(find, () => by)],
  }));
  const times = count === 1 ? "once" : `${count} times`;
  return editDecision(view, counted.lineCount, changes, `replaced “${find}” with “${by}” ${times}`);
}

/** A text that looks like a regular expression is escaped into one that matches the text literally. */
function literalQuery(text: string): string {
  return /^\/.*\/[a-z]*$/u.test(text) ? `/${text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)}/` : text;
}

function remove(wanted: string, view: View): Decision {
  const seen = seeHeadings(view, `“${wanted}”`);
  if (seen.type === "look") return seen;
  const heading = findHeading(seen.headings, wanted);
  if (heading === undefined) return noHeading(wanted, seen.headings);
  const counted = seeLineCount(view, heading.line);
  if (counted.type === "look") return counted;
  const end = sectionEnd(seen.headings, heading, counted.lineCount);
  const lines = seeLines(view, Math.max(1, heading.line - 3), Math.min(counted.lineCount, end + 3));
  if (lines.type === "look") return lines;
  let from = heading.line;
  // Removing the last section also removes the blank lines before it.
  if (end === counted.lineCount)
    while (from > heading.line - 3 && from > 1 && (view.lines.get(from - 1) ?? "x").trim() === "") from -= 1;
  const change: LineChange = { from, remove: end - from + 1, insert: [] };
  return editDecision(
    view,
    counted.lineCount,
    [change],
    `removed the section “${heading.text}”${several(seen.headings, heading)}`,
  );
}

function summarise(view: View): Decision {
  const seen = seeOutline(view);
  if (seen.type === "look") return seen;
  const { headings, blocks } = seen.outline;
  const lines = allLines(view);
  const words = wordCount(lines.join("\n"));
  if (words === 0) return { type: "answer", text: "The document is empty." };
  const opening = blocks.find((block) => block.type === "paragraph");
  const first =
    opening === undefined
      ? ""
      : lines
          .slice(opening.from - 1, opening.to)
          .join(" ")
          .trim();
  const sentence = /^.*?[.!?](?=\s|$)/u.exec(first)?.[0] ?? first;
  const size = `The document has ${plural(lines.length, "line")}, ${plural(words, "word")} and ${plural(headings.length, "heading")}.`;
  const shown = headings
    .slice(0, 40)
    .map((heading) => `${"  ".repeat(Math.max(0, heading.level - 1))}- ${heading.text}`);
  const more = headings.length > 40 ? [`…and ${headings.length - 40} more.`] : [];
  const outline = shown.length === 0 ? "" : `\n\n${[...shown, ...more].join("\n")}`;
  return {
    type: "answer",
    text: `${size}${sentence === "" ? "" : ` It opens with: “${sentence.slice(0, 300)}”`}${outline}`,
  };
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function several(headings: readonly Heading[], chosen: Heading): string {
  const same = headings.filter((heading) => heading.text === chosen.text).length;
  return same > 1 ? ` (the first of ${same} headings with this text)` : "";
}

function noHeading(wanted: string, headings: readonly Heading[]): Decision {
  const names = headings.slice(0, 12).map((heading) => `“${heading.text}”`);
  const there =
    names.length === 0
      ? "the document has no headings"
      : `there are ${names.join(", ")}${headings.length > 12 ? " and others" : ""}`;
  return cannot(`I found no heading “${wanted}”: ${there}.`);
}

function cannot(why: string): Decision {
  return { type: "cannot", why };
}

const quotedUnitsMax = 300;

/**
 * Quotes a person's words in a reply: shortened, and without characters that reverse the direction of text. Emoji keep
 * their joiners.
 */
function quoted(said: string): string {
  return shortened(visibleText(said, "\u200d\ufe0f"), quotedUnitsMax);
}
