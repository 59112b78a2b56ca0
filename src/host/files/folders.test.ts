import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { openMemoryStore, type MemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { BlockId, DocumentId, FolderId } from "../../core/base/ids.ts";
import { must } from "../../core/base/assert.ts";
import { diffChanges } from "../../core/block/change/diff-changes.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { root as rootRecord } from "../../testing/store/records.ts";
import { plainOpener } from "../../testing/plain-opener.ts";
import { authorOf, openWorld, person, type World } from "../document/world.test-support.ts";
import { WordIndex } from "../document/word-index.ts";
import { createSearcher } from "../../adapters/search/worker-searcher.ts";
import { TestAgent } from "../tool/agent.test-support.ts";
import { createHeddleTools } from "../tool/heddle-tools.ts";
import { ToolRegistry } from "../tool/tool-registry.ts";
import type { Folders, FolderState } from "./folder-types.ts";
import { openFolders } from "./folders.ts";

let base: string;
let store: MemoryStore;
let world: World;
let folders: Folders;
let made = 0;

const path = (...names: readonly string[]): string => join(base, ...names);
const put = (name: string, text: string): void => writeFileSync(path(name), text);
const disk = (name: string): string => readFileSync(path(name), "utf8");

/** Opens the known folders, as a start of a server does: with a folder at hand, or without one. */
async function start(atHand: string | null): Promise<void> {
  const { clock } = world;
  folders = await openFolders({
    ...world,
    newDocumentId: () => `file-doc-${(made += 1)}` as DocumentId,
    opener: plainOpener(clock),
    atHand: atHand === null ? null : { tree: await openFolderTree(path(atHand), clock), shell: null },
  });
}

/** Ends the server and opens the stored data in another process. */
async function restart(atHand: string | null): Promise<void> {
  await folders.close();
  await world.clock.advance(1);
  world = await openWorld(store, world.clock);
  await start(atHand);
}

async function added(name: string): Promise<FolderState> {
  return accept(await folders.add({ path: path(name) }));
}

function nth(place: number): FolderState {
  return must(folders.list()[place], "the folder is known");
}

async function open(folderId: FolderId, file: string): Promise<BlockId> {
  return accept(await accept(await folders.use(folderId)).files.open(file));
}

async function type(blockId: BlockId, text: string): Promise<void> {
  const { text: now } = accept(await world.hub.reader.read(blockId));
  const changes = diffChanges(now, text);
  accept(await world.hub.editor.edit(await authorOf(world, person("Ada")), blockId, { changes }));
}

async function textOf(blockId: BlockId): Promise<string> {
  return accept(await world.hub.reader.read(blockId)).text;
}

async function codeOf(folderId: FolderId): Promise<string> {
  const used = await folders.use(folderId);
  return used.ok ? "ok" : used.error.code;
}

function agentIn(folderId: FolderId | null, run = "run"): TestAgent {
  const searcher = createSearcher(world.clock);
  const tools = new ToolRegistry([createHeddleTools({ ...world, searcher, words: new WordIndex(world), folders })]);
  return new TestAgent({ ...world, tools, ...(folderId === null ? {} : { folderId }) }, null, run);
}

beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "heddle-folders-")));
  for (const name of ["a", "b"]) mkdirSync(path(name));
  put("a/notes.md", "of a\n");
  put("b/notes.md", "of b\n");
  store = openMemoryStore();
  world = await openWorld(store);
  await start("a");
});

afterEach(async () => {
  await folders.close();
  rmSync(base, { recursive: true, force: true });
});

