import { assert } from "../../src/core/base/assert.ts";
import type { SourceFile } from "./source-files.ts";

/** A page of the specification with numbered cases, and the tests that its numbers refer to. */
interface Page {
  readonly title: string;
  /** The letters before the number, with the page's hyphen; empty if its numbers begin a name: `38: …`. */
  readonly prefix: string;
  /** Only tests below this folder refer to this page by the prefix. */
  readonly folder?: string;
  /** Tests of this folder refer to another page by the prefix. */
  readonly notIn?: string;
}

const patchTests = "src/core/block/patch/";

const pages: readonly Page[] = [
  { title: "Blocks", prefix: "B-" },
  { title: "Canvas and leases", prefix: "C-" },
  { title: "Defects of the loop before Heddle's", prefix: "CR" },
  { title: "Patches of the canvas", prefix: "P", folder: patchTests },
  { title: "Turns", prefix: "S-" },
  { title: "Forest and messages", prefix: "F-" },
  { title: "Tool-call syntaxes", prefix: "T-" },
  { title: "Transcripts that providers accept", prefix: "TR" },
  { title: "Undo of a text", prefix: "P", notIn: patchTests },
  { title: "Reliability", prefix: "R" },
  { title: "Collaboration", prefix: "K-" },
  { title: "Other programs", prefix: "I-" },
  { title: "Teams: access", prefix: "A-" },
  { title: "Teams: several processes", prefix: "N-" },
  { title: "Security", prefix: "" },
];

const command = "node scripts/cases.ts --write";

/** Writes `docs/cases.md`: the numbered cases of the specification that a test names, by page and number. */
export function caseIndex(sources: readonly SourceFile[]): string {
  const tests = sources.filter(({ path }) => /(?:\.test\.tsx?|-(?:cases|suite)\.ts)$/.test(path));
  const chapters = pages.flatMap((page) => {
    const rows = tests.filter(({ path }) => isAbout(page, path)).flatMap((file) => rowsOf(page, file));
    const sorted = rows.toSorted((a, b) => a.number - b.number || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
    const cells = sorted.map((row) => `| ${page.prefix}${pad(page, row.number)} | ${row.name} | ${row.path} |`);
    const cases = new Set(rows.map((row) => row.number)).size;
    return [`## ${page.title}: ${cases} cases`, "", "| case | test | file |", "| --- | --- | --- |", ...cells, ""];
  });
  const opening = [
    "# Cases",
    "",
    "The numbered cases of the specification that a test carries in its name, each with every test that holds it.",
    `Made from the names of the tests: \`${command}\`.`,
    "",
  ];
  return [...opening, ...chapters].join("\n");
}

interface CaseRow {
  readonly number: number;
  readonly name: string;
  readonly path: string;
}

function isAbout({ folder, notIn }: Page, path: string): boolean {
  return (folder === undefined || path.startsWith(folder)) && (notIn === undefined || !path.startsWith(notIn));
}

function rowsOf(page: Page, { path, text }: SourceFile): readonly CaseRow[] {
  return namesIn(text).flatMap((name) => numbersIn(page, name).map((number) => ({ number, name: shown(name), path })));
}

/** Returns the quoted strings: test names are among them, and no other string in a test has a case number. */
function namesIn(text: string): readonly string[] {
  const quoted = text.matchAll(/"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\\n])*)`/g);
  return [...new Set([...quoted].map((match) => match[1] ?? match[2] ?? ""))];
}

/** Returns the numbers that a name claims on a page; `TR1 to TR5` claims five. */
function numbersIn({ prefix }: Page, name: string): readonly number[] {
  if (prefix === "") return openingNumbers(name);
  const numbers = new Set<number>();
  const id = `${prefix}(\\d{1,2})\\b`;
  for (const match of name.matchAll(new RegExp(`(?<![\\w-])${id}(?: to ${id})?`, "g"))) {
    const first = Number(match[1]);
    const last = match[2] === undefined ? first : Number(match[2]);
    assert(last >= first, `the range of cases in "${name}" goes up`);
    for (let number = first; number <= last; number += 1) numbers.add(number);
  }
  return [...numbers];
}

function openingNumbers(name: string): readonly number[] {
  const opening = /^\d{1,2}(?:, \w{1,3})*(?=: )/.exec(name)?.[0] ?? "";
  return [...opening.matchAll(/\b\d{1,2}\b/g)].map(([number]) => Number(number));
}

function pad({ prefix }: Page, number: number): string {
  return prefix.endsWith("-") ? String(number).padStart(2, "0") : String(number);
}

/** Returns a name as a cell of a table, with an ellipsis for each value that the test inserts. */
function shown(name: string): string {
  return name
    .replaceAll(/\$\{[^}]*\}|%[a-z]|\$[a-z]+/gi, "…")
    .replaceAll("|", "\\|")
    .replaceAll("\\`", "`");
}
