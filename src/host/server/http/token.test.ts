import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemRandom } from "../../../adapters/platform/system-platform.ts";
import { isSameToken, newToken, tokenOf } from "./token.ts";

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-token-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test("a token is 256 bits in URL-safe characters", () => {
  const tokens = new Set(Array.from({ length: 50 }, () => newToken(systemRandom)));
  expect(tokens.size).toBe(50);
  for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

test("a data directory keeps one token, readable only by its owner, even under concurrent starts", async () => {
  // The draft of a killed start, in a container with the same process id, does no harm.
  const draft = `token.${process.pid}`;
  await writeFile(join(folder, draft), "half a tok");
  const tokens = await Promise.all(Array.from({ length: 8 }, () => tokenOf(folder, systemRandom)));
  const token = await tokenOf(folder, systemRandom);
  expect(token.ok).toBe(true);
  for (const each of tokens) expect(each).toEqual(token);
  expect((await stat(join(folder, "token"))).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["token", draft]);
});

test.each<[string, (file: string) => Promise<unknown>, RegExp]>([
  ["holds something else", (file) => writeFile(file, "short\n"), /token holds no token\. Remove it/],
  ["is a folder", (file) => mkdir(file), /token cannot be used: EISDIR/],
])("a token file that %s is refused by its name", async (_name, make, message) => {
  const other = await mkdtemp(join(tmpdir(), "heddle-token-"));
  await make(join(other, "token"));
  const refused = await tokenOf(other, systemRandom);
  expect(refused).toMatchObject({
    ok: false,
    error: { code: "STORE_FAILED", message: expect.stringMatching(message) },
  });
  await rm(other, { recursive: true });
});

test("an empty token file, as a power cut leaves it, is replaced, and its owner is notified once", async () => {
  const other = await mkdtemp(join(tmpdir(), "heddle-token-"));
  await writeFile(join(other, "token"), "\n");
  const noted: string[] = [];
  const made = await tokenOf(other, systemRandom, (sentence) => noted.push(sentence));
  expect(made.ok).toBe(true);
  expect(await tokenOf(other, systemRandom, (sentence) => noted.push(sentence))).toEqual(made);
  expect(noted).toEqual([expect.stringMatching(/token was empty, so there is a new token/)]);
  await rm(other, { recursive: true });
});

test("a token file that others could read is made private, and its owner is notified once", async () => {
  const other = await mkdtemp(join(tmpdir(), "heddle-token-"));
  const file = join(other, "token");
  const token = await tokenOf(other, systemRandom);
  await chmod(file, 0o644);
  const noted: string[] = [];
  for (let start = 0; start < 2; start += 1) {
    expect(await tokenOf(other, systemRandom, (sentence) => noted.push(sentence))).toEqual(token);
  }
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(noted).toEqual([expect.stringContaining(`Others could read ${file}`)]);
  await rm(other, { recursive: true });
});

test.each([
  ["the same", "abc", "abc", true],
  ["another of the same length", "abc", "abd", false],
  ["a longer token", "abc", "abcd", false],
  ["nothing", "abc", "", false],
])("%s is compared correctly", (_name, expected, given, same) => {
  expect(isSameToken(expected, given)).toBe(same);
});
