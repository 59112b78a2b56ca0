import { err, ok, type Result } from "../../base/result.ts";
import { shortened } from "../../base/shortened.ts";
import { lineBounds, lineOf, lineOffset, textLines, type TextLines } from "../change/text-lines.ts";
import { beginsSearchBlock, parseSearchBlock } from "./search-blocks.ts";
import { plainHeader, type HeaderNumbers } from "./plain-header.ts";
import {
  patchHunksMax,
  patchLinesMax,
  type Hunk,
  type HunkLine,
  type ParsedPatch,
  type PatchSyntaxError,
  type PatchWarning,
} from "./types.ts";

/**
 * Parses a unified diff of one text. Forgives transport errors only: a Markdown fence around it, CRLF line ends, a missing
 * final newline, blank context lines without their space, wrong counts (with a warning), a bare `@@`, and the envelope of
 * `*** Begin Patch`. Blocks of SEARCH and REPLACE are hunks too. Any other line that is not a hunk line is BAD_LINE.
 */
export function parsePatch(patch: string): Result<ParsedPatch, PatchSyntaxError> {
  // The last line's CRLF may lack its newline.
  const lines = textLines(patch.endsWith("\r") ? `${patch}\n` : patch);
  const count = lines.starts.length;
  if (count > patchLinesMax) return failure("TOO_LARGE", patchLinesMax, `more than ${patchLinesMax} lines`);
  const hunks: Hunk[] = [];
  const warnings: PatchWarning[] = [];
  let file: string | undefined;
  // After the fence that closes a patch, and the first line of the text after the hunks.
  let isClosed = false;
  let ignoredFrom: number | undefined;
  let at = 0;
  while (at < count) {
    const plain = plainHeader(lines.text, lineOffset(lines, at));
    const line = plain === undefined ? lineAt(lines, at) : "";
    if (beginsSearchBlock(line)) {
      if (hunks.length === patchHunksMax) return failure("TOO_LARGE", at + 1, `more than ${patchHunksMax} hunks`);
      const block = parseSearchBlock((index) => lineAt(lines, index), at, count);
      if (!block.ok) return block;
      hunks.push(block.value.hunk);
      at = block.value.next;
      continue;
    }
    const name = plain !== undefined || line.startsWith("@@") ? undefined : fileName(lines, at);
    if (name !== undefined) {
      if (file !== undefined && name.name !== "" && name.name !== file) {
        return failure("MULTI_FILE", at + 1, `the patch is about ${file} and ${name.name}; send one patch for each`);
      }
      file = name.name === "" ? file : name.name;
      at += name.lines;
      continue;
    }
    const header =
      plain !== undefined ? numberedHunk(plain) : line.startsWith("@@") ? parseHeader(line) : implicitHeader(lines, at);
    if (header === undefined) {
      if (line.startsWith("@@")) return failure("BAD_LINE", at + 1, `not a hunk header: ${shown(line)}`);
      if (hunks.length > 0 && isFence(line)) isClosed = !isClosed;
      if (hunks.length > 0 && !isBetweenHunks(line)) {
        if (!isClosed && !isProseFrom(lines, at)) return failure("BAD_LINE", at + 1, badLine(line));
        ignoredFrom ??= at;
      }
      at += 1;
      continue;
    }
    if (hunks.length === patchHunksMax) return failure("TOO_LARGE", at + 1, `more than ${patchHunksMax} hunks`);
    const body = parseBody(lines, at + header.lines, header);
    if (!body.ok) return body;
    if (body.value.lines.length === 0) return failure("BAD_LINE", at + 1, "the hunk has no lines");
    if (body.value.next === count && isBeginning(header.counts, body.value.sides)) {
      return failure("TRUNCATED", at + 1, truncated(header.counts, body.value.sides));
    }
    const { oldStart, newStart } = header;
    const { lines: bodyLines, sides, oldUnterminated, newUnterminated } = body.value;
    hunks.push({
      patchLine: at + 1,
      oldStart,
      newStart,
      lines: bodyLines,
      oldCount: sides.old,
      oldUnterminated,
      newUnterminated,
    });
    const warning = countWarning(hunks.length, header, sides);
    if (warning !== undefined) warnings.push(warning);
    at = body.value.next;
  }
  if (ignoredFrom !== undefined) {
    const message = `The text after the patch, from its line ${ignoredFrom + 1} on, was ignored.`;
    warnings.push({ code: "TEXT_IGNORED", hunk: hunks.length, message });
  }
  if (hunks.length === 0) return failure("NO_HUNKS", 1, "no hunk (a line that begins with @@) was found");
  return ok({ hunks, warnings });
}

interface HunkHeader {
  readonly oldStart: number | undefined;
  readonly newStart: number | undefined;
  readonly counts: { readonly old: number; readonly new: number } | undefined;
  /** Number of patch lines in the header. */
  readonly lines: number;
}

// The closing @@ may be missing.
const numberedHeader = /^@@\s*-(\d+)(?:,(\d+))?\s+\+(\d+)(?:,(\d+))?\s*(?:@@|$)/;
const lineNumberMax = 2 ** 31 - 1;

