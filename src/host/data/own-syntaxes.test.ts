import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { syntaxes } from "../../core/syntax/registry.ts";
import { loadConfiguration } from "./load-configuration.ts";
import { readOwnSyntaxes } from "./own-syntaxes.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-own-syntaxes-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(folder, "syntaxes"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, "syntaxes", name), text);
}

const mine = (id: string): string =>
  JSON.stringify({ id, title: id, calls: "json", call: ["[DO]", "[END]"], prompt: "Call." });

test("15.8 a data folder without syntaxes has the built-in ones", () => {
  expect(readOwnSyntaxes(folder)).toEqual({ syntaxes, files: [] });
});

test("15.8 a file with a mistake is named and left out, and the others are used", async () => {
  await write({
    "a.json": mine("a"),
    "b.json": mine("other"),
    "c.json": "{",
    "hermes.json": mine("hermes"),
    "readme.txt": "",
  });
  const read = readOwnSyntaxes(folder);
  expect(read.syntaxes.slice(syntaxes.length).map(({ id }) => id)).toEqual(["a"]);
  expect(read.files.map(({ name, problem }) => [name, problem])).toEqual([
    ["a.json", null],
    ["b.json", "the file must be named other.json, after its id"],
    ["c.json", expect.stringContaining("invalid JSON")],
    ["hermes.json", "line 1: id: hermes is the name of another syntax"],
  ]);
});

test("15.8 --tool-syntax takes the name of a syntax of the data folder, and no other", async () => {
  await write({ "a.json": mine("a") });
  const user = { platform: "linux", home: folder, env: {} };
  expect(loadConfiguration({ data: folder, "tool-syntax": "a" }, user)).toMatchObject({ value: { toolSyntax: "a" } });
  expect(loadConfiguration({ data: folder, "tool-syntax": "b" }, user)).toMatchObject({
    error: { message: expect.stringContaining("--tool-syntax: There is no tool syntax") },
  });
});
