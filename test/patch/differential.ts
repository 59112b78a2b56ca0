import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aligned } from "../../scripts/aligned.ts";
import { must } from "../../src/core/base/assert.ts";
import { planPatch, type PatchPlan } from "../../src/core/block/patch/apply.ts";
import { unifiedDiff } from "../../src/core/block/patch/unified-diff.ts";
import { applyChanges } from "../../src/core/block/change/text-change.ts";
import { hunksOf, mapHeaders, oldStartOf, shiftHeaders } from "./edits.ts";
import type { HistoryEdit } from "./history-edits.ts";
import { git } from "./git.ts";

/** One patch on one text, for both appliers. */
interface Trial {
  readonly kind: TrialKind;
  readonly text: string;
  readonly patch: string;
  /** The expected result; undefined if the patch was not made for this text. */
  readonly expected: string | undefined;
}

/**
 * `made-for-it`: git's patch on the text it was made for; `our-diff`: Heddle's patch for the same edit; `alone`: one
 * hunk of several; `another-version`: the patch on another version of the same text; `shifted`: with wrong line
 * numbers.
 */
const trialKinds = ["made-for-it", "our-diff", "alone", "another-version", "shifted"] as const;
type TrialKind = (typeof trialKinds)[number];

/**
 * How both results compare. Those after the second are differences with a known cause; `unexplained` must not occur.
 */
const comparisons = [
  "same text",
  "both refuse",
  "git takes the nearest of several places, we refuse",
  "git places hunks one after another, ours would overlap",
  "git wants a hunk without context above or below at the text's end, we take its only place",
  "git overlooks that a marker claims a missing newline where there is one, we refuse",
  "a text without a line end shows none for new lines: ours get a newline, whatever the patch's are",
  "git wants a marker where the text lacks its last newline, we do without",
  "unexplained",
] as const;
type Comparison = (typeof comparisons)[number];

export interface DifferentialReport {
  readonly hunks: number;
  readonly trials: number;
  readonly rows: readonly { readonly kind: TrialKind; readonly counts: Readonly<Record<Comparison, number>> }[];
  /** Trials that were made for their text and did not give the expected result. */
  readonly wrong: readonly string[];
  readonly unexplained: readonly string[];
}

/** Applies every edit's patch in four ways with Heddle and with `git apply`, and compares. */
export function differential(edits: readonly HistoryEdit[]): DifferentialReport {
  const trials = edits.flatMap(trialsOf);
  const rows = trialKinds.map((kind) => ({
    kind,
    counts: Object.fromEntries(comparisons.map((name) => [name, 0])) as Record<Comparison, number>,
  }));
  const wrong: string[] = [];
  const unexplained: string[] = [];
  const batch = 4_000;
  for (let from = 0; from < trials.length; from += batch) {
    const part = trials.slice(from, from + batch);
    for (const [index, gits] of applyWithGit(part).entries()) {
      const trial = must(part[index], "one answer for each trial");
      const plan = planPatch(trial.text, trial.patch);
      const ours = plan.ok ? applyChanges(trial.text, plan.value.changes) : undefined;
      const found = compare(trial, { gits, ours, plan });
      must(
        rows.find(({ kind }) => kind === trial.kind),
        "every kind has a row",
      ).counts[found] += 1;
      const shown = (): string =>
        `${trial.patch}\n--- git: ${JSON.stringify(gits)}\n--- we: ${JSON.stringify(ours ?? plan)}\n--- on: ${JSON.stringify(trial.text)}`;
      if (found === "unexplained") unexplained.push(shown());
      if (trial.expected !== undefined && (gits !== trial.expected || (ours !== gits && !isNamed(found))))
        wrong.push(shown());
    }
  }
  return {
    hunks: edits.reduce((sum, { patch }) => sum + hunksOf(patch).length, 0),
    trials: trials.length,
    rows,
    wrong,
    unexplained,
  };
}

/** Whether a difference has a known cause. */
function isNamed(found: Comparison): boolean {
  return found !== "unexplained" && found !== "both refuse";
}

