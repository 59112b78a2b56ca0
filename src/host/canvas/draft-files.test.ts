import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { must } from "../../core/base/assert.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { DraftId } from "../../core/base/ids.ts";
import { codeOf } from "../../core/base/result.test-support.ts";
import { diffChanges } from "../../core/block/change/diff-changes.ts";
import { performDraft } from "../command/draft.ts";
import { createDispatch } from "../command/dispatch.ts";
import { accepted, ada, bo, checkOut, inOrder, patches, type Mind, type Studio } from "./canvas.test-support.ts";
import { DraftedFolder } from "./drafted-folder.test-support.ts";

const text = "one\ntwo\nthree\nfour\nfive\nsix\n";

let at: DraftedFolder;
let studio: Studio;

beforeEach(async () => {
  at = await DraftedFolder.open({ "a.md": text, "b.md": text });
  ({ studio } = at);
});
afterEach(() => at.close());

const replaceIn = (path: string, search: string, replace: string) => ({
  call: "replace_in_file",
  with: { path, replacements: [{ search, replace }] },
});

describe("an agent that works in a draft", () => {
  test("K-35 writes files into the draft, and disk and document are unchanged until it is taken", async () => {
    const whole = { call: "write_file", with: { path: "a.md", content: text.replace("two", "TWO") } };
    const patch = { call: "patch", with: { files: [{ path: "b.md", patch: "@@ -3 +3 @@\n-three\n+THREE\n" }] } };
    await at.send(inOrder(whole, replaceIn("a.md", "four", "FOUR"), patch));
    const { draft } = await at.tip();
    const draftId = must(draft, "a draft");
    expect(await at.results()).toEqual([
      expect.stringContaining(`"draft":"${draftId}"`),
      expect.stringContaining(`"draft":"${draftId}"`),
      expect.stringContaining(`"draft":"${draftId}"`),
    ]);
    expect((await at.results()).every((each) => each.includes("see the files as they are on disk"))).toBe(true);
    await at.written();
    expect([at.onDisk("a.md"), at.onDisk("b.md")]).toEqual([text, text]);
    expect(await studio.text(await at.fileId("a.md"))).toBe(text);
    const both = "one\nTWO\nthree\nFOUR\nfive\nsix\n";
    expect(await at.drafts("a.md")).toMatchObject([{ draftId, text: both, authors: [{ name: "Editor" }] }]);
    accepted(await at.take("a.md", draftId));
    await at.written();
    expect([at.onDisk("a.md"), at.onDisk("b.md")]).toEqual([both, text]);
    accepted(await studio.workspace.hub.history.undo(await studio.author(ada), await at.fileId("a.md")));
    await at.written();
    expect(at.onDisk("a.md")).toBe(text);
    expect(await at.drafts("a.md")).toMatchObject([{ draftId, text: both }]);
  });

  test("K-35 reads and searches files as its draft has them, and others as the disk has them", async () => {
    const read = { call: "read_files", with: { files: [{ path: "a.md" }] } };
    const search = { call: "keyword_search", with: { keywords: ["INSERTED"] } };
    const kernel = { call: "kernel_search", with: { query: "INSERTED" } };
    await at.send(inOrder(replaceIn("a.md", "two", "INSERTED"), read, search, kernel));
    const shown = (await at.results()).slice(1);
    expect(shown.map((each) => each.includes("INSERTED") && each.includes("a.md"))).toEqual([true, true, true]);
    studio.mind = inOrder(read, search, kernel);
    await studio.ask("Look at what everybody has.", null);
    const plain = (await at.results()).map((each) => each.includes("INSERTED") && each.includes("a.md"));
    expect(plain).toEqual([false, false, false]);
  });

  test("K-31 what it sees of a canvas in its draft is kept for no other search", async () => {
    const find = { call: "kernel_search", with: { query: "INSERTED" } };
    await at.send(inOrder(checkOut, patches(1, "canvas", "INSERTED"), find, find));
    expect((await at.results()).slice(2).map((each) => each.includes('"line"'))).toEqual([true, true]);
    studio.mind = inOrder(checkOut, find);
    await studio.ask("Look at what everybody has.", null);
    expect((await at.results()).map((each) => each.includes('"line"'))).toEqual([false, false]);
  });

  test("K-35 edits files by the block tools in the draft too, and goes on in it after the next message", async () => {
    const id = await at.fileId("a.md");
    const splice = { call: "block_apply_patch", with: { block_id: id, patch: "@@ -1 +1 @@\n-one\n+ONE\n" } };
    await at.send(inOrder(splice));
    await at.send(inOrder(replaceIn("a.md", "two", "TWO")), (await at.tip()).id);
    expect(at.onDisk("a.md")).toBe(text);
    expect((await at.drafts("a.md")).map((draft) => draft.text)).toEqual([
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
    await at.send(mind, null, 3);
    expect((await at.drafts("a.md")).map((draft) => draft.text).toSorted()).toEqual(
      [1, 2, 3].map((each) => text.replace("two", `draft ${each}`)),
    );
    expect(at.onDisk("a.md")).toBe(text);
  });

  test("K-35 what another program writes meanwhile is below the draft, and the same words are a conflict", async () => {
    await at.send(inOrder(replaceIn("a.md", "two", "TWO"), replaceIn("b.md", "two", "TWO")));
    const draftId = must((await at.tip()).draft, "a draft");
    at.write("a.md", text.replace("four", "FOUR"));
    at.write("b.md", text.replace("two", "zwei"));
    expect(await at.drafts("a.md")).toMatchObject([{ text: "one\nTWO\nthree\nFOUR\nfive\nsix\n", conflicts: [] }]);
    accepted(await at.take("a.md", draftId));
    expect(codeOf(await at.take("b.md", draftId))).toBe("SUGGESTION_CONFLICT");
    await at.written();
    expect([at.onDisk("a.md"), at.onDisk("b.md")]).toEqual([
      "one\nTWO\nthree\nFOUR\nfive\nsix\n",
      text.replace("two", "zwei"),
    ]);
  });

  test("K-35 a draft that is taken whole names the document in which all of it is in conflict, and takes the others", async () => {
    await at.send(inOrder(replaceIn("a.md", "two", "TWO"), replaceIn("b.md", "two", "TWO")));
    const draftId = must((await at.tip()).draft, "a draft");
    at.write("b.md", text.replace("two", "zwei"));
    await at.drafts("b.md");
    const { canvasId: first } = must((await at.documents(draftId))[0], "a document");
    const taken = accepted(await at.takeAll(draftId));
    const counts = [{ canvasId: first, ...taken }, ...(taken.others ?? [])].map(
      (each) => [each.canvasId, each.hunkIds.length, each.conflicts.length] as const,
    );
    expect(new Map(counts.map(([id, ...rest]) => [id, rest]))).toEqual(
      new Map([
        [await at.fileId("a.md"), [1, 0]],
        [await at.fileId("b.md"), [0, 1]],
      ]),
    );
    await at.written();
    expect([at.onDisk("a.md"), at.onDisk("b.md")]).toEqual([text.replace("two", "TWO"), text.replace("two", "zwei")]);
  });

  test("K-36 what lies beside a file's text leaves the draft: a person is asked first", async () => {
    const ways = [
      { call: "block_undo", with: { block_id: await at.fileId("a.md") } },
      { call: "block_update", with: { block_id: await at.fileId("a.md"), collapsed: true } },
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
    expect(at.onDisk("a.md")).toBe(text);
  });
});

describe("a draft of a file", () => {
  async function drafted(): Promise<DraftId> {
    await at.send(inOrder(replaceIn("a.md", "two", "TWO"), replaceIn("a.md", "four", "FOUR")));
    return must((await at.tip()).draft, "a draft");
  }

  test("K-35 is taken whole or not at all by a kill at every write, and the disk has it after the next start", async () => {
    const draftId = await drafted();
    const id = await at.fileId("a.md");
    const stops = await at.stopsDuring(async () => {
      accepted(await at.take("a.md", draftId));
      await at.written();
    });
    await studio.close();
    const taken = "one\nTWO\nthree\nFOUR\nfive\nsix\n";
    const outcomes = new Set<string>();
    for (const stop of stops) {
      await at.startAt(stop);
      const open = accepted(await studio.workspace.hub.suggestions.drafts(id)).length;
      outcomes.add(JSON.stringify([await studio.text(id), at.onDisk("a.md"), open]));
      await studio.workspace.close();
    }
    // The transaction was on disk before the file was.
    expect(stops.some(({ disk }) => disk["a.md"] === text)).toBe(true);
    expect([...outcomes].map((each): unknown => JSON.parse(each))).toEqual([
      [text, text, 1],
      [taken, taken, 0],
    ]);
    await at.startAt(must(stops.at(-1), "the last one"));
  });

  test("K-35 another program that writes the file between a stop and the next start is merged, or a conflict", async () => {
    const draftId = await drafted();
    accepted(await at.take("a.md", draftId));
    const image = studio.store.image();
    await studio.close();
    for (const [theirs, after, conflict] of [
      [text.replace("six", "SIX"), "one\nTWO\nthree\nFOUR\nfive\nSIX\n", false],
      [text.replace("two", "zwei"), text.replace("two", "zwei"), true],
    ] as const) {
      await at.startAt({ image, disk: { "a.md": theirs, "b.md": text } });
      expect([at.onDisk("a.md"), (await (await at.files()).opened())[0]?.conflict]).toEqual([after, conflict]);
      await studio.workspace.close();
    }
    await at.startAt({ image, disk: { "a.md": text, "b.md": text } });
  });

  test("K-33 is written by a person too, who preempts its agent with the first key", async () => {
    const draftId = await drafted();
    const canvasId = await at.fileId("a.md");
    const base = "one\nTWO\nthree\nFOUR\nfive\nsix\n";
    const type = async (to: string) =>
      performDraft["draft.write"](await at.call(bo), {
        canvasId,
        draftId,
        baseHash: sha256Hex(base),
        changes: diffChanges(base, to).map((change) => ({ ...change })),
      });
    accepted(await type("one\nTWO\nby hand\nFOUR\nfive\nsix\n"));
    expect(at.onDisk("a.md")).toBe(text);
    accepted(await at.take("a.md", draftId));
    await at.written();
    expect(at.onDisk("a.md")).toBe("one\nTWO\nby hand\nFOUR\nfive\nsix\n");
  });

  test("K-35 is listed and taken by command, whose other commands are about canvases alone", async () => {
    const draftId = await drafted();
    const canvasId = await at.fileId("a.md");
    const { workspace } = studio;
    const { replica } = await studio.author(ada);
    const dispatch = createDispatch(workspace);
    const caller = { actor: ada, clientId: "page", replica };
    const ask = (name: string, params: object) => dispatch({ caller, name, params });
    expect(accepted(await ask("draft.list", { canvasId }))).toMatchObject({ drafts: [{ draftId }] });
    expect(codeOf(await ask("canvas.hashes", { canvasId }))).toBe("BLOCK_NOT_FOUND");
    accepted(await ask("draft.take", { canvasId, draftId }));
    await at.written();
    expect(at.onDisk("a.md")).toBe("one\nTWO\nthree\nFOUR\nfive\nsix\n");
  });

  test("K-41 goes to the trash with its branch, and comes back with it", async () => {
    const draftId = await drafted();
    const before = await at.drafts("a.md");
    const { conversations, trash } = studio.workspace;
    const first = must(
      (await studio.nodes()).find(({ draft }) => draft === draftId),
      "its first message",
    );
    const { trashId } = accepted(await conversations.messages.delete({ nodeId: first.id, by: ada }));
    expect(await at.drafts("a.md")).toEqual([]);
    expect(codeOf(await at.take("a.md", draftId))).toBe("SUGGESTION_NOT_FOUND");
    accepted(await trash.restore(await studio.author(ada), { id: must(trashId, "an entry") }));
    expect((await at.drafts("a.md")).map((draft) => draft.text)).toEqual(before.map((draft) => draft.text));
  });
});
