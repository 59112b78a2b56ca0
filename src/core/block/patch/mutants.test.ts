import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { must } from "../../base/assert.ts";
import { applyChanges } from "../text-change.ts";
import { planPatch } from "./apply.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** Whole numbers from 0 to below a bound, the same on every run. */
type Dice = (bound: number) => number;

function seededDice(seed: number): Dice {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

interface Edit {
  readonly before: string;
  readonly after: string;
  readonly patch: string;
}

/** A Markdown-like text, edited in one to four places. */
function someEdit(dice: Dice): Edit {
  const line = (): string => {
    switch (dice(6)) {
      case 0:
        return "";
      case 1:
        return "- item";
      case 2:
        return "```";
      default:
        return `${"  ".repeat(dice(3))}Line ${dice(10_000)} says ${dice(100)}.`;
    }
  };
  const before = Array.from({ length: 40 + dice(80) }, line);
  const after = [...before];
  for (let edits = 1 + dice(4); edits > 0; edits -= 1) {
    after.splice(dice(after.length), dice(3), ...Array.from({ length: 1 + dice(3) }, () => `New ${dice(10_000)}`));
  }
  const [old, fresh] = [`${before.join("\n")}\n`, `${after.join("\n")}\n`];
  return { before: old, after: fresh, patch: unifiedDiff(old, fresh) };
}

const header = /^@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@$/gm;

function shiftHeaders(patch: string, dice: Dice): string {
  const shift = (1 + dice(40)) * (dice(2) === 0 ? 1 : -1);
  return patch.replaceAll(header, (_whole, old: string, oldCount = "", fresh: string, freshCount = "") => {
    return `@@ -${Math.max(1, Number(old) + shift)}${oldCount} +${Math.max(1, Number(fresh) + shift)}${freshCount} @@`;
  });
}

function hunksOf(patch: string): readonly string[] {
  return patch.split(/^(?=@@)/m);
}

/** Changes one context line that is not blank; the patch itself when it has none. */
function changeContext(patch: string, dice: Dice, change: (line: string) => string): string {
  const lines = patch.split("\n");
  const places = lines.flatMap((line, index) => (/^ .*\S/.test(line) ? [index] : []));
  const place = places[dice(Math.max(1, places.length))];
  return place === undefined ? patch : lines.with(place, change(must(lines[place], "the place is a line"))).join("\n");
}

/** `least`: how many of a hundred must be accepted; what is accepted must be right, always. */
const mutations: Record<
  string,
  { readonly least: number; readonly most: number; readonly mutate: (patch: string, dice: Dice) => string }
> = {
  none: { least: 100, most: 100, mutate: (patch) => patch },
  "all line numbers shifted": { least: 90, most: 100, mutate: shiftHeaders },
  "every header at line 1": {
    least: 90,
    most: 100,
    mutate: (patch) =>
      patch.replaceAll(
        header,
        (_whole, _old, oldCount = "", _fresh, freshCount = "") => `@@ -1${oldCount} +1${freshCount} @@`,
      ),
  },
  "wrong counts": {
    least: 100,
    most: 100,
    mutate: (patch, dice) => patch.replaceAll(/,\d+/g, () => `,${1 + dice(20)}`),
  },
  "bare headers": { least: 90, most: 100, mutate: (patch) => patch.replaceAll(header, "@@ ... @@") },
  "blank context without its space": { least: 100, most: 100, mutate: (patch) => patch.replaceAll(/^ $/gm, "") },
  "no final newline": { least: 100, most: 100, mutate: (patch) => patch.trimEnd() },
  "trailing context dropped": {
    least: 85,
    most: 100,
    mutate: (patch) =>
      hunksOf(patch)
        .map((hunk) => hunk.replace(/(?:^ .*\n)+$/m, ""))
        .join(""),
  },
  "carriage returns": { least: 100, most: 100, mutate: (patch) => patch.replaceAll("\n", "\r\n") },
  "hunks in the other order": { least: 100, most: 100, mutate: (patch) => hunksOf(patch).toReversed().join("") },
  "a word of the context changed": {
    least: 0,
    most: 0,
    mutate: (patch, dice) => changeContext(patch, dice, (line) => `${line}x`),
  },
  "an indent of the context changed": {
    least: 0,
    most: 0,
    mutate: (patch, dice) => changeContext(patch, dice, (line) => ` ${line}`),
  },
  "a blank at the end of the context": {
    least: 0,
    most: 0,
    mutate: (patch, dice) => changeContext(patch, dice, (line) => `${line} `),
  },
  "a context line without its space": {
    least: 0,
    most: 5,
    mutate: (patch, dice) => changeContext(patch, dice, (line) => line.slice(1)),
  },
  "the first hunk twice": { least: 0, most: 0, mutate: (patch) => (hunksOf(patch)[0] ?? "") + patch },
};

test.each(Object.entries(mutations))(
  "700 patches with %s are applied rightly or not at all",
  (_name, { least, most, mutate }) => {
    const dice = seededDice(7);
    let accepted = 0;
    let tried = 0;
    for (let round = 0; round < 700; round += 1) {
      const { before, after, patch } = someEdit(dice);
      const mutant = mutate(patch, dice);
      if (most < 100 && mutant === patch) continue;
      tried += 1;
      const plan = planPatch(before, mutant);
      if (!plan.ok) continue;
      accepted += 1;
      if (applyChanges(before, plan.value.changes) !== after)
        throw new Error(`accepted wrongly:\n${mutant}\n--- to\n${before}`);
    }
    expect(tried).toBeGreaterThan(600);
    expect((accepted * 100) / tried).toBeGreaterThanOrEqual(least);
    expect((accepted * 100) / tried).toBeLessThanOrEqual(most);
  },
);

test("git applies our diffs to the same texts", () => {
  const dice = seededDice(11);
  const folder = mkdtempSync(join(tmpdir(), "heddle-patch-"));
  try {
    const edits = Array.from({ length: 300 }, () => {
      const { before, after } = someEdit(dice);
      // Every state of the final newline on either side.
      const [old, fresh] = [dice(2) === 0 ? before : before.slice(0, -1), dice(2) === 0 ? after : after.slice(0, -1)];
      return { old, fresh };
    }).filter(({ old, fresh }) => old !== fresh);
    mkdirSync(join(folder, "texts"));
    for (const [index, { old }] of edits.entries()) writeFileSync(join(folder, `texts/${index}`), old);
    const patch = edits.map(({ old, fresh }, index) => unifiedDiff(old, fresh, { name: `texts/${index}` })).join("");
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir(), GIT_CONFIG_GLOBAL: "/dev/null" };
    execFileSync("git", ["apply", "--whitespace=nowarn", "-"], { cwd: folder, input: patch, env });
    for (const [index, { old, fresh }] of edits.entries()) {
      expect(readFileSync(join(folder, `texts/${index}`), "utf8")).toBe(fresh);
      const plan = planPatch(old, unifiedDiff(old, fresh));
      expect(plan.ok && applyChanges(old, plan.value.changes)).toBe(fresh);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
