import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemRandom } from "../platform.ts";
import { isSameToken, newToken, tokenOf } from "./token.ts";

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-token-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test("a token is 256 bits in characters that an address takes", () => {
  const tokens = new Set(Array.from({ length: 50 }, () => newToken(systemRandom)));
  expect(tokens.size).toBe(50);
  for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

test("a data directory keeps its token, readable by its owner alone, however many ask at once", async () => {
  // What a start left that was killed, in a container with the same process id, is no hindrance.
  const draft = `token.${process.pid}`;
  await writeFile(join(folder, draft), "half a tok");
  const tokens = await Promise.all(Array.from({ length: 8 }, () => tokenOf(folder, systemRandom)));
  const token = await tokenOf(folder, systemRandom);
  expect(new Set(tokens)).toEqual(new Set([token]));
  expect((await stat(join(folder, "token"))).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["token", draft]);
});

test("a file that holds something else is not taken for a token", async () => {
  const other = await mkdtemp(join(tmpdir(), "heddle-token-"));
  await writeFile(join(other, "token"), "short\n");
  await expect(tokenOf(other, systemRandom)).rejects.toThrow(/holds no token/);
  await rm(other, { recursive: true });
});

test.each([
  ["the same", "abc", "abc", true],
  ["another of the same length", "abc", "abd", false],
  ["a longer one", "abc", "abcd", false],
  ["nothing", "abc", "", false],
])("%s is compared right", (_name, expected, given, same) => {
  expect(isSameToken(expected, given)).toBe(same);
});
