import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { git } from "../../adapters/files/git.ts";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { openMemoryStore, type MemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { must } from "../../core/base/assert.ts";
import { refusal } from "../../core/base/errors.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { BlockId, DocumentId } from "../../core/base/ids.ts";
import { isJsonObject } from "../../core/base/json.ts";
import { err } from "../../core/base/result.ts";
import type { FileTree } from "../../core/port/file-tree.ts";
import { simulatedClock, type SimulatedClock } from "../../testing/simulated-clock.ts";
import { accept, codeOf } from "../../core/base/result.test-support.ts";
import { authorOf, openWorld, person, type World } from "../document/world.test-support.ts";
import type { Author } from "../document/record/types.ts";
import { openWorkspaceFiles } from "./workspace-files.ts";
import type { WorkspaceFiles } from "./workspace-files-types.ts";

let root: string;
let world: World;
let tree: FileTree;
let files: WorkspaceFiles;
let ada: Author;
let made = 0;

async function start(store: MemoryStore = openMemoryStore(), clock?: SimulatedClock): Promise<void> {
  world = await openWorld(store, clock);
  tree = await openFolderTree(root, world.clock);
  const newDocumentId = (): DocumentId => {
    made += 1;
    return `file-doc-${made}` as DocumentId;
  };
  files = await openWorkspaceFiles({ ...world, tree, newDocumentId });
  ada = await authorOf(world, person("ada"));
}

/** Returns the file hash in a block's reported conflict. */
async function conflictHash(id: BlockId): Promise<string> {
  const { conflict } = accept(await world.hub.reader.read(id)).header.metadata;
  const hash = isJsonObject(conflict) ? conflict["hash"] : undefined;
  return typeof hash === "string" ? hash : expect.fail("a conflict has the file's hash");
}

/** As after kill -9: nothing is written, the store stays. */
async function restart(): Promise<void> {
  tree.close();
  await start(world.store, world.clock);
}

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "heddle-workspace-"));
  await start();
});

afterEach(() => {
  tree.close();
  rmSync(root, { recursive: true });
});

function put(path: string, text: string | Uint8Array): void {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), text);
}

const disk = (path: string): string => readFileSync(join(root, path), "utf8");

async function open(path: string): Promise<BlockId> {
  return accept(await files.open(path));
}

async function text(id: BlockId): Promise<string> {
  return accept(await world.hub.reader.read(id)).text;
}

/** Replaces the whole text of a block. */
async function write(id: BlockId, to: string): Promise<void> {
  const from = (await text(id)).length;
  accept(await world.hub.editor.edit(ada, id, { changes: [{ from: 0, to: from, insert: to }] }));
}

async function replace(id: BlockId, what: string, by: string): Promise<void> {
  const from = (await text(id)).indexOf(what);
  accept(await world.hub.editor.edit(ada, id, { changes: [{ from, to: from + what.length, insert: by }] }));
}

async function entry(path: string) {
  return must(accept(await files.list(path)).files[0], `${path} is listed`);
}