describe("14.11 files are a folder and a path", () => {
  test("the same file name in two folders is two blocks, each written to its own folder", async () => {
    const a = nth(0);
    const b = await added("b");
    const [ofA, ofB] = [await open(a.id, "notes.md"), await open(b.id, "notes.md")];
    expect(ofA).not.toBe(ofB);
    await type(ofA, "A\n");
    await type(ofB, "B\n");
    await folders.flush();
    expect([disk("a/notes.md"), disk("b/notes.md")]).toEqual(["A\n", "B\n"]);
  });

  test("after a start with another folder, files and their undo stay with the first one", async () => {
    const a = nth(0);
    const block = await open(a.id, "notes.md");
    const agent = agentIn(a.id);
    await agent.must("write_file", { path: "notes.md", content: "by the agent\n" });
    await restart("b");
    expect(folders.defaultId).not.toBe(a.id);
    const reverted = await world.hub.history.undoTurn(await authorOf(world, person("Ada")), agent.turnId);
    expect(accept(reverted)).toHaveLength(1);
    await folders.flush();
    expect(await textOf(block)).toBe("of a\n");
    expect([disk("a/notes.md"), disk("b/notes.md")]).toEqual(["of a\n", "of b\n"]);
  });

  test("an agent reaches the files of its conversation's folder only", async () => {
    const a = nth(0);
    const b = await added("b");
    const [inA, inB, nowhere] = [agentIn(a.id), agentIn(b.id, "other"), agentIn(null, "third")];
    const ofA = await open(a.id, "notes.md");
    expect(await inA.must("read_files", { files: [{ path: "notes.md" }] })).toMatchObject({
      files: [{ text: "1→of a" }],
    });
    expect(await inB.must("read_files", { files: [{ path: "notes.md" }] })).toMatchObject({
      files: [{ text: "1→of b" }],
    });
    for (const other of [inB, nowhere]) {
      expect(await other.code("block_read", { block_id: ofA })).toBe("BLOCK_NOT_FOUND");
      expect(
        await other.code("block_edit", { block_id: ofA, operations: [{ op: "insert", line: 1, content: "x" }] }),
      ).toBe("BLOCK_NOT_FOUND");
      expect(await other.must("kernel_search", { query: "of a" })).toMatchObject({ blocks: [] });
      expect(JSON.stringify(await other.must("block_list", {}))).not.toContain(ofA);
    }
    expect(await nowhere.code("read_files", { files: [{ path: "notes.md" }] })).toBe("UNKNOWN_TOOL");
    await inB.must("block_create", { kind: "file", role: "assistant", content: "new\n", metadata: { path: "new.md" } });
    await folders.flush();
    expect(disk("b/new.md")).toBe("new\n");
    expect(() => disk("a/new.md")).toThrow();
  });

  test("no path leads from one folder into another", async () => {
    const b = await added("b");
    const agent = agentIn(b.id);
    symlinkSync(path("a"), path("b/link"));
    const attempts = ["../a/notes.md", path("a/notes.md"), "link/notes.md", "./../a/notes.md", "x/../../a/notes.md"];
    for (const attempt of attempts) {
      expect(await agent.code("write_file", { path: attempt, content: "evil" })).toBe("PATH_REFUSED");
      expect(await agent.code("read_files", { files: [{ path: attempt }] })).toBe("PATH_REFUSED");
    }
    const claimed = { kind: "file", role: "assistant", metadata: { path: "notes.md", folder: folders.defaultId } };
    expect(await agent.code("block_create", claimed)).toBe("INVALID_PARAMS");
    expect(disk("a/notes.md")).toBe("of a\n");
  });

  test("a file in two folders, one inside the other, has the words of both", async () => {
    mkdirSync(path("a/sub"));
    put("a/sub/plan.md", "one\ntwo\nthree\n");
    const a = nth(0);
    const inner = await added("a/sub");
    const [outside, inside] = [await open(a.id, "sub/plan.md"), await open(inner.id, "plan.md")];
    await type(outside, "ONE\ntwo\nthree\n");
    await type(inside, "one\ntwo\nTHREE\n");
    await folders.flush();
    for (const id of [a.id, inner.id]) await open(id, id === a.id ? "sub/plan.md" : "plan.md");
    await folders.flush();
    expect(disk("a/sub/plan.md")).toBe("ONE\ntwo\nTHREE\n");
    expect([await textOf(outside), await textOf(inside)]).toEqual(["ONE\ntwo\nTHREE\n", "ONE\ntwo\nTHREE\n"]);
  });
});

describe("14.11 a folder that is away", () => {
  test("is neither read nor written, says so, and gets its text when it is back", async () => {
    const a = nth(0);
    const block = await open(a.id, "notes.md");
    await type(block, "typed\n");
    renameSync(path("a"), path("moved"));
    await folders.flush();
    expect(await codeOf(a.id)).toBe("FOLDER_AWAY");
    expect(folders.get(a.id)?.away).toBe("nothing is at its path");
    const agent = agentIn(a.id);
    const calls = [
      ["read_files", { files: [{ path: "notes.md" }] }],
      ["write_file", { path: "notes.md", content: "x" }],
      ["keyword_search", { keywords: ["a"] }],
      ["block_edit", { block_id: block, operations: [{ op: "insert", line: 1, content: "x" }] }],
      ["block_create", { kind: "file", role: "assistant", metadata: { path: "new.md" } }],
    ] as const;
    for (const [name, parameters] of calls)
      expect([name, await agent.code(name, parameters)]).toEqual([name, "FOLDER_AWAY"]);
    expect(await textOf(block)).toBe("typed\n");
    renameSync(path("moved"), path("a"));
    expect(await codeOf(a.id)).toBe("ok");
    await folders.flush();
    expect(disk("a/notes.md")).toBe("typed\n");
  });

  test("is not mixed up with another folder at its path, until a person adds that", async () => {
    const a = nth(0);
    const block = await open(a.id, "notes.md");
    await type(block, "typed\n");
    renameSync(path("a"), path("moved"));
    mkdirSync(path("a"));
    put("a/notes.md", "another project\n");
    await folders.flush();
    expect(await codeOf(a.id)).toBe("FOLDER_AWAY");
    expect([disk("a/notes.md"), disk("moved/notes.md")]).toEqual(["another project\n", "of a\n"]);
    expect(accept(await folders.add({ path: path("a") })).id).toBe(a.id);
    expect(await codeOf(a.id)).toBe("ok");
    expect(disk("a/notes.md")).toBe("another project\n");
  });

  test("is away at a start too, is found when it comes back, and an empty place is not taken for it", async () => {
    const b = await added("b");
    const block = await open(b.id, "notes.md");
    await type(block, "typed\n");
    await folders.flush();
    renameSync(path("b"), path("moved"));
    await restart("a");
    expect(folders.get(b.id)?.away).toContain("ENOENT");
    mkdirSync(path("b"));
    expect(await codeOf(b.id)).toBe("FOLDER_AWAY");
    expect(folders.get(b.id)?.away).toContain("it is empty, though it had files");
    rmSync(path("b"), { recursive: true });
    renameSync(path("moved"), path("b"));
    const changes: number[] = [];
    folders.onChanged(() => changes.push(1));
    await world.clock.advance(5_000);
    await expect.poll(() => folders.get(b.id)?.away).toBe(null);
    expect(changes.length).toBeGreaterThan(0);
    expect(await open(b.id, "notes.md")).toBe(block);
  });
});

