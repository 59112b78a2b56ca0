import { expect, test } from "vitest";
import { sourceFiles } from "./source-files.ts";

/** The folder that holds the runs. */
const folder = "src/host/conversation/";
const sources = sourceFiles().filter(({ path }) => path.startsWith(folder) && !/\.test(?:-support)?\.ts$/.test(path));

/** Returns every match of a pattern, as `file: text`. */
function places(pattern: RegExp): readonly string[] {
  return sources.flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([found]) => `${path}: ${found.trim()}`));
}

/** Returns the members of an interface that are not readonly. */
function writable(path: string, name: string): readonly string[] {
  const text = sources.find((source) => source.path === path)?.text ?? "";
  const [, body] = new RegExp(`interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(text) ?? [];
  expect(body).toBeDefined();
  return (body ?? "").split("\n").filter((line) => /^ {2}\w/.test(line) && !line.startsWith("  readonly "));
}

test("the state of a run is assigned only in the commit", () => {
  // Matches an assignment to a member `snapshot`, or to a member of one.
  expect(places(/[\w)\]]+\.snapshot(?:\.\w+)* = [^;]*;/g)).toEqual([
    `${folder}queue/conversation-state.ts: cell.snapshot = next;`,
  ]);
  expect(writable(`${folder}base/run-snapshot.ts`, "RunSnapshot")).toEqual([]);
  expect(writable(`${folder}base/run-snapshot.ts`, "LiveBlock")).toEqual([]);
  expect(writable(`${folder}run/owned-run.ts`, "OwnedRun")).toEqual([]);
});

test("only a plan writes a run's record, and only the commit stores plans", () => {
  const writers = places(
    /"(?:put-run|put-run-event|put-effect|finish-effects?(?:-of-run)?|start-effect|append-feed)"/g,
  );
  expect([...new Set(writers.map((place) => place.slice(folder.length, place.indexOf(":"))))].toSorted()).toEqual([
    "base/run-snapshot.ts",
    "plan/plan-run.ts",
    "queue/conversation-feed.ts",
    "queue/conversation-state.ts",
  ]);
  const holders = sources.filter(({ imports }) =>
    imports.some((path) => path === `${folder}run/owned-run.ts` || path === `${folder}plan/plan.ts`),
  );
  const committing = holders.filter(({ text }) => /\bstore\.commit\(/i.test(text)).map(({ path }) => path);
  expect(committing).toEqual([`${folder}queue/conversation-state.ts`]);
});

test("the host calls the turn machine in one place", () => {
  const importing = sources.filter(({ imports }) => imports.includes("src/core/turn/transition.ts"));
  expect(importing.map(({ path }) => path)).toEqual([`${folder}base/decide.ts`, `${folder}queue/event-processor.ts`]);
  expect(places(/\bmachine\(/g)).toEqual([`${folder}base/decide.ts: machine(`, `${folder}base/decide.ts: machine(`]);
  expect(places(/\?\? transition\b/g)).toEqual([`${folder}queue/event-processor.ts: ?? transition`]);
});