describe("a workspace file", () => {
  test("loads exactly, once, when it is first opened", async () => {
    put("a.md", "\ufeffone\r\ntwo");
    expect(await entry("a.md")).toEqual({
      path: "a.md",
      blockId: null,
      dirty: false,
      conflict: false,
      gone: false,
      problem: null,
    });
    const [first, second] = await Promise.all([open("a.md"), open("a.md")]);
    expect(second).toBe(first);
    expect(await text(first)).toBe("\ufeffone\r\ntwo");
    expect(await entry("a.md")).toMatchObject({ blockId: first, dirty: false });
    expect(accept(await world.hub.reader.read(first)).header).toMatchObject({
      kind: "file",
      metadata: { path: "a.md" },
    });
  });

  test("is saved from its first moment, however slow the store is", async () => {
    put("a.md", "one\n");
    const commit = world.store.commit.bind(world.store);
    const seen: unknown[] = [];
    world.store.commit = async (writes) => {
      const look = async () => seen.push(await entry("a.md"));
      await look();
      const committed = await commit(writes);
      await look();
      return committed;
    };
    await open("a.md");
    expect(seen.length).toBeGreaterThan(1);
    for (const each of seen) expect(each).toMatchObject({ dirty: false, conflict: false, gone: false });
  });

  test.each([
    ["a.bin", new Uint8Array([1, 0, 2]), "FILE_NOT_TEXT"],
    ["a.latin", new Uint8Array([0xe4, 0x20]), "FILE_NOT_TEXT"],
    ["../a", "", "PATH_REFUSED"],
    ["gone.md", null, "FILE_NOT_FOUND"],
  ])("%s is not opened: %s", async (path, content, code) => {
    if (content !== null && content !== "") put(path, content);
    expect(codeOf(await files.open(path))).toBe(code);
    expect(await world.hub.reader.list(null)).toEqual([]);
  });

  test("is written whole a second after its last edit, and is dirty until then", async () => {
    put("a.md", "one\n");
    const id = await open("a.md");
    await write(id, "two\n");
    expect(await entry("a.md")).toMatchObject({ dirty: true });
    expect(disk("a.md")).toBe("one\n");
    await world.clock.advance(1_000);
    await expect.poll(() => disk("a.md")).toBe("two\n");
    await expect.poll(() => entry("a.md")).toMatchObject({ dirty: false });
  });

  test("is written after five seconds while somebody types all the time", async () => {
    put("a.md", "");
    const id = await open("a.md");
    for (let second = 0; second < 12; second += 1) {
      await write(id, `${second}`);
      await world.clock.advance(500);
    }
    await expect.poll(() => disk("a.md")).not.toBe("");
  });

  test("is created at its path; an existing one is not created again", async () => {
    put("there.md", "x");
    const block = { parentId: null, role: "user", kind: "file", status: "done", text: "new\n" } as const;
    accept(
      await world.hub.editor.create(ada, {
        ...block,
        documentId: "d" as DocumentId,
        metadata: { path: "docs/new.md" },
      }),
    );
    await expect.poll(async () => (await entry("docs/new.md")).blockId).not.toBe(null);
    await files.flush();
    expect(disk("docs/new.md")).toBe("new\n");
    expect(await files.whyTaken("there.md")).toMatchObject({ code: "FILE_EXISTS" });
    expect(await files.whyTaken("docs/NEW.md")).toMatchObject({ code: "FILE_EXISTS" });
    expect(await files.whyTaken("docs/other.md")).toBe(null);
  });
});

describe("at the same time", () => {
  test("two calls create one path while others open it: the second gets FILE_EXISTS", async () => {
    const opened = [files.open("new.md"), files.open("new.md")];
    const makes = [files.make(ada, "new.md", "one"), files.open("NEW.md"), files.make(ada, "new.md", "two")];
    expect((await Promise.all(opened)).map(codeOf)).toEqual(["FILE_NOT_FOUND", "FILE_NOT_FOUND"]);
    expect((await Promise.all(makes)).map(codeOf)).toEqual(["ok", "PATH_REFUSED", "FILE_EXISTS"]);
    await files.flush();
    expect(disk("new.md")).toBe("one");
    expect(await world.hub.reader.list(null)).toHaveLength(1);
  });

  test("a create rejects when the store fails, and no other call is affected", async () => {
    const unhandled: unknown[] = [];
    const note = (problem: unknown): void => void unhandled.push(problem);
    process.on("unhandledRejection", note);
    const meta = world.store.meta.bind(world.store);
    try {
      world.store.meta = () => Promise.reject(new Error("the store is closed"));
      await expect(files.make(ada, "new.md", "one")).rejects.toThrow("the store is closed");
      world.store.meta = meta;
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).toEqual([]);
    } finally {
      world.store.meta = meta;
      process.off("unhandledRejection", note);
    }
  });
});

