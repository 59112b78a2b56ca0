import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isRunByGit } from "./run-by-git.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "heddle-run-by-git-")));
  git("init", "-q", ".");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function git(...args: readonly string[]): void {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  execFileSync("git", ["-C", root, ...args], { env, stdio: "ignore" });
}

describe("19.5 a file counts as run by git", () => {
  test.each<[string, readonly string[], string]>([
    ["in the folder of its hooks", ["core.hooksPath", "tools/githooks"], "tools/githooks/pre-commit"],
    ["in the folder of its hooks, in another case", ["core.hooksPath", "tools/githooks"], "Tools/GitHooks/pre-commit"],
    ["as settings that are included", ["include.path", "../team.gitconfig"], "team.gitconfig"],
    [
      "as settings that are included under a condition",
      ["includeIf.gitdir:/.path", "../team.gitconfig"],
      "team.gitconfig",
    ],
    ["as its monitor", ["core.fsmonitor", "./tools/watch --fast"], "tools/watch"],
    ["as its way to connect", ["core.sshCommand", "tools/ssh -i key"], "tools/ssh"],
    ["as a filter of attributes", ["filter.neat.clean", "sh tools/neat.sh %f"], "tools/neat.sh"],
    ["as a driver of comparisons", ["diff.pdf.textconv", "tools/pdf"], "tools/pdf"],
    ["as a driver of merges", ["merge.ours.driver", "./tools/merge %O %A"], "tools/merge"],
    ["as an alias", ["alias.up", "!sh ./tools/up.sh"], "tools/up.sh"],
    ["as its helper for passwords", ["credential.helper", "!tools/pass"], "tools/pass"],
    ["as its pager", ["core.pager", "tools/page | less"], "tools/page"],
    ["as the program that signs", ["gpg.program", "tools/sign"], "tools/sign"],
    ["as attributes of all files", ["core.attributesFile", "tools/attributes"], "tools/attributes"],
    [
      "as the template of new repositories",
      ["init.templateDir", "tools/template"],
      "tools/template/hooks/post-checkout",
    ],
  ])("%s", async (_how, setting, path) => {
    expect(await isRunByGit(root, path)).toBe(false);
    git("config", ...setting);
    expect(await isRunByGit(root, path)).toBe(true);
    expect(await isRunByGit(root, "tools/other.md")).toBe(false);
    expect(await isRunByGit(root, "README.md")).toBe(false);
  });

  test("by settings that are included from another file", async () => {
    writeFileSync(join(root, "team.gitconfig"), "[core]\n\thooksPath = tools/githooks\n");
    git("config", "include.path", "../team.gitconfig");
    expect(await isRunByGit(root, "tools/githooks/pre-push")).toBe(true);
  });

  test("by the settings of a repository in it, and of the one around it", async () => {
    const inner = join(root, "packages", "x");
    mkdirSync(inner, { recursive: true });
    execFileSync("git", ["init", "-q", inner]);
    execFileSync("git", ["-C", inner, "config", "core.hooksPath", "hooks-of-x"]);
    git("config", "core.hooksPath", "packages/all-hooks");
    expect(await isRunByGit(root, "packages/x/hooks-of-x/pre-commit")).toBe(true);
    expect(await isRunByGit(root, "packages/x/other/pre-commit")).toBe(false);
    expect(await isRunByGit(inner, "hooks-of-x/pre-commit")).toBe(true);
    expect(await isRunByGit(join(root, "packages"), "all-hooks/pre-commit")).toBe(true);
  });

  test("by the settings of a work tree whose repository is elsewhere", async () => {
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x");
    git("worktree", "add", "-q", "trees/second");
    git("config", "core.hooksPath", "githooks");
    expect(await isRunByGit(root, "trees/second/githooks/pre-commit")).toBe(true);
  });
});

test("19.5 a file outside the folder, and any file where there is no git, is none", async () => {
  git("config", "core.hooksPath", "../elsewhere");
  expect(await isRunByGit(root, "../elsewhere/pre-commit")).toBe(false);
  expect(await isRunByGit(join(root, "missing"), "a")).toBe(false);
});
