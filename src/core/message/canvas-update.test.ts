import { expect, test } from "vitest";
import type { BlockId } from "../base/ids.ts";
import { canvasUpdateMessage } from "./canvas-update.ts";
import { textOf } from "./content.ts";

test.each([79, 80, 81])(
  "canvasUpdateMessage cuts names and titles between characters when they have %i letters and an emoji",
  (letters) => {
    const long = `${"a".repeat(letters)}😀`;
    const message = canvasUpdateMessage({
      canvasId: "canvas" as BlockId,
      title: long,
      from: { revisionId: "1-a", text: "old\n" },
      to: { revisionId: "2-b", text: "new\n" },
      changedBy: [long],
      own: null,
      switched: true,
    });
    const sent = message === null ? "" : textOf(message);
    expect(sent).toContain(`Changed by ${"a".repeat(Math.min(letters, 80))}.`);
    expect(sent).toContain(`now "${"a".repeat(Math.min(letters, 80))}" (`);
    expect(sent.isWellFormed()).toBe(true);
  },
);

test("14.10 canvasUpdateMessage sums a diff beyond its bound in tokens up by section", () => {
  const section = (title: string, line: string, count: number): string =>
    `# ${title}\n\n${`${line}\n`.repeat(count)}\n`;
  const before = section("One", "a line of some words", 900) + section("Two", "kept", 3) + section("Three", "last", 2);
  const after = before.replaceAll("some", "other").replace("last\nlast\n", "last\n");
  const message = canvasUpdateMessage({
    canvasId: "canvas" as BlockId,
    title: "Plan",
    from: { revisionId: "1-a", text: before },
    to: { revisionId: "2-b", text: after },
    changedBy: ["Ada"],
    own: null,
    switched: false,
  });
  const sent = message === null ? "" : textOf(message);
  expect(sent).toContain("+900 −901 lines, by section of its present text:");
  expect(sent).toContain("\n- 1 One: +900 −900, now at lines 3-902\n");
  expect(sent).toMatch(/\n- 3 Three: \+0 −1, now at lines \d+\n/);
  expect(sent).not.toContain("Two");
  expect(sent.length).toBeLessThan(500);
});