function trialsOf({ before, after, patch, elsewhere }: HistoryEdit): readonly Trial[] {
  const hunks = hunksOf(patch);
  const ours = unifiedDiff(before, after);
  return [
    { kind: "made-for-it", text: before, patch, expected: after },
    // A difference only in carriage returns belongs to no line.
    ...(before.includes("\r") || after.includes("\r") || ours === ""
      ? []
      : [{ kind: "our-diff", text: before, patch: ours, expected: after } as const]),
    ...(hunks.length === 1
      ? []
      : hunks
          .slice(0, 3)
          .map((hunk) => ({ kind: "alone", text: before, patch: alone(hunk), expected: undefined }) as const)),
    { kind: "shifted", text: before, patch: shiftHeaders(patch, (patch.length % 40) - 20), expected: undefined },
    ...(elsewhere === before
      ? []
      : [{ kind: "another-version", text: elsewhere, patch, expected: undefined } as const]),
  ];
}

/** A hunk whose new side begins where its old side does, as if no hunk came before it. */
function alone(hunk: string): string {
  return mapHeaders(hunk, ({ old, oldCount, freshCount }) => {
    const none = freshCount === ",0" ? -1 : oldCount === ",0" ? 1 : 0;
    return `@@ -${old}${oldCount} +${old + none}${freshCount} @@`;
  });
}

/**
 * Returns git's result of each trial; undefined if it rejects a hunk. All trials share one run: files do not affect
 * each other.
 */
function applyWithGit(trials: readonly Trial[]): readonly (string | undefined)[] {
  const folder = mkdtempSync(join(tmpdir(), "heddle-apply-"));
  try {
    mkdirSync(join(folder, "texts"));
    for (const [index, { text }] of trials.entries()) writeFileSync(join(folder, "texts", String(index)), text);
    const input = trials.map(({ patch }, index) => `--- a/texts/${index}\n+++ b/texts/${index}\n${patch}`).join("");
    const { code, errors } = git(["apply", "--reject", "--whitespace=nowarn", "-"], { folder, input });
    if (code > 1) throw new Error(`git could not read the patches: ${errors.slice(-500)}`);
    return trials.map((_, index) => {
      const file = join(folder, "texts", String(index));
      return existsSync(`${file}.rej`) ? undefined : readFileSync(file, "utf8");
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Verdicts {
  readonly gits: string | undefined;
  readonly ours: string | undefined;
  readonly plan: ReturnType<typeof planPatch>;
}

function compare(trial: Trial, { gits, ours, plan }: Verdicts): Comparison {
  if (ours !== undefined && ours === gits) return "same text";
  if (ours === undefined && gits === undefined) return "both refuse";
  if (ours !== undefined && ours === gits?.replaceAll("\r", "") && !trial.text.includes("\n")) {
    return "a text without a line end shows none for new lines: ours get a newline, whatever the patch's are";
  }
  if (!plan.ok) {
    const reason = plan.error.details?.["reason"];
    if (reason === "AMBIGUOUS") return "git takes the nearest of several places, we refuse";
    if (reason === "OVERLAP") return "git places hunks one after another, ours would overlap";
    const unmarked = trial.patch.replaceAll(/^\\ .*\n/gm, "");
    return unmarked !== trial.patch && planPatch(trial.text, unmarked).ok
      ? "git overlooks that a marker claims a missing newline where there is one, we refuse"
      : "unexplained";
  }
  if (gits === undefined && !trial.text.endsWith("\n") && planPatch(`${trial.text}\n`, trial.patch).ok) {
    return "git wants a marker where the text lacks its last newline, we do without";
  }
  return gits === undefined && anchored(trial.patch, plan.value)
    ? "git wants a hunk without context above or below at the text's end, we take its only place"
    : "unexplained";
}

/** Whether git binds one of the hunks to an end of the text: by a header at line 1, or by missing context below. */
function anchored(patch: string, { verdicts }: PatchPlan): boolean {
  return hunksOf(patch).some((hunk, index) => {
    const [, ...body] = hunk.split("\n").filter((line) => line !== "" && !line.startsWith("\\"));
    const atStart = oldStartOf(hunk) <= 1;
    const moved = (verdicts[index]?.offset ?? 0) !== 0;
    return (atStart && moved) || body.slice(-3).some((line) => !line.startsWith(" "));
  });
}

/** The report as a table, one row for each comparison that occurred. */
export function differentialTable(report: DifferentialReport): string {
  const rows = comparisons.map((name) => [name, ...report.rows.map(({ counts }) => String(counts[name]))]);
  const table = aligned([["", ...report.rows.map(({ kind }) => kind)], ...rows]);
  return `${report.hunks} hunks, ${report.trials} patches applied with git and with ours\n${table}`;
}
