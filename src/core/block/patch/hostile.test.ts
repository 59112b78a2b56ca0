import { expect, test } from "vitest";
import { applyChanges } from "../change/text-change.ts";
import { planPatch } from "./apply.ts";
import { patchHunksMax } from "./types.ts";

const same = "same\n".repeat(1_000_000);
const misfit = `@@ -1,8 +1,7 @@\n${" same\n".repeat(7)}-other\n`;

/** Hunks of common lines only, each a different mixture of two lines, none of which occurs in the text. */
function mixtures(count: number): string {
  return Array.from({ length: count }, (_, number) => {
    const bits = number.toString(2).padStart(13, "0");
    const lines = Array.from(bits, (bit) => (bit === "0" ? " same\n" : " alike\n"));
    return `@@ -5,8 +5,8 @@\n${lines.slice(0, 7).join("")}-nowhere\n+x\n`;
  }).join("");
}

test.each<readonly [name: string, text: () => string, patch: () => string, verdict: string]>([
  ["a million hunks", () => "a\n", () => "@@ -1 +1 @@\n-a\n+b\n".repeat(1_000_000), "TOO_LARGE"],
  ["a million headers", () => "a\n", () => "@@\n".repeat(1_000_000), "TOO_LARGE"],
  ["one hunk more than allowed", () => "a\n", () => "@@\n-a\n".repeat(patchHunksMax + 1), "TOO_LARGE"],
  ["all hunks at one place", () => "a\n", () => "@@\n-a\n".repeat(patchHunksMax), "OVERLAP"],
  ["hunks of common lines that fit nowhere", () => same, () => misfit.repeat(10_000), "NO_MATCH"],
  ["mixtures of common lines", () => "same\nalike\n".repeat(500_000), () => mixtures(8_000), "NO_MATCH"],
  ["one long hunk that fits a million times", () => same, () => `@@\n${" same\n".repeat(90_000)}-same\n`, "AMBIGUOUS"],
  [
    "nested hunks, each a line longer than the last",
    () => same,
    () => Array.from({ length: 400 }, (_, length) => `@@\n${" same\n".repeat(length)}-same\n`).join(""),
    "AMBIGUOUS",
  ],
  [
    "hunks that overlap deeply",
    () => Array.from({ length: 5_000 }, (_, line) => `${line}\n`).join(""),
    () => Array.from({ length: 4_000 }, (_, line) => `@@ -${line + 1},20 +1 @@\n${body(line, 20)}`).join(""),
    "OVERLAP",
  ],
  ["a huge line number", () => "a\n", () => "@@ -99999999999999999999 +1 @@\n-a\n", "BAD_LINE"],
  ["a line number of a million digits", () => "a\n", () => `@@ -${"9".repeat(1_000_000)} +1 @@\n-a\n`, "BAD_LINE"],
  ["huge counts", () => "a\n", () => "@@ -2000000000,2000000000 +2,0 @@\n-b\n+c\n", "NO_MATCH"],
  ["a header of a million spaces", () => "a\n", () => `@@${" ".repeat(1_000_000)}x\n-b\n`, "NO_MATCH"],
  [
    "a file name of a million slashes",
    () => "a\n",
    () => `diff --git ${"a/ b/".repeat(200_000)}\n@@\n-b\n`,
    "NO_MATCH",
  ],
  [
    "very many blank lines",
    () => "\n".repeat(200_000),
    () => `@@ -1,90000 +1 @@\n${"\n".repeat(90_000)}-x\n`,
    "NO_MATCH",
  ],
  ["very many markers", () => "a", () => `@@\n-a\n${"\\ No newline\n".repeat(90_000)}`, "deleted"],
])("planPatch handles %s within seconds", (_name, text, patch, verdict) => {
  const [before, hostile] = [text(), patch()];
  const started = performance.now();
  const plan = planPatch(before, hostile);
  expect(performance.now() - started).toBeLessThan(5_000);
  if (plan.ok) expect([verdict, applyChanges(before, plan.value.changes)]).toEqual(["deleted", ""]);
  else expect(plan.error.details?.["reason"]).toBe(verdict);
});

function body(line: number, count: number): string {
  return (
    Array.from({ length: count }, (_, index) => (index === 9 ? "-" : " ") + String(line + index)).join("\n") + "\n"
  );
}

test("a refusal stays small for any line lengths and any number of wrong hunks", () => {
  const long = "x".repeat(1_000_000);
  const text = `${long}1\nanchor\n${long}2\n`;
  const plan = planPatch(text, "@@ -1,3 +1,2 @@\n no\n anchor\n-nor this\n".repeat(2_000));
  expect(plan.ok).toBe(false);
  if (plan.ok) return;
  expect(plan.error.message.length).toBeLessThan(5_000);
  const { hunks } = plan.error.details ?? {};
  expect(Array.isArray(hunks) && hunks.length).toBe(200);
  expect(plan.error.details).toMatchObject({ hunks_not_shown: 1_800 });
  expect(JSON.stringify(hunks).length).toBeLessThan(400_000);
  const [first] = Array.isArray(hunks) ? hunks : [];
  expect(first).toMatchObject({ actual: expect.stringMatching(/^[^]{4001}$/) });
});
