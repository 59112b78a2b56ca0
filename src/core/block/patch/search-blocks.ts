import { err, ok, type Result } from "../../base/result.ts";
import type { Hunk, HunkLine, PatchSyntaxError } from "./types.ts";

const opening = /^(?:<{5,9}|-{5,9}) ?SEARCH>?\s*$/;
const middle = /^={5,9}\s*$/;
const closing = /^(?:>{5,9}|\+{5,9}) ?REPLACE>?\s*$/;

/** Whether a line of a patch begins a block of text to search and its replacement. */
export function beginsSearchBlock(line: string): boolean {
  return opening.test(line);
}

/** A parsed block, and the index of the first line after it. */
interface SearchBlock {
  readonly hunk: Hunk;
  readonly next: number;
}

/**
 * Parses a block at line `at`: a line of `<<<<<<< SEARCH`, the old lines, `=======`, the new lines, `>>>>>>> REPLACE`. It is a
 * hunk without a line number, which fits only where its old lines are in the text exactly, once.
 */
export function parseSearchBlock(
  lineAt: (index: number) => string,
  at: number,
  count: number,
): Result<SearchBlock, PatchSyntaxError> {
  const old: string[] = [];
  const fresh: string[] = [];
  let side = old;
  let index = at + 1;
  for (; index < count; index += 1) {
    const line = lineAt(index);
    if (closing.test(line)) break;
    if (opening.test(line)) return wrong(index, "a block begins inside another; end each with >>>>>>> REPLACE");
    if (!middle.test(line)) side.push(line);
    else if (side === old) side = fresh;
    else return wrong(index, "the block has a second line of =======; send this change as a diff");
  }
  if (index === count) {
    const reason = "the patch ends inside the block that begins here; send it whole, to its line >>>>>>> REPLACE";
    return err({ code: "TRUNCATED", line: at + 1, reason });
  }
  if (side === old) return wrong(index, "the block has no line of ======= between its old and its new lines");
  if (old.length === 0) return wrong(at, "the block has no old lines; copy the lines before which the new ones belong");
  const lines = linesOf(old, fresh);
  return ok({
    hunk: {
      patchLine: at + 1,
      oldStart: undefined,
      newStart: undefined,
      lines,
      oldCount: old.length,
      oldUnterminated: false,
      newUnterminated: false,
    },
    next: index + 1,
  });
}

/** Lines that both sides begin or end with are context, so that what others wrote there stays theirs. */
function linesOf(old: readonly string[], fresh: readonly string[]): readonly HunkLine[] {
  const shorter = Math.min(old.length, fresh.length);
  let before = 0;
  while (before < shorter && old[before] === fresh[before]) before += 1;
  let after = 0;
  while (after < shorter - before && old.at(-1 - after) === fresh.at(-1 - after)) after += 1;
  const all = (type: HunkLine["type"], texts: readonly string[]): readonly HunkLine[] =>
    texts.map((text) => ({ type, text }));
  return [
    ...all("context", old.slice(0, before)),
    ...all("deleted", old.slice(before, old.length - after)),
    ...all("added", fresh.slice(before, fresh.length - after)),
    ...all("context", old.slice(old.length - after)),
  ];
}

function wrong(index: number, reason: string): Result<never, PatchSyntaxError> {
  return err({ code: "BAD_LINE", line: index + 1, reason });
}
