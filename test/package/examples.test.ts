import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { repository } from "../../scripts/command.ts";

const folder = join(repository, "examples");

/** What each example ends with when it does what it shows. */
const shows: Readonly<Record<string, (printed: string) => void>> = {
  embed(printed) {
    expect(printed).toMatch(/^# Release plan\n\nWe ship on Monday\.\n\n## Testing\n\n\S/);
  },
  "two-editors"(printed) {
    expect(printed).toBe("Milk\nBread\nTea\nApples\n\nBoth have the same text.\n");
  },
  "custom-provider"(printed) {
    expect(printed).toBe("user: How many words are these?\nassistant: This conversation has 5 words so far.\n");
  },
};

test("every example has its promise here", () => {
  const examples = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(examples.map(({ name }) => name).toSorted()).toEqual(Object.keys(shows).toSorted());
});

test.each(Object.keys(shows))("the example %s runs on the built package and ends by itself", async (name) => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(folder, name, "main.ts")], {
    timeout: 30_000,
  });
  expect(stderr).toBe("");
  shows[name]?.(stdout);
});
