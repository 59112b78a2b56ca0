import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { readFilePath } from "../../core/base/file-path.ts";
import type { BlockId, DocumentId, DraftId } from "../../core/base/ids.ts";
import type { FileTree } from "../../core/port/file-tree.ts";
import { ok } from "../../core/base/result.ts";
import { accept, codeOf } from "../../core/base/result.test-support.ts";
import { authorOf, createBlock, model, openWorld, person, type World } from "../document/world.test-support.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { openWorkspaceFiles } from "./workspace-files.ts";
import type { WorkspaceFiles } from "./workspace-files-types.ts";

const dayMs = 24 * 60 * 60 * 1000;

let root: string;
let world: World;
let tree: FileTree;
let files: WorkspaceFiles;
let made = 0;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "heddle-eviction-"));
  writeFileSync(join(root, "notes.md"), "old notes\n");
  await start();
});

afterEach(async () => {
  await files.close();
  rmSync(root, { recursive: true });
});

async function start(from?: World): Promise<void> {
  world = await openWorld(openMemoryStore(from?.store.image()), from?.clock);
  // The tree's clock never advances: it does not check the folder between two requests.
  tree = await openFolderTree(root, simulatedClock());
  const newDocumentId = (): DocumentId => {
    made += 1;
    return `file-doc-${made}` as DocumentId;
  };
  files = await openWorkspaceFiles({ ...world, tree, newDocumentId });
}

/** Advances the clock by days; the work that this starts reads and writes real files. */
async function pass(days: number): Promise<void> {
  for (let quarter = 0; quarter < days * 4; quarter += 1) {
    await world.clock.advance(dayMs / 4 + 1);
    for (let turn = 0; turn < 10; turn += 1) await tree.read(accept(readFilePath("notes.md")));
  }
}

async function open(): Promise<BlockId> {
  return accept(await files.open("notes.md"));
}

async function write(id: BlockId, insert: string): Promise<void> {
  const author = await authorOf(world, person("ada"));
  accept(await world.hub.editor.edit(author, id, { changes: [{ from: 0, to: 0, insert }] }));
}

test("a file with comments keeps its block, whose units they are about", async () => {
  const id = await open();
  const by = person("ada");
  accept(await world.hub.comments.add(by, { blockId: id, at: { type: "document" }, text: "Why?" }));
  await pass(40);
  expect(await world.store.block(id)).toMatchObject({ id });
  expect((await world.store.block(id))?.deletedAt).toBeUndefined();
  expect(await world.store.threads(id)).toHaveLength(1);
});

test("K-35 a file over which a draft lies keeps its block, whose units the draft is about", async () => {
  const id = await open();
  const actor = model("run");
  const author = { ...(await authorOf(world, actor)), actor };
  const wish = { canvasId: id, reason: "draft", draftId: "draft_1" as DraftId, guards: [] } as const;
  accept(await world.hub.suggestions.suggest(author, { ...wish, plan: ({ text }) => ok(`new ${text}`) }));
  await pass(40);
  expect(accept(await world.hub.suggestions.drafts(id)).map((draft) => draft.text)).toEqual(["new old notes\n"]);
});

test("a file that nobody has opened or changed for a month is evicted, and opens again as another block", async () => {
  const id = await open();
  await write(id, "more ");
  await pass(20);
  expect(accept(await world.hub.reader.read(id)).text).toBe("more old notes\n");
  await pass(12);
  expect(codeOf(await world.hub.reader.read(id))).toBe("BLOCK_NOT_FOUND");
  expect(readFileSync(join(root, "notes.md"), "utf8")).toBe("more old notes\n");
  expect((await world.store.changes({ blockId: id, afterVersion: 0 })).map(({ body }) => body.type)).toEqual([
    "deleted",
  ]);
  expect(await world.store.snapshot(id)).toBeNull();
  const again = await open();
  expect(again).not.toBe(id);
  expect(accept(await world.hub.reader.read(again)).text).toBe("more old notes\n");
  expect(accept(await files.list("")).files.map(({ blockId }) => blockId)).toEqual([again]);
});

test("a file that is opened now and then stays, also across restarts", async () => {
  const id = await open();
  for (let month = 0; month < 2; month += 1) {
    await pass(20);
    expect(await open()).toBe(id);
    await files.close();
    await start(world);
  }
  await pass(20);
  expect(await open()).toBe(id);
});

test("a file that somebody watches stays, and so do documents and canvases", async () => {
  const id = await open();
  accept(await world.hub.feeds.watch(id, 0, { snapshot: () => {}, deliver: () => {} }));
  const canvas = await createBlock(world, { kind: "file", policy: "live", text: "canvas" });
  const document = await createBlock(world, { text: "document" });
  await pass(40);
  for (const each of [id, canvas.id, document.id]) accept(await world.hub.reader.read(each));
  for (const { id: each, version } of [canvas, document]) {
    expect(codeOf(await world.hub.deletion.evict(await authorOf(world, person("ada")), each, version))).toBe(
      "CONFLICT",
    );
  }
});

test("a block whose text is not in its file stays: in conflict, changed on disk, or with the file deleted", async () => {
  const id = await open();
  await write(id, "more ");
  await files.flush();
  rmSync(join(root, "notes.md"));
  await pass(40);
  expect(accept(await world.hub.reader.read(id)).text).toBe("more old notes\n");
});

test("a block that was written to since the check is not evicted", async () => {
  const id = await open();
  const { header } = accept(await world.hub.reader.read(id));
  await write(id, "more ");
  expect(codeOf(await world.hub.deletion.evict(await authorOf(world, person("ada")), id, header.version))).toBe(
    "CONFLICT",
  );
  expect(accept(await world.hub.reader.read(id)).text).toBe("more old notes\n");
});

test("a check of the files that fails runs again", async () => {
  const id = await open();
  const list = world.hub.reader.list.bind(world.hub.reader);
  world.hub.reader.list = () => Promise.reject(new Error("the store does not answer"));
  await pass(1);
  world.hub.reader.list = list;
  expect(world.logged.map(({ event }) => event)).toContain("files-not-let-go");
  await pass(31);
  expect(await open()).not.toBe(id);
});

test("an eviction is one commit: no crash leaves a block that is deleted and still stored", async () => {
  const id = await open();
  await pass(31);
  const again = await open();
  expect(again).not.toBe(id);
  const commit = world.store.commit.bind(world.store);
  const purges: (readonly string[])[] = [];
  world.store.commit = (writes) => {
    const types = writes.map(({ type }) => type);
    if (types.includes("purge-block")) purges.push(types);
    return commit(writes);
  };
  await pass(31);
  expect(purges).toEqual([["put-change", "purge-block"]]);
  expect(await world.store.changes({ blockId: again, afterVersion: 0 })).toHaveLength(1);
});
