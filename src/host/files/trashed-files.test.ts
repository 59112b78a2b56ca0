import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { openMemoryStore, type MemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { must } from "../../core/base/assert.ts";
import type { BlockId, DocumentId } from "../../core/base/ids.ts";
import { accept, codeOf } from "../../core/base/result.test-support.ts";
import type { FileTree } from "../../core/port/file-tree.ts";
import { unnamedBlobAgeMs } from "../blobs/blob-ages.ts";
import { namedBlobs } from "../blobs/named-blobs.ts";
import type { BlockEntry } from "../document/block-deletion.ts";
import type { Author } from "../document/record/types.ts";
import { authorOf, openWorld, person, type World } from "../document/world.test-support.ts";
import { openWorkspaceFiles } from "./workspace-files.ts";
import type { WorkspaceFiles } from "./workspace-files-types.ts";

let root: string;
let world: World;
let tree: FileTree;
let files: WorkspaceFiles;
let ada: Author;
let made = 0;
/** As on disk, where a crash leaves them. */
let blobs: World["blobs"];
/** Called before each step of the disk and of the store; throws to crash there. */
let beforeStep: (step: string) => void = () => {};

const steps = ["setAside", "putBack", "removeAside", "move", "replace"] as const;

/** A tree whose steps may crash, before or after they are done. */
function crashing(real: FileTree): FileTree {
  const watched = Object.fromEntries(
    steps.map((name) => [
      name,
      async (...args: readonly never[]) => {
        beforeStep(`before ${name}`);
        const done: unknown = await (real[name] as (...given: readonly never[]) => Promise<unknown>)(...args);
        beforeStep(`after ${name}`);
        return done;
      },
    ]),
  );
  return new Proxy(real, {
    get: (target, name) =>
      watched[String(name)] ??
      (target[name as keyof FileTree] as () => void).bind?.(target) ??
      target[name as keyof FileTree],
  });
}

async function start(store: MemoryStore = openMemoryStore()): Promise<void> {
  world = { ...(await openWorld(store)), blobs };
  tree = await openFolderTree(root, world.clock);
  const newDocumentId = (): DocumentId => `file-doc-${(made += 1)}` as DocumentId;
  const { store: kept } = world;
  const watchedStore = new Proxy(kept, {
    get: (target, name) => {
      const value: unknown = target[name as keyof MemoryStore];
      return typeof value === "function" ? (value as () => void).bind(target) : value;
    },
  });
  files = await openWorkspaceFiles({ ...world, store: watchedStore, tree: crashing(tree), newDocumentId });
  ada = await authorOf(world, person("ada"));
}

/** As after kill -9: nothing more is written, and the disk and the store are as they are. */
async function restart(image = world.store.image()): Promise<void> {
  beforeStep = () => {};
  tree.close();
  await start(openMemoryStore(image));
}

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "heddle-trashed-files-"));
  beforeStep = () => {};
  blobs = (await openWorld()).blobs;
  await start();
});

afterEach(() => {
  tree.close();
  rmSync(root, { recursive: true });
});

const at = (path: string): string => join(root, path);
const disk = (path: string): string | null => (existsSync(at(path)) ? readFileSync(at(path), "latin1") : null);
const listing = (): readonly string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .toSorted();
const text = async (id: BlockId): Promise<string> => accept(await world.hub.reader.read(id)).text;
const pathOf = async (id: BlockId): Promise<unknown> => accept(await world.hub.reader.read(id)).header.metadata["path"];

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content);
}

async function open(path: string): Promise<BlockId> {
  return accept(await files.open(path));
}

async function entryOf(id: BlockId): Promise<BlockEntry | null> {
  const entry = await world.store.trashed(id);
  return entry !== null && "blockId" in entry.object ? { ...entry, object: entry.object } : null;
}

async function restore(id: BlockId, keepsBoth = false) {
  return files.restore(ada, must(await entryOf(id), "the file is in the trash"), { keepsBoth });
}

