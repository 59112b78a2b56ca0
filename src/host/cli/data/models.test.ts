import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCommandLine } from "../run.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-prices-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs `heddle models --prices` on a file with this text. */
async function take(
  text: string,
): Promise<{ readonly code: number; readonly said: string; readonly kept: string | null }> {
  const [file, data] = [join(folder, "api.json"), join(folder, "data")];
  await writeFile(file, text);
  let said = "";
  const say = (line: string): void => void (said += `${line}\n`);
  const code = await runCommandLine(["models", "--prices", file, "--data", data], {
    print: say,
    note: say,
    env: {},
    input: async () => "",
    isInteractive: false,
    colours: false,
  });
  return { code, said, kept: await readFile(join(data, "models.dev.json"), "utf8").catch(() => null) };
}

const house = (input: number) =>
  JSON.stringify({ house: { models: { a: { cost: { input, output: 2 } }, b: { limit: { context: 1_000 } } } } });

test("20.16 heddle models --prices keeps a list in the form of models.dev in the data folder, and a newer one over it", async () => {
  expect(await take(house(1))).toMatchObject({
    code: 0,
    said: expect.stringContaining("2 models of 1 provider, 1 with prices"),
    kept: house(1),
  });
  expect(await take(house(3))).toMatchObject({ code: 0, kept: house(3) });
});

test.each([
  ["is no JSON", "{", "invalid JSON"],
  ["names no models", "{}", "names no provider"],
])("20.16 a list that %s is refused, and the last one stays", async (_what, text, why) => {
  await take(house(1));
  const refused = await take(text);
  expect(refused).toMatchObject({ code: 2, kept: house(1) });
  expect(refused.said).toContain(why);
  expect(refused.said).toContain("Nothing was changed.");
});
