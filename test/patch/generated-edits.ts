import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { must } from "../../src/core/base/assert.ts";
import { seededRandom, type SeededRandom } from "../../src/testing/seeded-random.ts";
import { firstHunks } from "./edits.ts";
import type { HistoryEdit } from "./history-edits.ts";
import { git } from "./git.ts";
import { readGitDiff } from "./read-git-diff.ts";

/** The number of versions of a generated text. */
const versions = 10;

/**
 * Edits of generated histories with at least `hunks` hunks, the same for the same seed: Markdown-like texts with
 * repeated lines, some with CRLF, with and without a final newline, edited many times; the hunks are git's own.
 */
export function generatedEdits(hunks: number, seed: number): readonly HistoryEdit[] {
  const random = seededRandom(seed);
  const pairs: { readonly before: string; readonly after: string; readonly elsewhere: string }[] = [];
  // An edit makes two and a half hunks on average.
  while (pairs.length < hunks / 2 + versions) {
    const chain = [firstVersion(random)];
    while (chain.length < versions) chain.push(edited(must(chain.at(-1), "it has a first"), random));
    const history = chain.map(textOf);
    for (const [index, before] of history.slice(0, -1).entries()) {
      const after = must(history[index + 1], "the last is left out");
      const elsewhere = history[index + random.pick([-3, -2, -1, 2])] ?? before;
      if (before !== after) pairs.push({ before, after, elsewhere });
    }
  }
  const folder = mkdtempSync(join(tmpdir(), "heddle-edits-"));
  try {
    for (const side of ["before", "after"] as const) {
      mkdirSync(join(folder, side));
      for (const [index, pair] of pairs.entries()) writeFileSync(join(folder, side, String(index)), pair[side]);
    }
    const diff = git(["diff", "--no-index", "--no-color", "-U3", "--full-index", "before", "after"], { folder });
    const edits = readGitDiff(diff.output.toString("utf8")).map(({ path, hunks: patch }) => ({
      ...must(pairs[Number(path.split("/").at(-1))], "the path ends with the pair's number"),
      patch,
    }));
    return firstHunks(edits, hunks) as readonly HistoryEdit[];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Joins lines to a text with one kind of line end. */
interface Version {
  readonly lines: readonly string[];
  readonly lineEnd: string;
  readonly terminated: boolean;
}

function textOf({ lines, lineEnd, terminated }: Version): string {
  return lines.join(lineEnd) + (terminated && lines.length > 0 ? lineEnd : "");
}

function someLine(random: SeededRandom): string {
  switch (random.below(8)) {
    case 0:
      return "";
    case 1:
      return random.oneIn(2) ? "- item" : "";
    case 2:
      return random.pick(["```", "}", "  });", "---", "-- ", "++ x", "@@ -1 +1 @@", "\\ x"]);
    default:
      return `${"  ".repeat(random.below(3))}Line ${random.below(5_000)} says ${random.below(100)}.`;
  }
}

function firstVersion(random: SeededRandom): Version {
  const count = random.oneIn(20) ? random.below(4) : 20 + random.below(150);
  return {
    lines: Array.from({ length: count }, () => someLine(random)),
    lineEnd: random.oneIn(12) ? "\r\n" : "\n",
    terminated: !random.oneIn(6),
  };
}

function edited(version: Version, random: SeededRandom): Version {
  const lines = [...version.lines];
  for (let edits = 1 + random.below(5); edits > 0; edits -= 1) {
    const at = random.below(lines.length + 1);
    switch (random.below(5)) {
      case 0:
        lines.splice(at, 1 + random.below(4));
        break;
      case 1:
        // Copies a part elsewhere: the same lines twice.
        lines.splice(random.below(lines.length + 1), 0, ...lines.slice(at, at + 1 + random.below(4)));
        break;
      default:
        lines.splice(at, random.below(3), ...Array.from({ length: 1 + random.below(3) }, () => someLine(random)));
    }
  }
  // Without a final newline there is no empty last line.
  if (lines.at(-1) === "") lines.push("Last line.");
  return { ...version, lines, terminated: random.oneIn(10) ? !version.terminated : version.terminated };
}
