import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { proofPage } from "../../scripts/proof-page.ts";
import { attacks } from "../attack/attacks.ts";
import { trials } from "../attack/trials.ts";
import { caseIndex } from "./case-index.ts";
import { rightsPage } from "./rights-page.ts";
import { repository, repositoryFiles, sourceFiles } from "./source-files.ts";

const sources = sourceFiles();
const tests = sources.filter(({ path }) => /(?:\.test\.tsx?|-cases\.ts)$/.test(path));

function read(path: string): string {
  return readFileSync(join(repository, path), "utf8");
}

test("docs/cases.md lists the existing tests; `node scripts/cases.ts --write` updates it", () => {
  expect(read("docs/cases.md")).toBe(caseIndex(sources));
});

test("each case of nodes has a test, or a line in 0069 that says why it does not arise", () => {
  const decision = read("docs/decisions/0069-one-node-writes-at-a-time.md");
  const reasons = decision.split("## Cases of the specification that do not arise")[1] ?? "";
  const index = read("docs/cases.md");
  const numbers = Array.from({ length: 51 }, (_, index) => `N-${String(index + 1).padStart(2, "0")}`);
  expect(numbers.filter((number) => !index.includes(`| ${number} |`) && !reasons.includes(number))).toEqual([]);
});

test("docs/rights.md is the table of verbs; `node scripts/rights.ts --write` updates it", () => {
  expect(read("docs/rights.md")).toBe(rightsPage());
});

test("a step of torture rewrites its own section of the proof, and each section names its commit", () => {
  const page = proofPage("# Proof\n\nOld.\n\n## gone: holds\n\n1\n\n## fuzz: holds\n\n2\n", ["sim", "fuzz", "laws"], {
    name: "sim",
    section: "## sim: FAILED\n\n3\n",
  });
  expect(page.slice(page.indexOf("Not run"))).toBe(
    "Not run yet: laws.\n\n## sim: FAILED\n\n3\n\n## fuzz: holds\n\n2\n",
  );
  const again = proofPage(page, ["sim", "fuzz", "laws"], { name: "fuzz", section: "## fuzz: holds\n\n4\n" });
  expect(again).toBe(page.replace("\n2\n", "\n4\n"));
  const sections = read("docs/proof.md")
    .split(/^(?=## )/m)
    .slice(1);
  expect(sections.length).toBeGreaterThan(10);
  for (const section of sections) expect(section).toMatch(/`, at commit `[0-9a-f]{12}`, Node v\d+/);
});

const specs = repositoryFiles().filter((path) => basename(path) === "SPEC.md");

test("every item of docs/asvs.md names a test that exists, in the file that it names", () => {
  const page = read("docs/asvs.md");
  const rows = page.split("\n").filter((line) => /^\| \d/u.test(line));
  const wrong = rows.flatMap((row) => {
    const named = [...row.matchAll(/`((?:src|test)\/[^`]+)` "([^"]+)"/gu)];
    const gone = named.filter(([, path, words = ""]) => {
      const file = tests.find((each) => each.path === path);
      return file === undefined || !plain(file.text).includes(plain(words));
    });
    return named.length === 0 ? [row] : gone.map(([words]) => words);
  });
  expect(rows.length).toBeGreaterThan(30);
  expect(wrong).toEqual([]);
});

test.each(specs)('every test that %s names in "held by" exists', (spec) => {
  const cells = heldBy(read(spec));
  expect(cells.length).toBeGreaterThan(0);
  expect(cells.flatMap((cell) => missing(spec, cell).map((name) => `${cell}: ${name}`))).toEqual([]);
});

test('every test that docs/threat-model.md names in "held by" exists, and each of the 72 bad inputs has a row', () => {
  const page = read("docs/threat-model.md");
  const missing = heldBy(page).flatMap((cell) => [
    ...[...cell.matchAll(/`([\w-]+\.test\.ts)`/g)]
      .map((match) => match[1] ?? "")
      .filter((file) => !tests.some(({ path }) => basename(path) === file)),
    ...[...cell.matchAll(/"([^"]+)"/g)]
      .map((match) => match[1] ?? "")
      .filter((words) => !tests.some(({ text }) => plain(text).includes(plain(words)))),
  ]);
  expect(missing).toEqual([]);
  const rows = [...page.matchAll(/^\| (\d[\d, –]*) \|/gm)].flatMap((match) => (match[1] ?? "").split(", "));
  const numbers = rows.flatMap((row) => {
    const [first = 0, last = first] = row.split("–").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 72 }, (_, index) => index + 1));
});

