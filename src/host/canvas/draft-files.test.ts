import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { must } from "../../core/base/assert.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { BlockId, DraftId, NodeId } from "../../core/base/ids.ts";
import { codeOf } from "../../core/base/result.test-support.ts";
import { ok } from "../../core/base/result.ts";
import { diffChanges } from "../../core/block/change/diff-changes.ts";
import { textOf } from "../../core/message/content.ts";
import type { Shell } from "../../core/port/shell.ts";
import { performDraft } from "../command/draft.ts";
import { createDispatch } from "../command/dispatch.ts";
import { accepted, ada, bo, checkOut, inOrder, patches, Studio, type Mind } from "./canvas.test-support.ts";

const shell: Shell = { hosts: [], run: async () => ok({ type: "exited", code: 0 }), close: async () => {} };
const text = "one\ntwo\nthree\nfour\nfive\nsix\n";
const everything = { reach: null, may: async () => true, asking: {} };

let folder: string;
let studio: Studio;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-draft-files-"));
  for (const name of ["a.md", "b.md"]) writeFileSync(join(folder, name), text);
  studio = await Studio.open("canvas\n", { folder: { files: await openTree(), shell } });
  accepted(await studio.workspace.conversations.setRules({ rootId: studio.rootId, approvals: "none" }));
});
afterEach(async () => {
  await studio.close();
  rmSync(folder, { recursive: true });
});

function openTree() {
  return openFolderTree(folder, systemPlatform().clock);
}

const onDisk = (name: string): string => readFileSync(join(folder, name), "utf8");

async function send(mind: Mind, parentNodeId: NodeId | null = null, n = 1): Promise<void> {
  studio.mind = mind;
  const { rootId, workspace } = studio;
  const own = parentNodeId === null ? { inDraft: true } : {};
  const many = n === 1 ? own : { n };
  accepted(await workspace.conversations.messages.send(ada, { rootId, parentNodeId, text: "Rewrite.", ...many }));
  await studio.rest();
}

async function tip() {
  return must((await studio.nodes()).at(-1), "a message");
}

async function fileId(path: string): Promise<BlockId> {
  const { rootId, store, workspace } = studio;
  const folderId = must((await store.root(rootId))?.folderId ?? null, "the folder");
  const { files } = accepted(await workspace.folders.use(folderId));
  return accepted(await files.open(path));
}

async function call(actor = ada) {
  const author = await studio.author(actor);
  return {
    workspace: studio.workspace,
    actor,
    author: () => author,
    remember: () => [],
    noted: () => [],
    ...everything,
  };
}

async function drafts(path: string) {
  return accepted(await studio.workspace.hub.suggestions.drafts(await fileId(path)));
}

async function take(path: string, draftId: DraftId) {
  return performDraft["draft.take"](await call(), { canvasId: await fileId(path), draftId });
}

async function results(): Promise<readonly string[]> {
  return (await studio.path()).flatMap(({ message }) => (message.role === "tool" ? [textOf(message)] : []));
}

/** Waits until the files have what their documents have. */
async function written(): Promise<void> {
  await studio.workspace.folders.flush();
}

const replaceIn = (path: string, search: string, replace: string) => ({
  call: "replace_in_file",
  with: { path, replacements: [{ search, replace }] },
});