describe("K-78 a file", () => {
  test("that is deleted leaves the disk, and comes back byte for byte with its permissions", async () => {
    const bytes = Buffer.from("\ufeffone\r\ntwo\nthree", "utf8");
    put("sub/run.sh", bytes);
    chmodSync(at("sub/run.sh"), 0o751);
    const id = await open("sub/run.sh");
    const { entry } = accept(await files.delete(ada, id));
    expect(entry).toMatchObject({ title: "sub/run.sh", object: { type: "file", path: "sub/run.sh", blockId: id } });
    expect(listing()).toEqual([]);
    expect(await files.paths()).toMatchObject({ value: { paths: [] } });
    expect(codeOf(await files.open("sub/run.sh"))).toBe("FILE_NOT_FOUND");
    rmSync(at("sub"), { recursive: true });
    await restart();
    expect(accept(await restore(id))).toMatchObject({ path: "sub/run.sh", saved: { ok: true } });
    expect(readFileSync(at("sub/run.sh")).equals(bytes)).toBe(true);
    expect(statSync(at("sub/run.sh")).mode & 0o777).toBe(0o751);
    expect(await open("sub/run.sh")).toBe(id);
    expect(listing()).toEqual(["run.sh"]);
  });

  test("that another program changes at that moment stays as it is: FILE_CHANGED, and nothing is in the trash", async () => {
    put("a.md", "one");
    const id = await open("a.md");
    beforeStep = (step) => {
      if (step === "before setAside") writeFileSync(at("a.md"), "two");
    };
    const refused = await files.delete(ada, id);
    expect(refused).toMatchObject({ ok: false, error: { code: "FILE_CHANGED" } });
    expect([disk("a.md"), listing(), await entryOf(id)]).toEqual(["two", ["a.md"], null]);
    beforeStep = () => {};
    accept(await files.delete(ada, id));
    accept(await restore(id));
    // What was on disk counts, not what Heddle had read before.
    expect([disk("a.md"), await text(id)]).toEqual(["two", "two"]);
  });

  test("whose path is taken meanwhile is refused with FILE_EXISTS, or restored beside it: both are kept", async () => {
    put("a.md", "old");
    const id = await open("a.md");
    accept(await files.delete(ada, id));
    put("a.md", "new");
    put("a (restored).md", "third");
    expect(codeOf(await restore(id))).toBe("FILE_EXISTS");
    expect(disk("a.md")).toBe("new");
    expect(accept(await restore(id, true))).toMatchObject({ path: "a (restored 2).md" });
    expect([disk("a.md"), disk("a (restored).md"), disk("a (restored 2).md")]).toEqual(["new", "third", "old"]);
    expect(await pathOf(id)).toBe("a (restored 2).md");
  });

  test("with text that is not on disk yet, or in conflict, loses none of it", async () => {
    put("a.md", "one\n");
    const id = await open("a.md");
    accept(await world.hub.editor.edit(ada, id, { changes: [{ from: 3, to: 3, insert: "!" }] }));
    accept(await files.delete(ada, id));
    accept(await restore(id));
    expect(disk("a.md")).toBe("one!\n");
    accept(await world.hub.editor.edit(ada, id, { changes: [{ from: 0, to: 3, insert: "ours" }] }));
    put("a.md", "theirs!\n");
    expect(codeOf(await files.delete(ada, id))).toBe("CONFLICT");
    expect(codeOf(await files.move(ada, id, "b.md"))).toBe("CONFLICT");
    expect([disk("a.md"), await entryOf(id)]).toEqual(["theirs!\n", null]);
  });
});

const notText = "\u00ff\u0000words";

