import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mutants as access } from "../mutants/access.ts";
import { mutants as canvas } from "../mutants/canvas.ts";
import { mutants as lease } from "../mutants/lease.ts";
import { mutants as review } from "../mutants/review.ts";
import { mutants as store } from "../mutants/store.ts";
import { mutants as syntax } from "../mutants/syntax.ts";
import { mutants as text } from "../mutants/text.ts";
import { mutants as turn } from "../mutants/turn.ts";
import { findCandidates } from "../mutants/generated/candidates.ts";
import { equalMutants, isAbout } from "../mutants/generated/equal.ts";
import { defectsByPart } from "../simulation/defects/all.ts";
import { repository, sourceFiles } from "./source-files.ts";

test("every mutant finds its code exactly once, and its test file exists", () => {
  const stale = [access, canvas, lease, review, store, syntax, text, turn]
    .flat()
    .filter(({ file, search, test: noticing }) => {
      const path = join(repository, file);
      const places = existsSync(path) ? readFileSync(path, "utf8").split(search).length - 1 : 0;
      return places !== 1 || !existsSync(join(repository, noticing));
    });
  expect(stale.map(({ name, file }) => `${file}: ${name}`)).toEqual([]);
});

test("19.13 every defect that the simulation must find finds its code exactly once, and there are enough of every part", () => {
  const all = Object.values(defectsByPart).flat();
  const stale = all.filter(({ file, search }) => {
    const path = join(repository, file);
    return !existsSync(path) || readFileSync(path, "utf8").split(search).length !== 2;
  });
  expect(stale.map(({ name, file }) => `${file}: ${name}`)).toEqual([]);
  expect(all.length).toBeGreaterThanOrEqual(40);
  for (const [part, defects] of Object.entries(defectsByPart)) expect(defects.length, part).toBeGreaterThanOrEqual(3);
});

test("every generated mutant listed as equal is still generated from the sources", () => {
  const names = new Set(equalMutants.map(({ file }) => file));
  const candidates = sourceFiles()
    .filter(({ path }) => path.startsWith("src/") && names.has(path.slice(path.lastIndexOf("/") + 1)))
    .flatMap(({ path, text }) => findCandidates(path, text));
  const stale = equalMutants.filter((entry) => !candidates.some((candidate) => isAbout(entry, candidate)));
  expect(stale.map(({ file, before, after }) => `${file}: ${before} → ${after}`)).toEqual([]);
});