/** A header without numbers. */
const bare = { oldStart: undefined, newStart: undefined, counts: undefined } as const;

function numberedHunk({ oldStart, newStart, oldCount, newCount }: HeaderNumbers): HunkHeader {
  return { oldStart, newStart, counts: { old: oldCount, new: newCount }, lines: 1 };
}

/** Parses headers in any form other than the plain one. */
function parseHeader(line: string): HunkHeader | undefined {
  const match = numberedHeader.exec(line);
  if (match === null) {
    // A header without numbers gives no hint; a header with malformed numbers is an error.
    return /^@@\s*(?:-|\+\d)/.test(line) ? undefined : { ...bare, lines: 1 };
  }
  const [oldStart, newStart] = [Number(match[1]), Number(match[3])];
  const counts = { old: Number(match[2] ?? 1), new: Number(match[4] ?? 1) };
  const greatest = Math.max(oldStart, counts.old, newStart, counts.new);
  return greatest > lineNumberMax ? undefined : { oldStart, newStart, counts, lines: 1 };
}

/** `*** Update File:` may be followed by a first hunk that has no header. */
function implicitHeader(lines: TextLines, at: number): HunkHeader | undefined {
  const before = at > 0 ? lineAt(lines, at - 1) : "";
  return before.startsWith("*** Update File: ") && /^[-+ ]/.test(lineAt(lines, at)) ? { ...bare, lines: 0 } : undefined;
}

/** Parses a file's name, if there is one: `---` with `+++` below it, git's first line of a file, or `*** Update File:`. */
function fileName(lines: TextLines, at: number): { readonly name: string; readonly lines: number } | undefined {
  const line = lineAt(lines, at);
  if (line.startsWith("*** Update File: ")) return { name: plainName(line.slice(17)), lines: 1 };
  if (line.startsWith(gitFile)) return { name: unchangedName(line.slice(gitFile.length)), lines: 1 };
  const next = lineAt(lines, at + 1);
  if (!line.startsWith("--- ") || !next.startsWith("+++ ")) return undefined;
  const after = plainName(next.slice(4));
  return { name: after === "" ? plainName(line.slice(4)) : after, lines: 2 };
}

const gitFile = "diff --git ";

/** Returns the name in `a/x b/x`; empty when the two differ, as for a moved file, whose name follows. */
function unchangedName(names: string): string {
  const middle = (names.length - 1) / 2;
  const [old, fresh] = [names.slice(0, middle), names.slice(middle + 1)];
  const same = names.charAt(middle) === " " && plainName(old) === plainName(fresh);
  return same ? plainName(fresh) : "";
}