describe.each([
  ["K-78 a crash", "words\n"],
  ["K-78 a crash over a file that is not text,", notText],
])("%s", (_name, words) => {
  const isText = words !== notText;
  const begin = async (): Promise<BlockId> => {
    put("a.md", Buffer.from(words, "latin1"));
    return accept(await files.hold("a.md"));
  };

  /** The text of a file, wherever it is: on disk, and in the trash. */
  async function whereabouts(id: BlockId): Promise<{ onDisk: readonly string[]; inTrash: boolean }> {
    return { onDisk: listing(), inTrash: (await entryOf(id)) !== null };
  }

  /** Runs a step again and again, each time with a crash at the next of its moments, until none is left. */
  async function atEveryMoment(
    first: () => Promise<BlockId>,
    step: (id: BlockId) => Promise<unknown>,
    check: (id: BlockId, moment: string) => Promise<void>,
  ): Promise<number> {
    for (let moment = 0; ; moment += 1) {
      const id = await first();
      let passed = 0;
      let image = world.store.image();
      let crashedAt = "";
      const crash = (name: string): void => {
        image = world.store.image();
        if (crashedAt !== "") throw new Error("the process is gone");
        if (passed === moment) {
          crashedAt = name;
          throw new Error("crashed");
        }
        passed += 1;
      };
      beforeStep = crash;
      const stored = world.store.commit.bind(world.store);
      world.store.commit = async (writes) => {
        crash("before a commit");
        const committed = await stored(writes);
        crash("after a commit");
        return committed;
      };
      await step(id).catch(() => undefined);
      await files.flush().catch(() => undefined);
      if (crashedAt === "") return moment;
      await restart(image);
      await check(id, `${moment}: ${crashedAt}`);
      for (const name of readdirSync(root)) rmSync(at(name), { recursive: true });
      await restart(openMemoryStore().image());
    }
  }

  test("at every step of a deletion leaves the file on disk or in the trash, never both, never neither", async () => {
    const moments = await atEveryMoment(
      begin,
      (id) => files.delete(ada, id),
      async (id, moment) => {
        const { onDisk, inTrash } = await whereabouts(id);
        expect([moment, onDisk]).toEqual([moment, inTrash ? [] : ["a.md"]]);
        if (inTrash) accept(await restore(id));
        expect([moment, disk("a.md"), await text(id)]).toEqual([moment, words, isText ? words : ""]);
      },
    );
    expect(moments).toBeGreaterThan(8);
  });

  test("at every step of a restoration leaves the file in the trash or on disk, never both, never neither", async () => {
    const moments = await atEveryMoment(
      async () => {
        const id = await begin();
        accept(await files.delete(ada, id));
        return id;
      },
      (id) => restore(id),
      async (id, moment) => {
        await files.flush();
        const { onDisk, inTrash } = await whereabouts(id);
        expect([moment, onDisk]).toEqual([moment, inTrash ? [] : ["a.md"]]);
        if (inTrash) accept(await restore(id));
        expect([moment, disk("a.md"), await text(id)]).toEqual([moment, words, isText ? words : ""]);
      },
    );
    expect(moments).toBeGreaterThan(4);
  });

  test("at every step of a rename leaves the file at one of the two paths, where its block is", async () => {
    const moments = await atEveryMoment(
      begin,
      (id) => files.move(ada, id, "sub/b.md"),
      async (id, moment) => {
        const path = String(await pathOf(id));
        expect([moment, listing()]).toEqual([moment, [path.split("/").at(-1)]]);
        expect([moment, disk(path), await text(id)]).toEqual([moment, words, isText ? words : ""]);
        expect(accept(await files.hold(path))).toBe(id);
      },
    );
    expect(moments).toBeGreaterThan(4);
  });
});

