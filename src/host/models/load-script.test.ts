import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { loadScript } from "./load-script.ts";

const folder = await mkdtemp(join(tmpdir(), "heddle-script-"));
afterAll(() => rm(folder, { recursive: true }));

async function load(text: string) {
  const file = join(folder, "script.json");
  await writeFile(file, text);
  return loadScript(file);
}

test("14.10 a script is read from a file", async () => {
  const replies = [
    [{ type: "text", text: "One." }],
    [{ type: "tool-call", name: "think", parameters: { thought: "hm" } }],
  ];
  expect(await load(JSON.stringify(replies))).toEqual({ ok: true, value: replies });
});

test.each([
  ["no JSON", "[[", "JSON"],
  ["an unknown step", '[[{"type": "shout"}]]', "0.0.type"],
  ["a step without its text", '[[{"type": "text", "text": "a"}, {"type": "text"}]]', "0.1.text"],
  ["no list", "{}", "the whole file"],
])("14.10 %s is refused with its place", async (_name, text, place) => {
  const refused = await load(text);
  expect(refused).toMatchObject({
    ok: false,
    error: { code: "INVALID_PARAMS", message: expect.stringContaining(place) },
  });
});

test("14.10 a missing file is named", async () => {
  expect(await loadScript(join(folder, "none.json"))).toMatchObject({
    error: { message: expect.stringContaining("none.json") },
  });
});
