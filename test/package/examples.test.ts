import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { repository } from "../../scripts/command.ts";

const folder = join(repository, "examples");

/** The output of each example when it works. */
const shows: Readonly<Record<string, (printed: string) => void>> = {
  block(printed) {
    expect(printed).toContain("\n-We ship on Friday.\n-Nobody tests.\n+We ship on Monday.\n+Ben tests.\n");
    expect(printed).toMatch(
      /\nDraft\.\n\n# Release plan\n\nWe ship on Monday\.\nBen tests\.\n\nPATCH_REJECTED\nline 2 matches\n$/,
    );
  },
  "custom-provider"(printed) {
    expect(printed).toBe("user: How many words are these?\nassistant: This conversation has 5 words so far.\n");
  },
  embed(printed) {
    expect(printed).toMatch(/^# Release plan\n\nWe ship on Monday\.\n\n## Testing\n\n\S/);
  },
  forest(printed) {
    expect(printed).toContain("(continues from 1)\n\nIt lifts every second thread");
    expect(printed).toMatch(/\n[0-9a-f]{16}\nIt reads back\.\nEXPORT_INVALID at nodes\.0\.message\.role\n$/);
  },
  message(printed) {
    expect(printed).toBe("text, call of look\nIt goes back.\nlook got {path\nuser (2), assistant (2)\n8192\n");
  },
  syntax(printed) {
    expect(printed).toBe('true 0\nI look.\nexample-1 look {"path":"notes.md"}\n');
  },
  testing(printed) {
    expect(printed).toMatch(/Tests.* [1-9]\d\d passed/);
    expect(printed).not.toContain("failed");
  },
  text(printed) {
    expect(printed).toBe("Milk\nBread\nTea\nApples\n\nBread\nTea\nApples\n\nThe stored copy is the same.\n");
  },
  turn(printed) {
    expect(printed).toContain("request-prepared: request-model\n");
    expect(printed).toMatch(/The turn is over\.\nNOTHING_TO_CANCEL\n$/);
  },
  "two-editors"(printed) {
    expect(printed).toBe("Milk\nBread\nTea\nApples\n\nBoth have the same text.\n");
  },
};

test("every example has its expected output here", () => {
  const examples = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(examples.map(({ name }) => name).toSorted()).toEqual(Object.keys(shows).toSorted());
});

test.each(Object.keys(shows))("the example %s runs on the built package and ends by itself", async (name) => {
  const program = join(folder, name, "main.ts");
  // The example for tests runs inside a test.
  const vitest = [join(repository, "node_modules/vitest/vitest.mjs"), "run", "--root", join(folder, name)];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, existsSync(program) ? [program] : vitest, {
    timeout: 60_000,
    env: { ...process.env, NO_COLOR: "1" },
  });
  expect(stderr).toBe("");
  shows[name]?.(stdout);
});