describe("K-78 a file that is not text", () => {
  const picture = Buffer.from(notText, "latin1");

  test("is deleted and comes back byte for byte, also after a sweep of the blobs, and moves by its block", async () => {
    put("logo.png", picture);
    chmodSync(at("logo.png"), 0o640);
    expect(codeOf(await files.open("logo.png"))).toBe("FILE_NOT_TEXT");
    const id = accept(await files.hold("logo.png"));
    expect(accept(await files.list("")).files).toMatchObject([{ path: "logo.png", blockId: null, dirty: false }]);
    accept(await files.move(ada, id, "art/logo.png"));
    put("art/logo.png", Buffer.concat([picture, picture]));
    accept(await files.delete(ada, accept(await files.hold("art/logo.png"))));
    expect(listing()).toEqual([]);
    await world.clock.advance(2 * unnamedBlobAgeMs);
    await blobs.sweep((ids) => namedBlobs(world.store, ids));
    accept(await restore(id));
    expect([disk("art/logo.png"), statSync(at("art/logo.png")).mode & 0o777]).toEqual([notText + notText, 0o640]);
    expect(codeOf(await files.open("art/logo.png"))).toBe("FILE_NOT_TEXT");
  });

  test("that becomes text on disk is a document, and one that goes away is gone", async () => {
    put("a.bin", picture);
    const id = accept(await files.hold("a.bin"));
    put("a.bin", "words now\n");
    const opened = await open("a.bin");
    expect([opened === id, await text(opened)]).toEqual([false, "words now\n"]);
    put("b.bin", picture);
    await files.hold("b.bin");
    rmSync(at("b.bin"));
    expect(codeOf(await files.hold("b.bin"))).toBe("FILE_NOT_FOUND");
    accept(await files.make(ada, "b.bin", "made\n"));
    expect(disk("b.bin")).toBe("made\n");
  });

  test("is restored beside a file that has its path now", async () => {
    put("a.bin", picture);
    const id = accept(await files.hold("a.bin"));
    accept(await files.delete(ada, id));
    put("a.bin", "new");
    expect(codeOf(await restore(id))).toBe("FILE_EXISTS");
    accept(await restore(id, true));
    expect([disk("a.bin"), disk("a (restored).bin")]).toEqual(["new", notText]);
  });
});

describe("a rename", () => {
  test("of the case of a name alone is done, on disk and in the block", async () => {
    put("readme.md", "one\n");
    const id = await open("readme.md");
    expect(accept(await files.move(ada, id, "README.md"))).toMatchObject({ path: "README.md" });
    accept(await world.hub.editor.edit(ada, id, { changes: [{ from: 0, to: 0, insert: "zero\n" }] }));
    await files.flush();
    expect([listing(), disk("README.md"), await pathOf(id)]).toEqual([["README.md"], "zero\none\n", "README.md"]);
    expect(await open("README.md")).toBe(id);
  });

  test("moves file and block, makes folders, and later edits go to the new place", async () => {
    put("a.md", "one\n");
    const id = await open("a.md");
    expect(accept(await files.move(ada, id, "docs/deep/b.md"))).toMatchObject({ path: "docs/deep/b.md" });
    expect([disk("a.md"), disk("docs/deep/b.md"), await pathOf(id)]).toEqual([null, "one\n", "docs/deep/b.md"]);
    accept(await world.hub.editor.edit(ada, id, { changes: [{ from: 0, to: 0, insert: "zero\n" }] }));
    await files.flush();
    put("a.md", "another\n");
    expect([disk("docs/deep/b.md"), disk("a.md")]).toEqual(["zero\none\n", "another\n"]);
    expect(await open("a.md")).not.toBe(id);
    put("docs/deep/b.md", "outside\n");
    await open("docs/deep/b.md");
    expect(await text(id)).toBe("outside\n");
  });

  test.each([
    ["an open file", "b.md", "FILE_EXISTS"],
    ["a file that Heddle has not opened", "c.md", "FILE_EXISTS"],
    ["a path out of the folder", "../d.md", "PATH_REFUSED"],
    ["a path below a file", "b.md/e.md", "PATH_REFUSED"],
    ["git's folder", ".git/hooks/pre-commit", "PATH_REFUSED"],
  ])("onto %s is refused and changes nothing", async (_name, to, code) => {
    for (const name of ["a.md", "b.md", "c.md"]) put(name, name);
    const [id] = [await open("a.md"), await open("b.md")];
    expect(codeOf(await files.move(ada, id, to))).toBe(code);
    expect([listing(), await pathOf(id), disk("b.md"), disk("c.md")]).toEqual([
      ["a.md", "b.md", "c.md"],
      "a.md",
      "b.md",
      "c.md",
    ]);
  });

  test("that finds a new file at its target at the last moment overwrites nothing, and the block keeps its path", async () => {
    put("a.md", "one");
    const id = await open("a.md");
    beforeStep = (step) => {
      if (step === "before move") writeFileSync(at("b.md"), "theirs");
    };
    expect(codeOf(await files.move(ada, id, "b.md"))).toBe("FILE_EXISTS");
    expect([disk("a.md"), disk("b.md"), await pathOf(id)]).toEqual(["one", "theirs", "a.md"]);
  });

  test("two renames across each other end, and lose nothing", async () => {
    put("a.md", "a");
    put("b.md", "b");
    const [a, b] = [await open("a.md"), await open("b.md")];
    const both = await Promise.all([files.move(ada, a, "b.md"), files.move(ada, b, "a.md")]);
    expect(both.map(codeOf)).toEqual(["FILE_EXISTS", "FILE_EXISTS"]);
    expect([disk("a.md"), disk("b.md")]).toEqual(["a", "b"]);
  });
});