test("19.17 every row of the threat model names the attack or the test that tries it, and each of those exists", () => {
  const files = repositoryFiles();
  const scripts = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };
  const names = new Set([...Object.keys(attacks), ...Object.keys(trials)]);
  const exists = (named: string): boolean => {
    const [, script = "", name] = /^npm run ([\w:]+)(?: -- ([\w-]+))?$/.exec(named) ?? [];
    if (script !== "") return script in scripts.scripts && (script !== "attack" || names.has(name ?? ""));
    return files.some((path) => path === named || path.startsWith(`${named}/`));
  };
  const cells = cellsOf(read("docs/threat-model.md"), "tried by");
  expect(cells.length).toBeGreaterThan(40);
  const wrong = cells.filter((cell) => {
    const named = [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
    return named.length === 0 || !named.every(exists);
  });
  expect(wrong).toEqual([]);
  const tried = new Set(cells.flatMap((cell) => [...cell.matchAll(/attack -- ([\w-]+)/g)].map((match) => match[1])));
  expect([...names].filter((name) => !tried.has(name))).toEqual([]);
});

test("docs/founding.md has a row for each requirement, with a test or a record that exists", () => {
  const page = read("docs/founding.md");
  const rows = [...page.matchAll(/^\| (\d+) \| (.+) \| (\w+) \| (.+) \|$/gm)].map(([, number, , state, shownBy]) => ({
    number: Number(number),
    state,
    shownBy: shownBy ?? "",
  }));
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: rows.length }, (_, index) => index + 1));
  expect(rows.length).toBeGreaterThanOrEqual(364);
  const files = new Set(repositoryFiles());
  const wrong = rows.filter(({ state, shownBy }) => {
    const named = [...shownBy.matchAll(/\]\(([^)#]+)\)/g)].map((match) => join("docs", match[1] ?? ""));
    if (named.some((path) => !files.has(path))) return true;
    if (state === "works") return named.length === 0;
    return state !== "decided" && state !== "open";
  });
  expect(wrong).toEqual([]);
});

/** Returns the cells of the columns "held by". */
function heldBy(spec: string): readonly string[] {
  return cellsOf(spec, "held by");
}

/** Returns the cells of the columns of this name. */
function cellsOf(spec: string, name: string): readonly string[] {
  const cells: string[] = [];
  let column = -1;
  for (const line of spec.split("\n")) {
    const row = line.split("|").map((cell) => cell.trim());
    if (row.length < 3) column = -1;
    else if (row.includes(name)) column = row.indexOf(name);
    else if (column !== -1 && !/^-+$/.test(row[column] ?? "")) cells.push(row[column] ?? "");
  }
  return cells;
}

/**
 * Returns the missing names of a cell: test files, case numbers, quoted words of a test's name, names in the code of
 * tests.
 */
function missing(spec: string, cell: string): readonly string[] {
  const files = [...cell.matchAll(/`([\w-]+\.test\.ts)`/g)].map((match) => match[1] ?? "");
  const held = tests.filter(({ path }) => files.some((file) => isNear(spec, path) && basename(path) === file));
  return [
    ...files.filter((file) => !held.some(({ path }) => basename(path) === file)),
    ...casesOf(cell).filter((id) => !tests.some(({ text }) => new RegExp(`\\b${id}\\b`).test(text))),
    ...[...cell.matchAll(/"([^"]+)"/g)]
      .map((match) => match[1] ?? "")
      .filter((words) => !tests.some(({ text }) => plain(text).includes(plain(words)))),
    ...[...cell.matchAll(/`(\w+)`/g)]
      .map((match) => match[1] ?? "")
      .filter((name) => !tests.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text)) && !isHarness(name)),
  ];
}

/** Removes the marks that quoting code in a name needs. */
function plain(text: string): string {
  return text.replaceAll(/[`\\]/g, "");
}

/** Whether a test is in the same ring, so that a file's name need not be a path. */
function isNear(spec: string, path: string): boolean {
  return path.startsWith(dirname(dirname(spec)));
}

/** Whether tests reach a name through their support files. */
function isHarness(name: string): boolean {
  return sources.some(({ path, text }) => path.includes(".test-support.") && new RegExp(`\\b${name}\\b`).test(text));
}

/** Returns the numbered cases of a cell: one, several, or a range such as TR1–TR5. */
function casesOf(cell: string): readonly string[] {
  const ids: string[] = [];
  for (const match of cell.matchAll(/\b(TR|R|[A-Z]-)(\d+)(?:–(?:TR|R|[A-Z]-)(\d+))?\b/g)) {
    const [, prefix = "", first = "", last = first] = match;
    for (let number = Number(first); number <= Number(last); number += 1) {
      ids.push(prefix + String(number).padStart(first.length, "0"));
    }
  }
  return ids;
}