describe("14.11 which folders there are", () => {
  test("earlier files and conversations belong to the folder at hand, and to no later one", async () => {
    await folders.close();
    store = openMemoryStore();
    world = await openWorld(store);
    const author = await authorOf(world, person("Ada"));
    const fileIn = async (file: string) =>
      accept(
        await world.hub.editor.create(author, {
          documentId: `earlier-${file}` as DocumentId,
          parentId: null,
          role: "user",
          kind: "file",
          text: "of a\n",
          status: "done",
          metadata: { path: file },
        }),
      );
    const earlier = await fileIn("notes.md");
    const roots = [rootRecord("here", { cwd: path("a") }), rootRecord("elsewhere", { cwd: path("b") })];
    accept(await store.commit(roots.map((root) => ({ type: "put-root", root }) as const)));
    await start("a");
    const a = nth(0);
    expect(folders.folderOf(earlier)).toBe(a.id);
    expect((await store.roots()).map(({ folderId }) => folderId)).toEqual([a.id, undefined]);
    expect(await open(a.id, "notes.md")).toBe(earlier.id);
    await restart("b");
    const b = nth(1);
    expect(folders.folderOf(earlier)).toBe(a.id);
    expect(await open(b.id, "notes.md")).not.toBe(earlier.id);
    expect((await store.roots()).map(({ folderId }) => folderId)).toEqual([a.id, b.id]);
  });

  test("a path is added once, by its real name, and comes back as the same folder after it was removed", async () => {
    symlinkSync(path("b"), path("link"));
    const b = await added("link");
    expect(b).toMatchObject({ path: path("b"), name: "b", rights: "commands", isDefault: false, away: null });
    expect((await added("b")).id).toBe(b.id);
    const block = await open(b.id, "notes.md");
    accept(await folders.remove(b.id));
    expect(folders.list().map(({ path: at }) => at)).toEqual([path("a")]);
    expect(await codeOf(b.id)).toBe("FOLDER_AWAY");
    await type(block, "meanwhile\n");
    expect(disk("b/notes.md")).toBe("of b\n");
    await restart("a");
    expect((await added("b")).id).toBe(b.id);
    await folders.flush();
    expect(disk("b/notes.md")).toBe("meanwhile\n");
  });

  test("the folder that the server was started with stays, and what is no folder is not added", async () => {
    const refused = async (job: Promise<{ ok: boolean; error?: { code: string } }>) => (await job).error?.code;
    expect(await refused(folders.remove(folders.defaultId as FolderId) as never)).toBe("CONFLICT");
    expect(await refused(folders.remove("folder_none" as FolderId) as never)).toBe("FOLDER_NOT_FOUND");
    expect(await refused(folders.add({ path: "b" }) as never)).toBe("INVALID_PARAMS");
    expect(await refused(folders.add({ path: path("none") }) as never)).toBe("FILE_FAILED");
    expect(await refused(folders.add({ path: path("a/notes.md") }) as never)).toBe("FILE_FAILED");
    expect(await refused(folders.change(folders.defaultId as FolderId, { name: " " }) as never)).toBe("INVALID_PARAMS");
  });

  test("in a folder that may only be read, agents have no tool that writes, and nothing is written", async () => {
    const b = await added("b");
    accept(await folders.change(b.id, { rights: "read" }));
    const agent = agentIn(b.id);
    await agent.must("read_files", { files: [{ path: "notes.md" }] });
    expect(await agent.code("write_file", { path: "notes.md", content: "x" })).toBe("UNKNOWN_TOOL");
    expect(await agent.code("block_create", { kind: "file", role: "assistant", metadata: { path: "new.md" } })).toBe(
      "FOLDER_READ_ONLY",
    );
    const block = await open(b.id, "notes.md");
    await type(block, "typed\n");
    await folders.flush();
    expect(disk("b/notes.md")).toBe("of b\n");
    accept(await folders.change(b.id, { rights: "write" }));
    await folders.flush();
    expect(disk("b/notes.md")).toBe("typed\n");
  });
});