describe("an agent that works in a draft", () => {
  test("K-35 writes files into the draft, and disk and document are unchanged until it is taken", async () => {
    const whole = { call: "write_file", with: { path: "a.md", content: text.replace("two", "TWO") } };
    const patch = { call: "patch", with: { files: [{ path: "b.md", patch: "@@ -3 +3 @@\n-three\n+THREE\n" }] } };
    await send(inOrder(whole, replaceIn("a.md", "four", "FOUR"), patch));
    const { draft } = await tip();
    const draftId = must(draft, "a draft");
    expect(await results()).toEqual([
      expect.stringContaining(`"draft":"${draftId}"`),
      expect.stringContaining(`"draft":"${draftId}"`),
      expect.stringContaining(`"draft":"${draftId}"`),
    ]);
    expect((await results()).every((each) => each.includes("see the file as it is on disk"))).toBe(true);
    await written();
    expect([onDisk("a.md"), onDisk("b.md")]).toEqual([text, text]);
    expect(await studio.text(await fileId("a.md"))).toBe(text);
    const both = "one\nTWO\nthree\nFOUR\nfive\nsix\n";
    expect(await drafts("a.md")).toMatchObject([{ draftId, text: both, authors: [{ name: "Editor" }] }]);
    accepted(await take("a.md", draftId));
    await written();
    expect([onDisk("a.md"), onDisk("b.md")]).toEqual([both, text]);
    accepted(await studio.workspace.hub.history.undo(await studio.author(ada), await fileId("a.md")));
    await written();
    expect(onDisk("a.md")).toBe(text);
    expect(await drafts("a.md")).toMatchObject([{ draftId, text: both }]);
  });

  test("K-35 reads and searches files as its draft has them, and others as the disk has them", async () => {
    const read = { call: "read_files", with: { files: [{ path: "a.md" }] } };
    const search = { call: "keyword_search", with: { keywords: ["INSERTED"] } };
    const kernel = { call: "kernel_search", with: { query: "INSERTED" } };
    await send(inOrder(replaceIn("a.md", "two", "INSERTED"), read, search, kernel));
    const shown = (await results()).slice(1);
    expect(shown.map((each) => each.includes("INSERTED") && each.includes("a.md"))).toEqual([true, true, true]);
    studio.mind = inOrder(read, search, kernel);
    await studio.ask("Look at what everybody has.", null);
    const plain = (await results()).map((each) => each.includes("INSERTED") && each.includes("a.md"));
    expect(plain).toEqual([false, false, false]);
  });

  test("K-31 what it sees of a canvas in its draft is kept for no other search", async () => {
    const find = { call: "kernel_search", with: { query: "INSERTED" } };
    await send(inOrder(checkOut, patches(1, "canvas", "INSERTED"), find, find));
    expect((await results()).slice(2).map((each) => each.includes('"line"'))).toEqual([true, true]);
    studio.mind = inOrder(checkOut, find);
    await studio.ask("Look at what everybody has.", null);
    expect((await results()).map((each) => each.includes('"line"'))).toEqual([false, false]);
  });

  test("K-35 edits files by the block tools in the draft too, and goes on in it after the next message", async () => {
    const id = await fileId("a.md");
    const splice = { call: "block_apply_patch", with: { block_id: id, patch: "@@ -1 +1 @@\n-one\n+ONE\n" } };
    await send(inOrder(splice));
    await send(inOrder(replaceIn("a.md", "two", "TWO")), (await tip()).id);
    expect(onDisk("a.md")).toBe(text);
    expect((await drafts("a.md")).map((draft) => draft.text)).toEqual([
      text.replace("one", "ONE").replace("two", "TWO"),
    ]);
  });

  test("K-35 three replies each write the same file in a draft of their own", async () => {
    let replies = 0;
    const mind: Mind = (request) => {
      if (request.messages.at(-1)?.role === "tool") return { say: "Done." };
      replies += 1;
      return replaceIn("a.md", "two", `draft ${replies}`);
    };
    await send(mind, null, 3);
    expect((await drafts("a.md")).map((draft) => draft.text).toSorted()).toEqual(
      [1, 2, 3].map((each) => text.replace("two", `draft ${each}`)),
    );
    expect(onDisk("a.md")).toBe(text);
  });

  test("K-35 what another program writes meanwhile is below the draft, and the same words are a conflict", async () => {
    await send(inOrder(replaceIn("a.md", "two", "TWO"), replaceIn("b.md", "two", "TWO")));
    const draftId = must((await tip()).draft, "a draft");
    writeFileSync(join(folder, "a.md"), text.replace("four", "FOUR"));
    writeFileSync(join(folder, "b.md"), text.replace("two", "zwei"));
    expect(await drafts("a.md")).toMatchObject([{ text: "one\nTWO\nthree\nFOUR\nfive\nsix\n", conflicts: [] }]);
    accepted(await take("a.md", draftId));
    expect(codeOf(await take("b.md", draftId))).toBe("SUGGESTION_CONFLICT");
    await written();
    expect([onDisk("a.md"), onDisk("b.md")]).toEqual([
      "one\nTWO\nthree\nFOUR\nfive\nsix\n",
      text.replace("two", "zwei"),
    ]);
  });

  test("K-36 a file that is not there yet, a move and a deletion leave the draft: a person is asked first", async () => {
    const ways = [
      { call: "write_file", with: { path: "new.md", content: "x\n" } },
      { call: "move_file", with: { path: "a.md", to: "c.md" } },
      { call: "delete_file", with: { path: "a.md" } },
      { call: "block_undo", with: { block_id: await fileId("a.md") } },
    ];
    for (const way of ways) {
      studio.mind = inOrder(way);
      const { conversations } = studio.workspace;
      const wish = { rootId: studio.rootId, parentNodeId: null, text: `Do ${way.call}.`, inDraft: true };
      const { runId } = accepted(await conversations.messages.send(ada, wish));
      const state = async () => (await studio.store.run(runId))?.state;
      await expect.poll(state).toMatchObject({ type: "awaiting-approval", request: { reason: "in-draft" } });
      accepted(await conversations.runs.cancel(ada, { runId, reason: "stopped" }));
      await studio.rest();
    }
    expect([existsSync(join(folder, "new.md")), onDisk("a.md")]).toEqual([false, text]);
  });
});