describe("a failure that passes", () => {
  /** Returns the codes of logged file failures. */
  const loggedCodes = (): unknown[] =>
    world.logged.filter(({ event }) => event === "file-failed").map(({ fields }) => fields["code"]);

  test("is logged once, not at each check, and again when it returns", async () => {
    put("a.md", "one\n");
    const id = await open("a.md");
    const read = tree.read.bind(tree);
    for (let time = 1; time <= 2; time += 1) {
      tree.read = async () => err(refusal("FILE_FAILED", { path: "a.md", reason: "EIO" }));
      for (let look = 0; look < 5; look += 1) {
        await open("a.md");
        await world.clock.advance(5_000);
      }
      expect(loggedCodes()).toEqual(Array.from({ length: time }, () => "FILE_FAILED"));
      tree.read = read;
      await open("a.md");
    }
    await write(id, "two\n");
    await files.flush();
    expect(disk("a.md")).toBe("two\n");
  });

  test("is retried without another change event for the file", async () => {
    // The tree's clock never advances: it does not check the folder between two requests.
    const still = await openFolderTree(root, simulatedClock());
    const own = await openWorld();
    const newDocumentId = (): DocumentId => "retried" as DocumentId;
    const retried = await openWorkspaceFiles({ ...own, tree: still, newDocumentId });
    put("a.md", "one\n");
    const id = accept(await retried.open("a.md"));
    const read = still.read.bind(still);
    still.read = async () => err(refusal("FILE_FAILED", { path: "a.md", reason: "EIO" }));
    put("a.md", "two\n");
    await expect.poll(() => own.logged.map(({ event }) => event)).toContain("file-failed");
    still.read = read;
    await own.clock.advance(5_000);
    await expect.poll(async () => accept(await own.hub.reader.read(id)).text).toBe("two\n");
    still.close();
  });

  test("19.13 a change that a full disk kept out is merged when there is space, without another change event", async () => {
    // The tree's clock never advances: it does not check the folder between two requests.
    const still = await openFolderTree(root, simulatedClock());
    let isFull = false;
    const own = await openWorld(openMemoryStore(undefined, { fault: () => (isFull ? "STORE_FULL" : null) }));
    const newDocumentId = (): DocumentId => "full" as DocumentId;
    const ownFiles = await openWorkspaceFiles({ ...own, tree: still, newDocumentId });
    // Nothing that another program wrote is in the store yet, so their number is not either.
    const { id } = accept(await ownFiles.make(await authorOf(own, person("ada")), "a.md", "one\n"));
    await ownFiles.flush();
    isFull = true;
    put("a.md", "two\n");
    await expect.poll(() => own.logged).toMatchObject([{ event: "file-failed", fields: { code: "STORE_FULL" } }]);
    isFull = false;
    await own.clock.advance(5_000);
    await expect.poll(async () => accept(await own.hub.reader.read(id)).text).toBe("two\n");
    still.close();
  });

  test("appears in the list for as long as it lasts", async () => {
    put("a.md", "one\n");
    const id = await open("a.md");
    rmSync(join(root, "a.md"));
    mkdirSync(join(root, "a.md"));
    await write(id, "two\n");
    await files.flush();
    expect(await entry("a.md")).toMatchObject({ dirty: true, problem: "it is not a plain file" });
    rmSync(join(root, "a.md"), { recursive: true });
    await open("a.md");
    await files.flush();
    expect(await entry("a.md")).toMatchObject({ dirty: false, problem: null });
    expect(disk("a.md")).toBe("two\n");
  });

  test("by a NUL keeps the text in the block, and the file stays text", async () => {
    put("a.md", "one\n");
    const id = await open("a.md");
    await write(id, "a\0b\n");
    await files.flush();
    expect(disk("a.md")).toBe("one\n");
    expect(await entry("a.md")).toMatchObject({ dirty: true, problem: expect.stringContaining("NUL") });
    await write(id, "ab\n");
    await files.flush();
    expect(disk("a.md")).toBe("ab\n");
    expect(await entry("a.md")).toMatchObject({ dirty: false, problem: null });
  });

  test("between two spellings of a path: the list says which of them is open", async () => {
    put("Read.md", "1");
    put("READ.md", "2");
    const id = await open("Read.md");
    expect(await entry("Read.md")).toMatchObject({ blockId: id, problem: null });
    expect(await entry("READ.md")).toMatchObject({ blockId: null, problem: "this file is open as Read.md" });
  });

  test("is retried, also where the disk did not cause it", async () => {
    put("a.md", "one\n");
    const id = await open("a.md");
    const replace = tree.replace.bind(tree);
    tree.replace = () => Promise.reject(new Error("a defect"));
    await write(id, "two\n");
    await world.clock.advance(1_000);
    await expect.poll(() => world.logged.map(({ event }) => event)).toContain("file-not-written");
    tree.replace = replace;
    await world.clock.advance(5_000);
    await expect.poll(() => disk("a.md")).toBe("two\n");
  });
});

