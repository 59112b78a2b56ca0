import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert } from "../src/core/base/assert.ts";
import { newlineCount } from "../src/core/base/lines.ts";
import { planPatch } from "../src/core/block/patch/apply.ts";
import { unifiedDiff } from "../src/core/block/patch/unified-diff.ts";
import { applyChanges } from "../src/core/block/change/text-change.ts";
import { atMost, noGoal, type Bench, type BenchRow } from "./harness/bench.ts";
import { interleave, median, ratioOf } from "./harness/interleave.ts";
import { editedTexts, hostilePairs, type EditedText } from "./subjects/patch.ts";

/** The part of the peer that the bench uses. */
interface JsDiff {
  applyPatch(text: string, patch: string): string | false;
  createTwoFilesPatch(oldName: string, newName: string, before: string, after: string): string;
}

const bench: Bench = {
  name: "patch",
  question: "What do applying a patch and writing a diff cost, beside a scan for newlines, git and jsdiff?",
  async run({ rounds, peer, log }) {
    const jsdiff = await peer<JsDiff>("diff");
    const texts = editedTexts();
    const rows: BenchRow[] = [];
    for (const text of texts) {
      log(`apply: ${text.name}`);
      rows.push(...applying(text, jsdiff, rounds));
    }
    for (const text of texts) {
      log(`diff: ${text.name}`);
      rows.push(...diffing(text, jsdiff, rounds));
    }
    for (const pair of hostilePairs()) {
      log(`diff: ${pair.name}`);
      rows.push(hostile(pair, rounds));
    }
    return rows;
  },
};

export default bench;

function applying({ name, before, after }: EditedText, jsdiff: JsDiff, rounds: number): readonly BenchRow[] {
  const patch = unifiedDiff(before, after);
  const own = (): string => {
    const plan = planPatch(before, patch);
    assert(plan.ok, "the patch fits");
    return applyChanges(before, plan.value.changes);
  };
  assert(own() === after && jsdiff.applyPatch(before, patch) === after, "both make the other text");
  const subjects = [
    { name: "newline scan", run: () => newlineCount(before) },
    { name: "heddle", run: own },
    { name: "jsdiff", run: () => jsdiff.applyPatch(before, patch) },
  ];
  const [scan, heddle, peer] = interleave(rounds, subjects, { warmUpMs: 200, sampleMs: 100 });
  if (scan === undefined || heddle === undefined || peer === undefined) return [];
  const work = `apply: ${name}`;
  const ratio = ratioOf(heddle, scan);
  return [
    { work, subject: scan.name, value: scan.cpuMs, unit: "ms CPU", ratio: null, ...noGoal },
    { work, subject: heddle.name, value: heddle.cpuMs, unit: "ms CPU", ratio, ...atMost(4, ratio) },
    { work, subject: peer.name, value: peer.cpuMs, unit: "ms CPU", ratio: ratioOf(peer, scan), ...noGoal },
  ];
}

/** Wall time, since another process does git's work; its start costs what `git --version` takes. */
function diffing({ name, before, after }: EditedText, jsdiff: JsDiff, rounds: number): readonly BenchRow[] {
  const folder = mkdtempSync(join(tmpdir(), "heddle-bench-"));
  try {
    writeFileSync(join(folder, "before"), before);
    writeFileSync(join(folder, "after"), after);
    const git = (...args: readonly string[]): number => {
      return shortestMs(3, () => spawnSync("git", args, { cwd: folder, maxBuffer: 2 ** 28 }));
    };
    const times: { readonly git: number; readonly heddle: number; readonly jsdiff: number }[] = [];
    for (let round = -1; round < rounds; round += 1) {
      globalThis.gc?.();
      const measured = {
        git: git("diff", "--no-index", "--no-color", "before", "after") - git("--version"),
        heddle: shortestMs(5, () => unifiedDiff(before, after)),
        jsdiff: shortestMs(1, () => jsdiff.createTwoFilesPatch("before", "after", before, after)),
      };
      if (round >= 0) times.push(measured);
    }
    const ratio = (subject: "heddle" | "jsdiff"): number => median(times.map((each) => each[subject] / each.git));
    const value = (subject: "git" | "heddle" | "jsdiff"): number => median(times.map((each) => each[subject]));
    const work = `diff: ${name}`;
    return [
      { work, subject: "git, net of its start", value: value("git"), unit: "ms", ratio: null, ...noGoal },
      {
        work,
        subject: "heddle",
        value: value("heddle"),
        unit: "ms",
        ratio: ratio("heddle"),
        ...atMost(1.2, ratio("heddle")),
      },
      { work, subject: "jsdiff", value: value("jsdiff"), unit: "ms", ratio: ratio("jsdiff"), ...noGoal },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The shortest of some runs, because delays by other processes are not part of the work. */
function shortestMs(runs: number, run: () => unknown): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (let each = 0; each < runs; each += 1) {
    const began = performance.now();
    run();
    shortest = Math.min(shortest, performance.now() - began);
  }
  return shortest;
}

/** One run at a time, as on a server; without jsdiff, which takes minutes for some pairs. */
function hostile({ name, before, after }: EditedText, rounds: number): BenchRow {
  const [timing] = interleave(rounds, [{ name: "heddle", run: () => unifiedDiff(before, after) }]);
  const value = timing?.cpuMs ?? Number.NaN;
  return { work: `diff: ${name}`, subject: "heddle", value, unit: "ms CPU", ratio: null, ...atMost(100, value) };
}