describe("a draft of a file", () => {
  async function drafted(): Promise<DraftId> {
    await send(inOrder(replaceIn("a.md", "two", "TWO"), replaceIn("a.md", "four", "FOUR")));
    return must((await tip()).draft, "a draft");
  }

  test("K-35 is taken whole or not at all by a kill at every write, and the disk has it after the next start", async () => {
    const draftId = await drafted();
    const id = await fileId("a.md");
    const { store } = studio;
    const now = () => ({ image: store.image(), disk: onDisk("a.md") });
    const stops = [now()];
    const commit = store.commit.bind(store);
    store.commit = async (writes) => {
      stops.push(now());
      const done = await commit(writes);
      stops.push(now());
      return done;
    };
    accepted(await take("a.md", draftId));
    stops.push(now());
    await written();
    stops.push(now());
    await studio.close();
    const taken = "one\nTWO\nthree\nFOUR\nfive\nsix\n";
    const outcomes = new Set<string>();
    for (const { image, disk } of stops) {
      writeFileSync(join(folder, "a.md"), disk);
      studio.store = openMemoryStore(image);
      await studio.reopen({ files: await openTree(), shell });
      await written();
      const open = accepted(await studio.workspace.hub.suggestions.drafts(id)).length;
      outcomes.add(JSON.stringify([await studio.text(id), onDisk("a.md"), open]));
      await studio.workspace.close();
    }
    // The transaction was on disk before the file was.
    expect(stops.some(({ disk }) => disk === text)).toBe(true);
    expect([...outcomes].map((each): unknown => JSON.parse(each))).toEqual([
      [text, text, 1],
      [taken, taken, 0],
    ]);
    studio.store = openMemoryStore(must(stops.at(-1), "the last one").image);
    await studio.reopen({ files: await openTree(), shell });
  });

  test("K-35 another program that writes the file between a stop and the next start is merged, or a conflict", async () => {
    const draftId = await drafted();
    accepted(await take("a.md", draftId));
    const image = studio.store.image();
    await studio.close();
    for (const [theirs, after, conflict] of [
      [text.replace("six", "SIX"), "one\nTWO\nthree\nFOUR\nfive\nSIX\n", false],
      [text.replace("two", "zwei"), text.replace("two", "zwei"), true],
    ] as const) {
      writeFileSync(join(folder, "a.md"), theirs);
      studio.store = openMemoryStore(image);
      await studio.reopen({ files: await openTree(), shell });
      await written();
      const { rootId, store, workspace } = studio;
      const folderId = must((await store.root(rootId))?.folderId ?? null, "the folder");
      const { files } = accepted(await workspace.folders.use(folderId));
      expect([onDisk("a.md"), (await files.opened())[0]?.conflict]).toEqual([after, conflict]);
      await studio.workspace.close();
    }
    studio.store = openMemoryStore(image);
    await studio.reopen({ files: await openTree(), shell });
  });

  test("K-33 is written by a person too, who preempts its agent with the first key", async () => {
    const draftId = await drafted();
    const canvasId = await fileId("a.md");
    const base = "one\nTWO\nthree\nFOUR\nfive\nsix\n";
    const type = async (to: string) =>
      performDraft["draft.write"](await call(bo), {
        canvasId,
        draftId,
        baseHash: sha256Hex(base),
        changes: diffChanges(base, to).map((change) => ({ ...change })),
      });
    accepted(await type("one\nTWO\nby hand\nFOUR\nfive\nsix\n"));
    expect(onDisk("a.md")).toBe(text);
    accepted(await take("a.md", draftId));
    await written();
    expect(onDisk("a.md")).toBe("one\nTWO\nby hand\nFOUR\nfive\nsix\n");
  });

  test("K-35 is listed and taken by command, whose other commands are about canvases alone", async () => {
    const draftId = await drafted();
    const canvasId = await fileId("a.md");
    const { workspace } = studio;
    const { replica } = await studio.author(ada);
    const dispatch = createDispatch(workspace);
    const caller = { actor: ada, clientId: "page", replica };
    const ask = (name: string, params: object) => dispatch({ caller, name, params });
    expect(accepted(await ask("draft.list", { canvasId }))).toMatchObject({ drafts: [{ draftId }] });
    expect(codeOf(await ask("canvas.hashes", { canvasId }))).toBe("BLOCK_NOT_FOUND");
    accepted(await ask("draft.take", { canvasId, draftId }));
    await written();
    expect(onDisk("a.md")).toBe("one\nTWO\nthree\nFOUR\nfive\nsix\n");
  });

  test("K-41 goes to the trash with its branch, and comes back with it", async () => {
    const draftId = await drafted();
    const before = await drafts("a.md");
    const { conversations, trash } = studio.workspace;
    const first = must(
      (await studio.nodes()).find(({ draft }) => draft === draftId),
      "its first message",
    );
    const { trashId } = accepted(await conversations.messages.delete({ nodeId: first.id, by: ada }));
    expect(await drafts("a.md")).toEqual([]);
    expect(codeOf(await take("a.md", draftId))).toBe("SUGGESTION_NOT_FOUND");
    accepted(await trash.restore(await studio.author(ada), { id: must(trashId, "an entry") }));
    expect((await drafts("a.md")).map((draft) => draft.text)).toEqual(before.map((draft) => draft.text));
  });
});