describe("a change by another program", () => {
  test("B-40 is merged under its own author; a write of our own is not merged again", async () => {
    put("a.md", "one\ntwo\n");
    const id = await open("a.md");
    await write(id, "one\nTWO\n");
    await files.flush();
    const { version } = accept(await world.hub.reader.read(id)).header;
    await open("a.md");
    expect(accept(await world.hub.reader.read(id)).header.version).toBe(version);
    put("a.md", "zero\none\nTWO\n");
    await expect.poll(() => text(id)).toBe("zero\none\nTWO\n");
    const { entries } = accept(await world.hub.history.page(id, { entriesMax: 1 }));
    expect(entries[0]?.actor).toMatchObject({ type: "system", name: "Files" });
    expect(await entry("a.md")).toMatchObject({ dirty: false, conflict: false });
  });

  test("B-40 is merged with edits of other lines, and both are written", async () => {
    put("a.md", "a\nb\nc\nd\n");
    const id = await open("a.md");
    await replace(id, "a", "AA");
    put("a.md", "a\nb\nc\nDD\n");
    await files.flush();
    expect(await text(id)).toBe("AA\nb\nc\nDD\n");
    expect(disk("a.md")).toBe("AA\nb\nc\nDD\n");
    expect(await entry("a.md")).toMatchObject({ dirty: false, conflict: false });
  });

  test("B-40 that empties the file first is waited for: its text is merged with what was typed meanwhile", async () => {
    put("a.md", "one\n");
    const id = await open("a.md");
    const writer = openSync(join(root, "a.md"), "w");
    await expect.poll(async () => (await entry("a.md")).problem).toContain("just emptied");
    await write(id, "typed\none\n");
    await world.clock.advance(1_000);
    await files.flush();
    expect(await text(id)).toBe("typed\none\n");
    writeSync(writer, "one\nthat came late\n");
    closeSync(writer);
    await expect.poll(() => disk("a.md")).toBe("typed\none\nthat came late\n");
    expect(await text(id)).toBe("typed\none\nthat came late\n");
    await world.clock.advance(5_000);
    await expect.poll(() => entry("a.md")).toMatchObject({ dirty: false, conflict: false, gone: false, problem: null });
  });

  test("B-40 that leaves the file empty is merged, also when nobody opens the file", async () => {
    put("a.md", "one\n");
    const id = await open("a.md");
    put("a.md", "");
    await expect.poll(async () => (await entry("a.md")).problem).toContain("just emptied");
    expect(await text(id)).toBe("one\n");
    await world.clock.advance(5_000);
    await expect.poll(() => text(id)).toBe("");
    expect(await entry("a.md")).toMatchObject({ dirty: false, problem: null });
  });

  test("B-40 is merged repeatedly when the program writes faster than Heddle does", async () => {
    put("a.md", "a\nb\nc\nd\n");
    tree.watch = () => () => {};
    const id = await open("a.md");
    const whole = tree.replace.bind(tree);
    let [tail, written] = ["", 0];
    // Whenever the block is about to be written, the other program writes once more.
    tree.replace = async (...args) => {
      written += 1;
      tail += `more ${written}\n`;
      put("a.md", `a\nb\nc\nd\n${tail}`);
      return whole(...args);
    };
    for (const letter of ["A", "B"]) {
      await replace(id, letter.toLowerCase(), letter);
      await files.flush();
      expect(await entry("a.md")).toMatchObject({ dirty: true, conflict: false });
    }
    tree.replace = whole;
    await files.flush();
    expect(disk("a.md")).toBe(`A\nB\nc\nd\n${tail}`);
    expect(await text(id)).toBe(disk("a.md"));
    expect(await entry("a.md")).toMatchObject({ dirty: false, conflict: false });
    expect(written).toBeGreaterThan(3);
  });

  test.each([
    ["ours", "ours\n"],
    ["theirs", "theirs\n"],
    ["both", null],
  ] as const)(
    "B-40 on the same lines is a conflict that loses neither side until somebody keeps %s",
    async (keep, kept) => {
      put("a.md", "base\n");
      const id = await open("a.md");
      await write(id, "ours\n");
      put("a.md", "theirs\n");
      await files.flush();
      expect(await entry("a.md")).toMatchObject({ dirty: true, conflict: true });
      expect([disk("a.md"), await text(id)]).toEqual(["theirs\n", "ours\n"]);
      const hash = sha256Hex("theirs\n");
      const told = { lines: [{ start: 0, end: 1 }], hash };
      expect(accept(await world.hub.reader.read(id)).header.metadata["conflict"]).toEqual(told);
      await restart();
      await files.flush();
      expect([disk("a.md"), await text(id)]).toEqual(["theirs\n", "ours\n"]);
      expect(accept(await files.conflictingText(id))).toEqual({ theirs: "theirs\n", hash });
      accept(await files.resolve(ada, id, keep, hash));
      expect(codeOf(await files.conflictingText(id))).toBe("CONFLICT");
      const after = await text(id);
      if (kept === null) expect([after.includes("ours"), after.includes("theirs")]).toEqual([true, true]);
      else expect(after).toBe(kept);
      expect(disk("a.md")).toBe(after);
      expect(await entry("a.md")).toMatchObject({ dirty: false, conflict: false });
      expect(accept(await world.hub.reader.read(id)).header.metadata).not.toHaveProperty("conflict");
      expect(codeOf(await files.resolve(ada, id, keep, hash))).toBe("CONFLICT");
    },
  );

  test.each(["ours", "theirs", "both"] as const)(
    "B-40 after the conflict was reported refuses an unseen decision to keep %s, and loses neither side",
    async (keep) => {
      put("a.md", "base\nx\n");
      // Nothing reports the change, as in the moment before the system does.
      tree.watch = () => () => {};
      const id = await open("a.md");
      await replace(id, "base", "ours");
      put("a.md", "theirs\nx\n");
      await files.flush();
      const seen = await conflictHash(id);
      put("a.md", "theirs\nx\nunseen\n");
      expect(codeOf(await files.resolve(ada, id, keep, seen))).toBe("FILE_CHANGED");
      expect([disk("a.md"), await text(id)]).toEqual(["theirs\nx\nunseen\n", "ours\nx\n"]);
      expect(await entry("a.md")).toMatchObject({ conflict: true });
      // The conflict is reported now, but its content is still not the one that was seen.
      expect(codeOf(await files.resolve(ada, id, keep, seen))).toBe("FILE_CHANGED");
      accept(await files.resolve(ada, id, "both", await conflictHash(id)));
      expect(disk("a.md").split("\n").toSorted()).toEqual(["", "ours", "theirs", "unseen", "x"]);
    },
  );

  test("B-40 whose conflict an earlier version stored without a hash is reported again and can be resolved", async () => {
    put("a.md", "base\n");
    const id = await open("a.md");
    await write(id, "ours\n");
    put("a.md", "theirs\n");
    await files.flush();
    accept(await world.hub.editor.update(ada, id, { metadata: { conflict: { lines: [] } } }));
    expect(codeOf(await files.resolve(ada, id, "ours", ""))).toBe("FILE_CHANGED");
    accept(await files.resolve(ada, id, "ours", await conflictHash(id)));
    expect(disk("a.md")).toBe("ours\n");
  });

  test("B-40 in conflict that deletes the file ends the conflict, and the text is written", async () => {
    put("a.md", "base\n");
    tree.watch = () => () => {};
    const id = await open("a.md");
    await write(id, "ours\n");
    put("a.md", "theirs\n");
    await files.flush();
    rmSync(join(root, "a.md"));
    expect(codeOf(await files.resolve(ada, id, "theirs", await conflictHash(id)))).toBe("FILE_CHANGED");
    expect(await entry("a.md")).toMatchObject({ conflict: false, dirty: true });
    await files.flush();
    expect([disk("a.md"), await text(id)]).toEqual(["ours\n", "ours\n"]);
  });

  test("is not undone where it deleted the file; the next edit creates the file again", async () => {
    put("a.md", "one\n");
    const id = await open("a.md");
    rmSync(join(root, "a.md"));
    await files.flush();
    await open("a.md");
    await files.flush();
    expect(() => disk("a.md")).toThrow("ENOENT");
    expect(await text(id)).toBe("one\n");
    await write(id, "two\n");
    await files.flush();
    expect(disk("a.md")).toBe("two\n");
  });

  test("keeps unwritten text when it deletes the file and puts another in its place, as git does", async () => {
    put("a.md", "a\nb\nc\nd\n");
    const id = await open("a.md");
    await replace(id, "a", "AA");
    rmSync(join(root, "a.md"));
    await open("a.md");
    put("a.md", "a\nb\nc\nDD\n");
    await open("a.md");
    expect(await text(id)).toBe("AA\nb\nc\nDD\n");
    await files.flush();
    expect(disk("a.md")).toBe("AA\nb\nc\nDD\n");
    expect(await entry("a.md")).toMatchObject({ dirty: false, conflict: false });
  });

  test("that deletes the file keeps unwritten text", async () => {
    put("a.md", "one\n");
    const id = await open("a.md");
    await write(id, "two\n");
    rmSync(join(root, "a.md"));
    await open("a.md");
    expect(await entry("a.md")).toMatchObject({ dirty: true });
    await files.flush();
    expect([disk("a.md"), await text(id)]).toEqual(["two\n", "two\n"]);
  });

  test.each([
    ["restores the old text", "base\n", "ours\n"],
    ["writes the block's text", "ours\n", "ours\n"],
    ["changes other lines only", "base\nmore\n", null],
  ])("that %s ends a conflict, and clears it from the block", async (_how, then, kept) => {
    put("a.md", "base\nx\ny\n".slice(0, kept === null ? undefined : 5));
    const id = await open("a.md");
    await replace(id, "base", "ours");
    put("a.md", "theirs\n");
    await files.flush();
    expect(await entry("a.md")).toMatchObject({ conflict: true });
    put("a.md", kept === null ? "base\nx\ny\nmore\n" : then);
    await open("a.md");
    await files.flush();
    expect(await entry("a.md")).toMatchObject({ dirty: false, conflict: false });
    expect(accept(await world.hub.reader.read(id)).header.metadata).not.toHaveProperty("conflict");
    expect(disk("a.md")).toBe(kept ?? "ours\nx\ny\nmore\n");
  });

  test("that makes the file binary is a conflict, not a document", async () => {
    put("a.md", "one\n");
    const id = await open("a.md");
    put("a.md", new Uint8Array([0, 1]));
    await open("a.md");
    expect(await entry("a.md")).toMatchObject({ conflict: true });
    expect(await text(id)).toBe("one\n");
    expect(codeOf(await files.resolve(ada, id, "theirs", await conflictHash(id)))).toBe("FILE_NOT_TEXT");
    accept(await files.resolve(ada, id, "ours", await conflictHash(id)));
    expect(disk("a.md")).toBe("one\n");
  });
});

