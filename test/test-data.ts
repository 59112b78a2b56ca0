import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * The folder with recordings and traces, outside the project: `HEDDLE_TEST_DATA`, else `../shared/data`. Null if that
 * is `none`; if the folder is missing, the test that needs it fails.
 */
export function testDataFolder(): string | null {
  const given = process.env["HEDDLE_TEST_DATA"];
  if (given === "none") return null;
  const folder = given ?? join(import.meta.dirname, "..", "..", "shared", "data");
  if (existsSync(folder)) return folder;
  throw new Error(
    `There are no recordings in ${folder}. Set HEDDLE_TEST_DATA to their folder, or to "none" to go without.`,
  );
}
