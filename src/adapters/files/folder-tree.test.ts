import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { FilePath } from "../../core/base/file-path.ts";
import { codeOf } from "../../core/base/result.test-support.ts";
import type { FileTree } from "../../core/port/file-tree.ts";
import { systemPlatform } from "../platform/system-platform.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { openFolderTree } from "./folder-tree.ts";
import { git } from "./git.ts";

let outer: string;
let root: string;
let tree: FileTree;

beforeEach(async () => {
  outer = mkdtempSync(join(tmpdir(), "heddle-files-"));
  root = join(outer, "ws");
  mkdirSync(root);
  tree = await openFolderTree(root, systemPlatform().clock);
});

afterEach(() => {
  tree.close();
  rmSync(outer, { recursive: true });
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const at = (path: string): FilePath => path as FilePath;

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

async function read(path: string): Promise<string | null> {
  const content = await tree.read(at(path));
  if (!content.ok) return content.error.code;
  return content.value === null ? null : new TextDecoder().decode(content.value.bytes);
}

async function hashOf(path: string): Promise<string | null> {
  const content = await tree.read(at(path));
  return content.ok && content.value !== null ? content.value.hash : null;
}

test("git is never started from another open folder, where an agent may have put a program of that name", async () => {
  const other = join(outer, "other");
  mkdirSync(join(other, "bin"), { recursive: true });
  writeFileSync(join(other, "bin", "git"), `#!/bin/sh\ntouch "${join(outer, "ran")}"\n`, { mode: 0o755 });
  const path = process.env["PATH"] ?? "";
  process.env["PATH"] = `${join(other, "bin")}:${path}`;
  try {
    const second = await openFolderTree(other, systemPlatform().clock);
    put("a.txt", "a");
    // Without it git is not asked at all.
    mkdirSync(join(root, ".git"));
    await tree.list();
    expect(existsSync(join(outer, "ran"))).toBe(false);
    second.close();
    // Once agents no longer write there, the owner's search path counts.
    await tree.list();
    expect(existsSync(join(outer, "ran"))).toBe(true);
  } finally {
    process.env["PATH"] = path;
  }
});

describe("files of a folder", () => {
  test("read returns a whole file, and null for a missing file", async () => {
    put("a/b.md", "text");
    expect(await read("a/b.md")).toBe("text");
    expect(await read("a/c.md")).toBe(null);
    expect(await read("x/y/c.md")).toBe(null);
  });

  test("replace writes a whole file, keeps its permissions and creates missing folders", async () => {
    put("run.sh", "old");
    chmodSync(join(root, "run.sh"), 0o755);
    expect(await tree.replace(at("run.sh"), bytes("new"), await hashOf("run.sh"))).toMatchObject({ ok: true });
    expect(await read("run.sh")).toBe("new");
    expect(statSync(join(root, "run.sh")).mode & 0o777).toBe(0o755);
    const made = await tree.replace(at("x/y/z.md"), bytes("z"), null);
    expect(made).toEqual({ ok: true, value: await hashOf("x/y/z.md") });
    expect(readdirSync(root).toSorted()).toEqual(["run.sh", "x"]);
  });

  test("B-40 replace is refused when the file has other content than expected", async () => {
    put("a.md", "1");
    const first = await hashOf("a.md");
    put("a.md", "2");
    for (const expected of [first, null]) {
      expect(await tree.replace(at("a.md"), bytes("3"), expected)).toMatchObject({ error: { code: "FILE_CHANGED" } });
    }
    expect(await tree.replace(at("gone.md"), bytes("3"), first)).toMatchObject({ error: { code: "FILE_CHANGED" } });
    expect(await read("a.md")).toBe("2");
    expect(readdirSync(root)).toEqual(["a.md"]);
  });

  test("replace removes temporary files that a crashed process left", async () => {
    put("a.md", "1");
    put(".a.md.heddle-999-0123456789ab", "half");
    await tree.replace(at("a.md"), bytes("2"), await hashOf("a.md"));
    expect(readdirSync(root)).toEqual(["a.md"]);
  });

  test("replace keeps other files whose names begin alike", async () => {
    for (const name of [".a.md.heddle-notes", ".a.md.heddle-1-0123456789ab.md", "a.md"]) put(name, "1");
    await tree.replace(at("a.md"), bytes("2"), await hashOf("a.md"));
    expect(readdirSync(root)).toEqual([".a.md.heddle-1-0123456789ab.md", ".a.md.heddle-notes", "a.md"]);
  });

  test("replace writes files with long common name prefixes at the same time", async () => {
    const paths = Array.from({ length: 20 }, (_, index) => at(`${"p".repeat(60)}${index}.md`));
    for (let turn = 0; turn < 5; turn += 1) {
      const written = await Promise.all(
        paths.map(async (path) => tree.replace(path, bytes(`${turn}`), await hashOf(path))),
      );
      expect(written.filter(({ ok }) => !ok)).toEqual([]);
    }
  });

  test("a change without a system event is noticed within seconds, and an unchanged file is not reported", async () => {
    const clock = simulatedClock();
    const own = await openFolderTree(root, clock);
    put("sub/a.md", "one");
    const onChange = vi.fn();
    own.watch(at("sub/a.md"), onChange);
    // The watcher follows the old folder; the system reports nothing of another folder in its place.
    renameSync(join(root, "sub"), join(outer, "away"));
    put("sub/a.md", "one");
    const looks = async (count: number): Promise<void> => {
      for (let look = 0; look < count; look += 1) {
        await clock.advance(5_000);
        // The next poll is scheduled when this poll ends.
        await expect.poll(() => clock.timers).toBe(1);
      }
    };
    await looks(1);
    onChange.mockClear();
    await looks(6);
    expect(onChange).not.toHaveBeenCalled();
    put("sub/a.md", "other");
    await looks(1);
    expect(onChange).toHaveBeenCalledTimes(1);
    await looks(1);
    expect(onChange).toHaveBeenCalledTimes(1);
    put("sub/a.md", "another");
    await looks(1);
    expect(onChange).toHaveBeenCalledTimes(2);
    own.close();
    expect(clock.timers).toBe(0);
  });

  test("every kind of change is reported", async () => {
    put("a.md", "1");
    const onChange = vi.fn();
    const stop = tree.watch(at("a.md"), onChange);
    writeFileSync(join(root, "a.md"), "2");
    await expect.poll(() => onChange).toHaveBeenCalled();
    onChange.mockClear();
    put("b.md", "new");
    renameSync(join(root, "b.md"), join(root, "a.md"));
    await expect.poll(() => onChange).toHaveBeenCalled();
    stop();
  });
});

describe("K-78 a file that is moved or set aside", () => {
  const key = "0123456789ab";
  const names = (): readonly string[] => readdirSync(root).toSorted();
  const hashed = async (path: string): Promise<string> => (await hashOf(path)) ?? expect.fail("the file exists");

  test("overwrites nothing, follows no link and finishes a move that a crash left with two names", async () => {
    for (const name of ["a", "b"]) put(name, name);
    symlinkSync(outer, join(root, "link"));
    const hash = await hashed("a");
    const move = async (from: string, to: string, expected = hash) => {
      const moved = await tree.move(at(from), at(to), expected);
      return moved.ok ? "ok" : moved.error.code;
    };
    expect(await move("a", "b")).toBe("FILE_EXISTS");
    expect(await move("a", "link/c")).toBe("PATH_REFUSED");
    expect(await move("a", "c", await hashed("b"))).toBe("FILE_CHANGED");
    expect(await move("none", "c")).toBe("FILE_NOT_FOUND");
    expect(await move("a", "B")).toBe("PATH_REFUSED");
    expect(names()).toEqual(["a", "b", "link"]);
    linkSync(join(root, "a"), join(root, "c"));
    expect(await move("a", "c")).toBe("ok");
    expect([names(), await read("c"), await read("b")]).toEqual([["b", "c", "link"], "a", "b"]);
  });

  test("changes the case of its name in two steps, which the same call ends after a crash", async () => {
    put("a.md", "one");
    const hash = await hashed("a.md");
    const respell = async (from: string, to: string) => codeOf(await tree.move(at(from), at(to), hash));
    expect([await respell("a.md", "A.md"), names()]).toEqual(["ok", ["A.md"]]);
    // It was done already; and a crash left the file between its names.
    expect([await respell("a.md", "A.md"), names()]).toEqual(["ok", ["A.md"]]);
    renameSync(join(root, "A.md"), join(root, `.A.md.heddle-aside-${hash.slice(0, 12)}`));
    expect([await respell("A.md", "a.MD"), names(), await read("a.MD")]).toEqual(["ok", ["a.MD"], "one"]);
    // Two files where case counts: neither is lost.
    put("A.MD", "two");
    expect(await respell("a.MD", "A.MD")).toBe("FILE_EXISTS");
    rmSync(join(root, "A.MD"));
    put("a.MD", "three");
    expect(await respell("a.MD", "A.MD")).toBe("FILE_CHANGED");
    expect([names(), await read("a.MD")]).toEqual([["a.MD"], "three"]);
  });

  test("is listed nowhere while it is aside, and comes back beside what has its name meanwhile", async () => {
    put("a.md", "one");
    const aside = { path: at("a.md"), key };
    expect(await tree.setAside(aside, "0".repeat(64))).toMatchObject({ error: { code: "FILE_CHANGED" } });
    expect(await tree.setAside(aside, await hashed("a.md"))).toEqual({ ok: true, value: undefined });
    expect(names()).toEqual([`.a.md.heddle-aside-${key}`]);
    expect(await tree.list()).toMatchObject({ value: { paths: [] } });
    put("a.md", "two");
    expect(await tree.putBack(aside)).toEqual({ ok: true, value: "a (kept).md" });
    expect([await read("a.md"), await read("a (kept).md")]).toEqual(["two", "one"]);
    expect(await tree.putBack(aside)).toEqual({ ok: true, value: null });
    // A crash may leave both names of one file.
    linkSync(join(root, "a (kept).md"), join(root, `.a.md.heddle-aside-${key}`));
    rmSync(join(root, "a.md"));
    linkSync(join(root, "a (kept).md"), join(root, "a.md"));
    rmSync(join(root, "a (kept).md"));
    expect(await tree.putBack(aside)).toEqual({ ok: true, value: "a.md" });
    expect(await tree.setAside(aside, await hashed("a.md"))).toMatchObject({ ok: true });
    expect(await tree.removeAside(aside)).toMatchObject({ ok: true });
    expect(names()).toEqual([]);
    expect(await tree.removeAside(aside)).toMatchObject({ ok: true });
  });
});

describe("paths that lead outside the folder", () => {
  beforeEach(() => {
    writeFileSync(join(outer, "secret"), "secret");
    mkdirSync(join(outer, "other"));
    writeFileSync(join(outer, "other", "a.md"), "other");
  });

  async function isRefused(path: string): Promise<void> {
    expect(await tree.read(at(path))).toMatchObject({ error: { code: "PATH_REFUSED" } });
    expect(await tree.replace(at(path), bytes("x"), null)).toMatchObject({ error: { code: "PATH_REFUSED" } });
    expect(readFileSync(join(outer, "secret"), "utf8")).toBe("secret");
    expect(readFileSync(join(outer, "other", "a.md"), "utf8")).toBe("other");
  }

  test("54 a link is refused", async () => {
    symlinkSync(join(outer, "secret"), join(root, "link"));
    symlinkSync(join(outer, "nothing"), join(root, "dangling"));
    await isRefused("link");
    expect(await tree.read(at("dangling"))).toMatchObject({ error: { code: "PATH_REFUSED" } });
  });

  test("55 a path through a linked folder is refused", async () => {
    symlinkSync(join(outer, "other"), join(root, "folder"));
    await isRefused("folder/a.md");
  });

  test("55 a path through a folder that is swapped for a link during the write is refused", async () => {
    put("d/a.md", "inside");
    const swapping = { on: true };
    const swap = (async () => {
      for (let turn = 0; swapping.on; turn += 1) {
        try {
          rmSync(join(root, "d"), { recursive: true, force: true });
          if (turn % 2 === 0) symlinkSync(join(outer, "other"), join(root, "d"));
          else put("d/a.md", "inside");
        } catch {
          // The swap had already happened.
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let turn = 0; turn < 300; turn += 1) {
      expect(await read("d/a.md")).not.toBe("other");
      await tree.replace(at("d/a.md"), bytes("written"), await hashOf("d/a.md"));
      await tree.replace(at(`d/new-${turn % 3}/x.md`), bytes("written"), null);
    }
    swapping.on = false;
    await swap;
    expect(readdirSync(join(outer, "other"))).toEqual(["a.md"]);
    expect(readFileSync(join(outer, "other", "a.md"), "utf8")).toBe("other");
  });

  test("56 a file with another hard link is refused", async () => {
    linkSync(join(outer, "secret"), join(root, "hard"));
    await isRefused("hard");
  });

  test("57 pipes, devices and folders are refused", async () => {
    execFileSync("mkfifo", [join(root, "pipe")]);
    mkdirSync(join(root, "dir"));
    await isRefused("pipe");
    await isRefused("dir");
  });

  test("59 another spelling of a file name is refused", async () => {
    put("Read.md", "1");
    put("u\u0308.md", "2");
    await isRefused("read.MD");
    await isRefused("\u00fc.md");
    expect(await read("Read.md")).toBe("1");
  });

  test("60 a folder whose name begins alike is refused", async () => {
    mkdirSync(`${root}-evil`);
    writeFileSync(`${root}-evil/a.md`, "evil");
    symlinkSync(`${root}-evil`, join(root, "x"));
    await isRefused("x/a.md");
  });
});

describe("the list of files", () => {
  test("a plain folder lists no generated folders and no names that cannot be represented", async () => {
    for (const path of [
      "b.md",
      "a/c.ts",
      "node_modules/x/index.js",
      ".git/config",
      "a\u202eb",
      ".b.md.heddle-1-0123456789ab",
    ])
      put(path, "x");
    symlinkSync("/etc", join(root, "etc"));
    expect(await tree.list()).toEqual({ ok: true, value: { paths: ["a/c.ts", "b.md"], truncated: false } });
  });

  test("an unreadable folder is omitted and the others are listed", async () => {
    for (const path of ["a/b.md", "z.md"]) put(path, "x");
    const name = "n".repeat(250);
    // Nested so deep that no path reaches the end.
    const dig = `for (let depth = 0; depth < 18; depth += 1) { fs.mkdirSync("${name}"); process.chdir("${name}"); }`;
    execFileSync(process.execPath, ["-e", dig], { cwd: root });
    try {
      expect(await tree.list()).toEqual({ ok: true, value: { paths: ["a/b.md", "z.md"], truncated: false } });
    } finally {
      execFileSync("rm", ["-r", join(root, name)]);
    }
  });

  test("a work tree lists tracked files and untracked files that git does not ignore", async () => {
    await git(root, ["init", "-q"]);
    put(".gitignore", "out/\n");
    for (const path of ["a.md", "out/x.js", "gone.md", "src/b.ts"]) put(path, "x");
    await git(root, ["add", "a.md", "gone.md"]);
    rmSync(join(root, "gone.md"));
    expect(await tree.list()).toMatchObject({ value: { paths: [".gitignore", "a.md", "src/b.ts"] } });
  });
});