describe("the text written to a file", () => {
  test("is committed to its branch a minute later and on close, without files in conflict", async () => {
    await git(root, ["init", "-q", "-b", "main"]);
    const newDocumentId = (): DocumentId => "git-doc" as DocumentId;
    files = await openWorkspaceFiles({ ...world, tree, newDocumentId, branch: "heddle/main" });
    put("a.md", "one\n");
    const id = await open("a.md");
    await write(id, "two\n");
    await files.flush();
    await world.clock.advance(60_000);
    await expect.poll(() => git(root, ["show", "heddle/main:a.md"])).toBe("two\n");
    await write(id, "three\n");
    await files.close();
    expect(await git(root, ["show", "heddle/main:a.md"])).toBe("three\n");
    expect((await git(root, ["rev-list", "--count", "heddle/main"])).trim()).toBe("2");
  });
});

test("a branch that Heddle commits to has a moved file at its new path, and a deleted one no more", async () => {
  await git(root, ["init", "-q", "-b", "main"]);
  await files.close();
  tree = await openFolderTree(root, world.clock);
  let count = 0;
  const newDocumentId = (): DocumentId => `git-doc-${(count += 1)}` as DocumentId;
  files = await openWorkspaceFiles({ ...world, tree, newDocumentId, branch: "heddle/main" });
  for (const path of ["a.md", "b.md"]) put(path, `${path}\n`);
  const [a, b] = [await open("a.md"), await open("b.md")];
  for (const id of [a, b]) await write(id, "two\n");
  await files.flush();
  const commit = { branch: "heddle/main", message: "m\n", author: { name: "Ada", email: "ada@example.org" } };
  const listed = async (): Promise<readonly string[]> => {
    accept(await files.commit(commit));
    return (await git(root, ["ls-tree", "-r", "--name-only", "heddle/main"])).trim().split("\n");
  };
  expect(await listed()).toEqual(["a.md", "b.md"]);
  accept(await files.move(ada, a, "docs/c.md"));
  accept(await files.delete(ada, b));
  expect(await listed()).toEqual(["docs/c.md"]);
});

