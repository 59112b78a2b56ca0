import { mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeNamedFile } from "./write-named-file.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-named-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function* broken(): AsyncGenerator<string, void, undefined> {
  yield "the first half";
  throw new Error("no space left");
}

test("a file that cannot be written whole stays as it was", async () => {
  const file = join(folder, "talk.json");
  await expect(writeNamedFile(file, broken())).rejects.toThrow("no space left");
  expect(await readdir(folder)).toEqual([]);
  await writeFile(file, "what was there");
  await expect(writeNamedFile(file, broken())).rejects.toThrow("no space left");
  expect(await readdir(folder)).toEqual(["talk.json"]);
  expect(await readFile(file, "utf8")).toBe("what was there");
});

test("a link leads to the new text, and a device stays a device", async () => {
  const [file, link] = [join(folder, "talk.json"), join(folder, "link.json")];
  await writeFile(file, "before");
  await symlink(file, link);
  await writeNamedFile(link, "after");
  expect([await readlink(link), await readFile(file, "utf8")]).toEqual([file, "after"]);
  await writeNamedFile("/dev/null", "gone");
  expect((await stat("/dev/null")).isCharacterDevice()).toBe(true);
});
