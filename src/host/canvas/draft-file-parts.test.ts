import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { must } from "../../core/base/assert.ts";
import type { BlockId, DraftId } from "../../core/base/ids.ts";
import { codeOf } from "../../core/base/result.test-support.ts";
import { performDraft } from "../command/draft.ts";
import { accepted, ada, inOrder, type Mind, type Move } from "./canvas.test-support.ts";
import { DraftedFolder } from "./drafted-folder.test-support.ts";

const text = "one\ntwo\nthree\n";
const files = { "a.md": text, "b.md": text, "c.md": text };

let at: DraftedFolder;

beforeEach(async () => {
  at = await DraftedFolder.open(files);
});
afterEach(() => at.close());

const creates = (path: string, content: string) => ({ call: "write_file", with: { path, content } });
const moves = (path: string, to: string) => ({ call: "move_file", with: { path, to } });
const deletes = (path: string) => ({ call: "delete_file", with: { path } });
const reads = (path: string) => ({ call: "read_files", with: { files: [{ path }] } });
const lists = { call: "list_files", with: {} };
const replaces = (path: string, search: string, replace: string) => ({
  call: "replace_in_file",
  with: { path, replacements: [{ search, replace }] },
});

/** A draft that makes a file, moves another and changes it, and deletes a third. */
const all = [
  creates("new.md", "fresh\n"),
  moves("a.md", "sub/moved.md"),
  replaces("sub/moved.md", "two", "TWO"),
  deletes("b.md"),
];
const taken = { "c.md": text, "new.md": "fresh\n", "sub/moved.md": text.replace("two", "TWO") };

async function drafted(...steps: readonly Move[]): Promise<DraftId> {
  await at.send(inOrder(...steps));
  return at.draftId();
}

function disk(): Readonly<Record<string, string>> {
  return at.disk();
}

