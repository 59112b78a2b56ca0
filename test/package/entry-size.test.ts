import { expect, test } from "vitest";
import { entryScripts } from "../../bench/app/entry-script.ts";

test("17 the scripts that the page loads at once have at most 150 kB, gzipped, and come in few answers", async () => {
  const { files, kilobytes } = await entryScripts();
  expect(kilobytes).toBeLessThanOrEqual(150);
  expect(files).toBeLessThanOrEqual(6);
});
