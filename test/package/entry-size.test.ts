import { expect, test } from "vitest";
import { entryKilobytes } from "../../bench/app/entry-script.ts";

test("17 the scripts that the page loads before it can draw have at most 150 kB, gzipped", async () => {
  expect(await entryKilobytes()).toBeLessThanOrEqual(150);
});
