import { listedNames } from "../base/listed-names.ts";
import { beginningOf } from "../base/shortened.ts";
import { diffLines, type LineRun } from "../block/change/line-diff.ts";
import { fenceFor } from "./fence.ts";
import { estimateInputTokens } from "./tokens.ts";
import type { UserMessage } from "./types.ts";

/** A reply that people changed. */
export interface ChangedReply {
  readonly names: readonly string[];
  /** What the model had said, and what its message says now. */
  readonly before: string;
  readonly after: string;
}

/** A longer diff is counted and not shown. Tokens. */
const editDiffTokensMax = 200;
const namesMax = 8;
const nameUnitsMax = 80;
/** Words and blanks on each side of a change that show where it is. */
const contextTokens = 6;

/**
 * Returns the message that informs a model that people changed its reply, or null when the reply says what the model had
 * said. Equal changes give equal messages.
 */
export function editNote({ names, before, after }: ChangedReply): UserMessage | null {
  if (before === after) return null;
  const who = names.slice(0, namesMax).map((name) => beginningOf(name.replaceAll(/\s+/gu, " "), nameUnitsMax));
  const { added, removed, diff } = wordDiff(before, after);
  const said = `${who.length === 0 ? "A person" : listedNames(who)} changed your reply above: +${added} −${removed} words.`;
  const fence = fenceFor(diff);
  const shown = `${said}\n${fence}diff\n${diff}${fence}`;
  const text = tokensOf(diff) <= editDiffTokensMax ? shown : said;
  return { role: "user", content: [{ type: "text", text }], instruction: "edit" };
}

function tokensOf(text: string): number {
  return estimateInputTokens([{ role: "user", content: [{ type: "text", text }] }]);
}

/** The changes between two texts: counted in words, and written as a line before and a line after for each place. */
function wordDiff(
  before: string,
  after: string,
): { readonly added: number; readonly removed: number; readonly diff: string } {
  const [old, fresh] = [tokensIn(before), tokensIn(after)];
  let [added, removed, diff] = [0, 0, ""];
  for (const group of grouped(diffLines(old, fresh))) {
    for (const run of group.runs) {
      removed += wordCount(old.slice(run.oldStart, run.oldEnd));
      added += wordCount(fresh.slice(run.newStart, run.newEnd));
    }
    const { oldStart, oldEnd, newStart, newEnd } = group;
    diff += marked("-", old.slice(Math.max(0, oldStart - contextTokens), oldEnd + contextTokens));
    diff += marked("+", fresh.slice(Math.max(0, newStart - contextTokens), newEnd + contextTokens));
  }
  return { added, removed, diff };
}

/** Runs that are shown together, because little is between them. */
interface Group extends LineRun {
  readonly runs: readonly LineRun[];
}

function grouped(runs: readonly LineRun[]): readonly Group[] {
  const groups: Group[] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (last === undefined || run.oldStart - last.oldEnd > 2 * contextTokens) groups.push({ ...run, runs: [run] });
    else groups[groups.length - 1] = { ...last, oldEnd: run.oldEnd, newEnd: run.newEnd, runs: [...last.runs, run] };
  }
  return groups;
}

/** Words, blanks and symbols. */
function tokensIn(text: string): readonly string[] {
  return text.match(/[\p{L}\p{M}\p{N}_]+|\s+|[^\p{L}\p{M}\p{N}_\s]/gu) ?? [];
}

function wordCount(tokens: readonly string[]): number {
  return tokens.filter((token) => /[\p{L}\p{N}]/u.test(token)).length;
}

function marked(mark: string, tokens: readonly string[]): string {
  const lines = tokens.join("").split("\n");
  return lines.map((line) => `${mark}${line}\n`).join("");
}
