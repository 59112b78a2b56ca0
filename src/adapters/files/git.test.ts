import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isWorkTree } from "./git.ts";

let folder: string;
let path: string | undefined;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "heddle-git-")));
  path = process.env["PATH"];
});

afterEach(() => {
  process.env["PATH"] = path;
  rmSync(folder, { recursive: true, force: true });
});

/** Puts a program before git that notes that it ran. */
function noted(): () => boolean {
  const programs = join(folder, "programs");
  const mark = join(folder, "ran");
  mkdirSync(programs);
  writeFileSync(join(programs, "git"), `#!/bin/sh\ntouch ${mark}\necho true\n`);
  chmodSync(join(programs, "git"), 0o755);
  process.env["PATH"] = `${programs}${delimiter}${path}`;
  return () => existsSync(mark);
}

test("in a folder without a repository above it no program is started to find that out", async () => {
  const plain = join(folder, "plain");
  mkdirSync(plain);
  const hasRun = noted();
  expect(await isWorkTree(plain)).toBe(false);
  expect(hasRun()).toBe(false);
  mkdirSync(join(plain, ".git"));
  expect(await isWorkTree(plain)).toBe(true);
  expect(hasRun()).toBe(true);
});

test("a folder deep in a work tree belongs to it, also by a link and where the repository is elsewhere", async () => {
  const repository = join(folder, "repository");
  const deep = join(repository, "a", "b");
  mkdirSync(deep, { recursive: true });
  execFileSync("git", ["init", "-q", repository]);
  expect(await isWorkTree(repository)).toBe(true);
  expect(await isWorkTree(deep)).toBe(true);
  symlinkSync(deep, join(folder, "link"));
  expect(await isWorkTree(join(folder, "link"))).toBe(true);
  const apart = join(folder, "apart");
  execFileSync("git", ["init", "-q", `--separate-git-dir=${join(folder, "kept")}`, apart]);
  expect(await isWorkTree(apart)).toBe(true);
  expect(await isWorkTree(join(repository, ".git"))).toBe(false);
  expect(await isWorkTree(join(folder, "missing"))).toBe(false);
});