/** Removes the time stamp and git's `a/` and `b/`; empty for no file. */
function plainName(name: string): string {
  const [path = ""] = name.split("\t");
  const bare = path.trim();
  return bare === "/dev/null" ? "" : bare.replace(/^[ab]\//, "");
}

function isBetweenHunks(line: string): boolean {
  return line === "" || isFence(line) || fileMark.test(line);
}

function isFence(line: string): boolean {
  return line.startsWith("```") || line.startsWith("~~~");
}

const fileMark =
  /^(?:diff --git |index [0-9a-f]+\.\.|(?:old|new|new file|deleted file) mode |(?:dis)?similarity index |(?:rename|copy) (?:from|to) |\*\*\* (?:Begin Patch|End Patch|End of File)\s*$)/;

interface HunkBody {
  readonly lines: readonly HunkLine[];
  /** Numbers of lines of the old and the new side. */
  readonly sides: Sides;
  readonly oldUnterminated: boolean;
  readonly newUnterminated: boolean;
  /** Index of the first patch line after the body. */
  readonly next: number;
}

/** Parses hunk lines up to the first line that is not one. */
function parseBody(patch: TextLines, from: number, header: HunkHeader): Result<HunkBody, PatchSyntaxError> {
  const lines: HunkLine[] = [];
  const sides = { old: 0, new: 0 };
  let oldUnterminated = false;
  let newUnterminated = false;
  // Blank lines may be context or the space before the next part; the following line decides.
  let blanks = 0;
  let at = from;
  for (; at < patch.starts.length; at += 1) {
    const { from, to } = lineBounds(patch, at);
    if (from === to) {
      blanks += 1;
      continue;
    }
    const mark = patch.text.charCodeAt(from);
    if (mark === atSign && patch.text.startsWith("@@", from)) break;
    const type = lineType(mark);
    const unusual = type === undefined || (type === "deleted" && patch.text.startsWith("--- ", from));
    if (unusual && endsBody(patch, at, { header, sides })) break;
    if (type === undefined && blanks > 0 && isWhole(header.counts, sides) && isProseFrom(patch, at)) break;
    if (type === undefined) {
      const last = lines.at(-1);
      if (mark !== backslash) return failure("BAD_LINE", at + 1, badLine(lineAt(patch, at)));
      if (last === undefined || blanks > 0) return failure("BAD_LINE", at + 1, "the marker follows no line");
      oldUnterminated ||= last.type !== "added";
      newUnterminated ||= last.type !== "deleted";
      if (keepsCarriageReturn(patch, at)) lines.splice(-1, 1, { ...last, text: `${last.text}\r` });
      continue;
    }
    for (; blanks > 0; blanks -= 1) addLine("context", "");
    addLine(type, patch.text.slice(from + 1, to));
    if ((oldUnterminated && type !== "added") || (newUnterminated && type !== "deleted")) {
      return failure("BAD_LINE", at + 1, "a line after the one that has no newline");
    }
  }
  // Blank lines at the end are context only when the header's counts include them.
  for (; blanks > 0 && header.counts !== undefined && wantsContext(header.counts, sides); blanks -= 1) {
    addLine("context", "");
  }
  return ok({ lines, sides, oldUnterminated, newUnterminated, next: at });

  function addLine(type: HunkLine["type"], text: string): void {
    lines.push({ type, text });
    if (type !== "added") sides.old += 1;
    if (type !== "deleted") sides.new += 1;
  }
}

interface Sides {
  readonly old: number;
  readonly new: number;
}

const space = 32;
const plus = 43;
const minus = 45;
const atSign = 64;
const backslash = 92;

function lineType(mark: number): HunkLine["type"] | undefined {
  if (mark === space) return "context";
  if (mark === plus) return "added";
  return mark === minus ? "deleted" : undefined;
}

/** A carriage return above a marker belongs to the text, unless the marker has one too: then both belong to the patch. */
function keepsCarriageReturn({ text, starts }: TextLines, marker: number): boolean {
  const hasOne = (line: number): boolean => {
    const next = starts[line + 1] ?? text.length;
    return text.startsWith("\r\n", next - 2);
  };
  return hasOne(marker - 1) && !hasOne(marker);
}

/** Whether the line begins something other than a hunk: a file, or the end of the envelope. */
function endsBody(patch: TextLines, at: number, body: { readonly header: HunkHeader; readonly sides: Sides }): boolean {
  const line = lineAt(patch, at);
  if (isBetweenHunks(line) || line.startsWith("*** Update File: ")) return true;
  const { counts } = body.header;
  const complete = counts !== undefined && body.sides.old >= counts.old && body.sides.new >= counts.new;
  if (!line.startsWith("--- ") || fileName(patch, at) === undefined) return false;
  // A deleted line `-- x` above an added `++ y` looks like a file name: the counts, or the following lines, decide.
  if (counts !== undefined && counts.old === body.sides.old + 1 && counts.new === body.sides.new + 1) return false;
  return complete || lineAt(patch, at + 2).startsWith("@@");
}

/** Whether a hunk may be the beginning of the one that its header announces; more lines on a side show a wrong count. */
function isBeginning(counts: HunkHeader["counts"], sides: Sides): counts is Sides {
  if (counts === undefined || sides.old > counts.old || sides.new > counts.new) return false;
  return sides.old < counts.old || sides.new < counts.new;
}

function isWhole(counts: HunkHeader["counts"], sides: Sides): boolean {
  return counts === undefined || (sides.old >= counts.old && sides.new >= counts.new);
}

function truncated(counts: Sides, sides: Sides): string {
  return `the patch ends inside this hunk, whose header says -${counts.old} +${counts.new} lines, after -${sides.old} +${sides.new}; send the whole hunk, or correct its header`;
}

/** Whether nothing from a line on, which follows a blank line, looks like a part of a patch. */
function isProseFrom(lines: TextLines, at: number): boolean {
  if (lineAt(lines, at - 1) !== "") return false;
  for (let next = at; next < lines.starts.length; next += 1) {
    if (/^(?:[-+\\@ ]|\*\*\*|diff )/.test(lineAt(lines, next))) return false;
  }
  return true;
}

function wantsContext(counts: Sides, sides: Sides): boolean {
  return sides.old < counts.old && sides.new < counts.new;
}

function countWarning(hunk: number, { counts }: HunkHeader, sides: Sides): PatchWarning | undefined {
  if (counts === undefined || (counts.old === sides.old && counts.new === sides.new)) return undefined;
  const message = `Hunk ${hunk} says -${counts.old} +${counts.new} lines but has -${sides.old} +${sides.new}. The lines were applied; the counts were ignored.`;
  return { code: "HEADER_COUNT", hunk, message };
}

function badLine(line: string): string {
  return `a line of a hunk must begin with a space, + or -, and this line does not: ${shown(line)}`;
}

const shownUnitsMax = 80;

function shown(line: string): string {
  return JSON.stringify(shortened(line, shownUnitsMax));
}

function failure(
  code: PatchSyntaxError["code"],
  line: number,
  reason: string,
): { readonly ok: false; readonly error: PatchSyntaxError } {
  return err({ code, line, reason });
}

/** Returns a patch line by index; empty after the end. */
function lineAt(lines: TextLines, index: number): string {
  return index < lines.starts.length ? lineOf(lines, index).text : "";
}
