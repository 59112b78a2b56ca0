import { execFileSync } from "node:child_process";
import {
  chmodSync,
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

describe("a folder's files", () => {
  test("are read whole, and one that is not there is none", async () => {
    put("a/b.md", "text");
    expect(await read("a/b.md")).toBe("text");
    expect(await read("a/c.md")).toBe(null);
    expect(await read("x/y/c.md")).toBe(null);
  });

  test("are replaced whole, with the rights that they had; folders are made", async () => {
    put("run.sh", "old");
    chmodSync(join(root, "run.sh"), 0o755);
    expect(await tree.replace(at("run.sh"), bytes("new"), await hashOf("run.sh"))).toMatchObject({ ok: true });
    expect(await read("run.sh")).toBe("new");
    expect(statSync(join(root, "run.sh")).mode & 0o777).toBe(0o755);
    const made = await tree.replace(at("x/y/z.md"), bytes("z"), null);
    expect(made).toEqual({ ok: true, value: await hashOf("x/y/z.md") });
    expect(readdirSync(root).toSorted()).toEqual(["run.sh", "x"]);
  });

  test("B-40 are not replaced when they have another content than expected", async () => {
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

  test("what a process that died had begun is cleared away", async () => {
    put("a.md", "1");
    put(".a.md.heddle-999-0123456789ab", "half");
    await tree.replace(at("a.md"), bytes("2"), await hashOf("a.md"));
    expect(readdirSync(root)).toEqual(["a.md"]);
  });

  test("nothing else is, whose name begins alike", async () => {
    for (const name of [".a.md.heddle-notes", ".a.md.heddle-1-0123456789ab.md", "a.md"]) put(name, "1");
    await tree.replace(at("a.md"), bytes("2"), await hashOf("a.md"));
    expect(readdirSync(root)).toEqual([".a.md.heddle-1-0123456789ab.md", ".a.md.heddle-notes", "a.md"]);
  });

  test("of which the names begin alike for long, all are written at the same time", async () => {
    const paths = Array.from({ length: 20 }, (_, index) => at(`${"p".repeat(60)}${index}.md`));
    for (let turn = 0; turn < 5; turn += 1) {
      const written = await Promise.all(
        paths.map(async (path) => tree.replace(path, bytes(`${turn}`), await hashOf(path))),
      );
      expect(written.filter(({ ok }) => !ok)).toEqual([]);
    }
  });

  test("a change that the system does not tell of is seen within seconds, and a file that stays as it is is left alone", async () => {
    const clock = simulatedClock();
    const own = await openFolderTree(root, clock);
    put("sub/a.md", "one");
    const told = vi.fn();
    own.watch(at("sub/a.md"), told);
    // What is watched is the folder that was there; of another in its place the system tells nothing.
    renameSync(join(root, "sub"), join(outer, "away"));
    put("sub/a.md", "one");
    const looks = async (count: number): Promise<void> => {
      for (let look = 0; look < count; look += 1) {
        await clock.advance(5_000);
        // The next look is set when this one is done.
        await expect.poll(() => clock.timers).toBe(1);
      }
    };
    await looks(1);
    told.mockClear();
    await looks(6);
    expect(told).not.toHaveBeenCalled();
    put("sub/a.md", "other");
    await looks(1);
    expect(told).toHaveBeenCalledTimes(1);
    await looks(1);
    expect(told).toHaveBeenCalledTimes(1);
    put("sub/a.md", "another");
    await looks(1);
    expect(told).toHaveBeenCalledTimes(2);
    own.close();
    expect(clock.timers).toBe(0);
  });

  test("a change is told, of whatever kind", async () => {
    put("a.md", "1");
    const told = vi.fn();
    const stop = tree.watch(at("a.md"), told);
    writeFileSync(join(root, "a.md"), "2");
    await expect.poll(() => told).toHaveBeenCalled();
    told.mockClear();
    put("b.md", "new");
    renameSync(join(root, "b.md"), join(root, "a.md"));
    await expect.poll(() => told).toHaveBeenCalled();
    stop();
  });
});

describe("nothing outside the folder is reached", () => {
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

  test("54 not through a link", async () => {
    symlinkSync(join(outer, "secret"), join(root, "link"));
    symlinkSync(join(outer, "nothing"), join(root, "dangling"));
    await isRefused("link");
    expect(await tree.read(at("dangling"))).toMatchObject({ error: { code: "PATH_REFUSED" } });
  });

  test("55 not through a folder that is a link", async () => {
    symlinkSync(join(outer, "other"), join(root, "folder"));
    await isRefused("folder/a.md");
  });

  test("55 not through a folder that is swapped for a link while it is used", async () => {
    put("d/a.md", "inside");
    const swapping = { on: true };
    const swap = (async () => {
      for (let turn = 0; swapping.on; turn += 1) {
        try {
          rmSync(join(root, "d"), { recursive: true, force: true });
          if (turn % 2 === 0) symlinkSync(join(outer, "other"), join(root, "d"));
          else put("d/a.md", "inside");
        } catch {
          // The other side was there first.
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

  test("56 not by another name of a file", async () => {
    linkSync(join(outer, "secret"), join(root, "hard"));
    await isRefused("hard");
  });

  test("57 pipes, devices and folders are no files", async () => {
    execFileSync("mkfifo", [join(root, "pipe")]);
    mkdirSync(join(root, "dir"));
    await isRefused("pipe");
    await isRefused("dir");
  });

  test("59 a file is known by one spelling", async () => {
    put("Read.md", "1");
    put("u\u0308.md", "2");
    await isRefused("read.MD");
    await isRefused("\u00fc.md");
    expect(await read("Read.md")).toBe("1");
  });

  test("60 a folder whose name begins alike is another folder", async () => {
    mkdirSync(`${root}-evil`);
    writeFileSync(`${root}-evil/a.md`, "evil");
    symlinkSync(`${root}-evil`, join(root, "x"));
    await isRefused("x/a.md");
  });
});

describe("the list", () => {
  test("of a plain folder leaves out what tools make and what cannot be named", async () => {
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

  test("has the others where a folder cannot be read", async () => {
    for (const path of ["a/b.md", "z.md"]) put(path, "x");
    const name = "n".repeat(250);
    // So deep that no path leads to its end any more.
    const dig = `for (let depth = 0; depth < 18; depth += 1) { fs.mkdirSync("${name}"); process.chdir("${name}"); }`;
    execFileSync(process.execPath, ["-e", dig], { cwd: root });
    try {
      expect(await tree.list()).toEqual({ ok: true, value: { paths: ["a/b.md", "z.md"], truncated: false } });
    } finally {
      execFileSync("rm", ["-r", join(root, name)]);
    }
  });

  test("of a work tree has what git knows or would take in", async () => {
    await git(root, ["init", "-q"]);
    put(".gitignore", "out/\n");
    for (const path of ["a.md", "out/x.js", "gone.md", "src/b.ts"]) put(path, "x");
    await git(root, ["add", "a.md", "gone.md"]);
    rmSync(join(root, "gone.md"));
    expect(await tree.list()).toMatchObject({ value: { paths: [".gitignore", "a.md", "src/b.ts"] } });
  });
});
