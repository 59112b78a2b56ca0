import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FilePath } from "../../core/base/file-path.ts";
import { commitFiles } from "./commit-files.ts";
import { git } from "./git.ts";
import { unfitFilesOf } from "../../core/port/unfit-files.ts";

let root: string;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "heddle-git-test-"));
  await git(root, ["init", "-q", "-b", "main"]);
});

afterEach(() => rmSync(root, { recursive: true }));

const author = { name: "Ada", email: "ada@example.org" };

function commit(files: Readonly<Record<string, string | null>>, branch = "heddle/main") {
  return commitFiles(root, {
    branch,
    message: "Apply the edits\n",
    author,
    files: Object.entries(files).map(([path, text]) => ({
      path: path as FilePath,
      bytes: text === null ? null : new TextEncoder().encode(text),
    })),
  });
}

async function base(): Promise<void> {
  writeFileSync(join(root, "a.md"), "a\n");
  writeFileSync(join(root, "run.sh"), "run\n", { mode: 0o755 });
  await git(root, ["add", "."]);
  await git(root, ["-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "-m", "base"]);
}

describe("commitFiles", () => {
  test("returns a refusal when it cannot create its index", async () => {
    await base();
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = join(root, "not-there");
    try {
      expect(await commit({ "a.md": "b\n" })).toMatchObject({ ok: false, error: { code: "FILE_FAILED" } });
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    }
  });

  test("writes to its own branch and leaves the work tree, its index and its branch unchanged", async () => {
    await base();
    const before = [await git(root, ["rev-parse", "main"]), await git(root, ["status", "--porcelain"])];
    const made = await commit({ "a.md": "b\n", "run.sh": "go\n", "new/c.md": "c\r\n" });
    expect(made).toMatchObject({ ok: true, value: expect.stringMatching(/^[0-9a-f]{40}$/) });
    expect([await git(root, ["rev-parse", "main"]), await git(root, ["status", "--porcelain"])]).toEqual(before);
    expect(await git(root, ["show", "heddle/main:new/c.md"])).toBe("c\r\n");
    expect(await git(root, ["ls-tree", "-r", "heddle/main"])).toMatch(/100755 blob \w+\trun\.sh/);
    expect(await git(root, ["log", "-1", "--format=%an %ae %cn %s", "heddle/main"])).toBe(
      "Ada ada@example.org Heddle Apply the edits\n",
    );
  });

  test("builds on the previous commit, deletes files, and commits nothing without a change", async () => {
    await base();
    const first = await commit({ "a.md": "b\n" });
    expect(await commit({ "a.md": "b\n" })).toEqual({ ok: true, value: null });
    await commit({ "a.md": null });
    expect(await git(root, ["rev-list", "heddle/main"])).toContain(first.ok ? String(first.value) : "none");
    expect((await git(root, ["ls-tree", "--name-only", "heddle/main"])).trim()).toBe("run.sh");
  });

  test("changes nothing for an empty list or for missing files", async () => {
    for (const begin of [async () => {}, base]) {
      await begin();
      expect(await commit({})).toEqual({ ok: true, value: null });
      expect(await commit({ "gone.md": null })).toEqual({ ok: true, value: null });
    }
  });

  test("commits in SHA-1 and SHA-256 repositories", async () => {
    rmSync(join(root, ".git"), { recursive: true });
    await git(root, ["init", "-q", "-b", "main", "--object-format=sha256"]);
    await base();
    expect(await commit({ "a.md": "b\n" })).toMatchObject({ ok: true, value: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await commit({ "a.md": null })).toMatchObject({ ok: true });
    expect(await git(root, ["ls-tree", "--name-only", "heddle/main"])).toBe("run.sh\n");
  });

  test("commits in an empty repository and from a folder below its top", async () => {
    expect(await commit({ "a.md": "a\n" })).toMatchObject({ ok: true });
    mkdirSync(join(root, "docs"));
    const below = await commitFiles(join(root, "docs"), {
      branch: "heddle/main",
      message: "m",
      author,
      files: [{ path: "x.md" as FilePath, bytes: new Uint8Array() }],
    });
    expect(below).toMatchObject({ ok: true });
    expect((await git(root, ["ls-tree", "-r", "--name-only", "heddle/main"])).trim().split("\n")).toEqual([
      "a.md",
      "docs/x.md",
    ]);
  });

  test("runs no program that the repository configures", async () => {
    await base();
    writeFileSync(join(root, ".git", "hooks", "reference-transaction"), `#!/bin/sh\ntouch ${root}/ran\n`, {
      mode: 0o755,
    });
    await git(root, ["config", "core.fsmonitor", `touch ${root}/ran`]);
    writeFileSync(join(root, ".gitattributes"), "* filter=evil\n");
    await git(root, ["config", "filter.evil.clean", `touch ${root}/ran; cat`]);
    const made = await commit({ "a.md": "z\n" });
    expect(made.ok ? [] : unfitFilesOf(made.error)).toMatchObject([{ path: "a.md" }]);
    rmSync(join(root, ".gitattributes"));
    expect(await commit({ "a.md": "z\n" })).toMatchObject({ ok: true });
    expect(await git(root, ["ls-files", "--others"])).not.toContain("ran");
  });

  test.each([
    { url: "ssh://nowhere/x", name: "core.sshCommand", command: (mark: string) => `touch ${mark} #` },
    { url: "/nowhere", name: "remote.origin.uploadpack", command: (mark: string) => `touch ${mark};` },
  ])("fetches no missing object and so runs no $name", async ({ url, name, command }) => {
    await base();
    const tree = (await git(root, ["rev-parse", "HEAD^{tree}"])).trim();
    rmSync(join(root, ".git", "objects", tree.slice(0, 2), tree.slice(2)));
    const settings = {
      "extensions.partialClone": "origin",
      "remote.origin.promisor": "true",
      "remote.origin.url": url,
      "protocol.file.allow": "always",
      [name]: command(`${root}/ran`),
    };
    for (const [key, value] of Object.entries(settings)) await git(root, ["config", key, value]);
    expect(await commit({ "a.md": "z\n" })).toMatchObject({ ok: false, error: { code: "FILE_FAILED" } });
    expect(existsSync(join(root, "ran"))).toBe(false);
  });

  test("files of a submodule and ignored untracked files are refused", async () => {
    await base();
    for (const path of [".gitignore", "[a].env", "tracked.env"]) writeFileSync(join(root, path), "*.env\n");
    const inner = join(root, "sub");
    mkdirSync(inner);
    await git(inner, ["init", "-q", "-b", "main"]);
    writeFileSync(join(inner, "s.md"), "s\n");
    const as = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
    for (const folder of [inner, root]) {
      await git(folder, folder === root ? ["add", "-f", "tracked.env", "sub"] : ["add", "."]);
      await git(folder, [...as, "commit", "-q", "-m", "more"]);
    }
    const before = await git(root, ["ls-tree", "main", "sub"]);
    const made = await commit({ "a.md": "b\n", "sub/s.md": "t\n", "[a].env": "k\n", "tracked.env": "t\n" });
    expect(made.ok ? [] : unfitFilesOf(made.error)).toEqual([
      { path: "sub/s.md", problem: "it belongs to a submodule" },
      { path: "[a].env", problem: "git ignores it" },
    ]);
    expect(await commit({ "a.md": "b\n", "tracked.env": "t\n" })).toMatchObject({ ok: true });
    expect(await git(root, ["ls-tree", "heddle/main", "sub"])).toBe(before);
    expect(await git(root, ["show", "heddle/main:tracked.env"])).toBe("t\n");
  });

  test.each([
    ["a.txt text eol=crlf", "false"],
    ["* text=auto", "false"],
    ["", "true"],
    ["*.txt -text", "true"],
    ["old.txt -crlf", "false"],
  ])("normalises line ends like git with %j and autocrlf %s", async (attributes, autocrlf) => {
    const contents = { "a.txt": "1\r\n2\r\n", "old.txt": "1\r\n", "odd.txt": "1\r\n2\r3", "lf.txt": "1\n" };
    writeFileSync(join(root, "old.txt"), "0\r\n");
    await git(root, ["add", "."]);
    await base();
    await git(root, ["config", "core.autocrlf", autocrlf]);
    writeFileSync(join(root, ".gitattributes"), `${attributes}\n`);
    for (const [path, text] of Object.entries(contents)) writeFileSync(join(root, path), text);
    expect(await commit(contents)).toMatchObject({ ok: true });
    await git(root, ["add", ...Object.keys(contents)]);
    expect(await git(root, ["diff", "--cached", "--name-only", "heddle/main", "--", "*.txt"])).toBe("");
  });

  test("a branch that another work tree has checked out is refused", async () => {
    await base();
    await git(root, ["worktree", "add", "-q", "-b", "other", join(root, "tree")]);
    expect(await commit({ "a.md": "b\n" }, "other")).toMatchObject({ error: { code: "INVALID_PARAMS" } });
    expect(await git(root, ["show", "other:a.md"])).toBe("a\n");
    expect(await git(join(root, "tree"), ["status", "--porcelain"])).toBe("");
  });

  test.each(["main", "bad..name", "-x", "@{-1}", "HEAD", "@", "a b", ""])(
    "the branch name %j is refused",
    async (branch) => {
      await base();
      const made = await commit({ "a.md": "b\n" }, branch);
      expect(made.ok ? "" : made.error.code).toBe("INVALID_PARAMS");
      expect(await git(root, ["show", "main:a.md"])).toBe("a\n");
    },
  );
});

test("a git command that hangs is ended after its timeout", async () => {
  execFileSync("mkfifo", [join(root, ".gitignore")]);
  const listed = git(root, ["ls-files", "--others", "--exclude-standard"], { timeoutMs: 200 });
  await expect(listed).rejects.toThrow("git did not end within 200 ms");
});