describe("another program", () => {
  /** Lets Heddle look at a file, as when the disk reports a change. */
  const look = (path: string): Promise<unknown> => files.open(path);

  test("deletes a file: the document says so, keeps its text, and has the file's text when it comes back", async () => {
    put("a.md", "one\n");
    const id = await open("a.md");
    rmSync(at("a.md"));
    await look("a.md");
    expect(await files.opened()).toMatchObject([{ path: "a.md", gone: true, dirty: false }]);
    expect([await text(id), disk("a.md")]).toEqual(["one\n", null]);
    expect(await files.paths()).toMatchObject({ value: { paths: [] } });
    expect(codeOf(await files.read("a.md"))).toBe("FILE_NOT_FOUND");
    put("a.md", "two\n");
    await look("a.md");
    expect(await files.opened()).toMatchObject([{ path: "a.md", gone: false }]);
    expect([await text(id), await open("a.md")]).toEqual(["two\n", id]);
    rmSync(at("a.md"));
    await look("a.md");
    accept(await files.bringBack(id));
    expect(disk("a.md")).toBe("two\n");
  });

  test("renames a file: its document follows; a copy is not taken for it", async () => {
    put("a.md", "one\n");
    put("copy.md", "one\n");
    const id = await open("a.md");
    accept(await world.hub.editor.edit(ada, id, { changes: [{ from: 0, to: 0, insert: "zero\n" }] }));
    await files.flush();
    await look("a.md");
    mkdirSync(at("docs"));
    renameSync(at("a.md"), at("docs/b.md"));
    await look("a.md");
    await files.flush();
    expect([await pathOf(id), await text(id)]).toEqual(["docs/b.md", "zero\none\n"]);
    expect(await open("docs/b.md")).toBe(id);
    accept(await world.hub.editor.edit(ada, id, { changes: [{ from: 0, to: 4, insert: "first" }] }));
    await files.flush();
    expect([disk("docs/b.md"), disk("copy.md"), disk("a.md")]).toEqual(["first\none\n", "one\n", null]);
  });
});

test("a deletion that was decided elsewhere is followed on disk, and a changed file is kept there", async () => {
  put("a.md", "one");
  put("b.md", "one");
  const [a, b] = [await open("a.md"), await open("b.md")];
  writeFileSync(at("b.md"), "changed");
  for (const id of [a, b]) accept(await world.hub.deletion.delete(ada, id));
  await files.flush();
  expect([disk("a.md"), disk("b.md")]).toEqual([null, "changed"]);
  // The undo of a turn restores blocks in the same way: the disk follows, beside what has the path now.
  for (const id of [a, b]) accept(await world.hub.deletion.restore(ada, must(await entryOf(id), "it is in the trash")));
  await files.flush();
  await files.flush();
  expect([disk("a.md"), disk("b.md"), disk("b (restored).md")]).toEqual(["one", "changed", "one"]);
});