describe("in its draft, an agent", () => {
  test("K-35 makes, moves and deletes files without being asked, and the disk is unchanged until they are taken together", async () => {
    const draftId = await drafted(...all);
    expect(await at.results()).toEqual([
      expect.stringMatching(new RegExp(`"path":"new.md","created":true,"line_count":1.*"draft":"${draftId}"`)),
      expect.stringMatching(/"path":"sub\/moved.md","moved_from":"a.md".*"draft"/),
      expect.stringMatching(/"changed":true.*"draft"/),
      expect.stringMatching(/"path":"b.md".*"draft"/),
    ]);
    await at.written();
    expect(disk()).toEqual(files);
    expect(await at.documents(draftId)).toMatchObject([
      { does: "creates", title: "new.md", from: null, linesAdded: 1, linesRemoved: 0 },
      { does: "moves", title: "sub/moved.md", from: "a.md", linesAdded: 1, linesRemoved: 1 },
      { does: "deletes", title: "b.md" },
    ]);
    const answer = accepted(await at.takeAll(draftId));
    expect(answer.others).toHaveLength(2);
    await at.written();
    expect(disk()).toEqual(taken);
    expect(await at.documents(draftId)).toEqual([]);
    // What was deleted is in the trash, with its text.
    const { trash } = at.studio.workspace;
    const [entry] = (await trash.list({ limit: 9 })).entries;
    accepted(await trash.restore(await at.studio.author(ada), { id: must(entry, "an entry").id }));
    await at.written();
    expect(disk()).toEqual({ ...taken, "b.md": text });
  });

  test("K-35 sees its own files by list, address, search and block, and nobody else does", async () => {
    const looks = [
      lists,
      reads("new.md"),
      reads("sub/moved.md"),
      reads("b.md"),
      { call: "keyword_search", with: { keywords: ["fresh", "TWO"] } },
      { call: "kernel_search", with: { query: "fresh|TWO" } },
      { call: "block_list", with: { kind: "file" } },
      replaces("new.md", "fresh", "fresher"),
      reads("new.md"),
    ];
    const draftId = await drafted(...all, ...looks);
    const shown = (await at.results()).slice(all.length);
    expect(shown[0]).toContain('"files":["c.md","new.md","sub/moved.md"]');
    expect(shown[1]).toContain("fresh");
    expect(shown[2]).toContain("TWO");
    expect(shown[3]).toContain("You deleted b.md in your draft");
    expect(shown[4]).toMatch(/new\.md.*fresh/);
    expect(shown[4]).toMatch(/sub\/moved\.md/);
    expect(shown[4]).not.toContain("b.md");
    expect(shown[5]).toMatch(/new\.md/);
    expect(shown[5]).toMatch(/sub\/moved\.md/);
    expect(shown[6]).toMatch(/new\.md/);
    expect(shown[6]).not.toMatch(/"b\.md"/);
    expect(shown[8]).toContain("fresher");
    at.studio.mind = inOrder(lists, reads("new.md"), reads("b.md"), { call: "block_list", with: { kind: "file" } });
    await at.studio.ask("Look at what everybody has.", null);
    const plain = await at.results();
    expect(plain[0]).toContain('"files":["a.md","b.md","c.md"]');
    expect(plain[1]).toContain("FILE_NOT_FOUND");
    expect(plain[2]).toContain("one");
    expect(plain[3]).not.toContain("new.md");
    expect(codeOf(await (await at.files()).open("new.md"))).toBe("FILE_NOT_FOUND");
    accepted(await at.takeAll(draftId));
    await at.written();
    expect(at.onDisk("new.md")).toBe("fresher\n");
  });

  test("K-35 takes a step back: what it made and deletes, moves back, or writes again is no part of it any more", async () => {
    const draftId = await drafted(
      creates("new.md", "fresh\n"),
      deletes("new.md"),
      moves("a.md", "d.md"),
      moves("d.md", "a.md"),
      deletes("b.md"),
      creates("b.md", text.replace("two", "TWO")),
      creates("e.md", "e\n"),
      moves("e.md", "f.md"),
    );
    expect(await at.documents(draftId)).toMatchObject([
      { does: "edits", title: "b.md" },
      { does: "creates", title: "f.md" },
    ]);
    accepted(await at.takeAll(draftId));
    await at.written();
    expect(disk()).toEqual({ ...files, "b.md": text.replace("two", "TWO"), "f.md": "e\n" });
  });

  test("K-35 uses a path that a file leaves with the draft, and is refused one that is in use", async () => {
    const draftId = await drafted(
      moves("a.md", "old.md"),
      creates("a.md", "new a\n"),
      deletes("b.md"),
      moves("c.md", "b.md"),
      creates("old.md", "x\n"),
      moves("b.md", "a.md"),
    );
    const results = await at.results();
    // A whole text for a file that is there replaces its text.
    expect(results[4]).toContain('"path":"old.md"');
    expect(results[5]).toContain("FILE_EXISTS");
    accepted(await at.takeAll(draftId));
    await at.written();
    expect(disk()).toEqual({ "a.md": "new a\n", "b.md": text, "old.md": "x\n" });
  });

  test("K-35 a file that it makes belongs to its conversation's folder, and whoever watches is told at once", async () => {
    const { workspace, store, rootId } = at.studio;
    const told: BlockId[] = [];
    workspace.hub.suggestions.onChanged((canvasId) => told.push(canvasId));
    const draftId = await drafted(creates("new.md", "fresh\n"));
    const [document] = await at.documents(draftId);
    const { canvasId } = must(document, "a document");
    expect(told).toContain(canvasId);
    const { metadata } = must(await store.block(canvasId), "a block");
    expect(metadata).toMatchObject({ path: "new.md", folder: (await store.root(rootId))?.folderId });
  });

  test("K-35 several replies each make a file of the same name; one is taken, and another is refused then", async () => {
    let replies = 0;
    const mind: Mind = (request) => {
      if (request.messages.at(-1)?.role === "tool") return { say: "Done." };
      replies += 1;
      return creates("new.md", `by ${replies}\n`);
    };
    await at.send(mind, null, 2);
    const nodes = await at.studio.nodes();
    const [one, other] = [...new Set(nodes.flatMap(({ draft }) => draft ?? []))];
    accepted(await at.takeAll(must(one, "a draft")));
    await at.written();
    const first = at.onDisk("new.md");
    const refused = await at.takeAll(must(other, "another draft"));
    expect(codeOf(refused)).toBe("FILE_CHANGED");
    await at.written();
    expect(at.onDisk("new.md")).toBe(first);
    expect(await at.documents(must(other, "another draft"))).toMatchObject([{ does: "creates", title: "new.md" }]);
  });
});

/** Kills the server at every write of a take, and starts it again: what is on disk then, and in how many documents the draft is. */
async function killedWhileTaken(draftId: DraftId) {
  const stops = await at.stopsDuring(async () => {
    accepted(await at.takeAll(draftId));
    await at.written();
  });
  await at.studio.close();
  const outcomes = new Set<string>();
  for (const stop of stops) {
    await at.startAt(stop);
    outcomes.add(JSON.stringify([disk(), (await at.documents(draftId)).length]));
    await at.studio.workspace.close();
  }
  return { stops, outcomes: [...outcomes].map((each): unknown => JSON.parse(each)) };
}

