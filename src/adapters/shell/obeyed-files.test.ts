import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hold, isHeld, lookForObeyed } from "./obeyed-files.ts";

let base: string;
let folder: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "heddle-obeyed-"));
  folder = join(base, "folder");
  mkdirSync(folder);
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(path: string, text = "x\n"): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function found(): readonly string[] {
  return [...lookForObeyed(folder).paths].toSorted();
}

describe("19.5 a look at a folder", () => {
  test("finds what other programs run or obey, at any depth, links too, and leaves out what installs write", () => {
    write("a/b/c/d/e/.envrc");
    write(".github/workflows/ci.yml");
    write(".husky/pre-commit");
    write("docs/CLAUDE.md");
    symlinkSync("../run.sh", join(folder, "docs", ".envrc"));
    for (const path of [
      "run.sh",
      "package.json",
      ".pnp.cjs",
      ".yarn/cache/a.zip",
      "node_modules/a/.npmrc",
      "src/config",
    ])
      write(path);
    expect(found()).toEqual([
      ".github/workflows/ci.yml",
      ".husky/pre-commit",
      "a/b/c/d/e/.envrc",
      "docs/.envrc",
      "docs/CLAUDE.md",
    ]);
    write(".yarn/plugins/evil.cjs");
    expect(found()).toContain(".yarn/plugins/evil.cjs");
  });

  test("finds no fault with a fresh repository, and finds hooks and settings of one that run something", () => {
    execFileSync("git", ["init", "-q", join(folder, "deep/er/fresh")]);
    execFileSync("git", ["init", "-q", "--bare", join(folder, "mirror")]);
    expect(found()).toEqual([]);
    write("deep/er/fresh/.git/hooks/pre-commit");
    write("mirror/hooks/post-receive");
    expect(found()).toEqual(["deep/er/fresh/.git/hooks/pre-commit", "mirror/hooks/post-receive"]);
  });

  test.each([
    "[core]\n\tfsmonitor = ./evil",
    "[core]\n\tsshCommand = ./evil",
    "[include]\n\tpath = ../../evil",
    '[includeIf "gitdir:/"]\n\tpath = x',
    '[filter "a"]\n\tclean = ./evil',
    "[alias]\n\tst = !./evil",
    '[remote "o"]\n\turl = ext::sh -c evil',
    "[core]\n\tbare = false \\\n",
    "[core] fsmonitor = ./evil",
    "[hookspath",
  ])("takes settings for more than a fresh repository's: %s", (settings) => {
    execFileSync("git", ["init", "-q", join(folder, "x")]);
    const config = join(folder, "x/.git/config");
    writeFileSync(config, `${readFileSync(config, "utf8")}${settings}\n`);
    expect(found()).toEqual(["x/.git/config"]);
  });

  test("tells files that have another name", () => {
    write("plain");
    write("shared");
    writeFileSync(join(base, "outside"), "theirs");
    linkSync(join(base, "outside"), join(folder, "theirs"));
    expect([...lookForObeyed(folder).linked]).toEqual(["theirs"]);
  });
});

describe("19.5 what is held", () => {
  test("gets a name under which nothing runs it, never one that is taken, and is not found a second time", () => {
    write("a/.envrc", "one");
    write("a/.envrc.held", "before");
    expect(hold(folder, ["a/.envrc"])).toEqual(["a/.envrc.2.held"]);
    expect(readFileSync(join(folder, "a/.envrc.2.held"), "utf8")).toBe("one");
    expect(readFileSync(join(folder, "a/.envrc.held"), "utf8")).toBe("before");
    expect(isHeld("a/.envrc.2.held")).toBe(true);
    expect(found()).toEqual([]);
  });

  test("is never a file that a link leads to, nor one that has gone", () => {
    mkdirSync(join(base, "elsewhere"));
    writeFileSync(join(base, "elsewhere", ".envrc"), "theirs");
    symlinkSync(join(base, "elsewhere"), join(folder, "a"));
    expect(hold(folder, ["a/.envrc", "b/.envrc"])).toEqual([]);
    expect(existsSync(join(base, "elsewhere", ".envrc"))).toBe(true);
  });
});