describe("a commit", () => {
  const mine = { branch: "mine", message: "m\n", author: { name: "Ada", email: "ada@example.org" } };

  beforeEach(() => git(root, ["init", "-q", "-b", "main"]));

  test("has the other files where some are unreadable or in conflict, and names those", async () => {
    tree.watch = () => () => {};
    for (const path of ["a.md", "b.md", "c.md", "d.md"]) put(path, "one\n");
    const [a, b, c, d] = [await open("a.md"), await open("b.md"), await open("c.md"), await open("d.md")];
    for (const id of [a, b, c]) await write(id, "two\n");
    await files.flush();
    for (const path of ["b.md", "d.md"]) {
      rmSync(join(root, path));
      mkdirSync(join(root, path));
    }
    await write(d, "two\n");
    await write(c, "ours\n");
    put("c.md", "theirs\n");
    const committed = accept(await files.commit(mine));
    expect(committed.leftOut.map(({ path }) => path)).toEqual(["c.md", "d.md", "b.md"]);
    expect(committed.leftOut[1]?.problem).toBe("it is not a plain file");
    expect(await git(root, ["ls-tree", "-r", "--name-only", "mine"])).toBe("a.md\n");
    expect(world.logged.map(({ event }) => event)).toContain("files-left-out");
  });

  test("has what Heddle wrote, also before a restart, and no file that was only opened or merged", async () => {
    for (const path of ["a.md", "b.md", "c.md"]) put(path, "one\n");
    const [a, b] = [await open("a.md"), await open("b.md"), await open("c.md")];
    await write(a, "two\n");
    await files.flush();
    put("b.md", "outside\n");
    await open("b.md");
    expect(await text(b)).toBe("outside\n");
    await restart();
    put("a.md", "two\nand more\n");
    expect(accept(await files.commit(mine)).leftOut).toEqual([]);
    expect(await git(root, ["ls-tree", "-r", "--name-only", "mine"])).toBe("a.md\n");
    expect(await git(root, ["show", "mine:a.md"])).toBe("two\nand more\n");
  });

  test("has a file whose bytes are no longer text", async () => {
    put("a.md", "one\n");
    accept(await tree.commit([(await entry("a.md")).path], mine));
    put("a.md", new Uint8Array([0xff, 0x0a]));
    accept(await tree.commit([(await entry("a.md")).path], mine));
    expect((await git(root, ["cat-file", "-s", "mine:a.md"])).trim()).toBe("2");
  });
});