describe("a take of files", () => {
  test.each([
    ["at whose path another program made one", [creates("new.md", "fresh\n")], { "new.md": "theirs\n" }],
    ["that another program changed, of one to delete", [deletes("b.md")], { "b.md": "theirs\n" }],
    ["that another program deleted, of one to move", [moves("a.md", "d.md")], { "a.md": null }],
    ["to whose new path another program wrote", [moves("a.md", "d.md")], { "d.md": "theirs\n" }],
  ] as const)("K-35 is refused whole for a file %s, and nothing is lost", async (_name, steps, outside) => {
    const draftId = await drafted(...steps, creates("other.md", "other\n"));
    for (const [name, theirs] of Object.entries(outside)) {
      if (theirs === null) at.remove(name);
      else at.write(name, theirs);
    }
    const before = disk();
    expect(codeOf(await at.takeAll(draftId))).toBe("FILE_CHANGED");
    await at.written();
    expect(disk()).toEqual(before);
    // The draft is as it was, and its other part can be taken alone.
    const documents = await at.documents(draftId);
    expect(documents).toHaveLength(2);
    const other = must(
      documents.find(({ title }) => title === "other.md"),
      "the other file",
    );
    accepted(await at.takeAll(draftId, { hunkIds: other.hunkIds }));
    await at.written();
    expect(disk()).toEqual({ ...before, "other.md": "other\n" });
  });

  test("K-35 deletes a file that others changed when a person says so, whose text is in the trash then", async () => {
    const draftId = await drafted(deletes("b.md"));
    at.write("b.md", "theirs\n");
    await at.fileId("b.md");
    const [document] = await at.documents(draftId);
    const { hunkIds, conflicts } = must(document, "a document");
    expect(conflicts).toEqual(hunkIds);
    expect(codeOf(await at.takeAll(draftId, { hunkIds }))).toBe("FILE_CHANGED");
    accepted(await at.takeAll(draftId, { hunkIds, overruled: hunkIds }));
    await at.written();
    expect(at.isOnDisk("b.md")).toBe(false);
    const { trash } = at.studio.workspace;
    const [entry] = (await trash.list({ limit: 9 })).entries;
    accepted(await trash.restore(await at.studio.author(ada), { id: must(entry, "an entry").id }));
    await at.written();
    expect(at.onDisk("b.md")).toBe("theirs\n");
  });

  test("K-35 dropped, none of it is ever there", async () => {
    const draftId = await drafted(...all);
    for (const { canvasId } of await at.documents(draftId)) {
      accepted(await performDraft["draft.drop"](await at.call(), { canvasId, draftId }));
    }
    await at.written();
    expect(disk()).toEqual(files);
    expect(await at.documents(draftId)).toEqual([]);
  });

  test("K-35 K-42 is all or nothing by a kill at every write, in the store at once and on disk after the next start", async () => {
    const draftId = await drafted(...all);
    const { stops, outcomes } = await killedWhileTaken(draftId);
    // Several of them lie between the transaction and the last file.
    expect(stops.filter((stop) => JSON.stringify(stop.disk) !== JSON.stringify(files)).length).toBeGreaterThan(1);
    expect(outcomes).toEqual([
      [files, 3],
      [taken, 0],
    ]);
    await at.startAt(must(stops.at(-1), "the last one"));
  });

  test("K-35 K-42 a file that takes the path of one that leaves it is there after a kill at every write", async () => {
    const draftId = await drafted(
      moves("a.md", "old.md"),
      creates("a.md", "new a\n"),
      deletes("b.md"),
      moves("c.md", "b.md"),
    );
    const { stops, outcomes } = await killedWhileTaken(draftId);
    expect(outcomes).toEqual([
      [files, 4],
      [{ "a.md": "new a\n", "b.md": text, "old.md": text }, 0],
    ]);
    await at.startAt(must(stops.at(-1), "the last one"));
  });

  test("K-41 files of a draft go to the trash with its branch, and come back with it", async () => {
    const draftId = await drafted(...all);
    const before = await at.documents(draftId);
    const { conversations, trash } = at.studio.workspace;
    const first = must(
      (await at.studio.nodes()).find(({ draft }) => draft === draftId),
      "its first message",
    );
    const { trashId } = accepted(await conversations.messages.delete({ nodeId: first.id, by: ada }));
    expect(await at.documents(draftId)).toEqual([]);
    accepted(await trash.restore(await at.studio.author(ada), { id: must(trashId, "an entry") }));
    expect(await at.documents(draftId)).toEqual(before);
  });

  test("K-31 a branch goes on with the files of its draft, and one that begins with it has copies", async () => {
    const draftId = await drafted(creates("new.md", "fresh\n"));
    const parent = (await at.tip()).id;
    let replies = 0;
    const mind: Mind = (request) => {
      if (request.messages.at(-1)?.role === "tool") return { say: "Done." };
      replies += 1;
      return replaces("new.md", "fresh", `by ${replies}`);
    };
    await at.send(mind, parent, 2);
    const nodes = await at.studio.nodes();
    const ids = [...new Set(nodes.flatMap(({ draft }) => draft ?? []))].filter((id) => id !== draftId);
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(await at.documents(id)).toMatchObject([{ does: "creates", title: "new.md" }]);
    accepted(await at.takeAll(must(ids[0], "a draft")));
    await at.written();
    expect(at.onDisk("new.md")).toMatch(/^by \d\n$/);
  });
});