describe("after a crash", () => {
  test("unwritten text is written, and changes on disk are merged", async () => {
    put("a.md", "a\nb\nc\n");
    put("b.md", "one\n");
    const [a, b] = [await open("a.md"), await open("b.md")];
    await replace(a, "c", "C");
    await restart();
    put("b.md", "two\n");
    await restart();
    expect(await text(b)).toBe("two\n");
    await files.flush();
    expect(disk("a.md")).toBe("a\nb\nC\n");
    expect(await text(a)).toBe("a\nb\nC\n");
  });

  test("an unreadable block keeps no other file from opening", async () => {
    put("a.md", "one\n");
    put("b.md", "one\n");
    const [a, b] = [await open("a.md"), await open("b.md")];
    tree.close();
    put("a.md", "two\n");
    put("b.md", "two\n");
    const { store } = world;
    const whole = store.changes.bind(store);
    store.changes = async (query) => {
      if (query.blockId === a) throw new Error("damaged");
      return whole(query);
    };
    await start(store, world.clock);
    expect(await text(b)).toBe("two\n");
    store.changes = whole;
    await open("a.md");
    expect(await text(a)).toBe("two\n");
  });

  test("between the file's write and its record, the file counts as our own write", async () => {
    put("a.md", "one\n");
    const id = await open("a.md");
    await write(id, "two\n");
    const whole = tree.replace.bind(tree);
    // The process dies after the file is written and before that is recorded; somebody had continued to type.
    tree.replace = async (...args) => {
      await whole(...args);
      await write(id, "three\n");
      throw new Error("died here");
    };
    await expect(files.flush()).rejects.toThrow("died here");
    expect(disk("a.md")).toBe("two\n");
    await restart();
    expect(await entry("a.md")).toMatchObject({ conflict: false, dirty: true });
    await files.flush();
    expect([disk("a.md"), await text(id)]).toEqual(["three\n", "three\n"]);
  });

  /** Lets the store die after so many more commits, which it has carried out. Returns how many it carried out. */
  function dieAfter(commits: number): () => number {
    const commit = world.store.commit.bind(world.store);
    let carried = 0;
    world.store.commit = async (writes) => {
      if (carried === commits) throw new Error("died here");
      const committed = await commit(writes);
      carried += 1;
      return committed;
    };
    return () => {
      world.store.commit = commit;
      return carried;
    };
  }

  const lines = (of: string): readonly string[] => of.split("\n").toSorted();

  test("19.13 at any commit, a line that another program added is merged once, though it adds another one meanwhile", async () => {
    for (let commits = 0, carried = 0; carried >= commits - 1; commits += 1) {
      const path = `${commits}.md`;
      put(path, "first\nlast\n");
      const id = await open(path);
      await replace(id, "last", "mine\nlast");
      put(path, "theirs\nfirst\nlast\n");
      const ended = dieAfter(commits);
      await files.open(path).catch(() => null);
      await files.flush().catch(() => {});
      carried = ended();
      if (disk(path).startsWith("theirs")) put(path, `later\n${disk(path)}`);
      await restart();
      await files.open(path);
      const { conflict } = accept(await world.hub.reader.read(id)).header.metadata;
      const hash = isJsonObject(conflict) ? conflict["hash"] : undefined;
      if (typeof hash === "string") accept(await files.resolve(ada, id, "both", hash));
      await files.flush();
      expect(lines(disk(path)), `after ${commits} commits`).toEqual(["", "first", "last", "later", "mine", "theirs"]);
      expect(await text(id)).toBe(disk(path));
      expect(accept(await world.hub.reader.read(id)).header.metadata).not.toHaveProperty("conflict");
    }
  });

  test("19.13 at any commit, a conflict is reported or is none, and can be resolved", async () => {
    for (let commits = 0, carried = 0; carried >= commits - 1; commits += 1) {
      const path = `${commits}.md`;
      put(path, "line\n");
      const id = await open(path);
      await write(id, "mine\n");
      put(path, "theirs\n");
      const ended = dieAfter(commits);
      await files.open(path).catch(() => null);
      await Promise.resolve(conflictHash(id))
        .then((hash) => files.resolve(ada, id, "both", hash))
        .catch(() => null);
      carried = ended();
      await restart();
      await files.open(path);
      if ((await entry(path)).conflict) accept(await files.resolve(ada, id, "both", await conflictHash(id)));
      await files.flush();
      expect(lines(disk(path)), `after ${commits} commits`).toEqual(["", "mine", "theirs"]);
      expect(accept(await world.hub.reader.read(id)).header.metadata).not.toHaveProperty("conflict");
    }
  });

  test("19.13 at any commit, a file that somebody made is there whole or not at all", async () => {
    for (let commits = 0, carried = 0; carried >= commits - 1; commits += 1) {
      const path = `${commits}.md`;
      const ended = dieAfter(commits);
      await files.make(ada, path, "all of it\n").catch(() => null);
      carried = ended();
      await restart();
      await files.flush();
      const listed = accept(await files.list(path)).files;
      if (listed.length > 0) expect(disk(path), `after ${commits} commits`).toBe("all of it\n");
    }
  });

  test("19.13 a write that took place though the disk reported a failure is no change of another program's", async () => {
    put("a.md", "first\nlast\n");
    const id = await open("a.md");
    await replace(id, "last", "mine\nlast");
    const whole = tree.replace.bind(tree);
    tree.replace = async (...args) => {
      const written = await whole(...args);
      return written.ok ? err(refusal("FILE_FAILED", { path: "a.md", reason: "EIO" })) : written;
    };
    await files.flush();
    tree.replace = whole;
    await replace(id, "last", "more\nlast");
    put("a.md", `theirs\n${disk("a.md")}`);
    await restart();
    await files.flush();
    expect([disk("a.md"), await text(id)]).toEqual(Array(2).fill("theirs\nfirst\nmine\nmore\nlast\n"));
  });

  test("19.13 a write that took place though the disk reported a failure is the base of what another program writes on it", async () => {
    // The system tells of no change.
    tree.watch = () => () => {};
    put("a.md", "first\nlast\n");
    const id = await open("a.md");
    await replace(id, "last", "mine\nlast");
    const whole = tree.replace.bind(tree);
    tree.replace = async (...args) => {
      await whole(...args);
      return err(refusal("FILE_FAILED", { path: "a.md", reason: "EIO" }));
    };
    await files.flush();
    tree.replace = whole;
    await replace(id, "mine", "mine\nand more of it\nand more");
    put("a.md", "theirs\nfirst\nmine\nlast\n");
    await files.flush();
    expect([disk("a.md"), await text(id)]).toEqual(
      Array(2).fill("theirs\nfirst\nmine\nand more of it\nand more\nlast\n"),
    );
    expect(await entry("a.md")).toMatchObject({ dirty: false, conflict: false });
  });

  test("making a file can be undone, which leaves it empty", async () => {
    const { id } = accept(await files.make(ada, "a.md", "all of it\n"));
    expect(disk("a.md")).toBe("all of it\n");
    expect(accept(await world.hub.reader.readAt(id, 1)).text).toBe("");
    expect(accept(await world.hub.reader.readAt(id, 2)).text).toBe("all of it\n");
  });
});
